/**
 * Data plane of the local E2B service: what envd (files, processes) and the code interpreter answer
 * inside a real sandbox. Calls name their sandbox by header; everything is passed to its guest.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeRequest, encodeEnd, encodeMessage, errorCode } from './connect-protocol.ts';
import { type Guest, GuestError } from './guest-link.ts';
import { readBody, readJson, sendJson } from './http.ts';
import type { LocalSandbox, LocalSandboxes } from './sandboxes.ts';

/**
 * A real sandbox lets code run on when its client is gone, and a client that comes back finds the
 * result. So does this one, but not for ever.
 */
const ORPHAN_MS = 45_000;

const FILESYSTEM = new Map([
  ['/filesystem.Filesystem/Stat', 'stat'],
  ['/filesystem.Filesystem/ListDir', 'list'],
  ['/filesystem.Filesystem/MakeDir', 'make_dir'],
  ['/filesystem.Filesystem/Remove', 'remove'],
  ['/filesystem.Filesystem/Move', 'move'],
]);

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  sandbox: LocalSandbox;
}

/** Answers a data-plane request; what is no part of it gets 404. */
export async function handleData(
  context: { request: IncomingMessage; response: ServerResponse; url: URL },
  sandboxes: LocalSandboxes,
): Promise<void> {
  const { request, response, url } = context;
  const sandbox = sandboxes.get(String(request.headers['e2b-sandbox-id'] ?? ''));
  if (!sandbox) return sendJson(response, 502, { message: 'The sandbox was not found' });
  // The SDK sends no token with calls about contexts.
  const token = request.headers['x-access-token'];
  if (
    !url.pathname.startsWith('/contexts') &&
    url.pathname !== '/health' &&
    token !== sandbox.accessToken
  ) {
    return sendJson(response, 401, { code: 401, message: 'Invalid access token' });
  }
  const call = { ...context, sandbox };
  try {
    await route(call);
  } catch (error) {
    const status = error instanceof GuestError ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    // An answer that was under way is cut off: a proper end would look like success.
    if (response.headersSent) response.destroy();
    else if (url.pathname.includes('.')) {
      const { code, status: http } = errorCode(status);
      sendJson(response, http, { code, message });
    } else sendJson(response, status, { code: status, message });
  }
}

async function route(call: Call): Promise<void> {
  const { request, response, url } = call;
  const guest = call.sandbox.guest;
  const operation = `${request.method} ${url.pathname}`;
  const filesystem = FILESYSTEM.get(url.pathname);
  if (filesystem) {
    sendJson(response, 200, (await guest.request(filesystem, await readJson(request))).answer);
  } else if (url.pathname === '/health') sendJson(response, 204);
  else if (operation === 'GET /files') await readFile(call);
  else if (operation === 'POST /files') await writeFiles(call);
  else if (operation === 'POST /execute') await execute(call);
  else if (url.pathname.startsWith('/contexts')) await handleContexts(call);
  else if (operation === 'POST /process.Process/Start') await startProcess(call);
  else if (operation === 'POST /process.Process/SendSignal') await signalProcess(guest, call);
  else if (operation === 'POST /process.Process/List') sendJson(response, 200, { processes: [] });
  else throw new GuestError(404, 'Not part of the local service');
}

async function readFile({ response, url, sandbox }: Call): Promise<void> {
  const path = url.searchParams.get('path') ?? '';
  const { body } = await sandbox.guest.request('read', { path });
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': body.length,
  });
  response.end(body);
}

async function writeFiles({ request, response, url, sandbox }: Call): Promise<void> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  const path = url.searchParams.get('path');
  const files: { path: string; bytes: Uint8Array }[] = [];
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
    for (const file of form.getAll('file')) {
      if (typeof file === 'string') continue;
      files.push({ path: path ?? file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    }
  } else files.push({ path: path ?? '', bytes: body });
  const written = [];
  for (const file of files) {
    const { answer } = await sandbox.guest.request('write', { path: file.path }, file.bytes);
    written.push({ name: answer.name, type: 'file', path: answer.path });
  }
  sendJson(response, 200, written);
}

async function execute({ request, response, sandbox }: Call): Promise<void> {
  const { code, context_id: context, language } = await readJson(request);
  if (language !== undefined && language !== 'python') {
    throw new GuestError(400, 'Only Python runs in the local service');
  }
  const fields = { code: String(code ?? ''), context: context ?? 'default' };
  const stream = sandbox.guest.stream('execute', fields, (event) => {
    if (event.type === 'accepted') {
      // The SDK's execution time-out starts with the headers.
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.flushHeaders();
    } else response.write(`${JSON.stringify(event)}\n`);
  });
  const orphan = onDisconnect(response, () => setTimeout(stream.cancel, ORPHAN_MS));
  try {
    await stream.done;
    response.end('{"type": "end_of_execution"}\n');
  } finally {
    clearTimeout(orphan.timer);
  }
}

/** Calls `start` once when the client goes before the answer is complete. */
function onDisconnect(response: ServerResponse, start: () => NodeJS.Timeout) {
  const state: { timer?: NodeJS.Timeout } = {};
  response.on('close', () => {
    if (!response.writableEnded) state.timer = start();
    state.timer?.unref();
  });
  return state;
}

async function handleContexts({ request, response, url, sandbox }: Call): Promise<void> {
  const [, , id, action] = url.pathname.split('/');
  const guest = sandbox.guest;
  if (id === undefined && request.method === 'GET') {
    sendJson(response, 200, (await guest.request('list_contexts', {})).answer.contexts);
  } else if (id === undefined) {
    const { cwd, language } = await readJson(request);
    if (language !== undefined && language !== 'python') {
      throw new GuestError(400, 'Only Python runs in the local service');
    }
    const context = randomUUID();
    await guest.request('create_context', { context, cwd });
    sendJson(response, 200, { id: context, language: 'python', cwd: cwd ?? '/home/user' });
  } else if (action === 'restart') {
    sendJson(response, 200, (await guest.request('restart', { context: id })).answer);
  } else sendJson(response, 200, (await guest.request('remove_context', { context: id })).answer);
}

async function startProcess({ request, response, sandbox }: Call): Promise<void> {
  const { process } = decodeRequest(await readBody(request));
  response.writeHead(200, { 'content-type': 'application/connect+json' });
  const stream = sandbox.guest.stream('start', { process }, (event) => {
    response.write(encodeMessage({ event }));
  });
  // A command ends with its client, as the SDK's time-out relies on it.
  response.on('close', () => stream.cancel());
  try {
    await stream.done;
    response.end(encodeEnd());
  } catch (error) {
    const status = error instanceof GuestError ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    response.end(encodeEnd({ code: errorCode(status).code, message }));
  }
}

async function signalProcess(guest: Guest, { request, response }: Call): Promise<void> {
  const body = await readJson(request);
  const process = body.process as { pid?: number } | undefined;
  await guest.request('signal', { pid: process?.pid ?? 0, signal: body.signal });
  sendJson(response, 200, {});
}
