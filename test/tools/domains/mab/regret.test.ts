import { describe, expect, it } from 'vitest';
import { bernoulliBandit, gaussianBandit } from '../../../../src/tools/domains/mab/environments.ts';
import {
  decomposeRegret,
  klsToBest,
  laiRobbinsLowerBound,
  logLogSlope,
  ucb1Index,
  ucb1UpperBound,
} from '../../../../src/tools/domains/mab/regret.ts';
import { createUniform, expectClose, refusedField } from './helpers.ts';

describe('decomposeRegret', () => {
  it('adds gap × pulls over the arms', () => {
    const parts = decomposeRegret({ gaps: [0, 0.3, 0.5], pulls: [900, 70, 30] });
    expectClose(parts.total, 36);
    expect(parts.arms).toEqual([
      { gap: 0, pulls: 900, contribution: 0 },
      { gap: 0.3, pulls: 70, contribution: 21 },
      { gap: 0.5, pulls: 30, contribution: 15 },
    ]);
  });

  it.each([
    ['pulls', { gaps: [0, 1], pulls: [1] }],
    ['pulls', { gaps: [0], pulls: [1, 2] }],
    ['pulls[1]', { gaps: [0, 1], pulls: [1, -2] }],
    ['gaps[1]', { gaps: [0, Number.NaN], pulls: [1, 2] }],
    ['gaps', { gaps: [], pulls: [] }],
  ])('refuses %s in %j', (field, given) => {
    expect(refusedField(() => decomposeRegret(given))).toBe(field);
  });
});

const ARMS = {
  'Bernoulli .7 .4 .2': bernoulliBandit({ probs: [0.7, 0.4, 0.2] }),
  'Bernoulli .5 .45': bernoulliBandit({ probs: [0.5, 0.45] }),
  'Bernoulli .9 .8 .8': bernoulliBandit({ probs: [0.9, 0.8, 0.8] }),
  'Gaussian σ=1': gaussianBandit({ means: [0, -0.5, -1] }),
  'Gaussian σ=.5': gaussianBandit({ means: [0, -0.5, -1], std: 0.5 }),
};

describe('laiRobbinsLowerBound', () => {
  it.each([
    ['Bernoulli .7 .4 .2', 2.498293667, 17.25760127, 23.01013502],
    ['Bernoulli .5 .45', 9.983294262, 68.96215364, 91.94953819],
    ['Bernoulli .9 .8 .8', 4.504199397, 31.11390716, 41.48520955],
    ['Gaussian σ=1', 6, 41.44653167, 55.26204223],
    ['Gaussian σ=.5', 1.5, 10.36163292, 13.81551056],
  ] as const)('has the factor Δ, for %s', (name, constant, atThousand, atTenThousand) => {
    const bandit = ARMS[name];
    const bound = (horizon: number) =>
      laiRobbinsLowerBound({ gaps: bandit.gaps, kls: klsToBest(bandit), horizon });
    // The expected values are printed with ten digits, of which the last is rounded.
    expectClose(bound(Math.E), constant);
    expectClose(bound(1_000), atThousand);
    expectClose(bound(10_000), atTenThousand);
    expect(bound(1)).toBe(0);
  });

  it('counts nothing for arms of gap 0 and for arms told apart at once', () => {
    const given = { gaps: [0, 0.5, 0.5], kls: [0, Number.POSITIVE_INFINITY, 0.25], horizon: 100 };
    expectClose(laiRobbinsLowerBound(given), 2 * Math.log(100));
  });

  it('is Σ 2σ² ln T/Δ for Gaussian arms, whatever is drawn', () => {
    const draw = createUniform(7);
    for (let i = 0; i < 200; i += 1) {
      const std = draw(0.1, 3);
      const { gaps, ...rest } = gaussianBandit({
        means: [draw(0, 1), draw(2, 3), draw(0, 1)],
        std,
      });
      const kls = klsToBest({ gaps, ...rest });
      const expected = gaps
        .filter((gap) => gap > 0)
        .reduce((sum, gap) => sum + (2 * std ** 2 * Math.log(500)) / gap, 0);
      expectClose(laiRobbinsLowerBound({ gaps, kls, horizon: 500 }), expected);
    }
  });

  it.each([
    ['horizon', { gaps: [0, 1], kls: [0, 1], horizon: 0 }],
    ['horizon', { gaps: [0, 1], kls: [0, 1], horizon: Number.NaN }],
    ['kls', { gaps: [0, 1], kls: [0], horizon: 10 }],
    ['kls[1]', { gaps: [0, 1], kls: [0, 0], horizon: 10 }],
    ['kls[1]', { gaps: [0, 1], kls: [0, Number.NaN], horizon: 10 }],
    ['gaps[0]', { gaps: [-1, 1], kls: [0, 1], horizon: 10 }],
  ])('refuses %s in %j', (field, given) => {
    expect(refusedField(() => laiRobbinsLowerBound(given))).toBe(field);
  });
});

