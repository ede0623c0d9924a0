import { describe, expect, it } from 'vitest';
import { parseToolInput } from '../../../../src/loop/tool-input.ts';
import type { Tool } from '../../../../src/tools/define.ts';
import { concentrationBound } from '../../../../src/tools/domains/mab/concentration-bound.ts';
import { informationBound } from '../../../../src/tools/domains/mab/information-bound.ts';
import { mab } from '../../../../src/tools/domains/mab/mab.ts';
import { createToolContext, runTool } from '../../../helpers/tool-context.ts';
import { expectClose } from './helpers.ts';

async function call(tool: Tool, input: unknown) {
  const parsed = parseToolInput(tool, input);
  if (!parsed.ok) throw new Error(parsed.message);
  const { context } = await createToolContext();
  return JSON.parse(await runTool(tool, parsed.value, context));
}

const failure = (tool: Tool, input: unknown) =>
  call(tool, input).then(
    () => 'no failure',
    (error: Error) => error.message,
  );

describe('concentration_bound', () => {
  const given = { n: 100, delta: 0.05 };

  it.each([
    [{ kind: 'hoeffding', range: 1 }, 0.135810151574062, 'two-sided'],
    [{ kind: 'bernstein', range: 1, variance: 0.01 }, 0.0421119322051905, 'two-sided'],
    [{ kind: 'subgaussian', sigma: 0.5 }, 0.135810151574062, 'two-sided'],
    [{ kind: 'empirical_bernstein', variance: 0.01 }, 0.114105317112111, 'one-sided'],
  ])('gives %j with its formula and sides', async (fields, expected, sides) => {
    const told = await call(concentrationBound, { ...given, ...fields });
    expectClose(told.value, expected, 1e-8);
    expect(told).toMatchObject({ kind: fields.kind, sides, formula: expect.stringMatching(/√/) });
  });

  it.each([
    [
      'a field it cannot do without',
      { kind: 'bernstein', range: 1 },
      /^variance: is needed for bernstein/,
    ],
    [
      'n = 0',
      { kind: 'hoeffding', range: 1, n: 0 },
      /^n: must be a whole number of at least 1, got 0/,
    ],
    [
      'δ = 1',
      { kind: 'hoeffding', range: 1, delta: 1 },
      /^delta: must be a number above 0 and below 1, got 1/,
    ],
    ['an unknown kind', { kind: 'chernoff' }, /`kind`: expected one of "hoeffding"/],
  ])('refuses %s by name', async (_, fields, message) => {
    expect(await failure(concentrationBound, { ...given, ...fields })).toMatch(message);
  });
});

describe('information_bound', () => {
  it.each([
    [{ kind: 'kl_bernoulli', p: 0.3, q: 0.5 }, 0.0822828785050518],
    [{ kind: 'kl_gaussian', mu1: 0, mu2: -0.5 }, 0.125],
    [{ kind: 'kl_gaussian', mu1: 0, mu2: 0.5, sigma1: 2 }, 0.03125],
    [{ kind: 'fano', hypotheses: 4, information_nats: 0.1 }, 0.427865247955552],
    [{ kind: 'fano', hypotheses: 4, informationNats: 0.1 }, 0.427865247955552],
    [{ kind: 'lai_robbins', probs: [0.7, 0.4, 0.2], horizon: 10_000 }, 23.01013502],
    [{ kind: 'lai_robbins', means: [0, -0.5, -1], sigma1: 0.5, T: 1_000 }, 10.36163292],
    [{ kind: 'lai_robbins', gaps: [0, 0.5], kls: [0, 0.125], horizon: Math.E }, 4],
    [{ kind: 'ucb1_upper_bound', gaps: [0.3, 0.5], horizon: 10_000 }, 396.406417],
    [{ kind: 'regret_decomposition', gaps: [0, 0.3, 0.5], pulls: [900, 70, 30] }, 36],
  ])('gives the value of %j', async (input, expected) => {
    expectClose((await call(informationBound, input)).value, expected);
  });

  it('says infinity as a word, since JSON has none', async () => {
    const told = await call(informationBound, { kind: 'kl_bernoulli', p: 0.3, q: 0 });
    expect(told.value).toBe('infinity');
    const limits = await call(informationBound, {
      kind: 'lai_robbins',
      probs: [1, 0.5],
      horizon: 9,
    });
    expect(limits).toMatchObject({ value: 0, kls: [0, 'infinity'] });
  });

  it('never calls Lai–Robbins a test', async () => {
    const told = await call(informationBound, {
      kind: 'lai_robbins',
      probs: [0.7, 0.5],
      horizon: 9,
    });
    expect(told.note).toMatch(/Asymptotic.*Never a test/);
  });

  it.each([
    [{ kind: 'kl_bernoulli', p: 1.7, q: 0.5 }, /^p: must be .*at most 1, got 1\.7/],
    [{ kind: 'kl_bernoulli', p: 0.5 }, /^q: is needed for kl_bernoulli/],
    [{ kind: 'lai_robbins', gaps: [0, 1], kls: [1], horizon: 5 }, /^kls: must be as long as gaps/],
    [{ kind: 'lai_robbins', gaps: [0, 1], horizon: 5 }, /^kls: is needed/],
    [{ kind: 'lai_robbins', probs: [0.7, 0.5], horizon: 0 }, /^horizon: .*at least 1, got 0/],
    [
      { kind: 'regret_decomposition', gaps: [0, 1], pulls: [1, 2, 3] },
      /gaps has 2 and pulls has 3/,
    ],
  ])('refuses %j by name', async (input, message) => {
    expect(await failure(informationBound, input)).toMatch(message);
  });
});

describe('the benchmark problems of the domain', () => {
  const calls = [
    { kind: 'kl_bernoulli', p: 0.3, q: 0.5 },
    { kind: 'lai_robbins', probs: [0.7, 0.4, 0.2], horizon: 10_000 },
    { kind: 'ucb1_upper_bound', gaps: [0.3, 0.5], horizon: 10_000 },
  ];

  it('have the answers that the tools give', async () => {
    const problems = mab.benchmarkProblems ?? [];
    expect(problems.map(({ level }) => level)).toEqual([1, 2, 3]);
    for (const [index, { answer }] of problems.entries()) {
      const told = await call(informationBound, calls[index]);
      expectClose(told.value, Number(answer), 1e-8);
    }
  });
});
