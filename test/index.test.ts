import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../src/index.ts';

// Nothing listens on port 1: a test that gets as far as Redis is refused at once.
const settings = {
  STRIDE_LOCAL: '1',
  UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1',
  UPSTASH_REDIS_REST_TOKEN: 'redis-token-1234',
};
const bindings = { OBJECTS: {}, STEPS_0: {} };

let lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(JSON.parse(line));
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

function batch(queue: string, ...bodies: unknown[]) {
  const outcomes: unknown[] = [];
  const messages = bodies.map((body) => ({
    body,
    attempts: 3,
    ack: () => outcomes.push('ack'),
    retry: (options: unknown) => outcomes.push(options),
  }));
  return { batch: { queue, messages }, outcomes };
}

describe('fetch', () => {
  it('answers 503 with the names of the settings at fault and never their values', async () => {
    const env = { ...bindings, MAX_USD: 'lots', UPSTASH_REDIS_REST_TOKEN: 'hush hush' };
    const response = await worker.fetch(new Request('http://localhost/v1/runs'), env);
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text).error.details).toEqual({
      settings: ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN', 'MAX_USD'],
    });
    expect(text).not.toContain('lots');
    expect(text).not.toContain('hush');
  });

  it('names bindings that are missing', async () => {
    const env = { ...settings, STEPS_0: {}, QUEUE_SHARDS: '3' };
    const response = await worker.fetch(new Request('http://localhost/health'), env);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: 'misconfigured',
      settings: ['OBJECTS', 'STEPS_1', 'STEPS_2'],
    });
  });

  it('serves the deployment’s own tools', async () => {
    const env = { ...settings, ...bindings };
    const response = await worker.fetch(new Request('http://localhost/v1/tools'), env);
    const { tools } = (await response.json()) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('calc');
  });
});

describe('queue', () => {
  it('sees a message again in 30 seconds when Redis does not answer', async () => {
    const { batch: steps, outcomes } = batch('stride-steps', { run: 'run_1' });
    await worker.queue(steps, { ...settings, ...bindings });
    expect(outcomes).toEqual([{ delaySeconds: 30 }]);
  });

  it('sees messages again in a minute while the configuration is faulty', async () => {
    const { batch: steps, outcomes } = batch('stride-steps', { run: 'run_1' });
    await worker.queue(steps, {});
    expect(outcomes).toEqual([{ delaySeconds: 60 }]);
    expect(lines).toMatchObject([{ event: 'misconfigured' }]);
  });

  it.each(['stride-steps-dead', 'steps-dead'])(
    'logs and acknowledges what reaches %s',
    async (name) => {
      const { batch: dead, outcomes } = batch(name, { run: 'run_1' });
      await worker.queue(dead, { ...settings, ...bindings });
      expect(outcomes).toEqual(['ack']);
      expect(lines).toMatchObject([
        { event: 'dead_letter', queue: name, run: 'run_1', attempts: 3 },
      ]);
    },
  );

  it('logs and acknowledges messages that are none of ours', async () => {
    const { batch: strange, outcomes } = batch('stride-steps', 'hello', { run: 7 });
    await worker.queue(strange, { ...settings, ...bindings });
    expect(outcomes).toEqual(['ack', 'ack']);
  });
});

describe('scheduled', () => {
  it('says in the log why it could not sweep, and fails', async () => {
    await expect(worker.scheduled({}, { ...settings, ...bindings })).rejects.toThrow(/Redis/);
    expect(lines).toMatchObject([{ event: 'sweep_failed' }]);
    expect(JSON.stringify(lines)).not.toContain('redis-token-1234');
  });

  it('only logs while the configuration is faulty', async () => {
    await worker.scheduled({}, {});
    expect(lines).toMatchObject([{ event: 'misconfigured' }]);
  });
});
