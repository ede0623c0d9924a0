/**
 * step: carries out what `decide` says and appends what came of it, until the run ends, waits, or
 * this invocation has done its share. The only place in the loop that performs effects. Time,
 * money and turns are bounded; leaving always releases the lease, an exception never does.
 */
import { CALL_MARGIN_MS, CLIENT_DUE_MS, HANDOFF_DUE_MS } from '../limits.ts';
import { callModel } from './call-model.ts';
import { type Close, decide, type Next } from './decide.ts';
import type { Lease } from './lease.ts';
import { prepare } from './prepare.ts';
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
    const stepEndsAt = deps.clock.now() + context.stepMs;
    const done = await perform(context, { next, stepEndsAt });
    if (done === 'finished') return { kind: 'finished' };
    if (next.kind !== 'prepare') steps += 1;
  }
}

/** Gives the lease back. A client that is expected again gets longer before the queue steps in. */
function leave({ lease, interactive }: StepContext, left: Left): Promise<'ok' | 'moved'> {
  const waitMs = left.kind === 'waiting' ? left.until - left.now : 0;
  const dueMs = interactive && waitMs === 0 ? CLIENT_DUE_MS : waitMs + HANDOFF_DUE_MS;
  return lease.release({ waitMs, dueMs });
}

function momentOf(lease: Lease) {
  const mode = lease.grant.mode === 'close' ? ('close' as const) : ('work' as const);
  return { now: lease.now(), mode, attempts: lease.attempts() };
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
  if (steps > 0 && timeLeft < context.stepMs + 2 * CALL_MARGIN_MS) return { kind: 'handed_over' };
  if (context.interactive && next.kind === 'run_tools' && toolsNeedQueue(context, next)) {
    return { kind: 'queue_only' };
  }
  return null;
}

async function perform(
  context: StepContext,
  {
    next,
    stepEndsAt,
  }: { next: Exclude<Next, Close | { kind: 'wait' | 'nothing' }>; stepEndsAt: number },
): Promise<'finished' | 'goes_on'> {
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
}
