/**
 * What a tool is. `defineTool` only types and derives (JSON Schema from zod); it registers nothing,
 * and importing a tool has no effect. A tool gets its input and a `ToolContext`, nothing else.
 */
import { z } from 'zod';
import type { FileRef, TokenUsage, ToolContent, ToolEffect } from '../loop/journal.ts';

/** The files of the run as the tool's turn found them, plus what this call writes. */
export interface Workspace {
  /** Sorted by path. */
  list(): FileRef[];
  /** Finds a file by path (normalised) or null. */
  find(path: string): FileRef | null;
  /** The bytes of a file, at most `maxBytes` from `offset`. Throws StrideError not_found. */
  read(path: string, range?: { offset?: number; maxBytes?: number }): Promise<Uint8Array>;
  /** Stores an immutable object and names it `path`; the reference is journaled with the result. */
  write(path: string, bytes: Uint8Array, mediaType?: string): Promise<FileRef>;
}

/** One Python call in the run's own sandbox; see tools/sandbox.ts. */
export interface SandboxPort {
  execute(call: PythonCall): Promise<PythonOutcome>;
}

export interface PythonCall {
  toolUseId: string;
  code: string;
  /** PEP 508 requirements, installed first with the package index open for their duration only. */
  requirements: string[];
  /** What the code itself may take, in milliseconds; files and installation come on top. */
  timeoutMs: number;
  signal: AbortSignal;
  workspace: Workspace;
  /** True when an earlier worker journaled this call as started and its end is not on record. */
  resumed: boolean;
}

export interface PythonOutcome {
  status: 'done' | 'error' | 'timeout' | 'unknown';
  /** Interleaved stdout and stderr, bounded; says itself how much was left out. */
  output: string;
  stdout: string;
  stderr: string;
  /** repr of the last expression, or null. */
  result: string | null;
  error: { name: string; message: string; traceback: string } | null;
  /** Files the code wrote or changed (plots too), already in the workspace. */
  files: FileRef[];
  /** Something the model must know, e.g. that variables of earlier calls are gone. */
  notes: string[];
}

/** Where the files of a task come from: uploads of this run; datasets and course servers as they come. */
export interface TaskFilesPort {
  /** `null` asks for the files of this run's own task. */
  fetch(taskId: string | null): Promise<TaskFiles>;
}

export type TaskFiles =
  | { kind: 'found'; files: FileRef[] }
  /** Final: the model is told once, and nothing is tried again. */
  | { kind: 'missing'; message: string };

/** Lets a tool ask a model; its usage lands in the tool's own `tool_finished`. */
export type AskModel = (question: {
  system?: string;
  content: ToolContent[];
  maxTokens: number;
}) => Promise<string>;

export interface ToolContext {
  runId: string;
  toolUseId: string;
  /** `run:tool_use_id`, for services that take an idempotency key. */
  idempotencyKey: string;
  /** Aborted on timeout, cancel or a lost lease. */
  signal: AbortSignal;
  /** What is left of the tool's time when it starts, in milliseconds. */
  timeoutMs: number;
  /** UTF-8 bytes of text that go to the model as they are; the rest of a longer result is stored. */
  previewBytes: number;
  /** True when an earlier attempt of this call may have started (design.md section 2, rule 4). */
  resumed: boolean;
  fetch: typeof fetch;
  /** Unix milliseconds. */
  now: () => number;
  workspace: Workspace;
  taskFiles?: TaskFilesPort;
  sandbox?: SandboxPort;
  askModel?: AskModel;
}

/** A file that the tool has written to the workspace, shown to the model as what it is. */
export interface ShownFile {
  type: 'file';
  as: 'image' | 'document';
  path: string;
  /** What looking at it costs, in input tokens: an image has about width × height / 750. */
  tokens: number;
}

export interface ToolOutput {
  content: string | (ToolContent | ShownFile)[];
  isError?: boolean;
  /** Structured result for pages and programs; never sent to the model. */
  data?: unknown;
  usage?: TokenUsage;
  costMicroUsd?: number;
}

export interface Tool {
  /** snake_case, what the model sees. */
  name: string;
  description: string;
  /** Other names models use for it; dispatch only, never listed. */
  aliases: readonly string[];
  /** Other field names models use, alias → field; applied before parsing. */
  fieldAliases: Readonly<Record<string, string>>;
  inputSchema: Record<string, unknown>;
  /** What may happen when the call is interrupted (design.md section 2, rule 4). */
  effect: ToolEffect;
  /** True when the text may come from outside (files, pages, programs): it is wrapped as data. */
  untrusted: boolean;
  /** Milliseconds; null takes the deployment's TOOL_TIMEOUT. */
  timeoutMs: number | null;
  /** Port without which the tool is left out of a deployment. */
  needs: 'sandbox' | null;
  /** Calls of one turn in the same lane run one after another, each seeing what the last wrote. */
  lane: 'workspace' | null;
  parse(input: unknown): z.ZodSafeParseResult<unknown>;
  run(input: unknown, context: ToolContext): Promise<string | ToolOutput>;
}

export interface ToolDefinition<Schema extends z.ZodType> {
  name: string;
  description: string;
  input: Schema;
  run(input: z.output<Schema>, context: ToolContext): Promise<string | ToolOutput>;
  aliases?: string[];
  fieldAliases?: Record<string, string>;
  effect?: ToolEffect;
  untrusted?: boolean;
  timeoutMs?: number;
  needs?: 'sandbox';
  lane?: 'workspace';
}

/**
 * Types a tool and derives its JSON Schema.
 * Defaults: effect `pure`, trusted text, the deployment's timeout.
 */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(definition.input, { io: 'input' });
  return {
    name: definition.name,
    description: definition.description,
    aliases: definition.aliases ?? [],
    fieldAliases: definition.fieldAliases ?? {},
    inputSchema,
    effect: definition.effect ?? 'pure',
    untrusted: definition.untrusted ?? false,
    timeoutMs: definition.timeoutMs ?? null,
    needs: definition.needs ?? null,
    // Python shares one kernel and one folder, so its calls are never side by side.
    lane: definition.lane ?? (definition.needs === 'sandbox' ? 'workspace' : null),
    parse: (input) => definition.input.safeParse(input),
    // `parse` ran first (dispatch), so the input is the schema's output.
    run: (input, context) => definition.run(input as z.output<Schema>, context),
  };
}
