// A Redis of its own for a bench: redis-server behind the REST front, in a folder that goes with it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalRedis, startRedis } from '../../dev/redis/start.ts';

export async function startBenchRedis(): Promise<LocalRedis> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-counts-'));
  const server = await startRedis({ dataDir });
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
