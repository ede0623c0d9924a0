import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumeMessage, driveClientStep } from '../../src/loop/drive.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, started, text, use } from '../helpers/runs.ts';
import { createWorld, failure, reply, type Scripted } from '../helpers/world.ts';

const FIELDS = ['run', 'seq', 'entries', 'epoch', 'mode', 'ms', 'outcome', 'cost_micro_usd'];
const SECRET = 'sk-ant-never-in-a-log';
const PRICES = '{"claude-sonnet-5-5": {"input": 3, "output": 15}}';
let server: TestRedis;
let serial = 0;

/** A run whose every text carries a word that no log line may hold. */
async function begin(script: Scripted[], { env = {}, drive = 'queue' as 'queue' | 'client' } = {}) {
  const world = createWorld(server.redis, {
    script,
    env: { ANTHROPIC_API_KEY: SECRET, PRICES, ...env },
  });
  world.behave = async () => 'mauve result';
  serial += 1;
  const id = `run_log${serial}`;
  const entry = started({ question: 'What is the mauve question?' });
  await world.store.accept(acceptance(id, { owner: `o_${id}`, entry, drive }));
  const consume = () =>
    consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 });
  const lines = () => world.logs.filter(({ event }) => event === 'step').map((log) => log.fields);
  return { world, id, consume, lines };
}

const twoTools = () =>
  reply([
    text('A mauve thought.'),
    use('t1', 'do_pure', { word: 'mauve' }),
    use('t2', 'do_once', { word: 'mauve' }),
  ]);
const done = () => reply([text('Mauve, because.\n\nFINAL ANSWER: mauve')]);

describe.skipIf(!hasRedisServer)('createStepLog', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('writes one line a step, also when one invocation takes several', async () => {
    const slow: Scripted = async () => {
      await world.clock.advance(3_000);
      return twoTools();
    };
    const { world, id, consume, lines } = await begin([slow, done()]);
    await consume();
    const of = { run: id, epoch: 1, mode: 'work' };
    // prepare and the first reply; two results and one start; the last reply and the end.
    expect(lines()).toEqual([
      { ...of, seq: 2, entries: 2, ms: 3_000, outcome: 'goes_on', cost_micro_usd: 1_050 },
      { ...of, seq: 4, entries: 3, ms: 0, outcome: 'goes_on', cost_micro_usd: 0 },
      { ...of, seq: 7, entries: 2, ms: 0, outcome: 'finished', cost_micro_usd: 1_050 },
    ]);
    const head = await world.store.head(id);
    expect(head?.spentMicroUsd).toBe(2_100);
  });

  it('writes the same lines when every step is an invocation of its own', async () => {
    const { consume, lines } = await begin([twoTools(), done()], { env: { STRIDE_LOCAL: '1' } });
    for (let i = 0; i < 3; i += 1) await consume();
    expect(lines().map(({ seq, epoch, outcome }) => [seq, epoch, outcome])).toEqual([
      [2, 1, 'handed_over'],
      [4, 2, 'handed_over'],
      [7, 3, 'finished'],
    ]);
  });

  it('writes one line for each step that a client drives', async () => {
    const { world, id, lines } = await begin([twoTools(), done()], { drive: 'client' });
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i += 1) await driveClientStep(id, { deps: world.deps, signal });
    expect(lines().map(({ seq, outcome }) => [seq, outcome])).toEqual([
      [2, 'handed_over'],
      [4, 'handed_over'],
      [7, 'finished'],
    ]);
  });

  it('books a call that broke off with the step that made it', async () => {
    const cut = failure({ failure: 'connection_lost', status: null });
    const { consume, lines } = await begin([cut, done()]);
    await consume();
    const [line, ...more] = lines();
    expect(line).toMatchObject({ outcome: 'waiting', entries: 2 });
    // Nobody knows what it cost, so its worst case: 16,000 tokens of output and its input.
    expect(line?.cost_micro_usd).toBeGreaterThan(16_000 * 15);
    expect(more).toEqual([]);
  });

  it('holds these fields and nothing that was asked, said, computed or configured', async () => {
    const { world, consume, lines } = await begin([twoTools(), done()]);
    await consume();
    expect(lines().map((line) => Object.keys(line))).toEqual([FIELDS, FIELDS, FIELDS]);
    const all = JSON.stringify(world.logs);
    expect(all).not.toMatch(/mauve/i);
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain('do_once');
  });
});
