/**
 * The offline demo model as a Messages API server on 127.0.0.1: the stand-in for Claude when no key
 * is set. For development only. It checks requests as the real API does, streams or not, and says
 * in every answer that it is no language model.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_MODEL } from '../../src/model/prices.ts';
import { replyTo } from './reply.ts';
import { checkHeaders, checkRequest, MAX_REQUEST_BYTES } from './validate.ts';
import { errorBody, messageBody, messageEvents, SSE_HEADERS, sendJson, sseFrame } from './wire.ts';

export interface DemoModel {
  /** Base URL, for ANTHROPIC_BASE_URL. */
  url: string;
  model: typeof DEMO_MODEL;
  stop(): Promise<void>;
}

/** The body as text, or null when it is larger than the API takes (the rest is not read). */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function answerMessages(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const raw = await readBody(request);
  if (raw === null) {
    return sendJson(
      response,
      413,
      errorBody('request_too_large', 'Request exceeds the maximum size'),
    );
  }
  const fault = checkHeaders(request.headers) ?? checkRequest(raw);
  if (fault !== null) return sendJson(response, fault.status, errorBody(fault.type, fault.message));
  const body = JSON.parse(raw);
  const message = replyTo(body);
  if (body.stream !== true) return sendJson(response, 200, messageBody(message));
  response.writeHead(200, { ...SSE_HEADERS, 'request-id': `req_${message.id.slice(4)}` });
  for (const event of messageEvents(message)) response.write(sseFrame(event));
  response.end();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'POST' && pathname === '/v1/messages') {
    return answerMessages(request, response);
  }
  if (request.method === 'GET' && pathname === '/v1/models') {
    const model = { type: 'model', id: DEMO_MODEL, display_name: 'Stride offline demo (rules)' };
    return sendJson(response, 200, { data: [model], has_more: false });
  }
  sendJson(response, 404, errorBody('not_found_error', `No such path here: ${pathname}`));
}

/** Starts the server. `port` 0 (the default) takes a free one. */
export async function startDemoModel(
  options: { port?: number; log?: (line: string) => void } = {},
): Promise<DemoModel> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      options.log?.(`demo model: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, errorBody('api_error', 'The demo model failed.'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    model: DEMO_MODEL,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
