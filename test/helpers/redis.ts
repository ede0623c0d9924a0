/** A Redis behind the REST front for one test file, on either engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import type { Intercept } from '../../dev/redis/front.ts';
import { type EngineName, startRedis } from '../../dev/redis/start.ts';
import { createRedis, type RedisPort } from '../../src/redis.ts';

export { hasRedisServer } from '../../dev/host.ts';

export interface TestRedis {
  redis: RedisPort;
  url: string;
  token: string;
  stop(): Promise<void>;
}

/** The engine defaults to the one the stack would take on this machine. */
export async function startTestRedis(
  intercept?: Intercept,
  engine?: EngineName,
): Promise<TestRedis> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-redis-'));
  const local = await startRedis({ dataDir, intercept, engine });
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

/** The same tests once an engine; those on redis-server are skipped where there is none. */
export function describeEngines(title: string, tests: (engine: EngineName) => void): void {
  const engines: EngineName[] = ['redis-server', 'embedded'];
  for (const engine of engines) {
    const isMissing = engine === 'redis-server' && !hasRedisServer;
    describe.skipIf(isMissing)(`${title} on ${engine}`, () => tests(engine));
  }
}
