/**
 * Control plane of the local E2B service: /sandboxes and /v2/sandboxes, JSON, X-API-KEY.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, sendJson } from './http.ts';
import type { LocalSandbox, LocalSandboxes, NetworkRules } from './sandboxes.ts';

/** Below 0.5.7 the SDK uploads as multipart; from 0.4.0 it needs no default user. */
const ENVD_VERSION = '0.5.0';
const NOT_FOUND = { code: 404, message: 'Sandbox not found' };

/** Answers a control-plane request; false when the path is none. */
export async function handleControl(
  context: { request: IncomingMessage; response: ServerResponse; url: URL },
  options: { sandboxes: LocalSandboxes; apiKey: string },
): Promise<boolean> {
  const { request, response, url } = context;
  const match = /^(?:\/v2)?\/sandboxes(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(url.pathname);
  if (!match) return false;
  if (request.headers['x-api-key'] !== options.apiKey) {
    sendJson(response, 401, { code: 401, message: 'Invalid API key' });
    return true;
  }
  const [, id, action] = match;
  const method = request.method ?? 'GET';
  if (id === undefined) {
    if (method === 'POST') {
      const sandbox = await options.sandboxes.create(await readJson(request));
      sendJson(response, 201, connection(sandbox));
    } else sendJson(response, 200, list(options.sandboxes, url).map(info));
    return true;
  }
  const sandbox = options.sandboxes.get(id);
  if (!sandbox) sendJson(response, 404, NOT_FOUND);
  else
    await handleOne(
      { request, response, sandbox, operation: `${method} ${action ?? ''}`.trim() },
      options,
    );
  return true;
}

async function handleOne(
  one: {
    request: IncomingMessage;
    response: ServerResponse;
    sandbox: LocalSandbox;
    operation: string;
  },
  options: { sandboxes: LocalSandboxes },
): Promise<void> {
  const { request, response, sandbox } = one;
  switch (one.operation) {
    case 'GET':
      return sendJson(response, 200, info(sandbox));
    case 'DELETE':
      await options.sandboxes.kill(sandbox.id);
      return sendJson(response, 204);
    case 'POST connect': {
      const seconds = Number((await readJson(request)).timeout ?? 0);
      if (Date.now() + seconds * 1000 > sandbox.endsAt) options.sandboxes.extend(sandbox, seconds);
      return sendJson(response, 200, connection(sandbox));
    }
    case 'POST timeout':
      options.sandboxes.extend(sandbox, Number((await readJson(request)).timeout ?? 0));
      return sendJson(response, 204);
    case 'PUT network':
      sandbox.rules = (await readJson(request)) as NetworkRules;
      return sendJson(response, 204);
    default:
      return sendJson(response, 404, { code: 404, message: 'Not part of the local service' });
  }
}

function connection(sandbox: LocalSandbox) {
  return {
    sandboxID: sandbox.id,
    templateID: sandbox.templateId,
    clientID: 'local',
    envdVersion: ENVD_VERSION,
    envdAccessToken: sandbox.accessToken,
    domain: null,
  };
}

function info(sandbox: LocalSandbox) {
  return {
    sandboxID: sandbox.id,
    templateID: sandbox.templateId,
    clientID: 'local',
    metadata: sandbox.metadata,
    startedAt: new Date(sandbox.startedAt).toISOString(),
    endAt: new Date(sandbox.endsAt).toISOString(),
    state: 'running',
    cpuCount: 1,
    memoryMB: 512,
    diskSizeMB: 512,
    envdVersion: ENVD_VERSION,
    allowInternetAccess: sandbox.rules.allow_internet_access ?? true,
    network: { allowOut: sandbox.rules.allowOut ?? [], denyOut: sandbox.rules.denyOut ?? [] },
  };
}

/** `metadata` is itself a query string whose names and values are encoded once more. */
function list(sandboxes: LocalSandboxes, url: URL): LocalSandbox[] {
  const wanted = [...new URLSearchParams(url.searchParams.get('metadata') ?? '')];
  return sandboxes
    .list()
    .filter((sandbox) =>
      wanted.every(([k, v]) => sandbox.metadata[decodeURIComponent(k)] === decodeURIComponent(v)),
    );
}
