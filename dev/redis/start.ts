// The local Upstash Redis: redis-server, the engine over it and the REST front, started and stopped
// as one. For development only; the data directory keeps what was written.

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type Intercept, startFront } from './front.ts';
import { createRedisEngine } from './redis-engine.ts';
import { startRedisServer } from './server.ts';
import type { RedisStats } from './stats.ts';

export interface LocalRedis {
  /** For `UPSTASH_REDIS_REST_URL` and `UPSTASH_REDIS_REST_TOKEN`. */
  url: string;
  token: string;
  engine: 'redis-server';
  /** One line for people: what this is and where its data lies. */
  describe: string;
  stats(): RedisStats;
  resetStats(): void;
  stop(): Promise<void>;
}

export interface LocalRedisOptions {
  /** Holds the append-only file; made when missing. One launcher at a time. */
  dataDir: string;
  /** Default: a random one. */
  token?: string;
  /** Default 0: any free port of 127.0.0.1. */
  port?: number;
  log?: (line: string) => void;
  /** For tests only: loses or delays requests. */
  intercept?: Intercept;
}

/** Throws a plain error that names what to do: install redis-server, free the directory or the port. */
export async function startRedis(options: LocalRedisOptions): Promise<LocalRedis> {
  const { log, intercept, port } = options;
  const token = options.token ?? randomBytes(24).toString('base64url');
  const server = await startRedisServer({ dataDir: options.dataDir, log });
  const engine = await createRedisEngine(server.socketPath);
  try {
    const front = await startFront({ engine, token, port, log, intercept });
    return {
      url: front.url,
      token,
      engine: 'redis-server',
      describe: `redis-server ${server.version}, append-only file in ${resolve(options.dataDir)}`,
      stats: front.stats,
      resetStats: front.resetStats,
      async stop() {
        await front.close();
        await engine.close();
        await server.stop();
      },
    };
  } catch (error) {
    await engine.close();
    await server.stop();
    throw error;
  }
}
