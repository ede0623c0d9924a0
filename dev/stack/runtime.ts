/**
 * The built Worker under Miniflare: real workerd, queues in its memory, R2 on disk. Bound to
 * 127.0.0.1, asks nothing of the network. Miniflare restarts a workerd that dies; what it was
 * doing comes back through the scheduled handler, which is called at once and each 10 s
 * (Miniflare fires no cron and keeps no queue over a restart).
 */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { isAlive, listDescendants } from './processes.ts';

export interface RuntimeOptions {
  code: string;
  variables: Record<string, string>;
  /** 0 takes a free one, kept over restarts. */
  port: number;
  /** Folder for R2's objects. */
  persist: string;
  queueShards: number;
  /** One line of the Worker's own output. */
  onLine(line: string): void;
  /** Something the reader of the console should know: a restart, a failed tick. */
  onNotice(text: string): void;
  onRestarted(): void;
}

export interface Runtime {
  url: string;
  /** Process id of workerd, null between two of them. */
  workerPid(): number | null;
  /** Ends workerd as a crash would and starts it, with other code when some is given. */
  reload(code?: string): Promise<void>;
  /** Calls the scheduled handler once. Throws what the Worker threw. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

/** As the cron of wrangler.toml, but six times as often: waits are shorter for a reader. */
const TICK_MS = 10_000;
/** Miniflare gives up when workerd cannot be restarted; then we try again ourselves. */
const REVIVE_MS = 1_000;
const COMPATIBILITY_DATE = '2026-08-01';

/** Boots workerd and waits until it listens. Throws Miniflare's error, e.g. ERR_ADDRESS_IN_USE. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const mark = randomUUID();
  let code = options.code;
  let stopping = false;
  const miniflareOptions = () => toMiniflareOptions(options, { code, mark, onRestart: recovered });
  const miniflare = withoutSignalListeners(() => new Miniflare(miniflareOptions()));

  function recovered() {
    if (stopping) return;
    options.onNotice('workerd had stopped and was started again; open runs go on.');
    options.onRestarted();
    void tickQuietly();
  }

  async function tick() {
    const worker = await miniflare.getWorker();
    await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date() });
  }

  async function tickQuietly() {
    try {
      await tick();
    } catch (error) {
      if (!stopping) options.onNotice(`the scheduled handler failed: ${firstLine(error)}`);
    }
  }

  async function reload(next?: string) {
    code = next ?? code;
    await miniflare.setOptions(miniflareOptions());
    options.onRestarted();
    void tickQuietly();
  }

  let url: URL;
  try {
    url = await miniflare.ready;
  } catch (error) {
    await miniflare.dispose().catch(() => {});
    throw error;
  }
  const ticker = setInterval(() => void tickQuietly(), TICK_MS);
  const reviver = setInterval(() => void revive(), REVIVE_MS);
  let reviving = false;
  let lastPid: number | null = null;
  async function revive() {
    if (stopping || reviving || (lastPid !== null && isAlive(lastPid))) return;
    lastPid = workerPid(mark);
    if (lastPid !== null) return;
    reviving = true;
    try {
      // Waits for a restart that is under way, and throws when that one failed for good.
      await miniflare.ready;
    } catch {
      await reload().catch((error) => options.onNotice(`workerd: ${firstLine(error)}`));
    } finally {
      reviving = false;
    }
  }
  void tickQuietly();

  return {
    url: url.origin,
    workerPid: () => workerPid(mark),
    reload,
    tick,
    async stop() {
      stopping = true;
      clearInterval(ticker);
      clearInterval(reviver);
      await miniflare.dispose();
    },
  };
}

function toMiniflareOptions(
  options: RuntimeOptions,
  current: { code: string; mark: string; onRestart(): void },
) {
  const shards = Array.from({ length: options.queueShards }, (_, index) => index);
  const consumer = { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 10 };
  return convertV4MiniflareOptions({
    host: '127.0.0.1',
    port: options.port,
    // `false`: a fixed `request.cf` instead of one fetched from workers.cloudflare.com.
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.NONE),
    logRequests: false,
    resourcePersistencePath: options.persist,
    handleStructuredLogs: ({ message }) => options.onLine(message),
    unsafeHandleRuntimeRestart: current.onRestart,
    // The mark tells our workerd among the children of a process that runs several stacks.
    unsafeRuntimeEnv: { STRIDE_STACK: current.mark, ...useWrapper() },
    workers: [
      {
        name: 'stride',
        modules: [{ type: 'ESModule', path: 'worker.js', contents: current.code }],
        compatibilityDate: COMPATIBILITY_DATE,
        compatibilityFlags: ['nodejs_compat'],
        bindings: options.variables,
        r2Buckets: { OBJECTS: 'objects' },
        queueProducers: Object.fromEntries(
          shards.map((shard) => [`STEPS_${shard}`, { queueName: `steps-${shard}` }]),
        ),
        queueConsumers: {
          ...Object.fromEntries(
            shards.map((shard) => [
              `steps-${shard}`,
              { ...consumer, deadLetterQueue: 'steps-dead' },
            ]),
          ),
          'steps-dead': consumer,
        },
      },
    ],
  });
}

/**
 * Makes Miniflare start workerd by workerd.sh, and says what that needs to know. Without the
 * wrapper (Windows, a checkout that lost the executable bit) workerd is started directly.
 */
function useWrapper(): Record<string, string> {
  const wrapper = fileURLToPath(new URL('workerd.sh', import.meta.url));
  try {
    accessSync(wrapper, constants.X_OK);
  } catch {
    return {};
  }
  if (process.platform === 'win32') return {};
  process.env.MINIFLARE_WORKERD_PATH ??= wrapper;
  // The package's own export: the path of the binary for this platform.
  const requireFromMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'));
  return { STRIDE_WORKERD: requireFromMiniflare('workerd').default };
}

/**
 * Miniflare ends the process itself on a signal, before others could clean up. The stack ends it
 * in order instead (signals.ts); Miniflare's listener on `exit`, which kills workerd, stays.
 */
function withoutSignalListeners<Value>(create: () => Value): Value {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = new Map(signals.map((signal) => [signal, new Set(process.listeners(signal))]));
  const value = create();
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal)?.has(listener)) process.removeListener(signal, listener);
    }
  }
  return value;
}

/** Where environments cannot be read (not Linux), the first workerd below us is taken for ours. */
function workerPid(mark: string): number | null {
  const candidates = listDescendants().filter((one) => one.command.includes('workerd'));
  if (process.platform !== 'linux') return candidates[0]?.pid ?? null;
  const found = candidates.find(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`STRIDE_STACK=${mark}`);
    } catch {
      return false;
    }
  });
  return found?.pid ?? null;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
