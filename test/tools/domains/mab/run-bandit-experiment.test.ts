import { describe, expect, it } from 'vitest';
import { parseToolInput } from '../../../../src/loop/tool-input.ts';
import type { ToolContext } from '../../../../src/tools/define.ts';
import { runBanditExperiment } from '../../../../src/tools/domains/mab/run-bandit-experiment.ts';
import { createToolContext, textOf } from '../../../helpers/tool-context.ts';
import { parseXml } from './xml.ts';

interface Told {
  mean_regret: number;
  standard_error: number | null;
  ci95: [number, number] | null;
  algorithm: string;
  distribution: string;
  n_rounds: number;
  n_trials: number;
  n_trials_asked?: number;
  arms: {
    arm: number;
    mean: number;
    gap: number;
    mean_pulls: number;
    mean_reward: number | null;
  }[];
  theory: {
    ucb1_bound: { value: number; sigma: number; holds: boolean; note: string };
    lai_robbins: { value: number; constant: number; note: string };
  };
  log_log_slope: { value: number | null; rounds: number[]; meaning: string };
  sweep?: { horizon: number; mean_regret: number }[];
  regret_curve: { round: number; mean: number; ci95: [number, number] | null }[];
  plot?: string;
  notes: string[];
}

/** As dispatch calls it: aliases and spellings first, then the run. */
async function call(input: unknown, overrides: Partial<ToolContext> = {}) {
  const parsed = parseToolInput(runBanditExperiment, input);
  if (!parsed.ok) throw new Error(parsed.message);
  const tools = await createToolContext({}, overrides);
  const output = await runBanditExperiment.run(parsed.value, tools.context);
  if (typeof output === 'string') throw new Error('a structured result was expected');
  const told = JSON.parse(textOf(output)) as Told;
  return { told, output, ignored: parsed.ignored, ...tools };
}

const failure = (input: unknown) =>
  call(input).then(
    () => 'no failure',
    (error: Error) => error.message,
  );

const QUESTION = {
  algorithm: 'ucb1',
  distribution: 'bernoulli',
  probs: [0.7, 0.5],
  n_rounds: 2_000,
  n_trials: 50,
  seed: 7,
};

