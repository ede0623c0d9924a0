/**
 * A whole Stride on this machine: the built Worker under Miniflare with R2 on disk, and a stand-in
 * for each service that the environment does not name. One stack per data folder (lock.ts). It
 * ends only what it started; who calls it decides when (signals.ts).
 */
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig } from '../../src/config.ts';
import { buildWorker, type WorkerBuild } from './build.ts';
import { createConsole, reloadOnBuild } from './console.ts';
import { type Environment, loadEnvironment, ROOT, workerVariables } from './environment.ts';
import { acquireLock, countUsers, type StackLock, type StackState } from './lock.ts';
import { listDescendants, markProcess } from './processes.ts';
import type { Runtime } from './runtime.ts';
import { type Intercept, type Services, type StackService, startServices } from './services.ts';

/** Miniflare serves one message of a queue at a time, so runs need several queues to run at once. */
const LOCAL_QUEUE_SHARDS = 16;
const USERS_POLL_MS = 500;

export interface StackOptions {
  /** Absolute or relative to the working directory; made when missing. */
  dataDir: string;
  /** 0 takes a free one. */
  port: number;
  env?: Environment;
  /** Nothing on the console; the Worker's lines go to `worker.log` in the data folder. */
  quiet?: boolean;
  /** Rebuild and reload when a source changes. */
  watch?: boolean;
  /** For tests: sees and changes Redis traffic (dev/redis). */
  intercept?: Intercept;
  /** Another entry than src/index.ts, for tests of the launcher itself. */
  entry?: string;
  /** Where lines for people go; default stdout. */
  print?(line: string): void;
}

export interface Stack {
  /** `http://127.0.0.1:PORT` */
  url: string;
  services: StackService[];
  /** Files that environment variables were read from. */
  envFiles: string[];
  /** Milliseconds from the call to the first answer of /health. */
  startedInMs: number;
  /** Ends workerd as a crash would, and starts it again. */
  restartWorker(): Promise<void>;
  workerPid(): number | null;
  /** Calls the Worker's scheduled handler once. */
  tick(): Promise<void>;
  stop(): Promise<void>;
  /** Stops once no other process uses it; `onWait` is called when there is one. */
  stopWhenUnused(onWait?: () => void): Promise<void>;
}

/** Another process serves this data folder. */
export class StackRunningError extends Error {
  readonly holder: StackState;

  constructor(holder: StackState, dataDir: string) {
    const where = holder.url ? ` at ${holder.url}` : '';
    super(
      `A stack with the data in ${dataDir} already runs${where} (process ${holder.pid}); stop it, ` +
        'or choose another folder with STRIDE_DATA_DIR=.',
    );
    this.name = 'StackRunningError';
    this.holder = holder;
  }
}

/** Throws StackRunningError, or an Error whose message says what to do. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const begun = performance.now();
  const dataDir = resolve(options.dataDir);
  const taken = acquireLock(dataDir);
  if ('holder' in taken) throw new StackRunningError(taken.holder, dataDir);
  const { lock } = taken;
  try {
    await checkPort(options.port);
    return await bootStack({ ...options, dataDir }, { lock, begun });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function bootStack(
  options: StackOptions,
  { lock, begun }: { lock: StackLock; begun: number },
): Promise<Stack> {
  const { dataDir, port } = options;
  const { env, files } = loadEnvironment(options.env ?? process.env, ROOT);
  const console = createConsole(options);
  let runtime: Runtime | null = null;
  const entry = options.entry ?? join(ROOT, 'src/index.ts');
  // Miniflare takes a while to load: meanwhile esbuild and the stand-ins, other processes, work.
  const loading = import('./runtime.ts');
  const [built, served] = await Promise.allSettled([
    buildWorker({
      entry,
      watch: options.watch ? reloadOnBuild(() => runtime, console) : undefined,
    }),
    startServices({ dataDir, env, log: console.line, intercept: options.intercept }),
  ]);
  if (built.status === 'rejected' || served.status === 'rejected') {
    if (built.status === 'fulfilled') await built.value.stop();
    if (served.status === 'fulfilled') await served.value.stop();
    throw built.status === 'rejected' ? built.reason : (served as PromiseRejectedResult).reason;
  }
  const [build, services] = [built.value, served.value];
  const publish = () => {
    if (runtime) lock.publish(runtime.url, markChildren());
  };
  try {
    const { startRuntime } = await loading;
    runtime = await startRuntime({
      code: build.code,
      variables: checkedVariables(env, services),
      port,
      persist: join(dataDir, 'objects'),
      queueShards: Number(env.QUEUE_SHARDS ?? LOCAL_QUEUE_SHARDS),
      onLine: console.line,
      onNotice: console.line,
      onRestarted: publish,
    });
    await waitForHealth(runtime.url);
  } catch (error) {
    await stopAll(runtime, build, services);
    throw withPortAdvice(error, port);
  }
  publish();
  return toStack({ runtime, build, services, lock }, { dataDir, files, begun });
}

/** So that nobody joins a stack that ends, and those who use it see that it does. */
function hideQuietly(lock: StackLock): void {
  try {
    lock.publish(null, markChildren());
  } catch {
    // A full disk, say: no reason not to end.
  }
}

