/**
 * What a Messages API server says: a reply as its stream events in the classic order, as one JSON
 * message, and errors in the API's shape. Shared by the offline demo model and the scripted server
 * of the tests, so both speak exactly the same.
 */
import type { ServerResponse } from 'node:http';
import type { ContentBlock, Usage } from '@anthropic-ai/sdk/resources/messages';

export interface WireMessage {
  id: string;
  model: string;
  content: ContentBlock[];
  stop_reason: string | null;
  usage: Partial<Usage>;
}

export interface WireEvent {
  type: string;
  [field: string]: unknown;
}

const NO_USAGE: Usage = {
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  input_tokens: 0,
  output_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
};

/** The `message` object of a non-streamed answer. */
export function messageBody(message: WireMessage) {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content: message.content,
    stop_reason: message.stop_reason,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: { ...NO_USAGE, ...message.usage },
  };
}

/** Pieces of about `size` characters that never split a surrogate pair. */
function pieces(text: string, size = 24): string[] {
  const points = Array.from(text);
  const parts: string[] = [];
  for (let at = 0; at < points.length; at += size) parts.push(points.slice(at, at + size).join(''));
  return parts;
}

/** How a block begins (without what its deltas bring) and the deltas that complete it. */
function blockParts(block: ContentBlock): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        // The API opens with an empty piece, then sends the JSON in pieces that may end anywhere.
        deltas: ['', ...pieces(JSON.stringify(block.input))].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
    default:
      return { start: block, deltas: [] };
  }
}

/** All events of a reply: message_start, ping, blocks, message_delta, message_stop. */
export function messageEvents(message: WireMessage): WireEvent[] {
  const body = messageBody(message);
  const events: WireEvent[] = [
    {
      type: 'message_start',
      message: {
        ...body,
        content: [],
        stop_reason: null,
        usage: { ...body.usage, output_tokens: Math.min(1, body.usage.output_tokens) },
      },
    },
    { type: 'ping' },
  ];
  message.content.forEach((block, index) => {
    const { start, deltas } = blockParts(block);
    events.push({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  });
  events.push({
    type: 'message_delta',
    delta: {
      stop_reason: message.stop_reason,
      stop_sequence: null,
      stop_details: null,
      container: null,
    },
    usage: {
      input_tokens: body.usage.input_tokens,
      cache_creation_input_tokens: body.usage.cache_creation_input_tokens,
      cache_read_input_tokens: body.usage.cache_read_input_tokens,
      output_tokens: body.usage.output_tokens,
      output_tokens_details: null,
      server_tool_use: null,
    },
  });
  events.push({ type: 'message_stop' });
  return events;
}

/** One event as it goes over the wire. */
export function sseFrame(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

export function errorBody(type: string, message: string, details?: Record<string, unknown>) {
  return {
    type: 'error',
    error: { type, message, ...(details === undefined ? {} : { details }) },
    request_id: 'req_local',
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_local' });
  response.end(JSON.stringify(body));
}