describe('ucb1UpperBound', () => {
  it.each([
    [[0.3, 0.5], 1_000, 298.1627864],
    [[0.3, 0.5], 10_000, 396.406417],
    [[0.5, 1], 1_000, 172.2209289],
    [[0.5, 1], 10_000, 227.4829711],
  ])('gives the reference value of gaps %j at T = %s', (gaps, horizon, expected) => {
    expectClose(ucb1UpperBound({ gaps, horizon }), expected);
  });

  it('scales as rewards do: means and σ times c give c times the regret', () => {
    const once = ucb1UpperBound({ gaps: [0.3, 0.5], horizon: 1_000 });
    expectClose(ucb1UpperBound({ gaps: [1.2, 2], horizon: 1_000, sigma: 2 }), 4 * once);
  });

  it('rises with the horizon and with σ, and ignores best arms', () => {
    const draw = createUniform(8);
    for (let i = 0; i < 200; i += 1) {
      const given = { gaps: [draw(0.01, 1), draw(0.01, 1)], horizon: draw(2, 1e6) };
      const bound = ucb1UpperBound(given);
      expect(ucb1UpperBound({ ...given, horizon: given.horizon + 1 })).toBeGreaterThan(bound);
      expect(ucb1UpperBound({ ...given, sigma: 0.6 })).toBeGreaterThan(bound);
      expect(ucb1UpperBound({ ...given, gaps: [0, ...given.gaps] })).toBe(bound);
    }
  });

  it.each([
    ['gaps', { gaps: [], horizon: 10 }],
    ['horizon', { gaps: [1], horizon: 0.5 }],
    ['horizon', { gaps: [1], horizon: Number.POSITIVE_INFINITY }],
    ['sigma', { gaps: [1], horizon: 10, sigma: 0 }],
  ])('refuses a wrong %s by name', (field, given) => {
    expect(refusedField(() => ucb1UpperBound(given))).toBe(field);
  });
});

describe('ucb1Index', () => {
  it.each([
    [0.5, 10, 100, 1.45970518243762],
    [0.6, 40, 100, 1.07985259121881],
    [0.7, 500, 1000, 0.866225813626911],
  ])('gives the reference value of mean %s, n %s, t %s', (mean, pulls, round, expected) => {
    expectClose(ucb1Index({ mean, pulls, round }), expected);
  });

  it('refuses an arm that was never pulled', () => {
    expect(refusedField(() => ucb1Index({ mean: 0, pulls: 0, round: 1 }))).toBe('pulls');
  });
});

describe('logLogSlope', () => {
  it('is ½ for √T and 1 for linear growth', () => {
    const points = (regret: (t: number) => number) =>
      [100, 1_000, 10_000].map((horizon) => ({ horizon, regret: regret(horizon) }));
    expectClose(
      logLogSlope([
        { horizon: 100, regret: 10 },
        { horizon: 1e4, regret: 100 },
      ]) ?? 0,
      0.5,
    );
    expectClose(logLogSlope(points((t) => 0.3 * t)) ?? 0, 1);
    expect(logLogSlope(points(Math.log))).toBeLessThan(0.2);
  });

  it('is null without two points above 0 at different horizons', () => {
    expect(logLogSlope([])).toBe(null);
    expect(
      logLogSlope([
        { horizon: 10, regret: 0 },
        { horizon: 100, regret: 5 },
      ]),
    ).toBe(null);
    expect(
      logLogSlope([
        { horizon: 10, regret: 1 },
        { horizon: 10, regret: 5 },
      ]),
    ).toBe(null);
  });
});
