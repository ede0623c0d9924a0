import { describe, expect, it } from 'vitest';
import {
  fanoLowerBound,
  klBernoulli,
  klGaussian,
} from '../../../../src/tools/domains/mab/information.ts';
import { createUniform, expectClose, refusedField } from './helpers.ts';

describe('klBernoulli', () => {
  it.each([
    [0.3, 0.5, 0.0822828785050518],
    [0.5, 0.3, 0.0871766935723889],
    [0.1, 0.9, 1.75777966186898],
    [0.4, 0.7, 0.192041993161798],
    [0.2, 0.7, 0.534110808710307],
    [0.45, 0.5, 0.00500836684635689],
  ])('gives the reference value of (%s, %s)', (p, q, expected) => {
    expectClose(klBernoulli({ p, q }), expected);
  });

  it.each([
    [0.3, 0, Number.POSITIVE_INFINITY],
    [0.3, 1, Number.POSITIVE_INFINITY],
    [1, 0, Number.POSITIVE_INFINITY],
    [0, 1, Number.POSITIVE_INFINITY],
    [0, 0, 0],
    [1, 1, 0],
    [0, 0.5, Math.LN2],
    [1, 0.5, Math.LN2],
  ])('is exact at the ends: (%s, %s) → %s', (p, q, expected) => {
    expect(klBernoulli({ p, q })).toBe(expected);
  });

  it('does not change when 0 and 1 change places, is 0 only for p = q, and obeys Pinsker', () => {
    const draw = createUniform(3);
    for (let i = 0; i < 2_000; i += 1) {
      const [p, q] = [draw(0, 1), draw(0.001, 0.999)];
      const value = klBernoulli({ p, q });
      expect(Math.abs(value - klBernoulli({ p: 1 - p, q: 1 - q }))).toBeLessThan(1e-12);
      expect(value).toBeGreaterThanOrEqual(2 * (p - q) ** 2 - 1e-12);
      expect(klBernoulli({ p: q, q })).toBe(0);
    }
  });

  it('grows as q moves away from p', () => {
    const draw = createUniform(4);
    for (let i = 0; i < 500; i += 1) {
      const p = draw(0.01, 0.8);
      const q = draw(p, 0.95);
      expect(klBernoulli({ p, q: q + 0.01 })).toBeGreaterThan(klBernoulli({ p, q }));
    }
  });

  it.each([
    ['p', { p: 1.7, q: 0.5 }],
    ['p', { p: -0.1, q: 0.5 }],
    ['p', { p: Number.NaN, q: 0.5 }],
    ['q', { p: 0.5, q: 1.0001 }],
    ['q', { p: 0.5, q: Number.NaN }],
  ])('refuses a wrong %s in %j by name', (field, given) => {
    expect(refusedField(() => klBernoulli(given))).toBe(field);
  });
});

describe('klGaussian', () => {
  it.each([
    [{ mu1: 0, mu2: -0.5, sigma1: 1 }, 0.125],
    [{ mu1: 0, mu2: 0.5, sigma1: 2 }, 0.03125],
    [{ mu1: 1, mu2: 1, sigma1: 1, sigma2: 2 }, Math.LN2 + 1 / 8 - 1 / 2],
    [{ mu1: 0, mu2: 3, sigma1: 2, sigma2: 1 }, -Math.LN2 + 13 / 2 - 1 / 2],
  ])('gives the value of %j', (given, expected) => {
    expectClose(klGaussian(given), expected);
  });

  it('depends on the difference of the means and on ratios alone', () => {
    const draw = createUniform(5);
    for (let i = 0; i < 500; i += 1) {
      const given = {
        mu1: draw(-5, 5),
        mu2: draw(-5, 5),
        sigma1: draw(0.1, 3),
        sigma2: draw(0.1, 3),
      };
      const value = klGaussian(given);
      const { mu1, mu2, sigma1, sigma2 } = given;
      expectClose(klGaussian({ ...given, mu1: mu2, mu2: mu1 }), value, 1e-9);
      expectClose(klGaussian({ ...given, mu1: mu1 + 8, mu2: mu2 + 8 }), value, 1e-9);
      const scaled = { mu1: 4 * mu1, mu2: 4 * mu2, sigma1: 4 * sigma1, sigma2: 4 * sigma2 };
      expectClose(klGaussian(scaled), value, 1e-9);
    }
  });

  it.each([
    ['mu1', { mu1: Number.NaN, mu2: 0, sigma1: 1 }],
    ['mu2', { mu1: 0, mu2: Number.POSITIVE_INFINITY, sigma1: 1 }],
    ['sigma1', { mu1: 0, mu2: 0, sigma1: 0 }],
    ['sigma2', { mu1: 0, mu2: 0, sigma1: 1, sigma2: -1 }],
  ])('refuses a wrong %s by name', (field, given) => {
    expect(refusedField(() => klGaussian(given))).toBe(field);
  });
});

describe('fanoLowerBound', () => {
  it.each([
    [4, 0.1, 0.427865247955552],
    [16, 0.5, 0.56966311988888],
    [2, 0, 0],
    [16, 5, 0],
    [1, 0, 0],
  ])('gives the reference value of %s hypotheses and %s nats', (hypotheses, nats, expected) => {
    expectClose(fanoLowerBound({ hypotheses, informationNats: nats }), expected);
  });

  it('rises with the hypotheses, falls with the information, and stays a probability', () => {
    const draw = createUniform(6);
    for (let i = 0; i < 500; i += 1) {
      const hypotheses = 2 + Math.floor(draw(0, 1000));
      const informationNats = draw(0, 8);
      const value = fanoLowerBound({ hypotheses, informationNats });
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
      const more = fanoLowerBound({ hypotheses: hypotheses + 1, informationNats });
      expect(more).toBeGreaterThanOrEqual(value);
      const told = fanoLowerBound({ hypotheses, informationNats: informationNats + 0.1 });
      expect(told).toBeLessThanOrEqual(value);
    }
  });

  it.each([
    ['hypotheses', { hypotheses: 0, informationNats: 1 }],
    ['hypotheses', { hypotheses: 2.5, informationNats: 1 }],
    ['informationNats', { hypotheses: 4, informationNats: -0.1 }],
    ['informationNats', { hypotheses: 4, informationNats: Number.NaN }],
  ])('refuses a wrong %s in %j by name', (field, given) => {
    expect(refusedField(() => fanoLowerBound(given))).toBe(field);
  });
});
