import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLive } from '../../dev/stack/lock.ts';
import { isAlive } from '../../dev/stack/processes.ts';
import { type Stack, type StackOptions, startStack } from '../../dev/stack/start-stack.ts';

/** Every service is named, so none is started here and the launcher is tested alone. */
const ENV = {
  UPSTASH_REDIS_REST_URL: 'https://user:secret@redis.example/path',
  UPSTASH_REDIS_REST_TOKEN: 'token-secret',
  ANTHROPIC_API_KEY: 'key-secret',
  ANTHROPIC_BASE_URL: 'https://models.example',
  E2B_API_KEY: 'sandbox-secret',
  AWS_SECRET_ACCESS_KEY: 'not for the worker',
};

const WORKER = `
import { Buffer } from 'node:buffer';
const { createHash } = await import('node:crypto');
const VERSION = 'one';
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/env') return Response.json(env);
    if (pathname === '/version') return new Response(VERSION + Buffer.from('!').toString());
    if (pathname === '/send') await env['STEPS_' + searchParams.get('shard')].send('hello');
    if (pathname === '/hash') return new Response(createHash('sha1').update('').digest('hex'));
    const object = await env.OBJECTS.get(pathname.slice(1));
    return new Response(object ? await object.text() : 'none');
  },
  async queue(batch, env) {
    for (const one of batch.messages) await env.OBJECTS.put(batch.queue, one.body);
  },
  async scheduled(_, env) {
    const before = Number(await (await env.OBJECTS.get('ticks'))?.text() ?? 0);
    await env.OBJECTS.put('ticks', String(before + 1));
  },
};`;

let dataDir: string;
let entry: string;
const stacks: Stack[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stride-launcher-'));
  entry = join(dataDir, 'worker.ts');
  writeFileSync(entry, WORKER);
});
afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(more: Partial<StackOptions> = {}) {
  const stack = await startStack({ dataDir, port: 0, env: ENV, entry, quiet: true, ...more });
  stacks.push(stack);
  const read = async (path: string) => (await fetch(stack.url + path)).text();
  return { stack, read };
}

/** Repeats until the value comes; the test's own timeout ends it otherwise. */
async function until<Value>(wanted: Value, read: () => Promise<Value>) {
  for (;;) {
    const value = await read().catch(() => null);
    if (value === wanted) return;
    await sleep(25);
  }
}

function connects(host: string, port: number) {
  return new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 1_000 });
    const end = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

describe('startStack', () => {
  it('runs the bundled Worker on loopback only, with its settings and nothing else', async () => {
    const { stack, read } = await start();
    const { hostname, port } = new URL(stack.url);
    expect(hostname).toBe('127.0.0.1');
    const env = JSON.parse(await read('/env'));
    expect(env).toMatchObject({ STRIDE_LOCAL: '1', QUEUE_SHARDS: '16', STEPS_15: {}, OBJECTS: {} });
    expect(env.ANTHROPIC_API_KEY).toBe('key-secret');
    expect(env.AWS_SECRET_ACCESS_KEY).toBeUndefined();
    expect(await read('/hash')).toBe('da39a3ee5e6b4b0d3255bfef95601890afd80709');
    const others = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter((one) => !one.internal && one.family === 'IPv4'),
    );
    for (const { address } of others) expect(await connects(address, Number(port))).toBe(false);
  });

  it('says which services are real, and shows no secret', async () => {
    const { stack } = await start();
    expect(stack.services).toEqual([
      { name: 'Model', real: true, describe: 'Messages API at models.example' },
      { name: 'Redis', real: true, describe: 'Upstash at redis.example' },
      { name: 'Python', real: true, describe: 'E2B at api.e2b.app' },
    ]);
  });

  it('delivers messages of every shard, calls the scheduled handler, keeps objects', async () => {
    const { stack, read } = await start();
    await until('1', () => read('/ticks'));
    for (const shard of [0, 7, 15]) {
      await read(`/send?shard=${shard}`);
      await until('hello', () => read(`/steps-${shard}`));
    }
    await stack.tick();
    expect(await read('/ticks')).toBe('2');
    await stack.stop();
    const again = await start();
    expect(await again.read('/steps-7')).toBe('hello');
  });

  it('starts a workerd that died again, at the same address, and ticks', async () => {
    const { stack, read } = await start();
    await until('1', () => read('/ticks'));
    const pid = stack.workerPid() as number;
    process.kill(pid, 'SIGKILL');
    const killedAt = Date.now();
    await until('one!', () => read('/version'));
    // About 0.6 s; the bound is for a machine that is busy with other tests.
    expect(Date.now() - killedAt).toBeLessThan(5_000);
    expect(stack.workerPid()).not.toBe(pid);
    await until('2', () => read('/ticks'));
  });

  it('restarts the Worker on request, objects kept', async () => {
    const { stack, read } = await start();
    await read('/send?shard=1');
    await until('hello', () => read('/steps-1'));
    const pid = stack.workerPid();
    await stack.restartWorker();
    expect(stack.workerPid()).not.toBe(pid);
    expect(await read('/steps-1')).toBe('hello');
  });

  it('leaves no process and no lock when it stops, however often it is told to', async () => {
    const { stack } = await start();
    const pid = stack.workerPid() as number;
    expect(findLive(dataDir)).toMatchObject({ pid: process.pid, url: stack.url });
    await Promise.all([stack.stop(), stack.stop()]);
    expect(isAlive(pid)).toBe(false);
    expect(findLive(dataDir)).toBeNull();
  });

  it('refuses a folder that another stack serves', async () => {
    const { stack } = await start();
    await expect(start()).rejects.toThrow(`already runs at ${stack.url} (process ${process.pid})`);
  });

  it('says how to choose another port when this one is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(start({ port })).rejects.toThrow(/^Port \d+ is taken; .*PORT=\d+\.$/);
    await new Promise((resolve) => server.close(resolve));
    // The folder is free again: the failed start holds nothing.
    await start({ port });
  });

  it('reports every wrong setting before anything boots', async () => {
    const env = { ...ENV, MAX_ITERATIONS: 'ten', TOOL_TIMEOUT: '0' };
    await expect(start({ env })).rejects.toThrow(/MAX_ITERATIONS: .*"ten"\n.*TOOL_TIMEOUT: .*"0"/);
  });

  it('reports a half-configured service instead of replacing it', async () => {
    const env = { ...ENV, UPSTASH_REDIS_REST_TOKEN: '' };
    await expect(start({ env })).rejects.toThrow('UPSTASH_REDIS_REST_TOKEN');
  });

  it('reports what does not build, with file and line', async () => {
    writeFileSync(entry, 'export default {\n  oops oops\n};');
    await expect(start()).rejects.toThrow(/worker\.ts:2:\d+/);
  });
});

describe('startStack with watch', () => {
  it('reloads on a change, keeps the last good build on a bad one, and goes on', async () => {
    const lines: string[] = [];
    const { read } = await start({ watch: true, quiet: false, print: (line) => lines.push(line) });
    writeFileSync(entry, WORKER.replace("'one'", "'two'"));
    await until('two!', () => read('/version'));
    writeFileSync(entry, 'export default {');
    await until(true, async () => lines.some((line) => line.includes('last good build stays')));
    expect(await read('/version')).toBe('two!');
    writeFileSync(entry, WORKER.replace("'one'", "'three'"));
    await until('three!', () => read('/version'));
    await until(2, async () => lines.filter((line) => /reloaded in \d+ ms/.test(line)).length);
  });
});
