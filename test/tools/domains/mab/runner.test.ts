import { describe, expect, it } from 'vitest';
import {
  type Bandit,
  bernoulliBandit,
  gaussianBandit,
} from '../../../../src/tools/domains/mab/environments.ts';
import { klBernoulli } from '../../../../src/tools/domains/mab/information.ts';
import {
  ALGORITHMS,
  type Algorithm,
  type Form,
} from '../../../../src/tools/domains/mab/options.ts';
import { klUpperLimit } from '../../../../src/tools/domains/mab/policies.ts';
import { decomposeRegret, ucb1UpperBound } from '../../../../src/tools/domains/mab/regret.ts';
import { runExperiment } from '../../../../src/tools/domains/mab/runner.ts';
import { createUniform, expectClose } from './helpers.ts';

const bernoulli = bernoulliBandit({ probs: [0.7, 0.4, 0.2] });
const gaussian = gaussianBandit({ means: [0, -0.5, -1] });

describe('runExperiment: against measured bands', () => {
  // Mean and standard deviation over 20 trials of an independent implementation with another generator.
  it.each<[string, Bandit, Algorithm, number, { mean: number; std: number }]>([
    ['Bernoulli', bernoulli, 'ucb1', 1_000, { mean: 40.9, std: 8.5 }],
    ['Bernoulli', bernoulli, 'ucb1', 10_000, { mean: 78.0, std: 11.2 }],
    ['Bernoulli', bernoulli, 'thompson_sampling', 1_000, { mean: 10.7, std: 3.6 }],
    ['Bernoulli', bernoulli, 'thompson_sampling', 10_000, { mean: 16.7, std: 5.3 }],
    ['Gaussian', gaussian, 'ucb1', 1_000, { mean: 31.7, std: 9.2 }],
    ['Gaussian', gaussian, 'ucb1', 10_000, { mean: 53.5, std: 17.7 }],
    ['Gaussian', gaussian, 'thompson_sampling', 1_000, { mean: 24.7, std: 13.4 }],
    ['Gaussian', gaussian, 'thompson_sampling', 10_000, { mean: 34.5, std: 16.3 }],
  ])(
    '%s arms, %s, %s, T = %s: within 4 standard errors',
    async (_, bandit, algorithm, rounds, band) => {
      const options = { bandit, algorithm, rounds, trials: 200, seed: 11 };
      const { regret } = await runExperiment({ ...options, form: 'textbook' });
      const error = Math.hypot(band.std / Math.sqrt(20), regret.standardError ?? 0);
      expect(Math.abs(regret.mean - band.mean)).toBeLessThan(4 * error);
    },
  );

  it('shows the textbook’s UCB1 near-linear at σ = 5 and the scaled one within its bound', async () => {
    const bandit = gaussianBandit({ means: [0, -0.5, -1], std: 5 });
    const options = { bandit, algorithm: 'ucb1', trials: 100, seed: 2 } as const;
    const textbook = await runExperiment({ ...options, rounds: 10_000, form: 'textbook' });
    // 2362 ± 2775 over 20 trials elsewhere.
    expect(Math.abs(textbook.regret.mean - 2362)).toBeLessThan(
      4 * Math.hypot(2775 / Math.sqrt(20), textbook.regret.standardError ?? 0),
    );
    const scaled = await runExperiment({ ...options, rounds: 10_000 });
    expect(scaled.regret.mean).toBeLessThan(
      ucb1UpperBound({ gaps: bandit.gaps, horizon: 10_000, sigma: 5 }),
    );
  });
});

const CASES = ALGORITHMS.flatMap((algorithm) =>
  [bernoulli, gaussian].map((bandit) => [algorithm, bandit.kind, bandit] as const),
);

describe.each(CASES)('runExperiment: %s on %s arms', (algorithm, _kind, bandit) => {
  const options = { bandit, algorithm, rounds: 600, trials: 12, seed: 5 };

  it('gives the same for the same seed, and other numbers for another', async () => {
    const first = await runExperiment(options);
    expect(await runExperiment(options)).toEqual(first);
    const other = await runExperiment({ ...options, seed: 6 });
    expect(other.arms).not.toEqual(first.arms);
  });

  it('accounts for every pull, and its regret is the gaps times the pulls', async () => {
    const { arms, regret, curve } = await runExperiment({ ...options, checkpoints: [100, 300] });
    const pulls = arms.map((arm) => arm.pulls.mean);
    expectClose(
      pulls.reduce((a, b) => a + b, 0),
      600,
    );
    expectClose(decomposeRegret({ gaps: bandit.gaps, pulls }).total, regret.mean);
    expect(curve.map(({ round }) => round)).toEqual([100, 300, 600]);
    expect(curve.at(-1)).toMatchObject(regret);
  });

  it('never lets regret fall, from 0 to at most the largest gap a round', async () => {
    const checkpoints = [1, 2, 3, 10, 50, 200, 400];
    const { curve } = await runExperiment({ ...options, checkpoints });
    for (const [index, { round, mean }] of curve.entries()) {
      expect(mean).toBeGreaterThanOrEqual(curve[index - 1]?.mean ?? 0);
      expect(mean).toBeLessThanOrEqual(round * Math.max(...bandit.gaps));
    }
  });

  it('learns: the last tenth costs far less than chance, and rewards come out as they should', async () => {
    const { curve, arms } = await runExperiment({
      ...options,
      rounds: 5_000,
      checkpoints: [4_500],
    });
    const [before = 0, end = 0] = curve.map(({ mean }) => mean);
    const chance = bandit.gaps.reduce((a, b) => a + b, 0) / bandit.gaps.length;
    expect(end - before).toBeLessThan(500 * chance * 0.2);
    for (const { mean, meanReward, pulls } of arms) {
      const error = bandit.sigma / Math.sqrt(pulls.mean * 12);
      // Arms that look bad by chance are left early, so a mean is a little low on the whole.
      expect(Math.abs((meanReward ?? 0) - mean)).toBeLessThan(6 * error);
    }
  });

  it('plays the same first rounds however many follow', async () => {
    const whole = await runExperiment({ ...options, checkpoints: [250] });
    const half = await runExperiment({ ...options, rounds: 250 });
    expect(half.regret.mean).toBe(whole.curve[0]?.mean);
  });
});

