/**
 * The right to write one run's journal, held by one invocation: one writer, entries numbered by
 * `base` and `commit`, a heartbeat when nothing else is written. What others appended meanwhile
 * (an approval, a cancel) is folded before the next decision. Losing the right throws `LeaseLost`.
 */
import type { Clock } from '../deps.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../limits.ts';
import { fold, type RunView } from './fold.ts';
import { type Draft, type Entry, parseEntry, stamp } from './journal.ts';
import type { AppendAnswer, Grant, HolderAppend, Store } from './store.ts';

/** Waits before an append whose answer never came is sent again; the last one repeats. */
const RESEND_AFTER_MS = [250, 1_000, 4_000];

/** Somebody else may hold the run, or it ended or is gone: stop, write nothing more. */
export class LeaseLost extends Error {
  constructor(why: string) {
    super(`the lease was lost: ${why}`);
    this.name = 'LeaseLost';
  }
}

export interface ReleaseOptions {
  waitMs: number;
  dueMs: number;
  /** This claim does not count as idle though it added no entry. */
  forgive?: boolean;
  outboxDeletes?: string[];
  outboxSets?: Record<string, string>;
  dead?: string;
}

export interface Lease {
  readonly grant: Grant;
  /** The journal as this holder knows it. Throws when it cannot be folded. */
  view(): RunView;
  entries(): readonly Entry[];
  /** Redis' clock, Unix milliseconds. */
  now(): number;
  /** Leases that ended without a word since the last entry. */
  attempts(): number;
  /** Aborted when the lease is lost or a cancel was asked for. */
  readonly signal: AbortSignal;
  /** Entries written together with all others that wait; resolves once they are in the journal. */
  commit(drafts: Draft[], options?: { costMicroUsd?: number }): Promise<void>;
  /** Last entries and the end of the run. `moved`: nothing was written, decide anew. */
  finish(
    drafts: Draft[],
    options: { status: string; costMicroUsd?: number },
  ): Promise<'ok' | 'moved'>;
  release(options: ReleaseOptions): Promise<'ok' | 'moved'>;
  /** Ends the heartbeat. Does not release. */
  stop(): void;
}

type Extra = Partial<
  Pick<HolderAppend, 'release' | 'finish' | 'outboxDeletes' | 'outboxSets' | 'dead'>
>;

export interface LeaseOptions {
  grant: Grant;
  /** The whole journal, raw; empty for a run that is only delivered or buried. */
  lines: string[];
  /** Called with what entered the journal, own and others' entries, in order. */
  onWritten?: (entries: Entry[], firstSeq: number) => void;
}

interface Batch {
  drafts: Draft[];
  costMicroUsd: number;
  written: Promise<void>;
}

