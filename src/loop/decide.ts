/**
 * decide: what a run does next, from its view alone. Pure: no I/O, no clock (the moment is given),
 * no randomness. With `fold` this is the whole agent; `step` only carries it out.
 */
import {
  CLOSE_ATTEMPTS,
  MAX_OUTPUT_TOKENS,
  MAX_OUTPUT_TOKENS_AFTER_CUT,
  MIN_OUTPUT_TOKENS,
  POISON_ATTEMPTS,
} from '../limits.ts';
import { worstCaseMicroUsd } from '../model/prices.ts';
import { conclude, whatIsMissing } from './conclude.ts';
import { inputTokensOf, isLastTurn, spentLimit, turnText } from './converge.ts';
import { type CallView, openCalls, type RunView } from './fold.ts';
import type { Draft, ModelReplied, RunFinished, RunPrepared, ToolOutcome } from './journal.ts';
import { formatCallTextOf } from './user-text.ts';

/** What decide may know besides the journal. */
export interface Moment {
  /** Redis' clock, Unix milliseconds. */
  now: number;
  /** The same clock at acceptance; the first entry carries a Worker's. */
  acceptedAt: number;
  mode: 'work' | 'close';
  /** Leases that ended without a word since the last entry: each may have paid for a lost call. */
  attempts: number;
}

/** A call that ends without running. */
export interface Settlement {
  call: CallView;
  outcome: ToolOutcome;
  text: string;
}

export interface CallModel {
  kind: 'call_model';
  purpose: ModelReplied['purpose'];
  userText: string | null;
  toolChoice: 'auto' | 'none';
  maxTokens: number;
  /** Worst case of the lost attempts before this call; booked by its reply or its failure. */
  lostMicroUsd: number;
  /** Worst case of this call, booked when it is cut off without a word about its usage. */
  worstMicroUsd: number;
}

export interface RunTools {
  kind: 'run_tools';
  settle: Settlement[];
  ask: CallView[];
  expire: CallView[];
  run: CallView[];
}

export interface Close {
  kind: 'close';
  settle: Settlement[];
  finish: Draft<RunFinished>;
}

export type Next =
  | { kind: 'prepare' }
  | CallModel
  | RunTools
  | { kind: 'wait'; until: number }
  | Close
  | { kind: 'nothing' };

export function decide(view: RunView, moment: Moment): Next {
  if (view.finished) return { kind: 'nothing' };
  if (view.cancelled) return close(view, { reason: 'cancelled', moment });
  if (moment.mode === 'close') return close(view, { reason: whyClosed(moment), moment });
  if (!view.prepared) return { kind: 'prepare' };
  const open = openCalls(view);
  if (open.length > 0) return decideTools(view, { open, moment });
  return decideModel(view, { moment, prepared: view.prepared });
}

/** Closed after too many lost leases, or after too many claims that came to nothing. */
const whyClosed = ({ attempts }: Moment) =>
  attempts >= CLOSE_ATTEMPTS ? 'worker_crashed' : 'no_headway';

function close(view: RunView, { reason, moment }: { reason: string; moment: Moment }): Close {
  const settle = openCalls(view).map((call) => settleAtEnd(call, reason));
  const lost = lostAtEnd(view, moment);
  const finish = { ...conclude(view, reason), ...(lost > 0 ? { cost_micro_usd: lost } : {}) };
  return { kind: 'close', settle, finish };
}

/** Model calls that were lost and will not be repeated may have been paid for all the same. */
function lostAtEnd(view: RunView, { attempts }: Moment): number {
  const { prepared } = view;
  if (!prepared || openCalls(view).length > 0) return 0;
  const left = Math.round(view.started.limits.usd * 1e6) - view.costMicroUsd;
  const inputTokens = inputTokensOf(view);
  const maxTokens = wantedTokens(view);
  const worst = worstCaseMicroUsd({ inputTokens, maxTokens, prices: prepared.prices });
  return Math.max(0, Math.min(attempts * worst, left));
}

const wantedTokens = (view: RunView) =>
  view.cuts > 0 ? MAX_OUTPUT_TOKENS_AFTER_CUT : MAX_OUTPUT_TOKENS;

/** A `once` call that was started may have happened: nobody can say, so nobody does. */
function settleAtEnd(call: CallView, reason: string): Settlement {
  if (call.started?.effect === 'once') return unknownOutcome(call);
  const text =
    reason === 'cancelled'
      ? 'The run was cancelled before this call ended.'
      : 'The run ended before this call did.';
  return { call, outcome: 'cancelled', text };
}

function unknownOutcome(call: CallView): Settlement {
  const text =
    'It is not known whether this call took effect: the worker stopped while it ran, and a call ' +
    'of this kind is never repeated. Do not call it again; check its effect or say so.';
  return { call, outcome: 'unknown', text };
}