describe('run_bandit_experiment', () => {
  it('gives regret with its error, the whole curve, the arms, and theory marked as what it is', async () => {
    const { told, output } = await call(QUESTION);
    expect(output.data).toEqual(told);
    expect(told).toMatchObject({
      mean_regret: 34.764,
      standard_error: 1.166382,
      n_rounds: 2_000,
      n_trials: 50,
      arms: [
        { arm: 1, mean: 0.7, gap: 0 },
        { arm: 2, mean: 0.5, gap: 0.2, mean_pulls: 173.82 },
      ],
      theory: {
        ucb1_bound: { value: 304.8941, sigma: 0.5, holds: true },
        lai_robbins: { value: 17.43792, note: expect.stringContaining('asymptotic') },
      },
      log_log_slope: { rounds: [250, 500, 1_000, 2_000], meaning: expect.stringContaining('√T') },
      notes: [],
    });
    expect(told.regret_curve).toHaveLength(20);
    expect(told.regret_curve.at(-1)).toEqual({ round: 2_000, mean: 34.764, ci95: told.ci95 });
    expect(told.arms[0]?.mean_pulls).toBeCloseTo(2_000 - 173.82, 6);
    expect(JSON.stringify(told)).not.toMatch(/pass(ed)?"|below_bound/);
  });

  it('keeps the plot as a file of the run, each under a name of its own', async () => {
    const { told, workspace, context } = await call(QUESTION);
    expect(told.plot).toBe('regret-ucb1-bernoulli.svg');
    const [file] = workspace.written();
    expect(file).toMatchObject({ path: told.plot, media_type: 'image/svg+xml' });
    const svg = new TextDecoder().decode(await workspace.read(told.plot ?? ''));
    expect(parseXml(svg)).toContain('polyline');
    expect(svg).toContain('Mean regret 34.76 after 2,000 rounds.');
    const again = await runBanditExperiment.run({ ...QUESTION, form: 'scaled' }, context);
    expect(typeof again === 'string' ? again : again.content).toContain(
      '"plot":"regret-ucb1-bernoulli-2.svg"',
    );
  });

  it.each([
    ['thompson', 'thompson_sampling'],
    ['Thompson Sampling', 'thompson_sampling'],
    ['ts', 'thompson_sampling'],
    ['UCB1', 'ucb1'],
    ['ucb', 'ucb1'],
    ['KL-UCB', 'kl_ucb'],
  ])('knows the spelling %s', async (spelling, name) => {
    const { told } = await call({ algorithm: spelling, probs: [0.9, 0.1], n_rounds: 20 });
    expect(told.algorithm).toBe(name);
  });

  it('takes the reference’s fields: bandit_type, bandit_params, T, T_sweep, n_seeds', async () => {
    const { told, ignored } = await call({
      algorithm: 'thompson',
      bandit_type: 'gaussian',
      bandit_params: { means: [0, -0.5, -1], std: 2 },
      T: 50,
      T_sweep: [400, 100],
      n_seeds: 5,
    });
    expect(ignored).toEqual([]);
    expect(told).toMatchObject({ distribution: 'gaussian', n_rounds: 400, n_trials: 5 });
    expect(told.sweep?.map(({ horizon }) => horizon)).toEqual([100, 400]);
    expect(told.sweep?.at(-1)?.mean_regret).toBe(told.mean_regret);
    expect(told.log_log_slope.rounds).toEqual([100, 400]);
    expect(told.arms.map(({ mean }) => mean)).toEqual([0, -0.5, -1]);
  });

  it('takes the seed’s fields alone, and says which arms it assumed', async () => {
    const fields = { algorithm: 'thompson_sampling', n_rounds: 30, n_trials: 2 };
    const bernoulli = await call({ ...fields, n_arms: 3, distribution: 'bernoulli' });
    expect(bernoulli.told.arms.map(({ mean }) => mean)).toEqual([0.8, 0.5, 0.2]);
    expect(bernoulli.told.notes[0]).toMatch(/No probs were given: evenly spaced from 0.8 to 0.2/);
    const gaussian = await call({ ...fields, n_arms: 3, distribution: 'normal' });
    expect(gaussian.told.arms.map(({ mean }) => mean)).toEqual([0, -0.5, -1]);
    const single = await call({ ...fields, n_arms: 1, distribution: 'bernoulli' });
    expect(single.told).toMatchObject({ mean_regret: 0, log_log_slope: { value: null } });
  });

  it('says when the UCB1 bound does not hold for what was played', async () => {
    const gaussian = { means: [0, -1], n_rounds: 50, n_trials: 3 };
    const bound = async (fields: object) =>
      (await call({ ...gaussian, ...fields })).told.theory.ucb1_bound;
    expect(await bound({ algorithm: 'ucb1', std: 3 })).toMatchObject({ holds: true, sigma: 3 });
    expect(await bound({ algorithm: 'ucb1', std: 3, form: 'textbook' })).toMatchObject({
      holds: false,
      note: expect.stringContaining('no guarantee for this std'),
    });
    expect(await bound({ algorithm: 'ucb1', std: 0.2, form: 'textbook' })).toMatchObject({
      holds: true,
      sigma: 0.5,
    });
    expect(await bound({ algorithm: 'ts' })).toMatchObject({
      holds: false,
      note: expect.stringContaining('a bound of UCB1'),
    });
  });

  it.each([
    ['algorithm', { ...QUESTION, algorithm: 'exp3' }, /`algorithm`: expected one of/],
    ['n_rounds', { ...QUESTION, n_rounds: 0 }, /`n_rounds`: expected integer ≥ 1/],
    ['n_trials', { ...QUESTION, n_trials: 0 }, /`n_trials`: expected integer ≥ 1/],
    ['probs', { ...QUESTION, probs: [1.7, 0.5] }, /^probs\[0\]: .*at most 1, got 1\.7/],
    ['probs', { ...QUESTION, probs: [Number.NaN] }, /`probs\[0\]`: expected number/],
    [
      'probs for gaussian',
      { ...QUESTION, distribution: 'gaussian' },
      /^probs: belong to bernoulli/,
    ],
    ['both lists', { ...QUESTION, means: [0, 1] }, /^probs: stand beside means/],
    ['n_arms', { ...QUESTION, n_arms: 3 }, /^n_arms: is 3 but probs has 2 numbers/],
    ['std', { algorithm: 'ucb1', means: [0, 1], std: -1 }, /^std: must be a number above 0/],
    ['no arms', { algorithm: 'ucb1', distribution: 'bernoulli' }, /^probs: are missing/],
    ['no distribution', { algorithm: 'ucb1', n_arms: 2 }, /^distribution: must be/],
    [
      'work',
      { ...QUESTION, n_rounds: 1_000_000, n_trials: 9_999 },
      /^rounds: .*can make 125000000/,
    ],
  ])('refuses a wrong %s by its name', async (_, input, message) => {
    expect(await failure(input)).toMatch(message);
  });

  it('gives back what was done when its time is up, and says so', async () => {
    let now = 0;
    const given = { ...QUESTION, n_rounds: 100_000, n_trials: 500 };
    // Each look at the clock is 4 s later: the fifth is past 70 % of 20 s.
    const clock = () => {
      now += 4_000;
      return now - 4_000;
    };
    const { told } = await call(given, { now: clock, timeoutMs: 20_000 });
    expect(told.n_trials).toBeLessThan(500);
    expect(told.n_trials).toBeGreaterThan(10);
    expect(told.n_trials_asked).toBe(500);
    expect(told.notes).toEqual([
      `Only ${told.n_trials} of 500 trials were done within the tool's time; every figure is of these.`,
    ]);
    const alone = await call({ ...given, n_trials: told.n_trials });
    expect(alone.told.mean_regret).toBe(told.mean_regret);
  });

  it('lets other work in while it computes, and stops when it is aborted', async () => {
    const controller = new AbortController();
    const given = { ...QUESTION, n_rounds: 100_000, n_trials: 500 };
    const running = failureOf(call(given, { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('stopped by the run')), 5);
    expect(await running).toBe('stopped by the run');
  });

  it('gives its numbers even where the plot cannot be stored', async () => {
    const { context } = await createToolContext();
    const workspace = {
      ...context.workspace,
      write: () => Promise.reject(new Error('the store is down')),
    };
    const { told } = await call(QUESTION, { workspace });
    expect(told.mean_regret).toBe(34.764);
    expect(told.plot).toBe(undefined);
    expect(told.notes).toEqual(['The plot could not be stored.']);
  });
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
