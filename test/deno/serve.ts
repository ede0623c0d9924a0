/**
 * Stride under Deno, for `npm run test:deno`: the same application and loop, with dependencies made
 * of web standards alone. Redis and the model are reached over HTTP; objects are in memory; a queue
 * message is a task of this process. Prints its address as its first line, the log after it.
 */
import { createApp } from '../../src/app.ts';
import { parseConfig, secretValues } from '../../src/config.ts';
import type { Clock, Deps } from '../../src/deps.ts';
import { QUEUE_INVOCATION_MS } from '../../src/limits.ts';
import { createLog } from '../../src/log.ts';
import { createDeliveries } from '../../src/loop/deliver.ts';
import { consumeMessage, driveClientStep } from '../../src/loop/drive.ts';
import { createStore } from '../../src/loop/store.ts';
import { createAnthropicModel } from '../../src/model/client.ts';
import { createRedis } from '../../src/redis.ts';
import { buildDefaultRegistry } from '../../src/tools/registry.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';

/** What is used of Deno's own API; everything else here is a web standard. */
declare const Deno: {
  args: string[];
  serve(
    options: { hostname: string; port: number; onListen(address: { port: number }): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): unknown;
};

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

// The settings come as an argument: no permission to read the environment is needed for them.
const parsed = parseConfig(JSON.parse(Deno.args[0] ?? '{}'));
if (!parsed.ok) throw new Error(parsed.error.message);
const config = parsed.value;
if (!config.anthropic) throw new Error('a model is needed');

async function consume(runId: string, delayMs: number): Promise<void> {
  await clock.sleep(delayMs);
  const consumed = await consumeMessage(runId, {
    deps,
    deadline: clock.now() + QUEUE_INVOCATION_MS,
  });
  if (consumed.kind === 'retry') await consume(runId, consumed.afterMs);
}

const deps: Deps = {
  config,
  clock,
  randomId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  random: Math.random,
  fetch,
  store: createStore(createRedis(config.redis), {
    retentionDays: config.retentionDays,
    now: clock.now,
  }),
  objects: createMemoryObjects(),
  queue: {
    send: async (runId, delayMs = 0) => {
      consume(runId, delayMs).catch((error) => deps.log('queue_failed', { fault: String(error) }));
    },
  },
  model: createAnthropicModel({
    ...config.anthropic,
    fetch,
    thinkingEffort: config.thinkingEffort,
    clock,
  }),
  tools: buildDefaultRegistry(),
  sandboxes: null,
  deliveries: createDeliveries(),
  log: createLog({
    write: (line) => console.log(line),
    now: clock.now,
    secrets: secretValues(config),
  }),
};

const app = createApp(() => ({ ok: true, value: deps }), { driveStep: driveClientStep });
Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
  },
  (request) => app.fetch(request),
);
