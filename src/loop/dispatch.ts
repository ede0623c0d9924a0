/**
 * One tool_use → one `tool_finished`. Never throws: an unknown name, bad arguments, a timeout, a
 * cancel or an exception is a result that says what to do next, and none of them ends the run.
 */
import type { Clock, Objects } from '../deps.ts';
import { StrideError } from '../errors.ts';
import type { AskModel, SandboxPort, TaskFilesPort, Tool, ToolOutput } from '../tools/define.ts';
import { nearestFirst } from '../tools/nearest.ts';
import type { Registry } from '../tools/registry.ts';
import { cutUtf8 } from '../tools/truncate.ts';
import { createWorkspace, type RunWorkspace } from '../tools/workspace.ts';
import type { Draft, FileRef, ToolFinished, ToolOutcome } from './journal.ts';
import { parseToolInput } from './tool-input.ts';
import { type Stop, startLimit } from './tool-limit.ts';
import { boundData, shapeContent, toOutput } from './tool-result.ts';

/** An exception's text is for the model to act on, not a log. */
const MAX_ERROR_BYTES = 4_096;

export interface ToolCall {
  id: string;
  /** Unique over the run: the tool's marker, key and stored result go by it. */
  key: string;
  name: string;
  input: unknown;
}

export interface DispatchOptions {
  registry: Registry;
  /** Names of the tools of this run. */
  allowed: readonly string[];
  runId: string;
  workspaceFiles: readonly FileRef[];
  objects: Objects;
  /** `o/{owner}/{run}/` */
  objectPrefix: string;
  /** This call's share of the turn's preview, in UTF-8 bytes. */
  previewBytes: number;
  /** For tools without a timeout of their own. */
  toolTimeoutMs: number;
  clock: Clock;
  fetch: typeof fetch;
  /** Aborted on cancel and when the lease is lost. */
  signal: AbortSignal;
  taskFiles?: TaskFilesPort;
  sandbox?: SandboxPort;
  askModel?: AskModel;
  /** True when an earlier attempt of this call may have started. */
  resumed: boolean;
}

/** Runs one call to its end, whatever that is. */
export async function runToolCall(
  call: ToolCall,
  options: DispatchOptions,
): Promise<Draft<ToolFinished>> {
  const startedAt = options.clock.now();
  const tool = options.registry.get(call.name);
  const isAllowed = tool !== null && options.allowed.includes(tool.name);
  const ended = isAllowed
    ? // Whatever escapes here (a schema that throws, say) is still only this call's failure.
      await runKnownTool(tool, call, options).catch((error: unknown) =>
        textResult('failed', errorText(error)),
      )
    : textResult('failed', unknownTool(call.name, options));
  return {
    type: 'tool_finished',
    tool_use_id: call.id,
    name: tool?.name ?? call.name,
    is_error: ended.outcome !== 'done',
    ...ended,
    ms: Math.max(0, options.clock.now() - startedAt),
  };
}

type Ended = Pick<
  ToolFinished,
  'outcome' | 'content' | 'files' | 'data' | 'usage' | 'cost_micro_usd'
>;

function textResult(outcome: ToolOutcome, text: string, files: FileRef[] = []): Ended {
  const shown = cutUtf8(text.toWellFormed(), MAX_ERROR_BYTES);
  return {
    outcome,
    content: [{ type: 'text', text: shown }],
    ...(files.length > 0 ? { files } : {}),
  };
}

function unknownTool(name: string, options: DispatchOptions): string {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const names = nearestFirst(name, options.allowed);
  if (names.length === 0)
    return `There is no tool "${shown}": this run has no tools. Answer without.`;
  const why = options.registry.has(name)
    ? `The tool "${shown}" is not part of this run.`
    : `There is no tool "${shown}".`;
  return `${why} Use one of: ${names.join(', ')}.`;
}

