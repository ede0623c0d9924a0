// The redis-server behind the stand-in: what survives which death, and what is left of it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import { findRedisServer, startRedisServer } from '../../dev/redis/server.ts';
import {
  isRunning,
  makeDataDir,
  redisPid,
  removeDataDirs,
  send,
  startTestRedis,
  strideClient,
  type TestRedis,
} from './redis-support.ts';

const running: TestRedis[] = [];
const children: ChildProcess[] = [];
async function start(dataDir?: string): Promise<TestRedis> {
  const redis = await startTestRedis({ dataDir, engine: 'redis-server' });
  running.push(redis);
  return redis;
}

afterEach(async () => {
  for (const redis of running.splice(0)) await redis.stop();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeDataDirs();
});

describe.skipIf(!hasRedisServer)('startRedis', () => {
  it('keeps data over a restart, and stops what it started', async () => {
    const first = await start();
    await strideClient(first).rpush('log', 'one', 'two');
    const pid = redisPid(first.dataDir);
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    await expect(send(first, '/ping')).rejects.toThrow('fetch failed');
    const second = await start(first.dataDir);
    expect(await strideClient(second).lrange('log', 0, -1)).toEqual(['one', 'two']);
    expect(second.describe).toMatch(/^redis-server \d+\.\d+\.\d+, append-only file in \//);
  });

  it('loads a large journal before it says that it has started', async () => {
    const first = await start();
    const client = strideClient(first);
    const entry = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 10; i++) await client.rpush('log', entry, entry, entry, entry);
    await first.stop();
    const second = await start(first.dataDir);
    expect((await send(second, '/llen/log')).body).toEqual({ result: 40 });
  });

  it('brings a killed redis-server back with all that was acknowledged', async () => {
    const redis = await start();
    const pid = redisPid(redis.dataDir);
    let acknowledged = 0;
    for (; acknowledged < 50; acknowledged++) {
      await send(redis, '/', { body: ['RPUSH', 'log', `entry ${acknowledged}`] });
    }
    process.kill(pid, 'SIGKILL');
    const statuses = new Set<number>();
    await expect
      .poll(
        async () => {
          const { status } = await send(redis, '/llen/log');
          statuses.add(status);
          return statuses.has(503) && status === 200;
        },
        { timeout: 10_000, interval: 5 },
      )
      .toBe(true);
    expect([...statuses].sort()).toEqual([200, 503]);
    expect((await send(redis, '/llen/log')).body).toEqual({ result: acknowledged });
    expect(redisPid(redis.dataDir)).not.toBe(pid);
    expect(redis.log[0]).toBe('redis-server ended (SIGKILL); starting it again');
  });

  it('fails a call that is under way when redis-server dies, and does not send it again', async () => {
    const redis = await start();
    // Runs until it is killed, after one write.
    const script = "redis.call('INCR', 'n') while true do end";
    const call = send(redis, '/', { body: ['EVAL', script, 0] });
    await expect.poll(() => redis.stats().commands.EVAL).toBe(1);
    process.kill(redisPid(redis.dataDir), 'SIGKILL');
    expect(await call).toEqual({
      status: 503,
      body: { error: expect.stringMatching(/lost before it answered|does not answer/) },
    });
    await expect.poll(async () => (await send(redis, '/get/n')).body).toEqual({ result: null });
  });

  it('can be stopped while redis-server is down', async () => {
    const redis = await start();
    process.kill(redisPid(redis.dataDir), 'SIGKILL');
    await expect.poll(() => redis.log.length).toBe(1);
    await redis.stop();
    expect(existsSync(join(redis.dataDir, 'redis.pid'))).toBe(false);
  });

  it('refuses a port that is taken, and leaves nothing behind', async () => {
    const redis = await start();
    const { startRedis } = await import('../../dev/redis/start.ts');
    const dataDir = await makeDataDir();
    const port = Number(new URL(redis.url).port);
    await expect(startRedis({ dataDir, port, engine: 'redis-server' })).rejects.toThrow(
      'EADDRINUSE',
    );
    expect(existsSync(join(dataDir, 'redis.pid'))).toBe(false);
  });
});

