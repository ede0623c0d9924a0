import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define.ts';
import {
  chooseDomain,
  type Domain,
  hintFor,
  keywordsIn,
} from '../../../src/tools/domains/domain.ts';
import { DOMAINS } from '../../../src/tools/domains/domains.ts';

const tool = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), run: async () => name });

const domain = (name: string, fields: Partial<Domain> = {}): Domain => ({
  name,
  displayName: name,
  keywords: [],
  description: name,
  tools: [],
  workflowHint: { en: '', zh: '' },
  ...fields,
});

describe('keywordsIn', () => {
  it.each([
    ['np', 'What is the input?', false],
    ['np', 'What is NP, and why?', true],
    ['np', 'np', true],
    ['np', 'snp', false],
    ['np', 'np2', false],
    ['np', 'co-np', true],
    ['np', 'npé', false],
    ['np', 'np\u0301', false],
    ['UCB1', 'Run ucb1.', true],
    ['UCB1', 'Run UCB12.', false],
    ['multi-armed bandit', 'a Multi–Armed   Bandit\nproblem', true],
    ['multi-armed bandit', 'multi-armed bandits', false],
    ['Lai-Robbins', 'the Lai–Robbins bound', true],
    ['UCB1', '用UCB1算法模拟', true],
    ['UCB1', '用ＵＣＢ１算法模拟', true],
    ['多臂老虎机', '请模拟多臂老虎机的问题', true],
    ['多臂老虎机', '在多臂老虎机上运行', true],
    ['老虎机', '吃角子老虎机的历史', false],
    ['遗憾界', '推导遗憾界的阶', true],
    ['遗憾界', '令人遗憾，界面崩溃了', false],
    ['遗憾界', '令人遗憾界面崩溃了', false],
    ['KL散度', '计算KL散度', true],
    ['', 'anything', false],
    ['regret', '', false],
  ])('%j in %j: %s', (keyword, text, expected) => {
    expect(keywordsIn(text, [keyword])).toEqual(expected ? [keyword] : []);
  });

  it('takes no notice of what stands in a keyword but its letters', () => {
    expect(keywordsIn('axb a.b', ['a.b', 'a*b', '(a'])).toEqual(['a.b']);
  });

  it('reads the longest question in no time, though every word nearly fits', () => {
    const started = performance.now();
    expect(
      keywordsIn(
        'ucb1x '.repeat(5_400),
        DOMAINS.flatMap((one) => one.keywords),
      ),
    ).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('chooseDomain', () => {
  const queue = tool('queue_tool');
  const first = domain('first', { keywords: ['alpha', 'beta'] });
  const second = domain('second', { keywords: ['beta', 'gamma'], tools: [queue] });
  const domains = [first, second];

  it.each([
    ['nothing fits', { question: 'delta' }, null],
    ['one fits', { question: 'gamma rays' }, 'second'],
    ['both fit equally', { question: 'beta' }, 'first'],
    ['more of the second fits', { question: 'beta and gamma' }, 'second'],
    ['auto is named', { question: 'gamma', asked: 'auto' }, 'second'],
    ['none is named', { question: 'gamma', asked: 'none' }, null],
    ['one is named', { question: 'gamma', asked: 'first' }, 'first'],
    ['an unknown one is named', { question: 'gamma', asked: 'third' }, null],
    ['a name that objects have', { question: 'gamma', asked: 'constructor' }, null],
    ['a tool is named', { question: 'alpha', tools: ['calc', 'queue_tool'] }, 'second'],
    ['a tool and none', { question: 'alpha', tools: ['queue_tool'], asked: 'none' }, null],
  ])('when %s', (_, run, expected) => {
    expect(chooseDomain(domains, run)?.name ?? null).toBe(expected);
  });

  it.each([
    'Simulate UCB1 on Bernoulli arms 0.7 and 0.5 for 2000 rounds, 50 trials, seed 7, and tell me the mean regret.',
    'Compare Thompson sampling with KL-UCB.',
    'State the regret bound of a stochastic multi-armed bandit.',
    'What does Hoeffding’s inequality give for n = 100?',
    '用汤普森采样模拟伯努利臂 0.7 和 0.5',
    '多臂赌博机的遗憾下界是什么？',
  ])('is mab for: %s', (question) => {
    expect(chooseDomain(DOMAINS, { question })?.name).toBe('mab');
  });

  it.each([
    'What is the total of the amount column?',
    'Who plays the bandit in Smokey and the Bandit?',
    'He had arms and legs; I regret nothing.',
    'Which professor at UCB won a Nobel prize?',
    'Which mAb drugs were approved in 2020?',
    '令人遗憾的是，他输了。',
    '老虎机是谁发明的？',
  ])('is none for: %s', (question) => {
    expect(chooseDomain(DOMAINS, { question })).toBe(null);
  });
});

describe('hintFor', () => {
  const one = domain('one', {
    tools: [tool('a_tool'), tool('b_tool')],
    workflowHint: { en: 'Think.\n- a_tool does A.\n- b_tool does B.', zh: '想。\n- a_tool 做 A。' },
  });

  it('speaks the language of the question', () => {
    expect(hintFor(one, { language: 'zh', tools: ['a_tool', 'b_tool'] })).toContain('做 A');
  });

  it('names no tool that the run lacks', () => {
    const hint = hintFor(one, { language: 'en', tools: ['calc', 'b_tool'] });
    expect(hint).toBe('Think.\n- b_tool does B.');
  });
});

describe('DOMAINS', () => {
  it.each(DOMAINS)('$name says the same in both languages about each of its tools', (one) => {
    for (const { name, inputSchema } of one.tools) {
      expect(one.workflowHint.en).toContain(name);
      expect(one.workflowHint.zh).toContain(name);
      for (const field of Object.values(inputSchema.properties as Record<string, object>)) {
        expect(field, name).toHaveProperty('description');
      }
    }
    expect(one.name).toMatch(/^[a-z][a-z0-9_]*$/);
    // Each keyword can be found at all: in a sentence of its own.
    for (const keyword of one.keywords) expect(keywordsIn(keyword, [keyword])).toEqual([keyword]);
  });
});