export function createLease(
  { store, clock }: { store: Store; clock: Clock },
  { grant, lines, onWritten }: LeaseOptions,
): Lease {
  const receivedAt = clock.now();
  const entries: Entry[] = lines.map(parseEntry);
  // A tombstone or a buried run has no entries to fold, yet its base must be the true length.
  let base = grant.length;
  let committed = 0;
  let attempts = grant.head.attempts;
  let lastWrite = clock.now();
  let lost: LeaseLost | null = null;
  let waiting: Batch | null = null;
  let writer: Promise<unknown> = Promise.resolve();
  let folded: { length: number; view: RunView } | null = null;
  const work = new AbortController();
  const heart = new AbortController();

  const now = () => grant.now + (clock.now() - receivedAt);

  function lose(why: string): never {
    lost ??= new LeaseLost(why);
    heart.abort();
    work.abort(lost);
    throw lost;
  }

  /** One append at a time, in the order asked for. */
  function serially<T>(task: () => Promise<T>): Promise<T> {
    const run = writer.then(task, task);
    writer = run.catch(() => undefined);
    return run;
  }

  /** For a decision that ends the work: what a heartbeat before it hears of comes too late for it. */
  function asDecided(task: () => Promise<'ok' | 'moved'>): Promise<'ok' | 'moved'> {
    const decidedOn = base;
    return serially(async () => (base === decidedOn ? await task() : 'moved'));
  }

  async function send(request: HolderAppend): Promise<AppendAnswer> {
    // As long as nobody else may hold the run, a reply that was paid for is worth another try.
    const until = lastWrite + LEASE_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        return await store.append(request);
      } catch (error) {
        const wait = RESEND_AFTER_MS[tries] ?? RESEND_AFTER_MS.at(-1) ?? 0;
        if (clock.now() + wait >= until) throw error;
        await clock.sleep(wait);
      }
    }
  }

  /** Sends until it is in, or the lease is lost, or (release, finish) others wrote first. */
  async function write(
    drafts: Draft[],
    { extra = {}, cost = 0 }: { extra?: Extra; cost?: number },
  ) {
    const written = drafts.map((draft) => stamp(draft, now()));
    const lines = written.map((entry) => JSON.stringify(entry));
    for (;;) {
      if (lost) throw lost;
      const answer = await send({
        id: grant.head.id,
        epoch: grant.head.epoch,
        nonce: grant.head.nonce,
        commit: committed + (lines.length > 0 ? 1 : 0),
        base,
        lines,
        costMicroUsd: cost,
        usageKey: grant.head.usageKey,
        activeKey: grant.head.activeKey,
        ...extra,
      });
      lastWrite = clock.now();
      if (answer.kind === 'ok') {
        if (lines.length > 0) {
          record(written);
          committed += 1;
          attempts = 0;
        }
        if (extra.release || extra.finish) heart.abort();
        return 'ok' as const;
      }
      if (answer.kind !== 'moved') lose(answer.kind);
      absorb(answer.lines);
      if (extra.release || extra.finish) return 'moved' as const;
      if (lines.length === 0) return 'ok' as const;
    }
  }

  function record(fresh: Entry[]) {
    entries.push(...fresh);
    onWritten?.(fresh, base + 1);
    base += fresh.length;
  }

  /** What others wrote since `base`: approvals and cancels. */
  function absorb(tail: string[]) {
    const fresh = tail.map(parseEntry);
    record(fresh);
    if (fresh.some((entry) => entry.type === 'cancel_requested'))
      work.abort(new Error('cancelled'));
  }

  async function beat() {
    while (!heart.signal.aborted) {
      await clock.sleep(Math.max(0, lastWrite + HEARTBEAT_MS - clock.now()), heart.signal);
      if (heart.signal.aborted) return;
      if (clock.now() - lastWrite < HEARTBEAT_MS) continue;
      await serially(async () => {
        if (!heart.signal.aborted) await write([], {});
      });
    }
  }

  beat().catch((error: unknown) => {
    // Redis is out of reach: the lease will run out, so what is under way must stop.
    lost ??= error instanceof LeaseLost ? error : new LeaseLost('no heartbeat reached Redis');
    heart.abort();
    work.abort(lost);
  });

  return {
    grant,
    view() {
      if (folded?.length !== entries.length)
        folded = { length: entries.length, view: fold(entries) };
      return folded.view;
    },
    entries: () => entries,
    now,
    attempts: () => attempts,
    signal: work.signal,

    commit(drafts, options = {}) {
      const batch = waiting ?? { drafts: [], costMicroUsd: 0, written: writer as Promise<void> };
      batch.drafts.push(...drafts);
      batch.costMicroUsd += options.costMicroUsd ?? 0;
      if (batch !== waiting) {
        waiting = batch;
        batch.written = serially(async () => {
          waiting = null;
          await write(batch.drafts, { cost: batch.costMicroUsd });
        });
      }
      return batch.written;
    },

    finish: (drafts, { status, costMicroUsd }) =>
      asDecided(() => write(drafts, { extra: { finish: status }, cost: costMicroUsd ?? 0 })),

    release: ({ waitMs, dueMs, forgive, ...changes }) =>
      asDecided(() => write([], { extra: { release: { waitMs, dueMs, forgive }, ...changes } })),

    stop: () => heart.abort(),
  };
}
