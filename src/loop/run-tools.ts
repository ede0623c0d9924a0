/**
 * The open calls of one turn: settle, ask and expire what does not run; run the rest, at most four
 * at once, calls that share the kernel or the workspace one after another. Results are committed as calls
 * finish. A call is started only when its own timeout fits what the invocation has left.
 */
import {
  CALL_MARGIN_MS,
  MAX_CLIENT_TOOL_MS,
  MAX_PARALLEL_TOOLS,
  TURN_PREVIEW_BYTES,
} from '../limits.ts';
import type { Tool } from '../tools/define.ts';
import type { RunSandbox } from '../tools/sandbox.ts';
import { createUploadedFiles } from '../tools/task-files.ts';
import type { RunTools } from './decide.ts';
import { objectPrefix } from './deliver.ts';
import { runToolCall } from './dispatch.ts';
import type { CallView } from './fold.ts';
import type { Draft } from './journal.ts';
import { LeaseLost } from './lease.ts';
import { type StepContext, stopSignal, toResult } from './step-context.ts';

interface Turn {
  context: StepContext;
  stepEndsAt: number;
  sandbox: RunSandbox | null;
  /** Why there is no sandbox, when a call wants one. */
  sandboxFault: string | null;
  previewBytes: number;
}

export async function runTools(
  context: StepContext,
  { next, stepEndsAt }: { next: RunTools; stepEndsAt: number },
): Promise<void> {
  const { deps, lease } = context;
  const expiresAt = lease.now() + deps.config.approvalTtlMs;
  const first: Draft[] = [
    ...next.settle.map(toResult),
    ...next.expire.map(
      (call) =>
        ({ type: 'approval_given', tool_use_id: call.id, decision: 'deny', by: 'expiry' }) as const,
    ),
    ...next.ask.map(
      (call) =>
        ({
          type: 'approval_requested',
          tool_use_id: call.id,
          name: call.name,
          expires_at: expiresAt,
        }) as const,
    ),
  ];
  if (first.length > 0) await lease.commit(first);
  if (next.run.length === 0) return;
  const share = TURN_PREVIEW_BYTES / lease.view().calls.length;
  const previewBytes = Math.floor(Math.min(deps.config.previewBytes, share));
  const obtained = await obtainSandbox(context, next.run);
  const turn: Turn = { context, stepEndsAt, ...obtained, previewBytes };
  await inParallel(lanesOf(context, next.run), (lane) => runLane(turn, lane));
  // Calls that were stopped write nothing, so no append would say that the lease is gone.
  if (lease.signal.reason instanceof LeaseLost) throw lease.signal.reason;
}

/** True when a call may outlast what a waiting client should be kept for. */
export function toolsNeedQueue(context: StepContext, next: RunTools): boolean {
  return next.run.some((call) => timeoutOf(context, call) > MAX_CLIENT_TOOL_MS);
}

const toolOf = ({ deps }: StepContext, call: CallView): Tool | null => deps.tools.get(call.name);
const usesSandbox = (context: StepContext, call: CallView) =>
  toolOf(context, call)?.needs === 'sandbox';
const timeoutOf = (context: StepContext, call: CallView) =>
  toolOf(context, call)?.timeoutMs ?? context.deps.config.toolTimeoutMs;

/** One sandbox per run, obtained before the calls fan out. A fault becomes their result. */
async function obtainSandbox(context: StepContext, calls: CallView[]) {
  const { deps, lease } = context;
  const none = { sandbox: null, sandboxFault: null };
  if (!deps.sandboxes || !calls.some((call) => usesSandbox(context, call))) return none;
  try {
    const sandbox = await deps.sandboxes.obtain({
      runId: lease.grant.head.id,
      knownSandboxId: lease.view().sandboxId,
      signal: stopSignal(context),
    });
    return { sandbox, sandboxFault: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { sandbox: null, sandboxFault: `Python is not available now: ${why}` };
  }
}

/** Calls of one lane run in call order; every other call is a lane of its own. */
function lanesOf(context: StepContext, calls: CallView[]): CallView[][] {
  const shared = calls.filter((call) => toolOf(context, call)?.lane);
  const others = calls.filter((call) => !toolOf(context, call)?.lane).map((call) => [call]);
  return shared.length > 0 ? [shared, ...others] : others;
}

async function inParallel(lanes: CallView[][], run: (lane: CallView[]) => Promise<void>) {
  const queue = [...lanes];
  const workers = Array.from({ length: MAX_PARALLEL_TOOLS }, async () => {
    for (let lane = queue.shift(); lane; lane = queue.shift()) await run(lane);
  });
  // All workers end before a failure is passed on: nothing runs on behind the caller's back.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function runLane(turn: Turn, lane: CallView[]): Promise<void> {
  for (const call of lane) {
    if (!mayStart(turn, call)) return;
    await runOne(turn, call);
  }
}

function mayStart({ context, stepEndsAt }: Turn, call: CallView): boolean {
  const now = context.deps.clock.now();
  const fits = now + timeoutOf(context, call) + CALL_MARGIN_MS <= context.invocationEndsAt;
  return !stopSignal(context).aborted && now < stepEndsAt && fits;
}

async function runOne(turn: Turn, call: CallView): Promise<void> {
  const { context, sandbox, sandboxFault } = turn;
  const { deps, lease } = context;
  const { head } = lease.grant;
  if (sandboxFault && usesSandbox(context, call)) {
    await lease.commit([toResult({ call, outcome: 'failed', text: sandboxFault })]);
    return;
  }
  await commitStart(turn, call);
  const view = lease.view();
  const result = await runToolCall(call, {
    registry: deps.tools,
    allowed: view.prepared?.tools ?? [],
    runId: head.id,
    workspaceFiles: [...view.files.values()],
    objects: deps.objects,
    objectPrefix: objectPrefix(head.owner, head.id),
    previewBytes: turn.previewBytes,
    toolTimeoutMs: deps.config.toolTimeoutMs,
    clock: deps.clock,
    fetch: deps.fetch,
    signal: stopSignal(context),
    taskFiles: createUploadedFiles({
      files: view.started.files,
      taskId: view.started.task_id ?? null,
    }),
    sandbox: sandbox?.port,
    resumed: call.started !== null,
  });
  // Stopped from outside: who closes the run (or comes next) says what became of the call.
  if (result.outcome === 'cancelled' && stopSignal(context).aborted) return;
  await lease.commit([result], { costMicroUsd: result.cost_micro_usd });
}

/** Pure calls leave no trace before their result: after a crash they simply run again. */
async function commitStart({ context, sandbox }: Turn, call: CallView): Promise<void> {
  const tool = toolOf(context, call);
  if (!tool || tool.effect === 'pure' || call.started) return;
  const sandboxId = tool.needs === 'sandbox' ? sandbox?.sandboxId : undefined;
  await context.lease.commit([
    {
      type: 'tool_started',
      tool_use_id: call.id,
      name: call.name,
      effect: tool.effect,
      ...(sandboxId ? { sandbox_id: sandboxId } : {}),
    },
  ]);
}