function decideTools(view: RunView, { open, moment }: { open: CallView[]; moment: Moment }): Next {
  const next: RunTools = { kind: 'run_tools', settle: [], ask: [], expire: [], run: [] };
  let until = Number.POSITIVE_INFINITY;
  for (const call of open) {
    const settlement = settlementOf(view, call);
    const guarded = view.prepared?.approvals.includes(call.name) ?? false;
    if (settlement) next.settle.push(settlement);
    else if (guarded && call.approval === 'none') next.ask.push(call);
    else if (call.approval === 'asked' && call.expiresAt <= moment.now) next.expire.push(call);
    else if (call.approval === 'asked') until = Math.min(until, call.expiresAt);
    else if (moment.attempts >= POISON_ATTEMPTS) next.settle.push(stoppedTheWorker(call));
    else next.run.push(call);
  }
  const idle = !next.settle.length && !next.ask.length && !next.expire.length && !next.run.length;
  return idle ? { kind: 'wait', until } : next;
}

function stoppedTheWorker(call: CallView): Settlement {
  if (call.started?.effect === 'once') return unknownOutcome(call);
  const text =
    `This call stopped the worker ${POISON_ATTEMPTS} times and is not run again. ` +
    'Try a smaller piece of work or another way.';
  return { call, outcome: 'failed', text };
}

/** Why a call must not run, or null. */
function settlementOf(view: RunView, call: CallView): Settlement | null {
  if (call.started?.effect === 'once') return unknownOutcome(call);
  if (call.approval === 'deny') {
    const note = call.approvalNote ? ` They said: ${call.approvalNote}` : '';
    return { call, outcome: 'denied', text: `A person denied this call.${note} Go on without it.` };
  }
  if (view.formatReply || view.turns >= view.started.limits.turns) {
    const text = 'Tools are off on the last turn. Give the final answer now.';
    return { call, outcome: 'denied', text };
  }
  if (view.reply?.stop_reason === 'refusal') {
    return { call, outcome: 'denied', text: 'Not run: the reply that asked for it was refused.' };
  }
  if (view.reply?.stop_reason === 'model_context_window_exceeded') {
    const text = 'Not run: the reply that asked for it was cut off, and its input may be too.';
    return { call, outcome: 'denied', text };
  }
  const limit = view.started.limits.tool_calls;
  if (call.ordinal > limit) {
    const text = `Not run: this run may make ${limit} tool calls. Answer with what is known.`;
    return { call, outcome: 'denied', text };
  }
  return null;
}

function decideModel(
  view: RunView,
  { moment, prepared }: { moment: Moment; prepared: RunPrepared },
): Next {
  const { failure } = view;
  if (failure && failure.retry_at === null) return close(view, { reason: failure.kind, moment });
  if (failure?.retry_at && failure.retry_at > moment.now) {
    return { kind: 'wait', until: failure.retry_at };
  }
  const missing = whatIsMissing(view);
  if (missing === 'no') return close(view, { reason: 'answered', moment });
  const spent = spentLimit(view, moment);
  if (spent) return close(view, { reason: spent, moment });
  const purpose = missing;
  const last = purpose === 'format' || isLastTurn(view);
  const call = priced(view, { moment, prepared });
  if (!call) return close(view, { reason: 'usd_spent', moment });
  return {
    kind: 'call_model',
    purpose,
    userText: purpose === 'format' ? formatCallTextOf(view) : turnText(view),
    toolChoice: last ? 'none' : 'auto',
    ...call,
  };
}

/**
 * `max_tokens` lowered to what the money allows; null below the floor. The worst case of the lost
 * attempts is subtracted first: they may have been paid for.
 */
function priced(
  view: RunView,
  { moment, prepared }: { moment: Moment; prepared: RunPrepared },
): Pick<CallModel, 'maxTokens' | 'lostMicroUsd' | 'worstMicroUsd'> | null {
  const wanted = wantedTokens(view);
  const { prices } = prepared;
  const inputTokens = inputTokensOf(view);
  const worst = (maxTokens: number) => worstCaseMicroUsd({ inputTokens, maxTokens, prices });
  const lostMicroUsd = moment.attempts * worst(wanted);
  const left = Math.round(view.started.limits.usd * 1e6) - view.costMicroUsd - lostMicroUsd;
  const forOutput = left - worst(0);
  const affordable = prices.output > 0 ? Math.floor(forOutput / prices.output) : wanted;
  const maxTokens = Math.min(wanted, affordable);
  if (maxTokens < MIN_OUTPUT_TOKENS || forOutput < 0) return null;
  return { maxTokens, lostMicroUsd, worstMicroUsd: worst(maxTokens) };
}
