import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import { createRedis, type RedisPort, toFields } from '../../src/redis.ts';
import { type MessagesServer, startMessagesServer } from '../helpers/messages-server.ts';
import { runCommand } from './command.ts';
import { startTestStack, type TestStack } from './harness.ts';

interface Refusal {
  error: { code: string; message: string; details: Record<string, unknown> };
}

/** Long enough for a heartbeat of the holder (10 s) and what comes of it. */
const STOP_MS = 20_000;

describe.skipIf(!hasRedisServer)('the money of an owner, on a whole stack', () => {
  let stack: TestStack;
  let server: MessagesServer;
  let redis: RedisPort;
  /** While it is closed no model call is answered, so that no run ends. */
  let gate = Promise.withResolvers<void>();

  beforeAll(async () => {
    server = await startMessagesServer(async (_, index) => {
      await gate.promise;
      const usage = { input_tokens: 100 + index, output_tokens: 7 * index };
      return { content: [{ type: 'text', text: 'FINAL ANSWER: 4' }], usage };
    });
    stack = await startTestStack({
      env: {
        ANTHROPIC_API_KEY: 'sk-test-money',
        ANTHROPIC_BASE_URL: server.url,
        DAILY_USD: '20',
        MAX_ACTIVE_RUNS: '25',
      },
    });
    if (!stack.redis) throw new Error('the stack has no Redis of its own');
    redis = createRedis(stack.redis);
  });
  afterAll(async () => {
    gate.resolve();
    await stack.stop();
    await server.stop();
  });

  /** What all days together have, in micro-USD: a test may run over midnight. */
  async function usage() {
    const days = (await redis.command('KEYS', 'usage:local:*')) as string[];
    const sums = { reserved: 0, spent: 0, refunded: 0 };
    for (const day of days) {
      const fields = toFields(await redis.command('HGETALL', day));
      for (const name of ['reserved', 'spent', 'refunded'] as const) {
        sums[name] += Number(fields.get(name) ?? 0);
      }
    }
    return sums;
  }

  async function askAtOnce(count: number, body: Record<string, unknown> = {}) {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        stack.post('/v1/runs', { question: `What is 2 + ${i}?`, ...body }),
      ),
    );
    const accepted = responses.filter(({ status }) => status === 202);
    const runs = (await Promise.all(accepted.map((one) => one.json()))) as { id: string }[];
    const refused = responses.filter(({ status }) => status !== 202);
    const refusals = (await Promise.all(refused.map((one) => one.json()))) as Refusal[];
    return {
      ids: runs.map(({ id }) => id),
      statuses: new Set(refused.map(({ status }) => status)),
      refusals,
    };
  }

  it('starts exactly what the day’s budget allows of 100 runs, and refuses the rest by its name', async () => {
    const { ids, statuses, refusals } = await askAtOnce(100);
    expect(ids).toHaveLength(20);
    expect([...statuses]).toEqual([402]);
    expect(refusals).toHaveLength(80);
    for (const { error } of refusals) {
      expect(error.code).toBe('budget_spent');
      expect(error.message).toContain('DAILY_USD');
      expect(error.details).toEqual({
        setting: 'DAILY_USD',
        reserved_usd: 20,
        limit_usd: 20,
        asked_usd: 1,
      });
    }
    expect(await usage()).toEqual({ reserved: 20_000_000, spent: 0, refunded: 0 });

    gate.resolve();
    const runs = await Promise.all(ids.map((id) => stack.waitForEnd(id)));
    const costs = runs.map(({ cost_usd }) => Math.round(cost_usd * 1_000_000));
    const { reserved, spent, refunded } = await usage();
    expect(spent).toBe(costs.reduce((sum, cost) => sum + cost, 0));
    expect(costs.every((cost) => cost > 0)).toBe(true);
    expect(reserved).toBe(20_000_000);
    expect(spent + refunded).toBe(reserved);
    expect(await redis.command('ZCARD', 'active:local')).toBe(0);
  });

  it('answers 429 above the number of unfinished runs, and deleting them settles the money', async () => {
    gate = Promise.withResolvers();
    const { ids, statuses, refusals } = await askAtOnce(30, { limits: { usd: 0.1 } });
    expect(ids).toHaveLength(25);
    expect([...statuses]).toEqual([429]);
    for (const { error } of refusals) {
      expect(error.code).toBe('rate_limited');
      expect(error.message).toContain('MAX_ACTIVE_RUNS');
    }

    const before = Date.now();
    const response = await stack.fetch('/v1/owners/local', { method: 'DELETE' });
    expect(Date.now() - before).toBeLessThan(STOP_MS);
    // The twenty of the test before belong to this owner, too.
    expect(await response.json()).toMatchObject({
      owner: 'local',
      deleted: { runs: 45, files: 0 },
      more: false,
    });
    const { reserved, spent, refunded } = await usage();
    expect(spent + refunded).toBe(reserved);
    expect(await redis.command('ZCARD', 'active:local')).toBe(0);
    expect(await (await stack.fetch('/v1/runs')).json()).toEqual({ runs: [], next_cursor: null });
    const gone = await Promise.all(ids.map((id) => stack.fetch(`/v1/runs/${id}`)));
    expect(gone.every(({ status }) => status === 404)).toBe(true);
    gate.resolve();
  });

  it('goes by a key made with npm run keys, and knows its owner and scopes', async () => {
    const env = { STRIDE_DATA_DIR: stack.dataDir };
    const args = ['dev/keys.ts', 'create', '--json', '--owner', 'alice', '--scopes', 'ask,read'];
    const command = runCommand(args, env);
    expect(await command.ended).toBe(0);
    const made = JSON.parse(command.stdout()) as { key: string; id: string };
    const headers = { authorization: `Bearer ${made.key}` };
    const mine = await stack.post('/v1/runs', { question: 'What is 2 + 2?' }, headers);
    expect(mine.status).toBe(202);
    const { id } = (await mine.json()) as { id: string };
    expect((await stack.fetch(`/v1/runs/${id}`, { headers })).status).toBe(200);
    // Without the key one is the owner `local`.
    expect((await stack.fetch(`/v1/runs/${id}`)).status).toBe(404);
    const all = await stack.fetch('/v1/owners/alice', { method: 'DELETE', headers });
    expect(all.status).toBe(403);
    const revoking = runCommand(['dev/keys.ts', 'revoke', made.id], env);
    expect(await revoking.ended).toBe(0);
    expect(revoking.stdout()).toContain('revoked');
    expect((await stack.fetch(`/v1/runs/${id}`, { headers })).status).toBe(401);
  });
});
