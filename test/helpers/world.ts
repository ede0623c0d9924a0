/**
 * A whole loop without a Worker: the real store on a real Redis, step, drive and dispatch, with a
 * scripted model, tools of every effect that count their runs outside, and a clock turned by hand.
 */
import { z } from 'zod';
import { parseConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import { createDeliveries } from '../../src/loop/deliver.ts';
import type { Entry, ToolEffect } from '../../src/loop/journal.ts';
import { createStore, type Store } from '../../src/loop/store.ts';
import type {
  ModelCallOptions,
  ModelFailure,
  ModelReply,
  ModelRequest,
} from '../../src/model/port.ts';
import type { RedisPort } from '../../src/redis.ts';
import { defineTool, type ToolContext } from '../../src/tools/define.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createMemoryObjects, type MemoryObjects } from './memory-objects.ts';

export type Scripted =
  | ModelReply
  | ModelFailure
  | ((request: ModelRequest, options: ModelCallOptions) => Promise<ModelReply | ModelFailure>);

export interface World {
  deps: Deps;
  store: Store;
  clock: TestClock;
  objects: MemoryObjects;
  /** Requests the model saw, as sent. */
  requests: ModelRequest[];
  /** tool_use_id → how often the tool's run was entered. */
  runs: Map<string, number>;
  /** Messages sent and not yet consumed: run id and delay. */
  queue: { runId: string; delayMs: number }[];
  logs: { event: string; fields: Record<string, unknown> }[];
  /** What a tool does when it runs; replace to slow it down or break it. */
  behave: (name: string, context: ToolContext) => Promise<string>;
  journal(id: string): Promise<Entry[]>;
}

const USAGE = {
  input_tokens: 100,
  output_tokens: 50,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export const reply = (
  content: ModelReply['content'],
  fields: Partial<ModelReply> = {},
): ModelReply => ({
  kind: 'reply',
  content,
  stopReason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
  model: 'claude-sonnet-5-5',
  usage: USAGE,
  ...fields,
});

export const failure = (fields: Partial<ModelFailure> = {}): ModelFailure => ({
  kind: 'failed',
  failure: 'overloaded',
  message: 'The model’s service is overloaded.',
  status: 529,
  retryAfterMs: null,
  usage: null,
  ...fields,
});

/** The same Redis, saying +1 when a call goes out and -1 when it was answered. */
function watchRedis(redis: RedisPort, note: (change: 1 | -1) => void): RedisPort {
  const watch = async <T>(call: Promise<T>) => {
    note(1);
    try {
      return await call;
    } finally {
      note(-1);
    }
  };
  return {
    script: (...args) => watch(redis.script(...args)),
    command: (...args) => watch(redis.command(...args)),
  };
}

export function createWorld(
  redis: RedisPort,
  { script, env = {} }: { script: Scripted[]; env?: Record<string, string> },
): World {
  let underWay = 0;
  const watched = watchRedis(redis, (change) => {
    underWay += change;
  });
  const clock = createTestClock({ isBusy: () => underWay > 0 });
  const parsed = parseConfig({
    UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1',
    UPSTASH_REDIS_REST_TOKEN: 'x',
    ...env,
  });
  if (!parsed.ok) throw new Error(parsed.error.message);
  const store = createStore(watched, { retentionDays: 30, now: clock.now, scriptClock: clock.now });
  const objects = createMemoryObjects();
  const world: Omit<World, 'deps'> = {
    store,
    clock,
    objects,
    requests: [],
    runs: new Map(),
    queue: [],
    logs: [],
    behave: async (name) => `${name} ran`,
    journal: (id) => store.entries(id, 1),
  };
  const effects: ToolEffect[] = ['pure', 'keyed', 'once'];
  const tools = effects.map((effect) =>
    defineTool({
      name: `do_${effect}`,
      description: `A tool of effect ${effect} that counts its runs.`,
      input: z.object({}).loose(),
      effect,
      run: async (_, context) => {
        world.runs.set(context.toolUseId, (world.runs.get(context.toolUseId) ?? 0) + 1);
        return await world.behave(`do_${effect}`, context);
      },
    }),
  );
  let next = 0;
  let ids = 0;
  const deps: Deps = {
    config: parsed.value,
    clock,
    randomId: (prefix) => {
      ids += 1;
      return `${prefix}${ids}_${Math.random().toString(36).slice(2)}`;
    },
    random: () => 0,
    fetch: () => Promise.reject(new Error('no network in this world')),
    store,
    objects,
    queue: {
      send: async (runId, delayMs = 0) => {
        world.queue.push({ runId, delayMs });
      },
    },
    model: {
      call: async (request, options) => {
        world.requests.push(structuredClone(request));
        const step = script[next];
        next += 1;
        if (!step)
          throw new Error(`the script has ${script.length} replies, one more was asked for`);
        return typeof step === 'function' ? await step(request, options) : step;
      },
    },
    tools: createRegistry(tools),
    sandboxes: null,
    deliveries: createDeliveries(),
    log: (event, fields) => {
      world.logs.push({ event, fields });
    },
  };
  return Object.assign(world, { deps });
}
