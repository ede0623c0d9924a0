/**
 * What one invocation of a world gets: a clock and connections of its own over what all share. The
 * store, the deliveries and the tools behind it are the product's; only what lies outside is not.
 */
import { parseConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import { createDeliveries, type Delivery } from '../../src/loop/deliver.ts';
import { createStore } from '../../src/loop/store.ts';
import type { ModelPort } from '../../src/model/port.ts';
import { DEMO_MODEL } from '../../src/model/prices.ts';
import type { Registry } from '../../src/tools/registry.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Bucket } from './objects.ts';
import { eventOf, mark, type Outside } from './outside.ts';
import type { SimulatedRedis } from './redis.ts';
import type { Process, Scheduler } from './scheduler.ts';
import { DEPLOYMENTS, GUARDED_TOOL, type Toolbox } from './tools.ts';
import type { Transport } from './transport.ts';
import type { Watch } from './watch.ts';

export const DAY_LIMIT_MICRO_USD = 2_000_000;

const configs = new Map<string, Deps['config']>();

/** Parsed once a variant: every seed of it shares the frozen result. */
function configOf(env: Record<string, string>): Deps['config'] {
  const key = JSON.stringify(env);
  const known = configs.get(key);
  if (known) return known;
  const parsed = parseConfig({
    UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1',
    UPSTASH_REDIS_REST_TOKEN: 'x',
    MAX_FILE_SIZE: '1024',
    APPROVAL_TTL: '600',
    RATE_LIMIT_RETRY_BASE_DELAY: '2',
    LLM_TIMEOUT: '60',
    APPROVAL_TOOLS: GUARDED_TOOL,
    DAILY_USD: String(DAY_LIMIT_MICRO_USD / 1e6),
    ...env,
  });
  if (!parsed.ok) throw new Error(parsed.error.message);
  configs.set(key, parsed.value);
  return parsed.value;
}

/** The settings of this world's deployments. */
export function configFor(chance: Chance, maxActive: number): Deps['config'] {
  const paid = 'claude-sonnet-5-5';
  return configOf({
    RATE_LIMIT_RETRY_MAX: chance.pick('retries', ['1', '3']),
    MODEL: chance.pick('model', [paid, paid, paid, DEMO_MODEL]),
    STRIDE_LOCAL: chance.pick('local', ['0', '0', '1']),
    MAX_ACTIVE_RUNS: String(maxActive),
  });
}

export interface Shared {
  scheduler: Scheduler;
  chance: Chance;
  faults: Faults;
  transport: Transport;
  outside: Outside;
  redis: SimulatedRedis;
  bucket: Bucket;
  toolbox: Toolbox;
  models: (process: Process) => ModelPort;
  watch: Watch;
  config: Deps['config'];
  /** Index of the deployment that is live. */
  deployment: () => number;
  sendMessage: (runId: string, delayMs: number) => void;
}

export function createDepsMaker(shared: Shared): (process: Process) => Deps {
  const { scheduler, chance, faults, transport, outside, redis, bucket, toolbox, watch } = shared;
  let ids = 0;

  function depsOf(process: Process): Deps {
    const now = () => Math.floor(scheduler.now() + process.skewMs);
    const model = shared.models(process);
    const deployment = shared.deployment() % DEPLOYMENTS.length;
    let tools: Registry | null = null;
    let deliveries: Deps['deliveries'] | null = null;
    return {
      config: shared.config,
      clock: {
        now,
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            if (signal?.aborted) return resolve();
            const wake = () => {
              timer.cancelled = true;
              signal?.removeEventListener('abort', wake);
              resolve();
            };
            const timer = scheduler.after(ms, process, wake);
            signal?.addEventListener('abort', wake);
          }),
      },
      randomId: (prefix) => {
        ids += 1;
        return `${prefix}${process.name.replace(/\W+/g, '_')}_${ids}`;
      },
      random: () => chance.number(transport.place(process, 'jitter')),
      fetch: () => Promise.reject(new Error('there is no network here')),
      store: createStore(redis.port(process), { retentionDays: 30, now }),
      objects: bucket.objects(process),
      queue: {
        send: (runId, delayMs = 0) =>
          transport.call(process, 'queue send', () => shared.sendMessage(runId, delayMs)),
      },
      model: {
        call: (request, options) => {
          watch.asksModel(process);
          return model.call(request, options);
        },
      },
      // Most invocations never look at them.
      get tools() {
        tools ??= watch.guarded(process, toolbox.registry(process, deployment));
        return tools;
      },
      sandboxes: toolbox.sandboxes(process),
      get deliveries() {
        deliveries ??= deliveriesOf(process);
        return deliveries;
      },
      log: watch.logged,
    };
  }

  function deliveriesOf(process: Process): Deps['deliveries'] {
    const deliveries = new Map<string, Delivery>();
    const all: [string, Delivery][] = [
      ...createDeliveries(),
      [
        'post',
        ({ runId, value }) =>
          transport.call(process, 'delivery post', () => {
            outside.posts.set(runId, [...(outside.posts.get(runId) ?? []), value]);
          }),
      ],
    ];
    for (const [kind, deliver] of all) {
      deliveries.set(kind, async (input, deps) => {
        const where = transport.place(process, `${kind} of ${eventOf(input.runId)}`);
        if (faults.hit('delivery_fails', where)) throw new Error('The receiver is away.');
        const startedAt = scheduler.now();
        await deliver(input, deps);
        if (kind === 'purge') outside.purgedAt.set(input.runId, startedAt);
        mark(outside, `delivered ${kind}`);
      });
    }
    return deliveries;
  }

  return depsOf;
}
