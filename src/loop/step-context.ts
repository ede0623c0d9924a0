/** What the parts of a step share: its context, how it ends, how a run is closed. */
import type { Deps } from '../deps.ts';
import type { Close, Settlement } from './decide.ts';
import type { Draft, ToolFinished } from './journal.ts';
import type { Lease } from './lease.ts';

export interface StepContext {
  deps: Deps;
  lease: Lease;
  /** What one step may take before it starts nothing new, in milliseconds. */
  stepMs: number;
  /** Worker clock: when the platform ends this invocation. */
  invocationEndsAt: number;
  maxSteps: number;
  /** The client that drives this step went away. */
  disconnected: AbortSignal | null;
  /** True when a client waits for this step: long tools are left to the queue. */
  interactive: boolean;
  onText?: (text: string) => void;
  /** Called when one step is over and this invocation goes on with another one. */
  onNextStep?: () => void;
}

/** How an invocation left its run. */
export type Left =
  | { kind: 'finished' | 'nothing' | 'handed_over' | 'queue_only' }
  | { kind: 'waiting'; until: number; now: number };

/** Aborted when the work under way should stop: lease lost, cancel asked for, client gone. */
export function stopSignal({ lease, disconnected }: StepContext): AbortSignal {
  return disconnected ? AbortSignal.any([lease.signal, disconnected]) : lease.signal;
}

/** `moved` when others wrote first: nothing was written, decide again. */
export function finish(
  lease: Lease,
  close: Close,
  before: { drafts: Draft[]; costMicroUsd: number } = { drafts: [], costMicroUsd: 0 },
): Promise<'ok' | 'moved'> {
  const drafts = [...before.drafts, ...close.settle.map(toResult), close.finish];
  const costMicroUsd = before.costMicroUsd + (close.finish.cost_micro_usd ?? 0);
  return lease.finish(drafts, { status: close.finish.status, costMicroUsd });
}

/** A call that ends without running still gets its one result. */
export function toResult({ call, outcome, text }: Settlement): Draft<ToolFinished> {
  return {
    type: 'tool_finished',
    tool_use_id: call.id,
    name: call.name,
    outcome,
    content: [{ type: 'text', text }],
    is_error: true,
    ms: 0,
  };
}
