/**
 * fold: the journal → everything the loop, the API and the page know about a run.
 * Pure: no I/O, no clock, no prompt text. What is sent to the model comes from here alone, so its
 * bytes never depend on when or where a step runs (design.md section 2).
 */
import type {
  ContentBlockParam,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import type {
  AttemptFailed,
  Entry,
  FileRef,
  ModelReplied,
  RunFinished,
  RunPrepared,
  RunStarted,
  TokenUsage,
  ToolContent,
  ToolEffect,
  ToolFinished,
} from './journal.ts';

/** One client tool_use of the latest turn. */
export interface CallView {
  id: string;
  /** The id, made unique where a server uses one again in a later turn: markers and keys go by it. */
  key: string;
  name: string;
  input: unknown;
  /** Its place among all calls of the run, from 1. */
  ordinal: number;
  /** Set once `tool_started` is on record. */
  started: { effect: ToolEffect; sandboxId: string | null } | null;
  approval: 'none' | 'asked' | 'approve' | 'deny';
  approvalNote: string | null;
  expiresAt: number;
  result: ToolFinished | null;
}

/** A tool_result as it stands in the journal: its files are still references. */
export type ResultBlock = Omit<ToolResultBlockParam, 'content'> & { content: ToolContent[] };

/** A message of the conversation; request-files.ts makes it one that can be sent. */
export interface RunMessage {
  role: 'user' | 'assistant';
  content: (Exclude<ContentBlockParam, ToolResultBlockParam> | ResultBlock)[];
}

export interface RunView {
  /** Entries folded: the `base` of the next append. */
  length: number;
  started: RunStarted;
  prepared: RunPrepared | null;
  /** Everything sent and received so far, up to the last reply. */
  messages: RunMessage[];
  /** Calls of the last reply, in call order. */
  calls: CallView[];
  /** Calls of the turns before it. */
  closedTurns: CallView[][];
  /** Replies that count as turns. */
  turns: number;
  toolCalls: number;
  /** Input, output and cache reads together. */
  tokens: number;
  costMicroUsd: number;
  /** Latest reply in the conversation, by purpose. */
  reply: ModelReplied | null;
  formatReply: ModelReplied | null;
  /** The latest reply said nothing and asked for nothing. */
  silent: boolean;
  /** Latest reply when it was cut off by max_tokens: on record, not in the conversation. */
  cut: ModelReplied | null;
  cuts: number;
  usage: TokenUsage | null;
  /** Latest failed attempt when no reply came after it; `failures` counts those in a row. */
  failure: AttemptFailed | null;
  failures: number;
  cancelled: boolean;
  /** Milliseconds spent waiting for people, not counted against the run's time. */
  approvalWaitMs: number;
  /** When the wait that goes on now began. */
  waitingSince: number | null;
  files: Map<string, FileRef>;
  sandboxId: string | null;
  finished: RunFinished | null;
}

/** Calls that still lack a result. */
export const openCalls = (view: RunView): CallView[] => view.calls.filter((call) => !call.result);

/**
 * Folds a whole journal. Throws when it does not begin with `run_started` or when an entry does
 * not fit what came before: that is damage, and the run ends as `bury`.
 */
export function fold(entries: readonly Entry[]): RunView {
  const [first, ...rest] = entries;
  if (first?.type !== 'run_started') throw new Error('a journal begins with run_started');
  const view: RunView = {
    length: entries.length,
    started: first,
    prepared: null,
    messages: [],
    calls: [],
    closedTurns: [],
    turns: 0,
    toolCalls: 0,
    tokens: 0,
    costMicroUsd: 0,
    reply: null,
    formatReply: null,
    silent: false,
    cut: null,
    cuts: 0,
    usage: null,
    failure: null,
    failures: 0,
    cancelled: false,
    approvalWaitMs: 0,
    waitingSince: null,
    files: new Map(first.files.map((file) => [file.path, file])),
    sandboxId: null,
    finished: null,
  };
  // The view is this function's own until it returns; nothing outside sees it change.
  for (const entry of rest) apply(view, entry);
  return view;
}

function apply(view: RunView, entry: Entry): void {
  switch (entry.type) {
    case 'run_started':
      throw new Error('a journal has one run_started');
    case 'run_prepared':
      view.prepared = entry;
      return;
    case 'model_replied':
      applyReply(view, entry);
      return;
    case 'tool_started': {
      const sandboxId = entry.sandbox_id ?? null;
      callOf(view, entry.tool_use_id).started = { effect: entry.effect, sandboxId };
      if (sandboxId) view.sandboxId = sandboxId;
      return;
    }
    case 'tool_finished':
      applyResult(view, entry);
      return;
    case 'approval_requested': {
      const call = callOf(view, entry.tool_use_id);
      call.approval = 'asked';
      call.expiresAt = entry.expires_at;
      view.waitingSince ??= entry.at;
      return;
    }
    case 'approval_given': {
      const call = callOf(view, entry.tool_use_id);
      // The first verdict stands; a late second one (a person after the expiry) changes nothing.
      if (call.approval !== 'asked') return;
      call.approval = entry.decision;
      call.approvalNote = entry.note ?? null;
      if (view.calls.some((other) => other.approval === 'asked')) return;
      view.approvalWaitMs += entry.at - (view.waitingSince ?? entry.at);
      view.waitingSince = null;
      return;
    }
    case 'cancel_requested':
      view.cancelled = true;
      return;
    case 'attempt_failed':
      view.failure = entry;
      if (entry.counted) view.failures += 1;
      view.costMicroUsd += entry.cost_micro_usd ?? 0;
      return;
    case 'run_finished':
      view.finished = entry;
      view.costMicroUsd += entry.cost_micro_usd ?? 0;
  }
}

function applyReply(view: RunView, entry: ModelReplied): void {
  view.costMicroUsd += entry.cost_micro_usd;
  view.tokens += tokensOf(entry.usage);
  view.failure = null;
  view.failures = 0;
  if (entry.stop_reason === 'max_tokens') {
    view.cut = entry;
    view.cuts += 1;
    return;
  }
  view.cut = null;
  view.cuts = 0;
  view.usage = entry.usage;
  if (entry.purpose === 'turn') {
    view.turns += 1;
    view.reply = entry;
  } else {
    view.formatReply = entry;
  }
  // The API refuses empty text blocks and messages without content: the question stands again.
  const content = entry.content.filter((block) => block.type !== 'text' || block.text !== '');
  view.silent = content.length === 0;
  if (view.silent) return;
  const user = pendingUserMessage(view, entry.user_text ?? null);
  if (user) view.messages.push(user);
  // Blocks go back exactly as they came; the response and parameter types differ in name only.
  view.messages.push({ role: 'assistant', content: content as RunMessage['content'] });
  if (view.calls.length > 0) view.closedTurns.push(view.calls);
  const uses = entry.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  const earlier = new Set(view.closedTurns.flat().map((call) => call.id));
  view.calls = uses.map((use, i) => ({
    id: use.id,
    key: earlier.has(use.id) ? `${use.id}.${view.toolCalls + i + 1}` : use.id,
    name: use.name,
    input: use.input,
    ordinal: view.toolCalls + i + 1,
    started: null,
    approval: 'none',
    approvalNote: null,
    expiresAt: 0,
    result: null,
  }));
  view.toolCalls += uses.length;
}

function applyResult(view: RunView, entry: ToolFinished): void {
  const call = callOf(view, entry.tool_use_id);
  if (call.result) throw new Error(`two results for ${entry.tool_use_id}`);
  call.result = entry;
  view.costMicroUsd += entry.cost_micro_usd ?? 0;
  if (entry.usage) view.tokens += tokensOf(entry.usage);
  for (const file of entry.files ?? []) view.files.set(file.path, file);
}

function callOf(view: RunView, id: string): CallView {
  const call = view.calls.find((candidate) => candidate.id === id);
  if (!call) throw new Error(`no open call ${id}`);
  return call;
}

/**
 * The user message of the next request: the question, or the results of the last turn in call
 * order, then `text`. Null when there is nothing to say (a paused turn goes on by itself).
 */
export function pendingUserMessage(view: RunView, text: string | null): RunMessage | null {
  const content: RunMessage['content'] =
    view.messages.length === 0
      ? [{ type: 'text', text: view.started.question + (view.prepared?.user_suffix ?? '') }]
      : view.calls.map(toResultBlock);
  if (text) content.push({ type: 'text', text });
  return content.length > 0 ? { role: 'user', content } : null;
}

function toResultBlock(call: CallView): ResultBlock {
  if (!call.result) throw new Error(`no result for ${call.id}`);
  return {
    type: 'tool_result',
    tool_use_id: call.id,
    content: call.result.content,
    ...(call.result.is_error ? { is_error: true } : {}),
  };
}

/** All tokens of a call, cached ones too. */
export function tokensOf(usage: TokenUsage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0)
  );
}
