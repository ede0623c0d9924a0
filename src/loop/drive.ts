/**
 * Who calls step, and when again: the queue consumer, a client that drives its own run, and the
 * cron sweep. All may act at once; `claim` lets one in. A message is a hint, never the truth.
 */
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import {
  CALL_MARGIN_MS,
  HANDOFF_DUE_MS,
  HTTP_STEP_MS,
  QUEUE_STEP_MS,
  SWEEP_PAGE,
  SWEEP_ROUNDS,
} from '../limits.ts';
import { deliverOwed } from './deliver.ts';
import type { Draft, Entry, RunFinished } from './journal.ts';
import { createLease, type Lease, LeaseLost, type LeaseOptions } from './lease.ts';
import { UNREADABLE } from './reasons.ts';
import { work } from './step.ts';
import type { Left } from './step-context.ts';
import { createStepLog } from './step-log.ts';
import type { ClaimAnswer } from './store.ts';

/** A message this much too early is put back for the rest of the wait; earlier ones are dropped. */
const EARLY_MS = 10_000;
/** After an infrastructure error the message is seen again this much later. */
const RETRY_MESSAGE_MS = 30_000;
const CLAIM_TRIES = 3;

export type Consumed = { kind: 'ack' } | { kind: 'retry'; afterMs: number };

export type ClientStep =
  | { kind: 'stepped'; entries: { seq: number; entry: Entry }[] }
  | { kind: 'busy' | 'waiting'; retryAfterMs: number }
  | { kind: 'nothing' | 'gone' | 'queued' };

interface Held {
  kind: 'held';
  lease: Lease;
  lines: string[];
}

type Taken = Held | Exclude<ClaimAnswer, { kind: 'grant' }>;

/** One queue message. `deadline`: Worker clock, when the platform ends this invocation. */
export async function consumeMessage(
  runId: string,
  { deps, deadline }: { deps: Deps; deadline: number },
): Promise<Consumed> {
  try {
    const taken = await take(runId, { deps });
    if (taken.kind === 'wait' && taken.until - taken.now <= EARLY_MS) {
      return { kind: 'retry', afterMs: taken.until - taken.now };
    }
    if (taken.kind !== 'held') return { kind: 'ack' };
    const left = await hold(taken, { deps, stepMs: QUEUE_STEP_MS, invocationEndsAt: deadline });
    await handOver(taken.lease, { deps, left });
    if (left.kind === 'finished') await deliverNow(runId, deps);
    return { kind: 'ack' };
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'ack' };
    deps.log('step_failed', { run: runId, fault: faultOf(error) });
    return isInfrastructure(error) ? { kind: 'retry', afterMs: RETRY_MESSAGE_MS } : { kind: 'ack' };
  }
}

/** One step for a client that waits for it. Never throws for a lost lease. */
export async function driveClientStep(
  runId: string,
  options: {
    deps: Deps;
    /** Aborted when the client goes away. */
    signal: AbortSignal;
    onEntry?: (seq: number, entry: Entry) => void;
    onText?: (text: string) => void;
  },
): Promise<ClientStep> {
  const { deps, signal, onEntry, onText } = options;
  const entries: { seq: number; entry: Entry }[] = [];
  const onWritten: LeaseOptions['onWritten'] = (fresh, firstSeq) => {
    fresh.forEach((entry, i) => {
      entries.push({ seq: firstSeq + i, entry });
      onEntry?.(firstSeq + i, entry);
    });
  };
  const taken = await take(runId, { deps, onWritten });
  if (taken.kind === 'busy' || taken.kind === 'wait') {
    const kind = taken.kind === 'busy' ? 'busy' : 'waiting';
    return { kind, retryAfterMs: Math.max(1, taken.until - taken.now) };
  }
  if (taken.kind !== 'held') return { kind: taken.kind };
  try {
    const left = await hold(taken, {
      deps,
      stepMs: HTTP_STEP_MS,
      invocationEndsAt: Number.POSITIVE_INFINITY,
      disconnected: signal,
      onText,
    });
    await handOver(taken.lease, { deps, left, interactive: true });
    if (left.kind === 'queue_only' && entries.length === 0) return { kind: 'queued' };
    if (left.kind === 'nothing') return { kind: 'nothing' };
    return { kind: 'stepped', entries };
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'stepped', entries };
    throw error;
  }
}

/** What the cron does: every run whose time has come gets a message. Returns how many. */
export async function sweepDue(deps: Deps): Promise<number> {
  let found = 0;
  for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
    const ids = await deps.store.sweep();
    await Promise.all(ids.map((id) => deps.queue.send(id)));
    found += ids.length;
    if (ids.length < SWEEP_PAGE) break;
  }
  return found;
}

