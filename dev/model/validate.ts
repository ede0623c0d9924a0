/**
 * The checks of the real Messages API that are cheap to make: headers, fields, tools, the order of
 * tool_use and tool_result, cache markers. A stand-in that accepts less than the real server would
 * hide faults until the first paid call. Pure; returns the first fault.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface RequestFault {
  status: 400 | 401 | 413;
  type: 'invalid_request_error' | 'authentication_error' | 'request_too_large';
  message: string;
}

/** Bytes; the API's limit for one request. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

type Fields = Record<string, unknown>;

class Fault extends Error {}

function refuse(message: string): never {
  throw new Fault(message);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `authorization: Bearer` (SDK 1.x) or `x-api-key` (older clients), and a dated version. */
export function checkHeaders(headers: IncomingHttpHeaders): RequestFault | null {
  const bearer = /^Bearer \S+$/.test(headers.authorization ?? '');
  const key = headers['x-api-key'];
  if (!bearer && (typeof key !== 'string' || key === '')) {
    return {
      status: 401,
      type: 'authentication_error',
      message: 'authorization or x-api-key header is required',
    };
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(headers['anthropic-version'] ?? ''))) {
    return {
      status: 400,
      type: 'invalid_request_error',
      message: 'anthropic-version: header is required',
    };
  }
  return null;
}

const KNOWN_FIELDS = new Set(
  'model messages max_tokens system tools tool_choice stream thinking output_config metadata stop_sequences cache_control container diagnostics inference_geo service_tier'.split(
    ' ',
  ),
);

