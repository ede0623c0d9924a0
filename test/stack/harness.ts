/**
 * One whole stack for tests: the built Worker under workerd with stand-ins, in a folder of its own,
 * with nothing of this machine's environment. `stop` ends all of it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../dev/cli/client.ts';
import { findRedis, type RedisAddress } from '../../dev/stack/redis-address.ts';
import { type Stack, type StackOptions, startStack } from '../../dev/stack/start-stack.ts';
import type { Entry } from '../../src/loop/journal.ts';
import type { RunSummary } from '../../src/loop/summary.ts';
import { searchFolder, secretsIn, secretsOf } from './secrets.ts';

export interface TestStack {
  url: string;
  stack: Stack;
  dataDir: string;
  /** Its Redis, over REST; null when the environment names another one. */
  redis: RedisAddress | null;
  /** A request to the service; the path begins with `/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POST of a JSON body. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Uploads text as a file; its id. */
  upload(name: string, content: string | Uint8Array): Promise<string>;
  /** Accepts a run and gives its id; fails loudly on a refusal. */
  ask(question: string, options?: Record<string, unknown>): Promise<string>;
  /** The run once it has ended. Rejects after `timeoutMs` (60 s). */
  waitForEnd(id: string, timeoutMs?: number): Promise<RunSummary>;
  /** The journal as it stands. */
  events(id: string): Promise<(Entry & { seq: number })[]>;
  /** Ends the stack; keeps its folder when another stack is to go on with it. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

export interface TestStackOptions extends Pick<StackOptions, 'intercept' | 'entry'> {
  /** Settings and keys on top of none at all, e.g. ANTHROPIC_BASE_URL of a scripted server. */
  env?: Record<string, string>;
  /** The folder of a stopped stack; default: a new one. */
  dataDir?: string;
}

/** Waits of tests are long enough for a slow machine, and end in an error rather than a hang. */
const END_TIMEOUT_MS = 60_000;

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'stride-test-'));
  const { intercept, entry } = options;
  // PATH finds redis-server, python3 and bwrap; no key of this machine comes along.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env };
  const start = () => startStack({ dataDir, port: 0, env, quiet: true, intercept, entry });
  const stack = await start().catch((error: unknown) => {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  const { url } = stack;
  const redis = findRedis(dataDir);
  const secrets = secretsOf(env, redis ? { REDIS_TOKEN: redis.token } : {});
  const told = new Set<string>();
  const send: TestStack['fetch'] = async (path, init) => {
    const response = await fetch(new URL(path, url), init);
    if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
      const text = JSON.stringify([...response.headers]) + (await response.clone().text());
      for (const name of secretsIn(text, secrets)) told.add(`${path}: ${name}`);
    }
    return response;
  };
  const client = createClient({ url, apiKey: null });
  return {
    url,
    stack,
    dataDir,
    redis,
    fetch: send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async upload(name, content) {
      const path = `/v1/files?name=${encodeURIComponent(name)}`;
      const body = typeof content === 'string' ? content : new Uint8Array(content);
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await readJson(await send(path, { method: 'PUT', headers, body }));
      return (answer as { id: string }).id;
    },
    async ask(question, more = {}) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ question, ...more });
      const answer = await readJson(await send('/v1/runs', { method: 'POST', headers, body }));
      return (answer as { id: string }).id;
    },
    async waitForEnd(id, timeoutMs = END_TIMEOUT_MS) {
      const signal = AbortSignal.timeout(timeoutMs);
      for await (const { entry: one } of client.followRun(id, signal)) {
        if (one.type === 'run_finished') break;
      }
      return client.getRun(id, signal);
    },
    async events(id) {
      const answer = await readJson(await send(`/v1/runs/${id}/events?format=json`));
      return (answer as { events: (Entry & { seq: number })[] }).events;
    },
    async stop({ keepData = false } = {}) {
      await stack.stop();
      const leaked = [...told, ...searchFolder(dataDir, secrets)];
      if (!keepData) rmSync(dataDir, { recursive: true, force: true });
      if (leaked.length > 0)
        throw new Error(`secrets in logs, answers or data: ${leaked.join('; ')}`);
    },
  };
}

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}
