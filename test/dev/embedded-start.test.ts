// Which engine the local Redis takes, and what it says about it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startServices } from '../../dev/stack/services.ts';
import { makeDataDir, removeDataDirs, send, startTestRedis } from './redis-support.ts';

const PATH = process.env.PATH;
afterEach(async () => {
  process.env.PATH = PATH;
  await removeDataDirs();
});

describe('startRedis', () => {
  it.each([
    ['there is none on the PATH', null],
    ['the one on the PATH is too old', '#!/bin/sh\necho "Redis server v=6.2.1"\n'],
  ])('takes the embedded engine when %s', async (_case, program) => {
    const folder = await makeDataDir();
    if (program) writeFileSync(join(folder, 'redis-server'), program, { mode: 0o755 });
    process.env.PATH = program ? `${folder}:/bin` : folder;
    const redis = await startTestRedis();
    try {
      expect(redis.engine).toBe('embedded');
      expect(redis.describe).toBe(`embedded engine, write log in ${redis.dataDir}`);
      expect((await send(redis, '/ping')).body).toEqual({ result: 'PONG' });
    } finally {
      await redis.stop();
    }
  });

  it('says that it does not read what redis-server wrote', async () => {
    const dataDir = await makeDataDir();
    mkdirSync(join(dataDir, 'appendonlydir'));
    const redis = await startTestRedis({ dataDir, engine: 'embedded' });
    await redis.stop();
    expect(redis.log).toEqual([
      `${join(dataDir, 'appendonlydir')} belongs to the other engine and is not read by embedded`,
    ]);
  });
});

describe('STRIDE_REDIS', () => {
  const start = async (name: string) =>
    startServices({
      dataDir: await makeDataDir(),
      env: { ANTHROPIC_API_KEY: 'k', E2B_API_KEY: 'k', STRIDE_REDIS: name },
      log: () => {},
    });

  it('forces an engine', async () => {
    const services = await start('embedded');
    await services.stop();
    expect(services.list.map(({ describe }) => describe)).toContainEqual(
      expect.stringMatching(/^embedded engine, write log in /),
    );
  });

  it('is refused with what it may be when it is something else', async () => {
    await expect(start('keydb')).rejects.toThrow('set it to embedded or redis-server');
  });
});
