import { describe, expect, it } from 'vitest';
import {
  bernsteinBound,
  empiricalBernsteinBound,
  hoeffdingBound,
  subgaussianBound,
} from '../../../../src/tools/domains/mab/concentration.ts';
import { createUniform, expectClose, refusedField } from './helpers.ts';

const LN_40 = Math.log(40);

describe('hoeffdingBound', () => {
  it.each([
    [{ n: 100, range: 1, delta: 0.05 }, 0.135810151574062],
    [{ n: 1000, range: 1, delta: 0.05 }, 0.0429469408346738],
    [{ n: 100, range: 2, delta: 0.05 }, 0.271620303148124],
    [{ n: 100, range: 1, delta: 0.01 }, 0.162762363071873],
  ])('gives the reference value of %j', (given, expected) => {
    expectClose(hoeffdingBound(given), expected);
  });
});

describe('bernsteinBound', () => {
  it('inverts the inequality exactly, below the usual sum', () => {
    const exact = bernsteinBound({ n: 100, variance: 0.01, range: 1, delta: 0.05 });
    expectClose(exact, 0.0421119322051905);
    const sum = Math.sqrt((2 * 0.01 * LN_40) / 100) + (2 * LN_40) / 300;
    expectClose(sum, 0.0517545600089053);
    // The inequality it inverts: 2·exp(−nε²/(2v + 2bε/3)) = δ.
    expectClose(2 * Math.exp((-100 * exact ** 2) / (0.02 + (2 * exact) / 3)), 0.05);
  });

  it('is below the usual sum whatever is drawn', () => {
    const draw = createUniform(1);
    for (let i = 0; i < 500; i += 1) {
      const n = Math.ceil(draw(0, 10_000));
      const [range, delta] = [draw(0.01, 100), draw(0.001, 0.999)];
      const variance = draw(0, range ** 2);
      const logTerm = Math.log(2 / delta);
      const sum = Math.sqrt((2 * variance * logTerm) / n) + (2 * range * logTerm) / (3 * n);
      expect(bernsteinBound({ n, variance, range, delta })).toBeLessThan(sum);
    }
  });
});

describe('empiricalBernsteinBound', () => {
  it('is √(2VL/n) + 7L/(3(n − 1)) with L = ln(2/δ)', () => {
    const expected = Math.sqrt((2 * 0.2 * LN_40) / 50) + (7 * LN_40) / 147;
    expectClose(empiricalBernsteinBound({ n: 50, variance: 0.2, delta: 0.05 }), expected);
  });

  it('takes the largest variance that values in [0, 1] can have, and none above', () => {
    // One 0 and one 1: unbiased variance ½.
    expect(empiricalBernsteinBound({ n: 2, variance: 0.5, delta: 0.5 })).toBeGreaterThan(0);
    const above = () => empiricalBernsteinBound({ n: 2, variance: 0.51, delta: 0.5 });
    expect(refusedField(above)).toBe('variance');
  });
});

describe('subgaussianBound', () => {
  it('equals Hoeffding on [0, 1] for σ = ½', () => {
    for (const n of [1, 7, 100, 12_345]) {
      const hoeffding = hoeffdingBound({ n, range: 1, delta: 0.05 });
      expectClose(subgaussianBound({ n, sigma: 0.5, delta: 0.05 }), hoeffding);
    }
  });
});

const BOUNDS = {
  hoeffdingBound: (n: number, delta: number) => hoeffdingBound({ n, range: 1, delta }),
  bernsteinBound: (n: number, delta: number) =>
    bernsteinBound({ n, variance: 0.1, range: 1, delta }),
  empiricalBernsteinBound: (n: number, delta: number) =>
    empiricalBernsteinBound({ n, variance: 0.1, delta }),
  subgaussianBound: (n: number, delta: number) => subgaussianBound({ n, sigma: 2, delta }),
};

describe.each(Object.entries(BOUNDS))('%s', (_name, bound) => {
  it('falls with n and rises as δ falls', () => {
    const draw = createUniform(2);
    for (let i = 0; i < 200; i += 1) {
      const n = 2 + Math.floor(draw(0, 1000));
      const delta = draw(0.001, 0.9);
      expect(bound(n + 1, delta)).toBeLessThan(bound(n, delta));
      expect(bound(n, delta * 0.9)).toBeGreaterThan(bound(n, delta));
    }
  });

  it.each([
    [0, 0.05, 'n'],
    [-3, 0.05, 'n'],
    [2.5, 0.05, 'n'],
    [Number.NaN, 0.05, 'n'],
    [Number.POSITIVE_INFINITY, 0.05, 'n'],
    [10, 0, 'delta'],
    [10, 1, 'delta'],
    [10, 1.5, 'delta'],
    [10, Number.NaN, 'delta'],
  ])('refuses n = %s, δ = %s and names %s', (n, delta, field) => {
    expect(refusedField(() => bound(n, delta))).toBe(field);
  });
});

describe('the other fields of a bound', () => {
  it.each([
    ['range', () => hoeffdingBound({ n: 1, range: 0, delta: 0.1 })],
    ['range', () => bernsteinBound({ n: 1, variance: 0, range: Number.NaN, delta: 0.1 })],
    ['variance', () => bernsteinBound({ n: 1, variance: -1, range: 1, delta: 0.1 })],
    ['variance', () => bernsteinBound({ n: 1, variance: 1.1, range: 1, delta: 0.1 })],
    ['n', () => empiricalBernsteinBound({ n: 1, variance: 0, delta: 0.1 })],
    ['sigma', () => subgaussianBound({ n: 1, sigma: 0, delta: 0.1 })],
  ])('refuses a wrong %s by name', (field, run) => {
    expect(refusedField(run)).toBe(field);
  });

  it('scales with range, variance and σ', () => {
    const given = { n: 30, delta: 0.1 };
    const once = bernsteinBound({ ...given, range: 1, variance: 0.2 });
    expectClose(bernsteinBound({ ...given, range: 3, variance: 1.8 }), 3 * once);
    const half = subgaussianBound({ ...given, sigma: 1 });
    expectClose(subgaussianBound({ ...given, sigma: 2 }), 2 * half);
  });
});
