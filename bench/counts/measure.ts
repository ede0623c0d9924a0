// One counted run: the real loop and store on redis-server behind the REST front, a scripted model
// and tools of three effects, on a clock of the bench. Invocations last 15 minutes of that clock
// and take as many steps as in production (a local stack hands over after each).

import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { LocalRedis } from '../../dev/redis/start.ts';
import { parseConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import { QUEUE_INVOCATION_MS } from '../../src/limits.ts';
import { createDeliveries } from '../../src/loop/deliver.ts';
import { consumeMessage } from '../../src/loop/drive.ts';
import { fold } from '../../src/loop/fold.ts';
import { type Entry, parseEntry, type RunStarted } from '../../src/loop/journal.ts';
import { createStore } from '../../src/loop/store.ts';
import { createRedis } from '../../src/redis.ts';
import { defineTool } from '../../src/tools/define.ts';
import { buildDefaultRegistry, createRegistry } from '../../src/tools/registry.ts';
import { createTestClock, type TestClock } from '../../test/helpers/clock.ts';
import { createMemoryObjects } from '../../test/helpers/memory-objects.ts';
import { type Conversation, createConversation } from './content.ts';
import { createMeter, type Meter, type StoreCall } from './meter.ts';

/** How long the model takes, virtual; every tenth reply is a slow one. */
const MODEL_MS = 7_000;
const SLOW_MODEL_MS = 25_000;
const SLOW_EVERY = 10;
const OWNER = 'owner_of_bench';

export interface RunCounts {
  turns: number;
  invocations: number;
  calls: StoreCall[];
  entries: Entry[];
  /** UTF-8 bytes of what the model said and the tools returned. */
  contentBytes: number;
  objectBytes: Map<string, number>;
  /** Seconds of the bench's clock during which a model was waited for. */
  silentSeconds: number;
  /** CPU of all folds of the run (one after each commit), milliseconds of this machine. */
  foldMs: number;
  /** CPU of parsing the whole journal once, as a claim does. */
  parseMs: number;
}

/** Throws when the run does not come to its answer: then nothing was measured. */
export async function countRun(turns: number, server: LocalRedis): Promise<RunCounts> {
  const clock = createTestClock();
  const redis = createRedis(server);
  const store = createStore(redis, { retentionDays: 30, now: clock.now, scriptClock: clock.now });
  const meter = createMeter({ store, objects: createMemoryObjects() }, { server, redis });
  const conversation = createConversation(turns);
  const model = createModel(conversation, clock);
  const queue: string[] = [];
  const deps = createDeps({ server, clock, meter, conversation, queue, model: model.port });
  const id = deps.randomId('run_');
  await meter.store.accept(acceptanceOf(id, turns));
  let invocations = 0;
  queue.push(id);
  while (queue.shift()) {
    invocations += 1;
    await consumeMessage(id, { deps, deadline: clock.now() + QUEUE_INVOCATION_MS });
  }
  const entries = await store.entries(id, 1);
  const last = entries.at(-1);
  if (last?.type !== 'run_finished' || last.answer !== '42') {
    throw new Error(`the counted run ended otherwise: ${JSON.stringify(last).slice(0, 500)}`);
  }
  return {
    turns,
    invocations,
    calls: meter.calls,
    entries,
    contentBytes: conversation.contentBytes(),
    objectBytes: meter.objectBytes,
    silentSeconds: model.silentMs() / 1000,
    ...timeFolds(entries),
  };
}

function createModel(conversation: Conversation, clock: TestClock) {
  let turn = 0;
  let silentMs = 0;
  const port: Deps['model'] = {
    async call() {
      const ms = turn % SLOW_EVERY === SLOW_EVERY - 1 ? SLOW_MODEL_MS : MODEL_MS;
      silentMs += ms;
      await clock.advance(ms);
      turn += 1;
      return conversation.reply(turn - 1);
    },
  };
  return { port, silentMs: () => silentMs };
}

function createDeps(parts: {
  server: LocalRedis;
  clock: TestClock;
  meter: Meter;
  conversation: Conversation;
  queue: string[];
  model: Deps['model'];
}): Deps {
  const { server, clock, meter, conversation, queue, model } = parts;
  const config = parseConfig({
    UPSTASH_REDIS_REST_URL: server.url,
    UPSTASH_REDIS_REST_TOKEN: server.token,
  });
  if (!config.ok) throw new Error(config.error.message);
  const effects = { do_read: 'pure', do_keyed: 'keyed', do_once: 'once' } as const;
  const tools = Object.entries(effects).map(([name, effect]) =>
    defineTool({
      name,
      description: `Looks something up or does it; effect ${effect}.`,
      input: z.object({ query: z.string(), page: z.number() }),
      effect,
      untrusted: true,
      run: async (_, { toolUseId }) => conversation.result(toolUseId),
    }),
  );
  return {
    config: config.value,
    clock,
    // As long as the Worker's own: ids are part of every argument list.
    randomId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
    random: () => 0,
    fetch: () => Promise.reject(new Error('the bench has no network')),
    store: meter.store,
    objects: meter.objects,
    queue: {
      send: async (runId) => {
        queue.push(runId);
      },
    },
    model,
    // With the real tools beside them, so that the pinned prompt has its real size.
    tools: createRegistry([...buildDefaultRegistry().all(), ...tools]),
    sandboxes: null,
    deliveries: createDeliveries(),
    log: () => {},
  };
}

function acceptanceOf(id: string, turns: number) {
  const limits: RunStarted['limits'] = {
    // Two more than are taken: no turn is warned or without tools.
    turns: turns + 2,
    tool_calls: 10_000,
    tokens: 1_000_000_000,
    usd: 10_000,
    seconds: 1_000_000,
  };
  return {
    id,
    owner: OWNER,
    entry: {
      type: 'run_started' as const,
      question: 'Which of the studies in the attached list reports the largest growth, and when?',
      files: [],
      options: {},
      limits,
      source: 'api' as const,
      owner: OWNER,
    },
    drive: 'queue' as const,
    limitMicroUsd: 10_000_000_000,
    dayLimitMicroUsd: 1_000_000_000_000,
    maxActive: 1_000,
    dedupe: null,
    outbox: { archive: '' },
  };
}

/** The lease folds the whole journal anew after each commit; here once for each of its lengths. */
function timeFolds(entries: Entry[]): { foldMs: number; parseMs: number } {
  const lines = entries.map((entry) => JSON.stringify(entry));
  const startedAt = performance.now();
  for (let length = 1; length <= entries.length; length += 1) fold(entries.slice(0, length));
  const foldedAt = performance.now();
  lines.map(parseEntry);
  return { foldMs: foldedAt - startedAt, parseMs: performance.now() - foldedAt };
}
