/** A Redis behind the REST front for one test file, and why there is none when there is none. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Intercept } from '../../dev/redis/front.ts';
import { startRedis } from '../../dev/redis/start.ts';
import { createRedis, type RedisPort } from '../../src/redis.ts';

export { hasRedisServer } from '../../dev/host.ts';

export interface TestRedis {
  redis: RedisPort;
  url: string;
  token: string;
  stop(): Promise<void>;
}

export async function startTestRedis(intercept?: Intercept): Promise<TestRedis> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-redis-'));
  const local = await startRedis({ dataDir, intercept });
  return {
    redis: createRedis(local),
    url: local.url,
    token: local.token,
    async stop() {
      await local.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
