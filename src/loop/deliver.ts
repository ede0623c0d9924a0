/**
 * What a finished or deleted run still owes: one function a kind, each safe to call again. A kind
 * that fails is tried again later; after a day it leaves the outbox for the head's `dead` field.
 */
import type { Deps } from '../deps.ts';
import { DELIVERY_GIVE_UP_MS, HANDOFF_DUE_MS } from '../limits.ts';
import type { Lease, ReleaseOptions } from './lease.ts';

export interface DeliveryInput {
  runId: string;
  owner: string;
  /** What accept wrote for this kind. */
  value: string;
  /** The journal, raw lines; empty for a deleted run. */
  lines: readonly string[];
}

/** Throws when it failed. Must send under an id that is stable over repeats. */
export type Delivery = (input: DeliveryInput, deps: Deps) => Promise<void>;

const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

interface Owed {
  value: string;
  tries: number;
  /** Redis' clock at the first failure. */
  since: number;
}

/** A failed delivery's value carries its history: `retry:{tries}:{since}:{value}`. */
function parseOwed(stored: string, now: number): Owed {
  const match = /^retry:(\d+):(\d+):(.*)$/s.exec(stored);
  if (!match) return { value: stored, tries: 0, since: now };
  return { value: match[3] ?? '', tries: Number(match[1]), since: Number(match[2]) };
}

const formatOwed = ({ value, tries, since }: Owed) => `retry:${tries}:${since}:${value}`;

/**
 * Settles the outbox of a lease granted in mode `deliver` and releases it.
 * @returns milliseconds until the next try, or null when nothing is owed any more.
 */
export async function deliverOwed(
  lease: Lease,
  { deps, lines }: { deps: Deps; lines: readonly string[] },
): Promise<number | null> {
  const { head, outbox } = lease.grant;
  const changes = { outboxDeletes: [] as string[], outboxSets: {} as Record<string, string> };
  const dead = head.dead ? head.dead.split(',') : [];
  let waitMs: number | null = null;
  for (const [kind, stored] of Object.entries(outbox)) {
    const owed = parseOwed(stored, lease.now());
    const fault = await attempt(kind, { owed, lease, deps, lines });
    if (fault === null) {
      changes.outboxDeletes.push(kind);
      continue;
    }
    const gaveUp = lease.now() - owed.since >= DELIVERY_GIVE_UP_MS;
    deps.log('delivery_failed', {
      run: head.id,
      kind,
      tries: owed.tries + 1,
      gave_up: gaveUp,
      fault,
    });
    if (gaveUp) {
      changes.outboxDeletes.push(kind);
      dead.push(kind);
      continue;
    }
    changes.outboxSets[kind] = formatOwed({ ...owed, tries: owed.tries + 1 });
    const wait = Math.min(FIRST_RETRY_MS * 2 ** owed.tries, MAX_RETRY_MS);
    waitMs = Math.min(waitMs ?? wait, wait);
  }
  await releaseSettled(lease, {
    ...changes,
    dead: dead.join(','),
    waitMs: waitMs ?? 0,
    dueMs: (waitMs ?? 0) + HANDOFF_DUE_MS,
  });
  return waitMs;
}

async function attempt(
  kind: string,
  { owed, lease, deps, lines }: { owed: Owed; lease: Lease; deps: Deps; lines: readonly string[] },
): Promise<string | null> {
  const delivery = deps.deliveries.get(kind);
  if (!delivery) return `this deployment has no delivery of kind ${kind}`;
  const { head } = lease.grant;
  try {
    await delivery({ runId: head.id, owner: head.owner, value: owed.value, lines }, deps);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : String(error);
  }
}

/** Nobody writes to an ended run, so `moved` cannot come; a second look costs nothing. */
async function releaseSettled(lease: Lease, options: ReleaseOptions): Promise<void> {
  while ((await lease.release(options)) === 'moved');
}

export const objectPrefix = (owner: string, runId: string) => `o/${owner}/${runId}/`;
export const archiveKey = (owner: string, runId: string) => `archive/${owner}/${runId}`;

/** The deliveries every deployment has. */
export function createDeliveries(): ReadonlyMap<string, Delivery> {
  return new Map<string, Delivery>([
    [
      'kill_sandbox',
      async ({ runId }, deps) => {
        await deps.sandboxes?.killRun(runId);
      },
    ],
    [
      'archive',
      async ({ runId, owner, lines }, deps) => {
        const journal = new TextEncoder().encode(`${lines.join('\n')}\n`);
        await deps.objects.put(archiveKey(owner, runId), journal, 'application/jsonl');
      },
    ],
    [
      'purge',
      async ({ runId, owner }, deps) => {
        const keys = await deps.objects.list(objectPrefix(owner, runId));
        await deps.objects.delete([...keys, archiveKey(owner, runId)]);
      },
    ],
  ]);
}
