// The local Upstash Redis: an engine and the REST front over it, started and stopped as one. The
// engine is redis-server where a new enough one is on the PATH, else the embedded one. For
// development only; the data directory keeps what was written, each engine's in files of its own.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createEmbeddedEngine } from './embedded/engine.ts';
import type { Engine } from './engine.ts';
import { type Intercept, startFront } from './front.ts';
import { createRedisEngine } from './redis-engine.ts';
import { findRedisServer, startRedisServer } from './server.ts';
import type { RedisStats } from './stats.ts';

export type EngineName = 'redis-server' | 'embedded';

export interface LocalRedis {
  /** For `UPSTASH_REDIS_REST_URL` and `UPSTASH_REDIS_REST_TOKEN`. */
  url: string;
  token: string;
  engine: EngineName;
  /** One line for people: what this is and where its data lies. */
  describe: string;
  stats(): RedisStats;
  resetStats(): void;
  stop(): Promise<void>;
}

export interface LocalRedisOptions {
  /** Holds the append-only file or the write log; made when missing. One launcher at a time. */
  dataDir: string;
  /** Default: redis-server 7 or newer when one is on the PATH, else embedded. */
  engine?: EngineName;
  /** Default: a random one. */
  token?: string;
  /** Default 0: any free port of 127.0.0.1. */
  port?: number;
  log?: (line: string) => void;
  /** For tests only: loses or delays requests. */
  intercept?: Intercept;
}

interface Backend {
  name: EngineName;
  engine: Engine;
  describe: string;
  stop(): Promise<void>;
}

/** Throws a plain error that names what to do: install redis-server, free the directory or the port. */
export async function startRedis(options: LocalRedisOptions): Promise<LocalRedis> {
  const { log, intercept, port } = options;
  const token = options.token ?? randomBytes(24).toString('base64url');
  const backend = await startBackend(options);
  try {
    const front = await startFront({ engine: backend.engine, token, port, log, intercept });
    return {
      url: front.url,
      token,
      engine: backend.name,
      describe: backend.describe,
      stats: front.stats,
      resetStats: front.resetStats,
      async stop() {
        await front.close();
        await backend.stop();
      },
    };
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

async function startBackend(options: LocalRedisOptions): Promise<Backend> {
  const dataDir = resolve(options.dataDir);
  const name = options.engine ?? (await bestEngine());
  const other = name === 'embedded' ? 'appendonlydir' : 'embedded.log';
  if (existsSync(join(dataDir, other))) {
    options.log?.(`${join(dataDir, other)} belongs to the other engine and is not read by ${name}`);
  }
  return name === 'embedded'
    ? startEmbedded(dataDir, options.log)
    : startServer(dataDir, options.log);
}

async function bestEngine(): Promise<EngineName> {
  return findRedisServer().then(
    () => 'redis-server' as const,
    () => 'embedded' as const,
  );
}

async function startServer(dataDir: string, log?: (line: string) => void): Promise<Backend> {
  const server = await startRedisServer({ dataDir, log });
  const engine = await createRedisEngine(server.socketPath);
  return {
    name: 'redis-server',
    engine,
    describe: `redis-server ${server.version}, append-only file in ${dataDir}`,
    async stop() {
      await engine.close();
      await server.stop();
    },
  };
}

async function startEmbedded(dataDir: string, log?: (line: string) => void): Promise<Backend> {
  const engine = await createEmbeddedEngine({ dataDir, log });
  return {
    name: 'embedded',
    engine,
    describe: `embedded engine, write log in ${dataDir}`,
    stop: engine.close,
  };
}