/** Claims with a nonce of its own, so that a claim whose answer was lost can be sent again. */
async function take(
  runId: string,
  { deps, onWritten }: { deps: Deps; onWritten?: LeaseOptions['onWritten'] },
): Promise<Taken> {
  const nonce = deps.randomId('n_');
  const answer = await claimPatiently(runId, { deps, nonce });
  if (answer.kind !== 'grant') return answer;
  const { mode, length, lines: firstPage } = answer;
  const known = mode === 'bury' || length === firstPage.length;
  const rest = known ? [] : await deps.store.readRest(runId, { have: firstPage.length, length });
  // Shorter than told: Redis lost data. The lease runs out and the next claim sees what is left.
  if (rest === null) return { kind: 'nothing' };
  const lines = [...firstPage, ...rest];
  const folded = mode === 'deliver' ? [] : lines;
  return {
    kind: 'held',
    lines,
    lease: createLease(deps, { grant: answer, lines: folded, onWritten }),
  };
}

async function claimPatiently(
  runId: string,
  { deps, nonce }: { deps: Deps; nonce: string },
): Promise<ClaimAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.store.claim(runId, nonce);
    } catch (error) {
      if (tries >= CLAIM_TRIES) throw error;
      await deps.clock.sleep(250 * tries);
    }
  }
}

/** Does what the grant's mode asks for; the heartbeat ends with it, whatever happens. */
async function hold(
  { lease, lines }: Held,
  options: {
    deps: Deps;
    stepMs: number;
    invocationEndsAt: number;
    disconnected?: AbortSignal;
    onText?: (text: string) => void;
  },
): Promise<Left> {
  const { deps, stepMs, invocationEndsAt, disconnected = null, onText } = options;
  const { grant } = lease;
  const logStep = createStepLog(lease, deps);
  let outcome = 'failed';
  try {
    const left = await act();
    outcome = left.kind;
    return left;
  } finally {
    lease.stop();
    logStep(outcome);
  }

  async function act(): Promise<Left> {
    if (grant.mode === 'bury') return await bury(lease);
    if (grant.mode === 'deliver') {
      const waitMs = await deliverOwed(lease, { deps, lines });
      if (waitMs === null) return { kind: 'nothing' };
      return { kind: 'waiting', until: lease.now() + waitMs, now: lease.now() };
    }
    return await work({
      deps,
      lease,
      stepMs,
      invocationEndsAt,
      // A local consumer hands over after each step: its queue serves one message at a time.
      maxSteps: disconnected || deps.config.local ? 1 : Number.POSITIVE_INFINITY,
      disconnected,
      interactive: disconnected !== null,
      onText,
      onNextStep: () => logStep('goes_on'),
    });
  }
}

/** A run whose journal stops every worker ends without being folded. */
async function bury(lease: Lease): Promise<Left> {
  const finish: Draft<RunFinished> = {
    type: 'run_finished',
    status: 'failed',
    reason: 'unreadable',
    message: UNREADABLE,
    raw: null,
    answer: null,
    rule: null,
    explanation: null,
    evidence: [],
    sources: [],
  };
  while ((await lease.finish([finish], { status: 'failed' })) === 'moved');
  return { kind: 'finished' };
}

/** Tells the queue when to look again. Losing this message costs time only: `due` has the run. */
async function handOver(
  lease: Lease,
  { deps, left, interactive = false }: { deps: Deps; left: Left; interactive?: boolean },
): Promise<void> {
  const { id, drive } = lease.grant.head;
  const client = interactive && drive === 'client';
  if (left.kind === 'nothing' || (left.kind === 'finished' && !interactive)) return;
  if (left.kind === 'handed_over' && client) return;
  const delayMs = left.kind === 'waiting' ? left.until - left.now : 0;
  try {
    await deps.queue.send(id, delayMs);
  } catch (error) {
    deps.log('handover_failed', {
      run: id,
      due_ms: delayMs + HANDOFF_DUE_MS,
      fault: faultOf(error),
    });
  }
}

/** Deliveries of a run that ended in this invocation; a failure leaves them to the sweep. */
async function deliverNow(runId: string, deps: Deps): Promise<void> {
  const taken = await take(runId, { deps });
  if (taken.kind !== 'held') return;
  const invocationEndsAt = deps.clock.now() + CALL_MARGIN_MS;
  const left = await hold(taken, { deps, stepMs: QUEUE_STEP_MS, invocationEndsAt });
  await handOver(taken.lease, { deps, left });
}

function isInfrastructure(error: unknown): boolean {
  return (
    error instanceof StrideError && ['unavailable', 'upstream', 'timeout'].includes(error.code)
  );
}

function faultOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown';
}
