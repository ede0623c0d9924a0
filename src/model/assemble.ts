/**
 * Raw stream events to one reply. Blocks are kept exactly as the API sent them, known to us or not:
 * they go back unchanged in the next request, where one changed byte of a thinking block is refused.
 * No I/O, no clock.
 */
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import type { TokenUsage } from '../loop/journal.ts';
import { BadReplyError } from './failures.ts';
import type { ModelReply } from './port.ts';

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Far above any window: what is more, less than none or broken is no count of tokens. */
const MAX_TOKENS = 1_000_000_000;

/** Money is reckoned in whole micro-USD from these, so nothing else may come through. */
function tokens(value: unknown): number | null {
  const number = count(value);
  if (number === null || number < 0 || number > MAX_TOKENS) return null;
  return Math.ceil(number);
}

/** Counts are cumulative, so a later number replaces an earlier one; null says nothing. */
function mergeUsage(before: TokenUsage | null, update: unknown): TokenUsage {
  const now = fields(update);
  return {
    input_tokens: tokens(now.input_tokens) ?? before?.input_tokens ?? 0,
    output_tokens: tokens(now.output_tokens) ?? before?.output_tokens ?? 0,
    cache_creation_input_tokens:
      tokens(now.cache_creation_input_tokens) ?? before?.cache_creation_input_tokens ?? null,
    cache_read_input_tokens:
      tokens(now.cache_read_input_tokens) ?? before?.cache_read_input_tokens ?? null,
  };
}

/**
 * Applies one delta to its block. Text, thinking and every delta this code has never heard of
 * follow one rule: a string is appended to the block's field of that name, anything else replaces
 * it. A signature is whole when it comes; citations are collected in a list.
 */
function applyDelta(block: Fields, delta: Fields): void {
  if (delta.type === 'signature_delta') {
    block.signature = delta.signature;
    return;
  }
  if (delta.type === 'citations_delta') {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
    return;
  }
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'type') continue;
    const before = block[name];
    block[name] = typeof value === 'string' && typeof before === 'string' ? before + value : value;
  }
}

/** Stop reasons after which the calls of a turn are run, so their input must be whole. */
const RUNS_TOOLS = new Set(['tool_use', 'end_turn', 'pause_turn', 'stop_sequence']);

function parseInput(json: string, stopReason: string): Fields {
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return input as Fields;
  } catch {
    // Falls through: cut off or garbled.
  }
  // Cut off by max_tokens, a refusal or the window: the loop runs no tool of such a turn (it reads
  // the stop reason), and the API wants an object when the turn goes back.
  if (!RUNS_TOOLS.has(stopReason)) return {};
  throw new BadReplyError('the input of a tool call was not a JSON object');
}

/** A result finds its call by the id alone, so each call needs one that no other has. */
function checkCalls(blocks: readonly Fields[]): void {
  const ids = new Set<string>();
  if (blocks.filter(({ type }) => type === 'tool_use').length > MAX_TOOL_CALLS) {
    throw new BadReplyError(`the reply asked for more than ${MAX_TOOL_CALLS} tool calls`);
  }
  for (const { type, id, name } of blocks) {
    if (type !== 'tool_use') continue;
    if (typeof id !== 'string' || id === '' || typeof name !== 'string')
      throw new BadReplyError('a tool call came without an id or a name');
    if (ids.has(id)) throw new BadReplyError('two tool calls share an id');
    ids.add(id);
  }
}

export interface Assembly {
  /** Takes one event; returns text for a live reader, or ''. Throws BadReplyError on nonsense. */
  take(event: unknown): string;
  /** True once `message_stop` has come. */
  isComplete(): boolean;
  usage(): TokenUsage | null;
  /** The whole reply. Throws BadReplyError when it cannot be used. */
  reply(): ModelReply;
}

/** Longer replies would not fit one append, and an endless one not a Worker. */
const MAX_REPLY_CHARS = 2_000_000;
const MAX_TOOL_CALLS = 500;

export function createAssembly(): Assembly {
  const blocks = new Map<number, Fields>();
  const inputs = new Map<number, string>();
  let model = '';
  let stopReason = '';
  let usage: TokenUsage | null = null;
  let complete = false;
  let received = 0;

  function takeDelta(event: Fields): string {
    const index = count(event.index) ?? -1;
    const block = blocks.get(index);
    if (block === undefined) throw new BadReplyError('a delta came for a block that never began');
    const delta = fields(event.delta);
    received += JSON.stringify(delta).length;
    if (received > MAX_REPLY_CHARS) throw new BadReplyError('the reply had no end');
    if (delta.type === 'input_json_delta') {
      inputs.set(index, (inputs.get(index) ?? '') + String(delta.partial_json ?? ''));
      return '';
    }
    applyDelta(block, delta);
    return delta.type === 'text_delta' && typeof delta.text === 'string' ? delta.text : '';
  }

  function take(value: unknown): string {
    const event = fields(value);
    switch (event.type) {
      case 'message_start': {
        const message = fields(event.message);
        model = typeof message.model === 'string' ? message.model : '';
        usage = mergeUsage(null, message.usage);
        return '';
      }
      case 'content_block_start': {
        const index = count(event.index);
        if (index === null) throw new BadReplyError('a content block came without its index');
        blocks.set(index, { ...fields(event.content_block) });
        return '';
      }
      case 'content_block_delta':
        return takeDelta(event);
      case 'message_delta': {
        const reason = fields(event.delta).stop_reason;
        if (typeof reason === 'string') stopReason = reason;
        usage = mergeUsage(usage, event.usage);
        return '';
      }
      case 'message_stop':
        complete = true;
        return '';
      default:
        // ping, content_block_stop and events of a later API version.
        return '';
    }
  }

  function reply(): ModelReply {
    if (usage === null) throw new BadReplyError('the stream never named its message');
    if (stopReason === '') throw new BadReplyError('the reply ended without a stop reason');
    for (const [index, json] of inputs) {
      const block = blocks.get(index);
      if (block !== undefined && json !== '') block.input = parseInput(json, stopReason);
    }
    const ordered = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    checkCalls(ordered);
    // The SDK's type is a promise about the API; unknown blocks travel under it unchanged.
    return {
      kind: 'reply',
      content: ordered as unknown as ContentBlock[],
      stopReason,
      model,
      usage,
    };
  }

  return { take, isComplete: () => complete, usage: () => usage, reply };
}
