/** The application over the real store, scripts and loop, for tests of what stays and what goes. */
import { createApp } from '../../src/app.ts';
import { consumeMessage, driveClientStep } from '../../src/loop/drive.ts';
import type { RedisPort } from '../../src/redis.ts';
import { createWorld, type Scripted, type World } from '../helpers/world.ts';

export interface RealApp extends World {
  redis: RedisPort;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Asks and returns the run's id. */
  ask(body?: Record<string, unknown>): Promise<string>;
  /** Serves one message for the run, as a queue consumer does. */
  consume(id: string): Promise<void>;
  /** Turns the clock until the promise settles, at most two minutes of it. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** `usage` of a day: micro-USD by name. */
  usage(owner: string): Promise<Record<string, number>>;
  /** Redis keys that name the id. */
  keysOf(id: string): Promise<string[]>;
}

let serial = 0;

export function createRealApp(
  redis: RedisPort,
  { script, env = {} }: { script: Scripted[]; env?: Record<string, string> },
): RealApp {
  const settings = { STRIDE_LOCAL: '1', ANTHROPIC_API_KEY: 'key', ...env };
  const world = createWorld(redis, { script, env: settings });
  const { deps, clock } = world;
  deps.randomId = (prefix) => {
    serial += 1;
    return `${prefix}${String(serial).padStart(20, '0')}`;
  };
  const app = createApp(() => ({ ok: true, value: deps }), { driveStep: driveClientStep });
  const request = async (path: string, init?: RequestInit) => app.request(path, init);
  return Object.assign(world, {
    redis,
    request,
    async ask(body: Record<string, unknown> = {}) {
      const response = await request('/v1/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: 'What is 2 + 2?', ...body }),
      });
      if (response.status !== 202) throw new Error(await response.text());
      return ((await response.json()) as { id: string }).id;
    },
    async consume(id: string) {
      const deadline = clock.now() + 15 * 60_000;
      await consumeMessage(id, { deps, deadline });
    },
    async settle<T>(promise: Promise<T>) {
      let isSettled = false;
      const done = () => {
        isSettled = true;
      };
      promise.then(done, done);
      for (let round = 0; round < 240 && !isSettled; round += 1) await clock.advance(500);
      return promise;
    },
    async usage(owner: string) {
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      const flat = (await redis.command('HGETALL', `usage:${owner}:${day}`)) as string[];
      const pairs = flat.flatMap((name, i) => (i % 2 ? [] : [[name, Number(flat[i + 1])]]));
      return Object.fromEntries(pairs) as Record<string, number>;
    },
    keysOf: async (id: string) => ((await redis.command('KEYS', `*${id}*`)) as string[]).sort(),
  });
}