function checkTop(body: Fields): void {
  for (const name of Object.keys(body)) {
    // Newer models refuse temperature, top_p and top_k as well as names nobody knows.
    if (!KNOWN_FIELDS.has(name)) refuse(`${name}: Extra inputs are not permitted`);
  }
  if (typeof body.model !== 'string' || body.model === '') refuse('model: Field required');
  const most = body.max_tokens;
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1) {
    refuse('max_tokens: Input should be an integer greater than or equal to 1');
  }
  if (isFields(body.thinking) && body.thinking.type === 'enabled') {
    const budget = Number(body.thinking.budget_tokens);
    if (!(budget >= 1_024)) refuse('thinking.enabled.budget_tokens: must be at least 1024');
    if (budget >= most) refuse('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
}

function checkTools(body: Fields): void {
  const names = new Set<string>();
  list(body.tools).forEach((tool, index) => {
    if (!isFields(tool)) throw new Fault(`tools.${index}: Input should be an object`);
    const name = String(tool.name ?? '');
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      refuse(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    }
    if (names.has(name)) refuse('tools: Tool names must be unique.');
    names.add(name);
    // Server tools (they carry a dated type) need no schema.
    const isCustom = tool.type === undefined || tool.type === 'custom';
    if (isCustom && (!isFields(tool.input_schema) || tool.input_schema.type !== 'object')) {
      refuse(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
    }
  });
  const choice = isFields(body.tool_choice) ? body.tool_choice.type : undefined;
  if (body.tool_choice !== undefined && names.size === 0) {
    refuse('tool_choice: may only be specified while providing tools');
  }
  if (choice !== undefined && !['auto', 'none', 'any', 'tool'].includes(String(choice))) {
    refuse(`tool_choice: Input tag '${String(choice)}' found using 'type' does not match`);
  }
}

function checkText(block: Fields, place: string): void {
  if (typeof block.text !== 'string') refuse(`${place}.text.text: Field required`);
  if (block.text === '') refuse(`${place}: text content blocks must be non-empty`);
  if (block.text.trim() === '') {
    refuse(`${place}: text content blocks must contain non-whitespace text`);
  }
}

function checkBlock(value: unknown, place: string): void {
  if (!isFields(value)) throw new Fault(`${place}: Input should be an object`);
  if (value.type === 'text') checkText(value, place);
  if (value.type === 'thinking') {
    if (typeof value.signature !== 'string' || value.signature === '') {
      refuse(`${place}.thinking.signature: Field required`);
    }
    if (value.cache_control !== undefined) {
      refuse(`${place}.thinking.cache_control: Extra inputs are not permitted`);
    }
  }
  if (value.type === 'tool_use') {
    if (typeof value.id !== 'string' || value.id === '') refuse(`${place}.tool_use.id: required`);
    if (!isFields(value.input)) refuse(`${place}.tool_use.input: Input should be an object`);
  }
  if (value.type === 'tool_result') {
    list(value.content).forEach((part, index) => {
      checkBlock(part, `${place}.tool_result.content.${index}`);
    });
  }
}

interface Turn {
  role: string;
  blocks: Fields[];
}

function readTurn(value: unknown, index: number): Turn {
  if (!isFields(value)) return refuse(`messages.${index}: Input should be an object`);
  const role = String(value.role ?? '');
  if (role !== 'user' && role !== 'assistant') {
    refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  const content =
    typeof value.content === 'string' ? [{ type: 'text', text: value.content }] : value.content;
  if (!Array.isArray(content) || content.length === 0) {
    refuse(`messages.${index}: all messages must have non-empty content`);
  }
  content.forEach((block, at) => {
    checkBlock(block, `messages.${index}.content.${at}`);
  });
  return { role, blocks: content as Fields[] };
}

/** Each tool_use of the turn before has exactly one result here, and no text stands before them. */
function checkResults(turn: Turn, before: Turn | undefined, index: number): void {
  const place = `messages.${index}`;
  const asked = (before?.role === 'assistant' ? before.blocks : [])
    .filter((block) => block.type === 'tool_use')
    .map((block) => String(block.id));
  const answered = new Set<string>();
  let sawOther = false;
  turn.blocks.forEach((block, at) => {
    if (block.type !== 'tool_result') {
      sawOther = true;
      return;
    }
    const id = String(block.tool_use_id ?? '');
    if (!asked.includes(id)) {
      refuse(
        `${place}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) refuse(`${place}: each tool_use must have a single result: ${id}`);
    if (sawOther) refuse(`${place}: \`tool_result\` blocks must come first in the content array`);
    answered.add(id);
  });
  const open = asked.filter((id) => !answered.has(id));
  if (open.length > 0) {
    refuse(
      `${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}.`,
    );
  }
}

function checkMessages(body: Fields): void {
  const turns = list(body.messages).map(readTurn);
  if (turns.length === 0) refuse('messages: at least one message is required');
  turns.forEach((turn, index) => {
    // The API joins neighbours of one role; sending them is a fault of the sender all the same.
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (turn.role !== expected) {
      refuse(`messages.${index}: roles must alternate between "user" and "assistant"`);
    }
    if (turn.role === 'user') checkResults(turn, turns[index - 1], index);
    const ids = turn.blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
    if (new Set(ids).size !== ids.length) refuse('messages: `tool_use` ids must be unique');
  });
  if (turns.at(-1)?.role !== 'user') {
    refuse('This model does not support assistant message prefill. End with a user message.');
  }
  const usesTools = turns.some((turn) =>
    turn.blocks.some((block) => block.type === 'tool_use' || block.type === 'tool_result'),
  );
  if (usesTools && list(body.tools).length === 0) {
    refuse('Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
}

function checkSystem(body: Fields): void {
  if (body.system === undefined || typeof body.system === 'string') return;
  list(body.system).forEach((block, index) => {
    checkBlock(block, `system.${index}`);
  });
}

function countMarkers(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countMarkers(one), 0);
  if (!isFields(value)) return 0;
  const own = isFields(value.cache_control) ? 1 : 0;
  return own + countMarkers(value.content);
}

function checkMarkers(body: Fields): void {
  const found =
    countMarkers(body.tools) + countMarkers(body.system) + countMarkers(list(body.messages));
  if (found > 4) {
    refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`);
  }
}

/** The first fault of a request body, in the API's words, or null. */
export function checkRequest(raw: string): RequestFault | null {
  if (Buffer.byteLength(raw) > MAX_REQUEST_BYTES) {
    return {
      status: 413,
      type: 'request_too_large',
      message: 'Request exceeds the maximum size',
    };
  }
  try {
    let body: unknown;
    try {
      body = JSON.parse(raw);
    } catch {
      refuse('The request body is not valid JSON');
    }
    if (!isFields(body)) return refuse('The request body is not a JSON object');
    for (const check of [checkTop, checkTools, checkSystem, checkMessages, checkMarkers])
      check(body);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { status: 400, type: 'invalid_request_error', message: error.message };
  }
}
