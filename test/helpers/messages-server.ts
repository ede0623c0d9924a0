/**
 * A scripted Messages API server for tests. It checks headers and requests like the real one,
 * records what it got, plays replies or failures in order, and fails loudly when the script ends:
 * call `problems()` (or `stop()`, which throws them) at the end of a test.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContentBlock, Usage } from '@anthropic-ai/sdk/resources/messages';
import { checkHeaders, checkRequest } from '../../dev/model/validate.ts';
import {
  errorBody,
  messageEvents,
  SSE_HEADERS,
  sendJson,
  sseFrame,
  type WireEvent,
} from '../../dev/model/wire.ts';

/** A reply that arrives whole. Blocks may be of types the SDK does not know. */
export interface ScriptedReply {
  content: (ContentBlock | Record<string, unknown>)[];
  /** Default: `tool_use` when there is one, else `end_turn`. */
  stop_reason?: string | null;
  usage?: Partial<Usage>;
  model?: string;
  /** Milliseconds before each event. */
  dripMs?: number;
  /** Ends the reply after so many of its events: by a fault, one event, or text sent as it is. */
  cut?: { after: number; by: 'drop' | 'end' | 'hang' | 'ping_forever' | WireEvent | string };
  /** Rewrites the events, for shapes nothing else here can make. */
  edit?: (events: WireEvent[]) => WireEvent[];
}

/** An answer that is no stream. */
export interface ScriptedFailure {
  status: number;
  /** JSON, or text sent as it is with `contentType`. */
  body?: unknown;
  contentType?: string;
  headers?: Record<string, string>;
}

/** `hang`: accepts the request and never answers. `reset`: closes the socket at once. */
export type Scripted = ScriptedReply | ScriptedFailure | 'hang' | 'reset';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** Answers in order, or a function of the request and its number (from 0), which may wait. */
export type Script =
  | Scripted[]
  | ((request: ReceivedRequest, index: number) => Scripted | Promise<Scripted>);

export interface MessagesServer {
  url: string;
  requests: ReceivedRequest[];
  /** Refused requests and calls beyond the script, as sentences. */
  problems(): string[];
  /** Resolves once so many requests have arrived. */
  waitFor(count: number): Promise<void>;
  /** Closes every connection. Throws when there are problems, unless they are expected. */
  stop(options?: { expectProblems?: boolean }): Promise<void>;
}

async function playEvents(response: ServerResponse, reply: ScriptedReply, id: string) {
  const usesTool = reply.content.some((block) => block.type === 'tool_use');
  const made = messageEvents({
    id,
    model: reply.model ?? 'claude-sonnet-5-5',
    content: reply.content as ContentBlock[],
    stop_reason:
      reply.stop_reason === undefined ? (usesTool ? 'tool_use' : 'end_turn') : reply.stop_reason,
    usage: { input_tokens: 10, output_tokens: 5, ...reply.usage },
  });
  const events = reply.edit?.(made) ?? made;
  response.writeHead(200, { ...SSE_HEADERS, 'request-id': 'req_test' });
  const until = reply.cut?.after ?? events.length;
  for (const event of events.slice(0, until)) {
    if (reply.dripMs !== undefined) await delay(reply.dripMs);
    if (response.destroyed) return;
    response.write(sseFrame(event));
  }
  await cutShort(response, reply.cut?.by ?? 'end');
}

async function cutShort(
  response: ServerResponse,
  by: NonNullable<ScriptedReply['cut']>['by'],
): Promise<void> {
  if (by === 'end') return void response.end();
  if (by === 'hang') return;
  if (by === 'drop') {
    // Let what was written leave first: a reset would throw it away.
    await new Promise((resolve) => response.write(': \n', resolve));
    await delay(10);
    return void response.destroy();
  }
  if (by === 'ping_forever') {
    while (!response.destroyed) {
      response.write(sseFrame({ type: 'ping' }));
      await delay(5);
    }
    return;
  }
  response.end(typeof by === 'string' ? by : sseFrame(by));
}

async function play(response: ServerResponse, scripted: Scripted, id: string): Promise<void> {
  if (scripted === 'hang') return;
  if (scripted === 'reset') return void response.destroy();
  if ('content' in scripted) return playEvents(response, scripted, id);
  const isText = typeof scripted.body === 'string';
  response.writeHead(scripted.status, {
    'content-type': scripted.contentType ?? (isText ? 'text/html' : 'application/json'),
    ...scripted.headers,
  });
  response.end(isText ? scripted.body : JSON.stringify(scripted.body ?? {}));
}

/** An API error as the script writes it. */
export function apiError(
  status: number,
  type: string,
  message: string,
  more: { headers?: Record<string, string>; details?: Record<string, unknown> } = {},
): ScriptedFailure {
  return { status, body: errorBody(type, message, more.details), headers: more.headers };
}

/** Starts on 127.0.0.1 at a free port. */
export async function startMessagesServer(script: Script): Promise<MessagesServer> {
  const requests: ReceivedRequest[] = [];
  const problems: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];

  async function handle(request: import('node:http').IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    if (request.method !== 'POST' || request.url !== '/v1/messages') {
      problems.push(`unknown route: ${request.method} ${request.url}`);
      return sendJson(response, 404, errorBody('not_found_error', 'Not found'));
    }
    const fault = checkHeaders(request.headers) ?? checkRequest(raw);
    if (fault !== null) {
      problems.push(`refused request ${requests.length}: ${fault.message}`);
      return sendJson(response, fault.status, errorBody(fault.type, fault.message));
    }
    const received = { headers: request.headers, raw, body: JSON.parse(raw) };
    const index = requests.push(received) - 1;
    for (const one of waiting) if (requests.length >= one.count) one.resolve();
    const scripted = typeof script === 'function' ? await script(received, index) : script[index];
    if (scripted === undefined) {
      problems.push(`the script ended: request ${index} has no answer`);
      return sendJson(response, 500, errorBody('api_error', 'the script of this test ended'));
    }
    await play(response, scripted, `msg_test_${index}`);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      problems.push(`the server failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    problems: () => [...problems],
    waitFor: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    stop: async (options = {}) => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (problems.length > 0 && options.expectProblems !== true) {
        throw new Error(`messages server: ${problems.join('; ')}`);
      }
    },
  };
}