function markChildren() {
  return listDescendants().map(({ pid }) => markProcess(pid));
}

function toStack(
  parts: { runtime: Runtime; build: WorkerBuild; services: Services; lock: StackLock },
  facts: { dataDir: string; files: string[]; begun: number },
): Stack {
  const { runtime, build, services, lock } = parts;
  let stopped: Promise<void> | null = null;
  const stop = () => {
    if (stopped === null) {
      hideQuietly(lock);
      stopped = stopAll(runtime, build, services).finally(() => lock.release());
    }
    return stopped;
  };
  return {
    url: runtime.url,
    services: services.list,
    envFiles: facts.files,
    startedInMs: performance.now() - facts.begun,
    restartWorker: () => runtime.reload(),
    workerPid: runtime.workerPid,
    tick: runtime.tick,
    stop,
    async stopWhenUnused(onWait) {
      for (let told = false; stopped === null; ) {
        // Hidden first, then counted: a newcomer registers first, then looks (cli/session.ts).
        lock.publish(null, markChildren());
        if (countUsers(facts.dataDir) === 0) break;
        lock.publish(runtime.url, markChildren());
        if (!told) onWait?.();
        told = true;
        await sleep(USERS_POLL_MS);
      }
      await stop();
    },
  };
}

/** The Worker first: it must not see its services go. */
async function stopAll(
  runtime: Runtime | null,
  build: WorkerBuild,
  services: Services,
): Promise<void> {
  await Promise.allSettled([runtime?.stop(), build.stop()]);
  await services.stop();
}

/** The Worker's variables; throws with all faults in one message before anything boots. */
function checkedVariables(env: Environment, services: Services): Record<string, string> {
  const variables = {
    QUEUE_SHARDS: String(LOCAL_QUEUE_SHARDS),
    ...workerVariables(env),
    ...services.variables,
    STRIDE_LOCAL: '1',
  };
  const config = parseConfig(variables);
  if (!config.ok) throw new Error(`These settings need another value:\n${config.error.message}`);
  return variables;
}

/** Any answer will do: a service that is down is for /health to say, not for the launcher. */
async function waitForHealth(url: string): Promise<void> {
  const response = await fetch(new URL('/health', url), { signal: AbortSignal.timeout(20_000) });
  await response.body?.cancel();
}

/** Before anything boots, so that the answer is quick and nothing needs to be undone. */
async function checkPort(port: number): Promise<void> {
  if (port === 0) return;
  // What a killed stack left behind was ended a moment ago and may still be letting go.
  for (const waitMs of [100, 200, 400, null]) {
    try {
      return await listenOnce(port);
    } catch (error) {
      if (waitMs === null || (error as { code?: string }).code !== 'EADDRINUSE') {
        throw withPortAdvice(error, port);
      }
      await sleep(waitMs);
    }
  }
}

async function listenOnce(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}

function withPortAdvice(error: unknown, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EACCES') {
    return new Error(`Port ${port} needs more rights; choose one above 1023, e.g. PORT=8787.`);
  }
  if (code !== 'ERR_ADDRESS_IN_USE' && code !== 'EADDRINUSE') return error;
  const next = port < 65_535 ? port + 1 : 8787;
  return new Error(`Port ${port} is taken; choose another one with PORT=, e.g. PORT=${next}.`);
}
