import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import type { Intercept } from '../../dev/redis/front.ts';
import { type MessagesServer, startMessagesServer } from '../helpers/messages-server.ts';
import { startTestStack, type TestStack } from './harness.ts';

/** Which script a command is, by its number of keys; null for everything else. */
function scriptOf(command: string[] = []): 'accept' | 'claim' | 'append' | null {
  if (!/^eval(sha)?$/i.test(command[0] ?? '')) return null;
  if (command[2] === '4') return 'claim';
  if (command[2] === '6') return 'append';
  return Number(command[2]) >= 7 && command.length > 20 ? 'accept' : null;
}

const calc = (id: string, expression: string) => ({
  type: 'tool_use',
  id,
  name: 'calc',
  input: { expression },
});
const answer = { content: [{ type: 'text', text: 'Sum.\n\nFINAL ANSWER: 5' }] };

describe.skipIf(!hasRedisServer)('several drivers of one run', () => {
  let stack: TestStack;
  let server: MessagesServer;
  /** Replies of Redis that still have to be lost, and those that were. */
  let toLose: string[] = [];
  let lost: string[] = [];

  const intercept: Intercept = async ({ commands }) => {
    const script = scriptOf(commands[0]);
    const index = script ? toLose.indexOf(script) : -1;
    if (index < 0 || !script) return 'pass';
    toLose.splice(index, 1);
    lost.push(script);
    return 'drop_reply';
  };

  beforeAll(async () => {
    // Slow enough that the drivers meet: the first reply takes about a second.
    server = await startMessagesServer(({ body }) =>
      body.messages.length === 1
        ? { content: [calc('a', '1+1'), calc('b', '1+2')], dripMs: 100 }
        : answer,
    );
    const env = { ANTHROPIC_API_KEY: 'sk-test-drivers', ANTHROPIC_BASE_URL: server.url };
    stack = await startTestStack({ intercept, env });
  });
  afterAll(async () => {
    await stack.stop();
    await server.stop();
  });

  async function expectOneJournal(id: string) {
    const run = await stack.waitForEnd(id);
    expect(run).toMatchObject({ status: 'succeeded', answer: '5', turns: 2 });
    const events = await stack.events(id);
    expect(events.map((entry) => entry.type).sort()).toEqual(
      [
        'run_started',
        'run_prepared',
        'model_replied',
        'tool_finished',
        'tool_finished',
        'model_replied',
        'run_finished',
      ].sort(),
    );
  }

  it('makes one journal; losers hear when to come back', async () => {
    const id = await stack.ask('What is it?');
    const steps = await Promise.all(
      Array.from({ length: 5 }, () => stack.post(`/v1/runs/${id}/step`, {})),
    );
    const busy = steps.filter((step) => step.status === 409);
    expect(busy.length).toBeGreaterThanOrEqual(4);
    for (const step of busy) {
      expect(Number(step.headers.get('retry-after'))).toBeGreaterThan(0);
      const body = (await step.json()) as { error: { details: { retry_after_ms: number } } };
      expect(body.error.details.retry_after_ms).toBeGreaterThan(0);
      expect(body.error.details.retry_after_ms).toBeLessThanOrEqual(30_000);
    }
    await expectOneJournal(id);
  });

  it.each(['accept', 'claim', 'append'])(
    'changes nothing when %s succeeds and its reply is lost',
    async (script) => {
      lost = [];
      toLose = [script, script];
      const id = await stack.ask('What is it?');
      await expectOneJournal(id);
      expect(lost).toEqual([script, script]);
    },
  );

  it('answers the same run for the same Idempotency-Key, and 409 for another body', async () => {
    const key = { 'idempotency-key': 'drivers-1' };
    const first = await stack.post('/v1/runs', { question: 'What is it?' }, key);
    expect(first.status).toBe(202);
    const { id } = (await first.json()) as { id: string };
    const second = await stack.post('/v1/runs', { question: 'What is it?' }, key);
    expect(second.status).toBe(200);
    expect(await second.json()).toMatchObject({ id });
    const other = await stack.post('/v1/runs', { question: 'Another?' }, key);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: { code: 'conflict' } });
    await expectOneJournal(id);
  });

  it.each([
    ['a body that is not JSON', '{', 'JSON'],
    ['a missing question', '{}', 'question'],
    ['a question of 33 KB', JSON.stringify({ question: 'x'.repeat(33 * 1024) }), 'question'],
    [
      '200 files',
      JSON.stringify({
        question: 'Q?',
        file_ids: Array.from({ length: 200 }, (_, i) => `file_${i}`),
      }),
      'file_ids',
    ],
  ])('refuses %s, names it, and stores nothing', async (_, body, named) => {
    const list = async () =>
      (await (await stack.fetch('/v1/runs?limit=100')).json()) as { runs: unknown[] };
    const before = (await list()).runs.length;
    const headers = { 'content-type': 'application/json' };
    const response = await stack.fetch('/v1/runs', { method: 'POST', headers, body });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(JSON.stringify(await response.json())).toContain(named);
    expect((await list()).runs).toHaveLength(before);
  });

  it('knows no run of that id', async () => {
    const response = await stack.fetch('/v1/runs/run_unknown');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  });
});
