// Upstash's Redis REST interface over an Engine: authorization, limits, encodings and error texts
// of the hosted service, on 127.0.0.1 only. It keeps no data and does not know which engine it has.
// Invariant: a command is given to the engine at most once per request.

import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandName, refusalOf } from './commands.ts';
import { type Engine, EngineDown, RedisError, type Reply } from './engine.ts';
import { BadRequest, MAX_BODY_BYTES, parseRequest, type RestRequest } from './request.ts';
import { createScriptMap } from './scripts.ts';
import { countCommand, emptyStats, type RedisStats, replyBytes } from './stats.ts';

/**
 * What a test does to a request: let it pass, lose it before anything happened, apply it and lose
 * the reply (both destroy the socket), or apply it only after a while, even if the client left.
 */
export type Fault = 'pass' | 'drop_before' | 'drop_reply' | { delayMs: number };
/** For tests only: decides about each authorized, well-formed request. Arguments as UTF-8 text. */
export type Intercept = (request: { path: string; commands: string[][] }) => Promise<Fault>;

export interface FrontOptions {
  engine: Engine;
  token: string;
  /** Default 0: any free port. */
  port?: number;
  log?: (line: string) => void;
  intercept?: Intercept;
}

export interface Front {
  url: string;
  stats(): RedisStats;
  resetStats(): void;
  /** Ends all connections. The engine stays open: it belongs to the caller. */
  close(): Promise<void>;
}

/** Bodies above the limit are read to the end, so that the answer arrives; above this they are cut. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT'];

/** Rejects with the error of `listen`, such as EADDRINUSE. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const counter = { current: emptyStats() };
  const execute = createExecutor({ engine: options.engine, stats: () => counter.current });
  const server = createServer((request, response) => {
    handle({ request, response, options, execute, stats: () => counter.current }).catch((error) => {
      // Ours to fix, or the client went away in the middle of its body.
      if (!request.destroyed) options.log?.(`redis front: ${String(error)}`);
      request.socket.destroy();
    });
  });
  // Node closes idle connections after 5 s by default; a request sent at that moment would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The port is not known.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stats: () => structuredClone(counter.current),
    resetStats: () => {
      counter.current = emptyStats();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Execute = (request: RestRequest) => Promise<unknown>;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  options: FrontOptions;
  execute: Execute;
  stats: () => RedisStats;
}

async function handle({ request, response, options, execute, stats }: Exchange): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const base64 = request.headers['upstash-encoding'] === 'base64';
  const answer = (status: number, body: unknown) => {
    const text = JSON.stringify(toWire(body, base64));
    // The client sends this token with its next request; one server has nothing to catch up with.
    response.setHeader('upstash-sync-token', 'local');
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
  try {
    const body = await readBody(request);
    const method = request.method ?? '';
    if (!METHODS.includes(method)) throw new BadRequest(405, 'ERR unsupported method');
    if (!isAuthorized(request, url, options.token)) {
      throw new BadRequest(401, 'WRONGPASS invalid or missing auth token');
    }
    stats().requests += 1;
    if (body.length > MAX_BODY_BYTES) throw tooLarge(body.length);
    const parsed = parseRequest({ method, url, body: body.bytes });
    const fault = (await options.intercept?.(toText(parsed))) ?? 'pass';
    if (fault === 'drop_before') return void request.socket.destroy();
    if (typeof fault === 'object') await sleep(fault.delayMs);
    const result = execute(parsed);
    if (fault === 'drop_reply') {
      await Promise.allSettled([result]);
      return void request.socket.destroy();
    }
    answer(200, await result);
  } catch (error) {
    const status = statusOf(error);
    if (status === null) throw error;
    answer(status, { error: error instanceof Error ? error.message : '' });
  }
}

function statusOf(error: unknown): number | null {
  if (error instanceof BadRequest) return error.status;
  if (error instanceof RedisError) return 400;
  return error instanceof EngineDown ? 503 : null;
}

/** Carries out a request. Throws `RedisError`, `BadRequest` or `EngineDown` if it fails as a whole. */
function createExecutor({ engine, stats }: { engine: Engine; stats: () => RedisStats }): Execute {
  const scripts = createScriptMap({ keepFlag: engine.locksDeclaredKeys === true });

  async function run(args: Buffer[]): Promise<Reply> {
    const refusal = refusalOf(args);
    if (refusal !== null) return new RedisError(refusal);
    const { args: redisArgs, toUpstash } = scripts.prepare(args);
    countCommand(stats(), commandName(args), args);
    const reply = await engine.call(redisArgs).catch((error: unknown) => {
      if (error instanceof RedisError) return error;
      throw error;
    });
    return counted(toUpstash(reply));
  }

  async function runAll(commands: Buffer[][]): Promise<Reply[]> {
    const refusal = commands.map(refusalOf).find((text) => text !== null);
    if (refusal) throw new RedisError(`EXECABORT Transaction discarded because of: ${refusal}`);
    const prepared = commands.map((args) => scripts.prepare(args));
    for (const args of commands) countCommand(stats(), commandName(args), args);
    const replies = await engine.transaction(prepared.map(({ args }) => args));
    return replies.map((reply, index) => counted(prepared[index]?.toUpstash(reply) ?? reply));
  }

  function counted(reply: Reply): Reply {
    stats().replyBytes += replyBytes(reply);
    return reply;
  }

  return async ({ kind, commands }) => {
    if (kind === 'transaction') return (await runAll(commands)).map(toItem);
    // A pipeline is no transaction: a refused command leaves the others alone. A lost engine fails
    // the whole request, for nobody knows what was applied.
    const replies = await Promise.all(commands.map(run));
    if (kind === 'pipeline') return replies.map(toItem);
    const [reply = null] = replies;
    if (reply instanceof RedisError) throw reply;
    return { result: reply };
  };
}

function toItem(reply: Reply): { result: Reply } | { error: string } {
  return reply instanceof RedisError ? { error: reply.message } : { result: reply };
}

/** Replies as JSON: bytes become text, or base64 where the client asked for it. */
function toWire(value: unknown, base64: boolean): unknown {
  if (Buffer.isBuffer(value)) return value.toString(base64 ? 'base64' : 'utf8');
  if (value instanceof RedisError) return toWire(Buffer.from(value.message), base64);
  if (Array.isArray(value)) return value.map((item) => toWire(item, base64));
  if (value === null || typeof value !== 'object') return value;
  const { result, error } = value as { result?: unknown; error?: string };
  if (error !== undefined) return { error };
  // OK is the one text that stays plain, and only here: no base64 text is two characters long.
  const isOk = Buffer.isBuffer(result) && result.equals(OK);
  return { result: isOk ? 'OK' : toWire(result, base64) };
}

const OK = Buffer.from('OK');

function toText({ path, commands }: RestRequest): { path: string; commands: string[][] } {
  return { path, commands: commands.map((args) => args.map((arg) => arg.toString('utf8'))) };
}

function isAuthorized(request: IncomingMessage, url: URL, token: string): boolean {
  const header = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = Buffer.from(header ?? url.searchParams.get('_token') ?? '');
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The body, whole up to the limit; a longer one is counted and thrown away. */
async function readBody(request: IncomingMessage): Promise<{ bytes: Buffer; length: number }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    if (length > MAX_DRAINED_BYTES) throw tooLarge(length);
  }
  return { bytes: Buffer.concat(chunks), length };
}

function tooLarge(length: number): BadRequest {
  return new BadRequest(
    413,
    `ERR max request size exceeded. Limit: ${MAX_BODY_BYTES} bytes, Actual: ${length} bytes. ` +
      'See https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded for details',
  );
}