describe.skipIf(!hasRedisServer)('claimDataDir', () => {
  it('refuses a directory that a live launcher uses', async () => {
    const redis = await start();
    await expect(startRedisServer({ dataDir: redis.dataDir })).rejects.toThrow(
      `in use by process ${process.pid}`,
    );
    expect((await send(redis, '/ping')).body).toEqual({ result: 'PONG' });
  });

  it('ends the redis-server of a launcher that is gone, and takes over its data', async () => {
    const dataDir = await makeDataDir();
    const socketDir = await mkdtemp(join(tmpdir(), 'stride-redis-'));
    const leftover = spawnRedis(dataDir, join(socketDir, 'redis.sock'));
    await expect.poll(() => existsSync(join(socketDir, 'redis.sock'))).toBe(true);
    const ended = once(leftover, 'exit');
    writeHolder(dataDir, { launcher: await deadPid(), pid: leftover.pid, socketDir });
    const redis = await start(dataDir);
    await ended;
    expect(existsSync(socketDir)).toBe(false);
    expect(redisPid(dataDir)).not.toBe(leftover.pid);
    expect((await send(redis, '/ping')).body).toEqual({ result: 'PONG' });
  });

  it('leaves a process alone that only has the same id', async () => {
    const dataDir = await makeDataDir();
    const other = spawnChild('sleep', ['60']);
    writeHolder(dataDir, { launcher: await deadPid(), pid: other.pid, socketDir: '/nowhere' });
    await start(dataDir);
    expect(isRunning(other.pid ?? 0)).toBe(true);
  });

  it('starts over a file that was cut off', async () => {
    const dataDir = await makeDataDir();
    writeFileSync(join(dataDir, 'redis.pid'), '{"owner":"');
    const redis = await start(dataDir);
    expect((await send(redis, '/ping')).body).toEqual({ result: 'PONG' });
  });

  it.runIf(process.platform === 'linux')(
    'loses its redis-server with a killed launcher',
    async () => {
      const dataDir = await makeDataDir();
      const server = join(import.meta.dirname, '../../dev/redis/server.ts');
      const program = `
      const { startRedisServer } = await import(${JSON.stringify(server)});
      await startRedisServer({ dataDir: ${JSON.stringify(dataDir)} });
      console.log('started');`;
      const launcher = spawnChild(process.execPath, ['--input-type=module', '-e', program]);
      await once(launcher.stdout ?? launcher, 'data');
      const { socketDir } = JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8'));
      expect(dirname(socketDir)).toBe(tmpdir());
      // redis-server removes its socket as the last thing it does.
      const hasSocket = () => existsSync(join(socketDir, 'redis.sock'));
      expect(hasSocket()).toBe(true);
      launcher.kill('SIGKILL');
      await expect.poll(hasSocket, { timeout: 5_000 }).toBe(false);
      const redis = await start(dataDir);
      expect((await send(redis, '/ping')).body).toEqual({ result: 'PONG' });
      expect(existsSync(socketDir)).toBe(false);
    },
  );
});

describe('findRedisServer', () => {
  it('names what to install when there is none on the PATH', async () => {
    const path = process.env.PATH;
    process.env.PATH = await makeDataDir();
    try {
      await expect(findRedisServer()).rejects.toThrow(
        /no redis-server on the PATH: install Redis 7 or newer/,
      );
    } finally {
      process.env.PATH = path;
    }
  });

  it('names what to install when the one on the PATH is too old', async () => {
    const folder = await makeDataDir();
    const script = '#!/bin/sh\necho "Redis server v=6.0.16 sha=0 bits=64"\n';
    writeFileSync(join(folder, 'redis-server'), script, { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    try {
      await expect(findRedisServer()).rejects.toThrow(/version 6.0.16, which is too old: install/);
    } finally {
      process.env.PATH = path;
    }
  });
});

describe.skipIf(!hasRedisServer)('startRedisServer', () => {
  it('says what redis-server said when it does not come up, and frees the directory', async () => {
    const dataDir = await makeDataDir();
    // A file where the append-only folder must be.
    writeFileSync(join(dataDir, 'appendonlydir'), '');
    await expect(startRedisServer({ dataDir })).rejects.toThrow(
      /redis-server did not start \(exit code 1\)\. It said: .*appendonlydir/,
    );
    expect(existsSync(join(dataDir, 'redis.pid'))).toBe(false);
  });
});

function spawnChild(file: string, args: string[]): ChildProcess {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

function spawnRedis(dataDir: string, socketPath: string): ChildProcess {
  const settings = ['--port', '0', '--unixsocket', socketPath, '--dir', dataDir];
  return spawnChild('redis-server', [...settings, '--save', '', '--set-proc-title', 'no']);
}

function writeHolder(dataDir: string, holder: object): void {
  writeFileSync(join(dataDir, 'redis.pid'), JSON.stringify({ owner: 'gone', ...holder }));
}

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawnChild('true', []);
  await once(child, 'exit');
  return child.pid ?? 0;
}