describe('runExperiment: what must not change it', () => {
  const run = (bandit: Bandit, algorithm: Algorithm, form: Form = 'scaled') =>
    runExperiment({ bandit, algorithm, form, rounds: 1_000, trials: 100, seed: 9 });
  const means = [0, -0.5, -1];

  it.each(ALGORITHMS)('%s is the same when every mean is 128 higher', async (algorithm) => {
    const near = await run(gaussianBandit({ means }), algorithm);
    const far = await run(gaussianBandit({ means: means.map((mean) => mean + 128) }), algorithm);
    // Rounding beside a large mean may turn a choice that was all but a tie.
    expect(Math.abs(far.regret.mean - near.regret.mean)).toBeLessThan(0.2);
  });

  it('is why Gaussian Thompson has no prior: the textbook’s goes astray at 100', async () => {
    const far = gaussianBandit({ means: means.map((mean) => mean + 100) });
    const near = await run(gaussianBandit({ means }), 'thompson_sampling', 'textbook');
    const textbook = await run(far, 'thompson_sampling', 'textbook');
    expect(textbook.regret.mean).toBeGreaterThan(5 * near.regret.mean);
    const scaled = await run(far, 'thompson_sampling');
    expect(scaled.regret.mean).toBeLessThan(2 * near.regret.mean);
  });

  it.each(ALGORITHMS)(
    '%s pays 4 times as much when means and σ are 4 times as large',
    async (algorithm) => {
      const small = await run(gaussianBandit({ means, std: 0.5 }), algorithm);
      const large = await run(
        gaussianBandit({ means: means.map((mean) => 4 * mean), std: 2 }),
        algorithm,
      );
      // A power of two: every float scales exactly.
      expect(large.regret.mean).toBe(4 * small.regret.mean);
      expect(large.arms.map(({ pulls }) => pulls)).toEqual(small.arms.map(({ pulls }) => pulls));
    },
  );

  it.each(ALGORITHMS)('%s fares the same in whatever order the arms stand', async (algorithm) => {
    const one = await run(bernoulli, algorithm);
    const other = await run(bernoulliBandit({ probs: [0.2, 0.4, 0.7] }), algorithm);
    const error = Math.hypot(one.regret.standardError ?? 0, other.regret.standardError ?? 0);
    expect(Math.abs(one.regret.mean - other.regret.mean)).toBeLessThan(4 * error + 1);
  });

  it('pays nothing where all arms are equal, or there is one', async () => {
    for (const probs of [[0.5], [0.5, 0.5, 0.5], [0, 0], [1, 1]]) {
      for (const algorithm of ALGORITHMS) {
        const { regret } = await run(bernoulliBandit({ probs }), algorithm);
        expect(regret).toMatchObject({ mean: 0, standardError: 0 });
      }
    }
  });

  it('plays as many arms as there are rounds, and says what was never pulled', async () => {
    const { arms, regret } = await runExperiment({
      bandit: bernoulliBandit({ probs: [0.5, 0.25, 0] }),
      algorithm: 'ucb1',
      rounds: 2,
      trials: 1,
    });
    expect(regret).toMatchObject({ mean: 0.25, standardError: null, interval95: null });
    expect(arms.map(({ pulls }) => pulls.mean)).toEqual([1, 1, 0]);
    expect(arms[2]?.meanReward).toBe(null);
  });
});

describe('klUpperLimit', () => {
  it('is where the divergence meets its level, whatever is drawn', () => {
    const draw = createUniform(10);
    for (let i = 0; i < 2_000; i += 1) {
      const mean = i % 10 === 0 ? 0 : draw(0, 0.99);
      const level = 10 ** draw(-5, 0.3);
      const atMost = Math.min(1, mean + Math.sqrt(level / 2));
      const q = klUpperLimit(mean, { level, atMost });
      expect(q).toBeGreaterThanOrEqual(mean);
      // Either side of q: below the level, and above it.
      expect(klBernoulli({ p: mean, q: Math.max(mean, q - 1e-9) })).toBeLessThan(level);
      expect(klBernoulli({ p: mean, q: Math.min(1, q + 1e-9) })).toBeGreaterThan(level);
    }
  });
});