async function runKnownTool(tool: Tool, call: ToolCall, options: DispatchOptions): Promise<Ended> {
  if (options.signal.aborted)
    return textResult('cancelled', `${tool.name} was not run: the run was cancelled.`);
  const input = parseToolInput(tool, call.input);
  if (!input.ok) return textResult('failed', input.message);
  const timeoutMs = tool.timeoutMs ?? options.toolTimeoutMs;
  const limit = startLimit({ clock: options.clock, signal: options.signal, timeoutMs });
  const workspace = createWorkspace({
    files: options.workspaceFiles,
    objects: options.objects,
    objectPrefix: options.objectPrefix,
    signal: limit.signal,
  });
  try {
    const end = await Promise.race([
      runToEnd(tool, input.value, { call, options, workspace, timeoutMs, signal: limit.signal }),
      limit.reached,
    ]);
    limit.disarm();
    // A tool that obeys its signal throws because of it: the reason is the limit, not the throw.
    const state = limit.state();
    if (state === 'timeout' || state === 'cancelled') {
      return interrupted(tool, state, { timeoutMs, files: workspace.written() });
    }
    if (end.kind !== 'returned') {
      const error = end.kind === 'threw' ? end.error : null;
      return textResult('failed', errorText(error), workspace.written());
    }
    const ignored = input.ignored.length === 0 ? null : ignoredNote(input.ignored);
    return await finish(tool, end.output, { call, options, workspace, note: ignored });
  } finally {
    limit.disarm();
    limit.abort();
  }
}

type End =
  | { kind: 'returned'; output: ToolOutput }
  | { kind: 'threw'; error: unknown }
  | { kind: Stop };

/** The tool's own part, as a value: after a timeout nobody waits for it, and its throw must not go astray. */
async function runToEnd(
  tool: Tool,
  input: unknown,
  parts: {
    call: ToolCall;
    options: DispatchOptions;
    workspace: RunWorkspace;
    timeoutMs: number;
    signal: AbortSignal;
  },
): Promise<End> {
  const { call, options, workspace, timeoutMs, signal } = parts;
  try {
    const returned: unknown = await tool.run(input, {
      runId: options.runId,
      toolUseId: call.key,
      idempotencyKey: `${options.runId}:${call.key}`,
      signal,
      timeoutMs,
      previewBytes: options.previewBytes,
      resumed: options.resumed,
      fetch: options.fetch,
      now: () => options.clock.now(),
      workspace,
      ...(options.taskFiles === undefined ? {} : { taskFiles: options.taskFiles }),
      ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
      ...(options.askModel === undefined ? {} : { askModel: options.askModel }),
    });
    return { kind: 'returned', output: toOutput(returned) };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

function interrupted(
  tool: Tool,
  kind: Stop,
  state: { timeoutMs: number; files: FileRef[] },
): Ended {
  const seconds = Number((state.timeoutMs / 1_000).toFixed(1));
  const what =
    kind === 'timeout'
      ? `${tool.name} did not finish within ${seconds} s and was stopped`
      : `${tool.name} was cancelled`;
  // What a `once` tool set in motion cannot be taken back or looked up.
  if (tool.effect === 'once') {
    return textResult(
      'unknown',
      `${what}; it may have taken effect: check before repeating it.`,
      state.files,
    );
  }
  return kind === 'timeout'
    ? textResult('failed', `${what}; do less in one call or try another way.`, state.files)
    : textResult('cancelled', `${what}.`, state.files);
}

async function finish(
  tool: Tool,
  output: ToolOutput,
  parts: {
    call: ToolCall;
    options: DispatchOptions;
    workspace: RunWorkspace;
    note: string | null;
  },
): Promise<Ended> {
  const { call, options, workspace, note } = parts;
  const content = await shapeContent(output, {
    tool,
    toolUseId: call.key,
    workspace,
    previewBytes: options.previewBytes,
    note,
  });
  const files = workspace.written();
  const data = boundData(output.data);
  return {
    outcome: output.isError === true ? 'failed' : 'done',
    content,
    ...(files.length > 0 ? { files } : {}),
    ...(data === undefined ? {} : { data }),
    ...(output.usage === undefined ? {} : { usage: output.usage }),
    ...(output.costMicroUsd === undefined ? {} : { cost_micro_usd: output.costMicroUsd }),
  };
}

function errorText(error: unknown): string {
  if (error instanceof StrideError) return error.message;
  if (error instanceof Error) return `Error: ${error.message || error.name}`;
  return `Error: ${typeof error === 'string' ? error : 'the tool failed without a message'}`;
}

function ignoredNote(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => name.slice(0, 40).toWellFormed());
  return `ignored unknown fields: ${shown.join(', ')}${names.length > 5 ? ', …' : ''}`;
}
