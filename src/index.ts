/**
 * The Worker: the one file that knows Cloudflare. Builds `Deps` for each invocation from its
 * bindings and hands over to the application (fetch), the queue consumer and the sweep (cron).
 * SDKs that only some invocations need are imported when they are first used.
 */
import type { Queue, R2Bucket } from '@cloudflare/workers-types';
import { createApp } from './app.ts';
import { type Config, parseConfig, secretValues } from './config.ts';
import type { Clock, Deps, Log, StepQueue } from './deps.ts';
import { type Result, StrideError } from './errors.ts';
import { MAX_MESSAGE_DELAY_MS, QUEUE_INVOCATION_MS } from './limits.ts';
import { createLog, errorFields } from './log.ts';
import { createDeliveries } from './loop/deliver.ts';
import { consumeMessage, driveClientStep, sweepDue } from './loop/drive.ts';
import { createStore } from './loop/store.ts';
import type { ModelPort } from './model/port.ts';
import { createObjects } from './objects.ts';
import { createRedis } from './redis.ts';
import { shardOf, stepRunId } from './step-message.ts';
import { createE2bSandboxes } from './tools/e2b.ts';
import { buildDefaultRegistry } from './tools/registry.ts';
import type { Sandboxes } from './tools/sandbox.ts';

/** Bindings and variables of wrangler.toml; settings are read by parseConfig alone. */
type Env = Record<string, unknown>;

interface StepBatch {
  queue: string;
  messages: readonly {
    body: unknown;
    attempts: number;
    ack(): void;
    retry(options?: { delaySeconds?: number }): void;
  }[];
}

/** A message that met a faulty configuration is seen again after this long. */
const MISCONFIGURED_RETRY_SECONDS = 60;
/** Messages that were retried too often end in this queue; the sweep still has their runs. */
const DEAD_LETTER_QUEUE = /-dead$/;

/** What another entry may put in place of this deployment's own: kill tests count tools from outside. */
export type WorkerParts = Partial<Pick<Deps, 'tools' | 'deliveries'>>;

/** The three handlers. Called once, at module scope: nothing of a run is kept in it. */
export function createWorker(parts: WorkerParts = {}) {
  const makeDeps = (env: Env) => buildDeps(env, parts);
  const app = createApp((env) => makeDeps(env as Env), { driveStep: driveClientStep });

  return {
    fetch: (request: Request, env: Env) => app.fetch(request, env),

    async queue(batch: StepBatch, env: Env): Promise<void> {
      const deadline = Date.now() + QUEUE_INVOCATION_MS;
      const made = makeDeps(env);
      for (const message of batch.messages) {
        if (!made.ok) {
          logMisconfigured(made.error.message);
          message.retry({ delaySeconds: MISCONFIGURED_RETRY_SECONDS });
          continue;
        }
        const deps = made.value;
        const runId = stepRunId(message.body);
        if (runId === null || DEAD_LETTER_QUEUE.test(batch.queue)) {
          deps.log('dead_letter', { queue: batch.queue, run: runId, attempts: message.attempts });
          message.ack();
          continue;
        }
        const consumed = await consumeMessage(runId, { deps, deadline });
        if (consumed.kind === 'ack') message.ack();
        else message.retry({ delaySeconds: toDelaySeconds(consumed.afterMs) });
      }
    },

    async scheduled(_event: unknown, env: Env): Promise<void> {
      const made = makeDeps(env);
      if (!made.ok) return logMisconfigured(made.error.message);
      const { log } = made.value;
      try {
        const found = await sweepDue(made.value);
        if (found > 0) log('swept', { found });
      } catch (error) {
        log('sweep_failed', errorFields(error));
        throw error;
      }
    },
  };
}

export default createWorker();

/** Never touches I/O by itself, so building it is cheap; nothing is kept between invocations. */
function buildDeps(env: Env, parts: WorkerParts): Result<Deps> {
  const parsed = parseConfig(env);
  if (!parsed.ok) return parsed;
  const config = parsed.value;
  const bindings = readBindings(env, config);
  if (!bindings.ok) return bindings;
  const log = createLog({ write: writeLine, now: clock.now, secrets: secretValues(config) });
  const deps: Deps = {
    config,
    clock,
    randomId,
    random: Math.random,
    fetch: boundFetch,
    store: createStore(createRedis(config.redis), {
      retentionDays: config.retentionDays,
      now: clock.now,
    }),
    objects: createObjects(bindings.value.objects),
    queue: createStepQueue(bindings.value.shards),
    model: createModel(config),
    tools: buildDefaultRegistry({ pythonNote: config.pythonNote }),
    sandboxes: createSandboxes(config),
    deliveries: createDeliveries(),
    log,
    ...parts,
  };
  return { ok: true, value: deps };
}

function readBindings(
  env: Env,
  config: Config,
): Result<{ objects: R2Bucket; shards: readonly Queue<unknown>[] }> {
  const names = Array.from({ length: config.queueShards }, (_, i) => `STEPS_${i}`);
  const missing = ['OBJECTS', ...names].filter((name) => typeof env[name] !== 'object');
  if (missing.length > 0) {
    const message = missing.map((name) => `${name}: expected a binding`).join('\n');
    const details = { settings: missing };
    return { ok: false, error: { code: 'invalid_input', message, details } };
  }
  const shards = names.map((name) => env[name] as Queue<unknown>);
  return { ok: true, value: { objects: env.OBJECTS as R2Bucket, shards } };
}

function createStepQueue(shards: readonly Queue<unknown>[]): StepQueue {
  return {
    async send(runId, delayMs = 0) {
      const shard = shards[shardOf(runId, shards.length)];
      await shard?.send({ run: runId }, { delaySeconds: toDelaySeconds(delayMs) });
    },
  };
}

/** Whole seconds, up: a message that comes too early is only put back. */
function toDelaySeconds(delayMs: number): number {
  const bounded = Math.min(Math.max(0, delayMs), MAX_MESSAGE_DELAY_MS);
  return Math.ceil(bounded / 1000);
}

/** The SDK is imported by the first call; without a key runs are refused before they get here. */
function createModel({ anthropic, thinkingEffort }: Config): ModelPort {
  return {
    async call(request, options) {
      if (!anthropic) throw new StrideError('unavailable', 'No model is configured.');
      const { createAnthropicModel } = await import('./model/client.ts');
      const model = createAnthropicModel({
        ...anthropic,
        fetch: boundFetch,
        thinkingEffort,
        clock,
      });
      return model.call(request, options);
    },
  };
}

/** Imports E2B's SDK with the first sandbox, like the model's. */
function createSandboxes({ e2b }: Config): Sandboxes | null {
  if (!e2b) return null;
  const { apiKey, apiUrl, sandboxUrl, indexHosts } = e2b;
  return createE2bSandboxes({
    apiKey,
    apiUrl: apiUrl ?? undefined,
    sandboxUrl: sandboxUrl ?? undefined,
    indexHosts,
  });
}

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
};

/** 160 bits as 32 letters and digits: no `-` or `_`, so that ids are one word to double-click. */
function randomId(prefix: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return prefix + Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** workerd refuses a `fetch` that is called as the method of something else. */
const boundFetch: typeof fetch = (...request) => fetch(...request);

// Workers Logs read the console.
// biome-ignore lint/suspicious/noConsole: the platform's log
const writeLine = (line: string): void => console.log(line);

/** The full text, values of non-secret settings too, is for the operator's log only. */
function logMisconfigured(reason: string): void {
  const log: Log = createLog({ write: writeLine, now: clock.now, secrets: [] });
  log('misconfigured', { reason });
}
