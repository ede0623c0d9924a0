/**
 * step: carries out what `decide` says and appends what came of it, until the run ends, waits, or
 * this invocation has done its share. The only place in the loop that performs effects. Time,
 * money and turns are bounded; leaving always releases the lease, an exception never does.
 */
import { CALL_MARGIN_MS, CLIENT_DUE_MS, HANDOFF_DUE_MS, MODEL_CALL_MS } from '../limits.ts';
import { callModel } from './call-model.ts';
import { type Close, decide, type Next } from './decide.ts';
import type { Lease } from './lease.ts';
import { NotReady, prepare } from './prepare.ts';
import { runTools, toolsNeedQueue } from './run-tools.ts';
import { finish, type Left, type StepContext } from './step-context.ts';

export async function work(context: StepContext): Promise<Left> {
  const { deps, lease } = context;
  let steps = 0;
  let told = 0;
  // Once for each step that is over, also when the next one has to be decided again.
  const beginStep = () => {
    if (steps > told) context.onNextStep?.();
    told = steps;
  };
  for (;;) {
    const next = decide(lease.view(), momentOf(lease));
    if (next.kind === 'nothing') return { kind: 'nothing' };
    if (next.kind === 'close') {
      beginStep();
      if ((await finish(lease, next)) === 'ok') return { kind: 'finished' };
      continue;
    }
    const left = leaveInstead(context, { next, steps });
    if (left) {
      if ((await leave(context, left)) === 'ok') return left;
      continue;
    }
    if (next.kind === 'wait') {
      const waiting: Left = { kind: 'waiting', until: next.until, now: lease.now() };
      if ((await leave(context, waiting)) === 'ok') return waiting;
      continue;
    }
    beginStep();
    const before = lease.entries().length;
    const stepEndsAt = deps.clock.now() + context.stepMs;
    const done = await perform(context, { next, stepEndsAt });
    if (done === 'finished') return { kind: 'finished' };
    if (next.kind !== 'prepare') steps += 1;
    const stuck = stuckAfter(context, { done, moved: lease.entries().length > before });
    if (stuck && (await leave(context, stuck)) === 'ok') return stuck;
  }
}

/** Gives the lease back. A client that is expected again gets longer before the queue steps in. */
function leave({ lease, interactive }: StepContext, left: Left): Promise<'ok' | 'moved'> {
  const waitMs = left.kind === 'waiting' ? left.until - left.now : 0;
  const dueMs = interactive && waitMs === 0 ? CLIENT_DUE_MS : waitMs + HANDOFF_DUE_MS;
  // What a client asked for and did not wait for is no sign that the run is stuck.
  return lease.release({ waitMs, dueMs, ...(interactive ? { forgive: true } : {}) });
}

/** How to leave a run whose step did nothing, or null when it got somewhere. */
function stuckAfter(
  { deps, lease }: StepContext,
  { done, moved }: { done: Performed; moved: boolean },
): Left | null {
  if (done instanceof NotReady) {
    deps.log('not_ready', { run: lease.grant.head.id, fault: done.message.slice(0, 200) });
    return { kind: 'waiting', until: lease.now() + NOT_READY_WAIT_MS, now: lease.now() };
  }
  // No call fits what this invocation has left: the next one has more.
  return moved ? null : { kind: 'handed_over' };
}

function momentOf(lease: Lease) {
  const mode = lease.grant.mode === 'close' ? ('close' as const) : ('work' as const);
  const acceptedAt = lease.grant.head.createdAt;
  return { now: lease.now(), acceptedAt, mode, attempts: lease.attempts() };
}

/** Why this invocation stops here, or null when it goes on. */
function leaveInstead(
  context: StepContext,
  { next, steps }: { next: Next; steps: number },
): Left | null {
  const { deps } = context;
  if (next.kind === 'wait') return null;
  if (context.disconnected?.aborted) return { kind: 'handed_over' };
  if (next.kind === 'prepare' && steps === 0) return null;
  if (steps >= context.maxSteps) return { kind: 'handed_over' };
  const timeLeft = context.invocationEndsAt - deps.clock.now();
  const needed = next.kind === 'call_model' ? MODEL_CALL_MS : context.stepMs + CALL_MARGIN_MS;
  if (steps > 0 && timeLeft < needed + CALL_MARGIN_MS) return { kind: 'handed_over' };
  if (context.interactive && next.kind === 'run_tools' && toolsNeedQueue(context, next)) {
    return { kind: 'queue_only' };
  }
  return null;
}

type Performed = 'finished' | 'goes_on' | NotReady;

/** Storage that was out of reach is tried again after this long. */
const NOT_READY_WAIT_MS = 60_000;

async function perform(
  context: StepContext,
  {
    next,
    stepEndsAt,
  }: { next: Exclude<Next, Close | { kind: 'wait' | 'nothing' }>; stepEndsAt: number },
): Promise<Performed> {
  try {
    switch (next.kind) {
      case 'prepare':
        await context.lease.commit([await prepare(context)]);
        return 'goes_on';
      case 'call_model':
        return await callModel(context, next);
      case 'run_tools':
        await runTools(context, { next, stepEndsAt });
        return 'goes_on';
    }
  } catch (error) {
    if (error instanceof NotReady) return error;
    throw error;
  }
}
