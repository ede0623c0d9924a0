import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumeMessage } from '../../src/loop/drive.ts';
import type { RunOptions, RunPrepared } from '../../src/loop/journal.ts';
import { loadPrompt } from '../../src/loop/prepare.ts';
import { buildDefaultRegistry } from '../../src/tools/registry.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, started, text } from '../helpers/runs.ts';
import { createWorld, reply } from '../helpers/world.ts';

const OWN = ['run_bandit_experiment', 'concentration_bound', 'information_bound'];
const BANDIT = 'Simulate UCB1 on Bernoulli arms 0.7 and 0.5.';

let server: TestRedis;
let serial = 0;

interface Asked {
  question: string;
  options?: RunOptions;
  context?: { question: string; answer: string | null }[];
}

/** What a run is prepared with, and the prompt pinned for it. */
async function prepareRun({ question, options = {}, context }: Asked) {
  const world = createWorld(server.redis, { script: [reply([text('FINAL ANSWER: 4')])] });
  world.deps.tools = buildDefaultRegistry();
  serial += 1;
  const id = `run_p${serial}`;
  const entry = started({ question, options, owner: `o_${id}`, ...(context ? { context } : {}) });
  await world.store.accept(acceptance(id, { owner: `o_${id}`, entry }));
  await consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 });
  const journal = await world.journal(id);
  const prepared = journal.find(({ type }) => type === 'run_prepared') as RunPrepared;
  const prompt = await loadPrompt(world.objects, prepared.prompt);
  return { prepared, prompt, own: prepared.tools.filter((name) => OWN.includes(name)) };
}

describe.skipIf(!hasRedisServer)('prepare: the domain of a run', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('offers the domain’s tools and its advice when the question is about it', async () => {
    const { prepared, prompt, own } = await prepareRun({ question: BANDIT });
    expect(prepared.domain).toBe('mab');
    expect(own).toEqual(OWN);
    expect(prompt.system).toMatch(/# For this kind of task\n.*multi-armed bandits/);
    expect(prompt.tools.map((tool) => 'name' in tool && tool.name)).toEqual(prepared.tools);
  });

  it('gives the advice in the language of the question', async () => {
    const { prompt } = await prepareRun({
      question: '用 UCB1 模拟伯努利臂 0.7 和 0.5，平均遗憾是多少？',
    });
    expect(prompt.system).toContain('本题属于多臂老虎机');
  });

  it.each<[string, Asked]>([
    ['the question is about something else', { question: 'What is 2 + 2?' }],
    ['the run wants none', { question: BANDIT, options: { domain: 'none' } }],
    ['the run names other tools', { question: BANDIT, options: { tools: ['calc'] } }],
    ['the domain is no more', { question: BANDIT, options: { domain: 'gone' } }],
  ])('offers neither when %s', async (_, asked) => {
    const { prepared, prompt, own } = await prepareRun(asked);
    expect(prepared.domain).toBe(null);
    expect(own).toEqual([]);
    expect(prompt.system).not.toContain('For this kind of task');
    expect(JSON.stringify(prompt)).not.toMatch(/bandit_experiment|_bound/);
  });

  it.each<[string, Asked]>([
    ['the run names it', { question: 'What is 2 + 2?', options: { domain: 'mab' } }],
    [
      'the run follows one that was about it',
      { question: 'And with seed 8?', context: [{ question: BANDIT, answer: '34.764' }] },
    ],
  ])('offers both when %s', async (_, asked) => {
    const { prepared, own } = await prepareRun(asked);
    expect(prepared.domain).toBe('mab');
    expect(own).toEqual(OWN);
  });

  it('narrows tools and advice to what the run names', async () => {
    const options = { tools: ['calc', 'information_bound'] };
    const { prepared, prompt } = await prepareRun({ question: 'What is KL?', options });
    expect(prepared).toMatchObject({ domain: 'mab', tools: ['calc', 'information_bound'] });
    expect(prompt.system).toContain('information_bound');
    expect(prompt.system).not.toContain('run_bandit_experiment');
  });
});
