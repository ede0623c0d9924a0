import { describe, expect, it } from 'vitest';
import { bernoulliBandit, gaussianBandit } from '../../../../src/tools/domains/mab/environments.ts';
import type { Algorithm } from '../../../../src/tools/domains/mab/options.ts';
import {
  type ExperimentOptions,
  runExperiment,
  sweepT,
} from '../../../../src/tools/domains/mab/runner.ts';

const bernoulli = bernoulliBandit({ probs: [0.7, 0.4, 0.2] });

/** The field that a refused experiment names. */
const refused = (options: ExperimentOptions) =>
  runExperiment(options).then(
    () => 'accepted',
    (error: { details?: { field?: string } }) => error.details?.field,
  );

describe('runExperiment: refusals and time', () => {
  const options: ExperimentOptions = { bandit: bernoulli, algorithm: 'ucb1', rounds: 10 };

  it.each([
    ['rounds', { rounds: 0 }],
    ['rounds', { rounds: 2.5 }],
    ['rounds', { rounds: Number.NaN }],
    ['rounds', { rounds: 1_000_001 }],
    ['trials', { trials: 0 }],
    ['seed', { seed: -1 }],
    ['seed', { seed: 0.5 }],
    ['checkpoints', { checkpoints: [11] }],
    ['algorithm', { algorithm: 'exp3' as Algorithm }],
    ['rounds', { rounds: 1_000_000, trials: 1_000 }],
  ])('refuses %s in %j', async (field, change) => {
    expect(await refused({ ...options, ...change })).toBe(field);
  });

  it.each([
    ['probs[1]', () => bernoulliBandit({ probs: [0.5, 1.7] })],
    ['probs', () => bernoulliBandit({ probs: [] })],
    ['means[0]', () => gaussianBandit({ means: [Number.NaN] })],
    ['std', () => gaussianBandit({ means: [0], std: 0 })],
  ])('refuses a bandit by its %s', (field, make) => {
    expect(make).toThrow(`${field}: must be`);
  });

  it('says how many pulls are allowed', async () => {
    const tooMany = { ...options, rounds: 100_000, trials: 10_000 };
    await expect(runExperiment(tooMany)).rejects.toThrow(
      '100000 rounds × 10000 trials are 1000000000 pulls; ucb1 with 3 arms can make 100000000 in one call, so lower the rounds or the trials.',
    );
  });

  it('lets others in between slices of counted work, and stops when it is told to', async () => {
    let looks = 0;
    const given = { ...options, rounds: 100_000, trials: 200, pace: async () => ++looks < 3 };
    const { trials, trialsAsked, regret } = await runExperiment(given);
    expect(looks).toBe(3);
    // Three slices of a million pulls each: thirty trials.
    expect({ trials, trialsAsked }).toEqual({ trials: 30, trialsAsked: 200 });
    const alone = await runExperiment({ ...options, rounds: 100_000, trials: 30 });
    expect(regret).toEqual(alone.regret);
  });

  it('says so when not even one trial was finished', async () => {
    const given = {
      ...options,
      rounds: 1_000_000,
      trials: 2,
      bandit: bernoulliBandit({ probs: Array.from({ length: 20 }, () => 0.5) }),
    };
    await expect(runExperiment({ ...given, pace: async () => false })).rejects.toMatchObject({
      code: 'timeout',
      message:
        'Not one trial of 1000000 rounds ended within the time of the tool; ask for fewer rounds.',
    });
  });
});

describe('sweepT', () => {
  it('reads one experiment at each horizon, as fresh ones of the same seed would come out', async () => {
    const options = {
      bandit: bernoulli,
      algorithm: 'thompson_sampling',
      trials: 10,
      seed: 3,
    } as const;
    const horizons = [1_000, 100, 400];
    const { results, logLogSlope, experiment } = await sweepT({ ...options, horizons });
    expect(results.map(({ horizon }) => horizon)).toEqual([100, 400, 1_000]);
    for (const { horizon, mean } of results) {
      const fresh = await runExperiment({ ...options, rounds: horizon });
      expect(mean).toBe(fresh.regret.mean);
    }
    expect(experiment.rounds).toBe(1_000);
    expect(logLogSlope).toBeGreaterThan(0);
    expect(logLogSlope).toBeLessThan(1);
  });

  it.each([
    ['horizons', []],
    ['horizons[1]', [10, 0]],
    ['horizons[0]', [Number.NaN]],
  ])('refuses %s', async (field, horizons) => {
    const options = { bandit: bernoulli, algorithm: 'ucb1', horizons } as const;
    await expect(sweepT(options)).rejects.toMatchObject({ details: { field } });
  });
});
