/**
 * A run as its owner may see it: from Redis, or from its archived journal once Redis has let it
 * go. What belongs to another owner is as unknown as what never was.
 */
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { archiveKey } from '../loop/deliver.ts';
import { type Entry, parseEntry } from '../loop/journal.ts';
import type { RunHead } from '../loop/run-head.ts';
import { bookedMicroUsd, type HeadState } from '../loop/summary.ts';
import type { Principal } from './context.ts';

/** An archived run has no head any more: its journal says all. */
export type FoundRun =
  | { kind: 'live'; head: RunHead }
  | { kind: 'archived'; head: HeadState; entries: Entry[] };

interface RunRequestContext {
  deps: Deps;
  principal: Principal;
}

/** Our ids only: anything else cannot be a run, and must not become part of a key. */
const RUN_ID = /^run_[\w-]{16,64}$/;

/** Throws `not_found` for unknown runs and those of other owners. */
export async function loadRun(id: string, context: RunRequestContext): Promise<FoundRun> {
  const { deps, principal } = context;
  if (!RUN_ID.test(id)) throw unknownRun();
  const head = await deps.store.head(id);
  if (head) {
    if (head.owner !== principal.owner) throw unknownRun();
    return { kind: 'live', head };
  }
  // A late delivery may have put the archive of a run that was deleted meanwhile.
  if (await deps.store.isDeleted(id)) throw unknownRun();
  const bytes = await deps.objects.get(archiveKey(principal.owner, id));
  if (!bytes) throw unknownRun();
  const lines = new TextDecoder().decode(bytes).split('\n');
  const entries = lines.filter((line) => line !== '').map(parseEntry);
  return { kind: 'archived', head: archivedHead(id, entries), entries };
}

/** The run's whole journal. */
export async function loadEntries(run: FoundRun, deps: Deps): Promise<Entry[]> {
  return run.kind === 'archived' ? run.entries : deps.store.entries(run.head.id, 1);
}

export function unknownRun(): StrideError {
  return new StrideError('not_found', 'There is no such run; list yours with GET /v1/runs.');
}

function archivedHead(id: string, entries: readonly Entry[]): HeadState {
  const last = entries.at(-1);
  return {
    id,
    state: 'finished',
    status: last?.type === 'run_finished' ? last.status : 'failed',
    drive: 'queue',
    leaseUntil: 0,
    notBefore: 0,
    spentMicroUsd: bookedMicroUsd(entries),
    dead: '',
  };
}
