/**
 * Which services of a stack are real and which are stand-ins. A service whose variables are set is
 * real; the others are started here, and their addresses and keys become variables of the Worker.
 * Stand-ins are loaded only when they are used.
 */
import type { Environment } from './environment.ts';
import { publishRedis } from './redis-address.ts';

export interface StackService {
  name: string;
  real: boolean;
  /** One line for people: what it is, or why it is missing. */
  describe: string;
}

/** What test code may do to Redis traffic; see dev/redis. */
type RedisOptions = Parameters<typeof import('../redis/start.ts').startRedis>[0];
export type Intercept = RedisOptions['intercept'];

export interface Services {
  list: StackService[];
  variables: Record<string, string>;
  /** Ends every stand-in; waits for all even when one fails. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  dataDir: string;
  env: Environment;
  log(line: string): void;
  intercept?: Intercept;
}

interface Started {
  service: StackService;
  variables: Record<string, string>;
  stop(): Promise<void> | void;
}

/** Starts what is not real, all at once. Throws when one cannot start, after ending the others. */
export async function startServices(options: ServiceOptions): Promise<Services> {
  const outcomes = await Promise.allSettled([
    startModel(options),
    startStore(options),
    startPython(options),
  ]);
  const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    await Promise.allSettled(started.map(async (one) => one.stop()));
  };
  const failed = outcomes.find((one) => one.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return {
    list: started.map((one) => one.service),
    variables: Object.assign({}, ...started.map((one) => one.variables)),
    stop,
  };
}

/** A service that the environment names: the Worker reads the same variables itself. */
function real(name: string, describe: string): Started {
  return { service: { name, real: true, describe }, variables: {}, stop: () => {} };
}

/** True when any of the names is set: half a configuration is reported, never replaced. */
function isSet(env: Environment, names: string[]): boolean {
  return names.some((name) => env[name] !== undefined);
}

/** Host of an address, without user, password and path, which may be secrets. */
function hostOf(address: string | undefined, fallback: string): string {
  return address !== undefined && URL.canParse(address) ? new URL(address).host : fallback;
}

async function startModel({ env, log }: ServiceOptions): Promise<Started> {
  if (isSet(env, ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'])) {
    return real('Model', `Messages API at ${hostOf(env.ANTHROPIC_BASE_URL, 'api.anthropic.com')}`);
  }
  const { startDemoModel } = await import('../model/start.ts');
  const demo = await startDemoModel({ log });
  return {
    service: {
      name: 'Model',
      real: false,
      describe: `${demo.model}, rule-based, not a language model (set ANTHROPIC_API_KEY)`,
    },
    variables: {
      ANTHROPIC_API_KEY: 'local',
      ANTHROPIC_BASE_URL: demo.url,
      MODEL: demo.model,
    },
    stop: demo.stop,
  };
}

async function startStore({ dataDir, env, log, intercept }: ServiceOptions): Promise<Started> {
  if (isSet(env, ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'])) {
    return real('Redis', `Upstash at ${hostOf(env.UPSTASH_REDIS_REST_URL, 'an address not set')}`);
  }
  const { startRedis } = await import('../redis/start.ts');
  const redis = await startRedis({ dataDir, log, intercept, engine: chosenEngine(env) });
  const unpublish = publishRedis(dataDir, redis);
  return {
    service: { name: 'Redis', real: false, describe: redis.describe },
    variables: { UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: redis.token },
    async stop() {
      unpublish();
      await redis.stop();
    },
  };
}

/** STRIDE_REDIS forces an engine of the stand-in, which tests do; else the machine decides. */
function chosenEngine({ STRIDE_REDIS: name }: Environment): RedisOptions['engine'] {
  if (name === undefined || name === 'embedded' || name === 'redis-server') return name;
  throw new Error(
    `STRIDE_REDIS is "${name}"; set it to embedded or redis-server, or leave it out.`,
  );
}

async function startPython({ dataDir, env, log }: ServiceOptions): Promise<Started> {
  if (isSet(env, ['E2B_API_KEY', 'E2B_API_URL', 'E2B_SANDBOX_URL'])) {
    return real('Python', `E2B at ${hostOf(env.E2B_API_URL, 'api.e2b.app')}`);
  }
  try {
    const { startSandboxService } = await import('../sandbox/start.ts');
    const sandbox = await startSandboxService({ dataDir, log, python: env.STRIDE_PYTHON });
    return {
      service: { name: 'Python', real: false, describe: sandbox.describe },
      variables: {
        E2B_API_KEY: sandbox.apiKey,
        E2B_API_URL: sandbox.url,
        E2B_SANDBOX_URL: sandbox.url,
        ...(sandbox.note === null ? {} : { PYTHON_NOTE: sandbox.note }),
      },
      stop: sandbox.stop,
    };
  } catch (error) {
    // Without Python the rest still works: `execute_python` is left out and says why.
    const reason = error instanceof Error ? error.message : String(error);
    return {
      service: { name: 'Python', real: false, describe: `not available: ${reason}` },
      variables: {},
      stop: () => {},
    };
  }
}
