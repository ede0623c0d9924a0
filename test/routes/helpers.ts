/** An application over doubles, and drafts of the entries that tests write as the loop would. */

import { z } from 'zod';
import { createApp } from '../../src/app.ts';
import { type Config, parseConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import type { Result } from '../../src/errors.ts';
import type { ModelReplied, RunFinished } from '../../src/loop/journal.ts';
import { SCOPES, type Scope } from '../../src/loop/key-store.ts';
import type { DriveStep } from '../../src/routes/step.ts';
import { defineTool, type Tool } from '../../src/tools/define.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Sandboxes } from '../../src/tools/sandbox.ts';
import { createMemoryObjects, type MemoryObjects } from '../helpers/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../helpers/memory-store.ts';

export interface TestApp {
  app: ReturnType<typeof createApp>;
  deps: Deps;
  store: MemoryStore;
  objects: MemoryObjects;
  /** Run ids handed to the queue. */
  sent: string[];
  /** Log lines. */
  logged: { event: string; fields: Record<string, unknown> }[];
  clock: { now: number; slept: number[] };
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Asks and returns the run's id. */
  ask(body?: Record<string, unknown>): Promise<string>;
}

export function testConfig(env: Record<string, unknown> = {}): Config {
  const parsed = parseConfig({
    UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1',
    UPSTASH_REDIS_REST_TOKEN: 'redis-token',
    ANTHROPIC_API_KEY: 'anthropic-key',
    STRIDE_LOCAL: '1',
    ...env,
  });
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

const tool = (name: string, more: Partial<Pick<Tool, 'needs'>> & { aliases?: string[] } = {}) =>
  defineTool({
    name,
    description: `What ${name} does.`,
    input: z.object({}),
    run: async () => '',
    ...(more.aliases ? { aliases: more.aliases } : {}),
    ...(more.needs ? { needs: more.needs } : {}),
  });

export const noStep: DriveStep = async () => {
  throw new Error('this test drives no step');
};

export function createTestApp(
  options: {
    env?: Record<string, unknown>;
    sandboxes?: Sandboxes | null;
    driveStep?: DriveStep;
    /** What the clock's sleep does beside moving the time. */
    onSleep?: (ms: number, app: TestApp) => void;
    /** Instead of the doubles: a configuration that is at fault. */
    fault?: Extract<Result<Deps>, { ok: false }>;
    overrides?: Partial<Deps>;
  } = {},
): TestApp {
  const clock = { now: Date.UTC(2026, 10, 30, 12), slept: [] as number[] };
  const store = createMemoryStore({ now: () => clock.now });
  const objects = createMemoryObjects();
  const sent: string[] = [];
  const logged: TestApp['logged'] = [];
  let ids = 0;
  const deps: Deps = {
    config: testConfig(options.env),
    clock: {
      now: () => clock.now,
      async sleep(ms, signal) {
        if (signal?.aborted) return;
        // A turn of the event loop, so that readers and aborts are seen between two sleeps.
        await new Promise((resolve) => setImmediate(resolve));
        if (signal?.aborted) return;
        clock.now += ms;
        clock.slept.push(ms);
        options.onSleep?.(ms, testApp);
      },
    },
    randomId: (prefix) => `${prefix}${String(++ids).padStart(20, '0')}`,
    random: () => 0.5,
    fetch: () => Promise.reject(new Error('routes call nobody')),
    store,
    objects,
    queue: {
      async send(runId) {
        sent.push(runId);
      },
    },
    model: { call: () => Promise.reject(new Error('routes call no model')) },
    tools: createRegistry([
      tool('calc'),
      tool('read_file', { aliases: ['Read'] }),
      tool('execute_python', { needs: 'sandbox' }),
    ]),
    sandboxes: options.sandboxes ?? null,
    deliveries: new Map(),
    log: (event, fields) => logged.push({ event, fields }),
    ...options.overrides,
  };
  const app = createApp(() => options.fault ?? { ok: true, value: deps }, {
    driveStep: options.driveStep ?? noStep,
  });
  const request = async (path: string, init?: RequestInit) => app.request(path, init);
  const post: TestApp['post'] = (path, body, headers) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const testApp: TestApp = {
    app,
    deps,
    store,
    objects,
    sent,
    logged,
    clock,
    request,
    post,
    async ask(body = {}) {
      const response = await post('/v1/runs', { question: 'What is 2 + 2?', ...body });
      const run = (await response.json()) as { id: string };
      return run.id;
    },
  };
  return testApp;
}

export function finished(fields: Partial<RunFinished> = {}): Omit<RunFinished, 'v' | 'at'> {
  return {
    type: 'run_finished',
    status: 'succeeded',
    reason: 'answered',
    message: 'Answered.',
    raw: '**4**',
    answer: '4',
    rule: 'marker',
    explanation: 'Two and two are four.',
    evidence: [{ text: '4', tool_use_id: 'tu_1', place: 'line 1' }],
    sources: [],
    ...fields,
  };
}

export function replied(
  content: unknown[],
  fields: Partial<ModelReplied> = {},
): Omit<ModelReplied, 'v' | 'at'> {
  return {
    type: 'model_replied',
    purpose: 'turn',
    content: content as ModelReplied['content'],
    stop_reason: 'tool_use',
    model: 'claude-sonnet-5-5',
    usage: {
      input_tokens: 100,
      output_tokens: 20,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 5,
    },
    cost_micro_usd: 600,
    ms: 1200,
    ...fields,
  };
}

export const toolUse = (id: string, name = 'calc', input: unknown = { expression: '2+2' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
});

/** A key made for the test, as the header that brings it. */
export async function keyHeader(
  app: TestApp,
  scopes: Scope[] = [...SCOPES],
  owner = 'alice',
): Promise<{ authorization: string; id: string }> {
  const { secret, key } = await app.store.keys.createKey({ owner, name: 'test', scopes });
  return { authorization: `Bearer ${secret}`, id: key.id };
}

export interface ErrorBody {
  error: {
    code: string;
    message: string;
    request_id: string;
    details?: Record<string, unknown>;
  };
}

/** The envelope of a failed request. */
export async function errorOf(response: Response): Promise<ErrorBody['error']> {
  return ((await response.json()) as ErrorBody).error;
}

export interface SseEvent {
  id: string | null;
  event: string | null;
  data: unknown;
}

/** All events of a stream that ends by itself; comments are returned apart. */
export async function readSse(response: Response) {
  const text = await response.text();
  const blocks = text.split('\n\n').filter((block) => block !== '');
  const comments = blocks.filter((block) => block.startsWith(':'));
  const events = blocks.filter((block) => !block.startsWith(':')).map(parseBlock);
  return { events, comments };
}

function parseBlock(block: string): SseEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  return {
    id: fields.get('id') ?? null,
    event: fields.get('event') ?? null,
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
