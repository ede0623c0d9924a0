/**
 * The entries of a run's journal: the only record there is. Everything else is computed from them.
 * Field names cross the wire as they are, so they are snake_case. `seq` is the place in the list,
 * from 1, and is never stored. No I/O, no clock.
 */
import type {
  ContentBlock,
  ImageBlockParam,
  TextBlockParam,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';

/** The version writers write. Readers accept this one and every older one (see `upcast`). */
const ENTRY_VERSION = 1;

/** A file of a run: the path tools see, and the immutable object it stands for. */
export interface FileRef {
  path: string;
  /** R2 key, e.g. `u/{owner}/{file_id}` or `o/{owner}/{run}/{sha256}`. */
  object: string;
  bytes: number;
  media_type: string;
}

export type ToolEffect = 'pure' | 'keyed' | 'sandbox' | 'once';
export type ToolOutcome = 'done' | 'failed' | 'denied' | 'cancelled' | 'unknown';

/**
 * An image or document of a tool result. Its bytes are an object, read when a request is built, so
 * that a journal stays as small as its text.
 */
export interface FileBlock {
  type: 'file';
  as: 'image' | 'document';
  /** Path in the workspace, where other tools open the same bytes. */
  path: string;
  object: string;
  bytes: number;
  media_type: string;
  /** What it costs to look at, in input tokens, estimated when it was written. */
  tokens: number;
}

export type ToolContent = TextBlockParam | ImageBlockParam | FileBlock;

export interface RunLimits {
  turns: number;
  tool_calls: number;
  tokens: number;
  usd: number;
  seconds: number;
  web?: 'linked' | 'open';
}

/** What the caller chose; absent fields take the deployment's default at `prepare`. */
export interface RunOptions {
  model?: string;
  tools?: string[];
  domain?: string;
  knowledge?: 'on' | 'off';
  /** Names of tools that wait for a person. */
  approvals?: string[];
}

interface EntryBase {
  v: typeof ENTRY_VERSION;
  /** Unix milliseconds, by Redis' clock. */
  at: number;
}

export interface RunStarted extends EntryBase {
  type: 'run_started';
  question: string;
  files: FileRef[];
  options: RunOptions;
  limits: RunLimits;
  source: 'api' | 'slack' | 'evaluation';
  owner: string;
  task_id?: string;
  follows?: string;
  /** Question and answer of the run that this one follows. */
  context?: { question: string; answer: string | null }[];
  metadata?: Record<string, string>;
}

/** USD per million tokens (= micro-USD a token), pinned: a price change never changes a running run. */
export interface PinnedPrices {
  input: number;
  output: number;
  cache_write: number;
  cache_read: number;
  /** False when the model was not in the table and the dearest price was taken. */
  known: boolean;
  /** Prices of a call whose prompt (cache reads and writes too) is longer than `above` tokens. */
  long_prompt?: {
    above: number;
    input: number;
    output: number;
    cache_write: number;
    cache_read: number;
  };
}

export interface RunPrepared extends EntryBase {
  type: 'run_prepared';
  /** sha256 of the pinned prompt, stored at `prompts/{sha256}`. */
  prompt: string;
  /** Bytes of the pinned prompt, for the estimate of the first call's cost. */
  prompt_bytes: number;
  /** What follows the question in the first user message (list of files, earlier questions). */
  user_suffix: string;
  model: string;
  /** Tokens the model's window holds. */
  window: number;
  prices: PinnedPrices;
  tools: string[];
  left_out: { name: string; reason: string }[];
  /** Tools of this run that wait for a person. */
  approvals: string[];
  domain: string | null;
  knowledge: { outcome: 'hit' | 'miss' | 'off'; similarity?: number; checks?: string[] };
}

export type TokenUsage = Pick<
  Usage,
  'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'
>;

export interface ModelReplied extends EntryBase {
  type: 'model_replied';
  purpose: 'turn' | 'format';
  /** Warning or instruction sent with the request, so that a replay needs no prompt code. */
  user_text?: string;
  /** Exactly as received: thinking blocks keep their signatures. */
  content: ContentBlock[];
  stop_reason: string;
  /** Model that the API says answered. */
  model: string;
  usage: TokenUsage;
  /** Cost of this call and of lost attempts before it (see `lost_micro_usd`). */
  cost_micro_usd: number;
  lost_micro_usd?: number;
  ms: number;
}

export interface ToolStarted extends EntryBase {
  type: 'tool_started';
  tool_use_id: string;
  name: string;
  effect: ToolEffect;
  /** Where a `sandbox` call runs: its marker is looked for there after a crash. */
  sandbox_id?: string;
}

export interface ToolFinished extends EntryBase {
  type: 'tool_finished';
  tool_use_id: string;
  name: string;
  outcome: ToolOutcome;
  content: ToolContent[];
  is_error: boolean;
  /** Files written by the call, by path. */
  files?: FileRef[];
  /** Structured result for pages and programs; never sent to the model. */
  data?: unknown;
  /** Tokens and money of model calls that the tool made. */
  usage?: TokenUsage;
  cost_micro_usd?: number;
  ms: number;
}

export interface ApprovalRequested extends EntryBase {
  type: 'approval_requested';
  tool_use_id: string;
  name: string;
  expires_at: number;
}

export interface ApprovalGiven extends EntryBase {
  type: 'approval_given';
  tool_use_id: string;
  decision: 'approve' | 'deny';
  by: 'person' | 'expiry';
  note?: string;
}

export interface CancelRequested extends EntryBase {
  type: 'cancel_requested';
  by: string;
}

/** A model call that gave no reply. `retry_at` null: this kind is not tried again. */
export interface AttemptFailed extends EntryBase {
  type: 'attempt_failed';
  purpose: 'turn' | 'format';
  kind: string;
  message: string;
  retry_at: number | null;
  /** A disconnect or a hand-over is not counted among the retries. */
  counted: boolean;
  cost_micro_usd?: number;
}

/** Where one number, name or date of the answer stands. */
export interface EvidenceItem {
  text: string;
  tool_use_id: string | null;
  place: string | 'model_only';
}

export interface RunFinished extends EntryBase {
  type: 'run_finished';
  status: 'succeeded' | 'failed' | 'cancelled';
  /** Stable word, e.g. `answered`, `no_answer`, `turns_spent`, `model_refused`. */
  reason: string;
  /** One plain sentence for people; says what to do next where there is something to do. */
  message: string;
  raw: string | null;
  answer: string | null;
  rule: string | null;
  explanation: string | null;
  evidence: EvidenceItem[];
  sources: { title: string; url: string }[];
  /** Worst case of model calls that were lost and never repeated. */
  cost_micro_usd?: number;
}

export type Entry =
  | RunStarted
  | RunPrepared
  | ModelReplied
  | ToolStarted
  | ToolFinished
  | ApprovalRequested
  | ApprovalGiven
  | CancelRequested
  | AttemptFailed
  | RunFinished;

/** An entry before its writer has stamped `v` and `at`. */
export type Draft<E extends Entry = Entry> = E extends Entry ? Omit<E, 'v' | 'at'> : never;

const ENTRY_TYPES = new Set<string>([
  'run_started',
  'run_prepared',
  'model_replied',
  'tool_started',
  'tool_finished',
  'approval_requested',
  'approval_given',
  'cancel_requested',
  'attempt_failed',
  'run_finished',
] satisfies Entry['type'][]);

/** Stamps a draft. `at` is Redis' time, never a Worker's. */
export function stamp(draft: Draft, at: number): Entry {
  return { v: ENTRY_VERSION, at, ...draft } as Entry;
}

/**
 * One stored line back to an entry of the newest version.
 * Throws on what no released writer ever wrote: that is a bug or damage, not an input.
 */
export function parseEntry(text: string): Entry {
  const entry = JSON.parse(text) as { v?: unknown; type?: unknown };
  if (entry.v !== ENTRY_VERSION || typeof entry.type !== 'string' || !ENTRY_TYPES.has(entry.type)) {
    throw new Error(`unreadable journal entry: v ${String(entry.v)}, type ${String(entry.type)}`);
  }
  return entry as Entry;
}
