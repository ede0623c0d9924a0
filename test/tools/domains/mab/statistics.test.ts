import { describe, expect, it } from 'vitest';
import { createSample, studentQuantile } from '../../../../src/tools/domains/mab/statistics.ts';
import { expectClose } from './helpers.ts';

describe('createSample', () => {
  it('gives mean, deviation over n − 1, standard error and Student’s interval', () => {
    const sample = createSample();
    for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) sample.add(value);
    const { mean, std, standardError, interval95 } = sample.summary();
    expect(mean).toBe(5);
    expectClose(std ?? 0, Math.sqrt(32 / 7));
    expectClose(standardError ?? 0, Math.sqrt(32 / 7 / 8));
    // t with 7 degrees of freedom: 2.364624.
    expectClose(interval95?.[1] ?? 0, 5 + 2.364624 * Math.sqrt(32 / 56), 1e-4);
    expectClose(5 - (interval95?.[0] ?? 0), (interval95?.[1] ?? 0) - 5);
  });

  it('knows no spread of a single value', () => {
    const sample = createSample();
    sample.add(3);
    expect(sample.summary()).toEqual({ mean: 3, std: null, standardError: null, interval95: null });
  });

  it('does not lose small spreads beside a large mean', () => {
    const sample = createSample();
    for (const value of [1e9 + 1, 1e9 + 2, 1e9 + 3]) sample.add(value);
    expect(sample.summary().std).toBe(1);
  });
});

describe('studentQuantile', () => {
  it.each([
    [1, 12.7062],
    [2, 4.302653],
    [5, 2.570582],
    [6, 2.446912],
    [9, 2.262157],
    [19, 2.093024],
    [49, 2.009575],
    [199, 1.971957],
    [100_000, 1.959988],
  ])('is the tables’ value for %s degrees of freedom', (degrees, expected) => {
    expectClose(studentQuantile(degrees), expected, 1e-4);
  });

  it('falls as the sample grows', () => {
    for (let degrees = 1; degrees < 200; degrees += 1) {
      expect(studentQuantile(degrees + 1)).toBeLessThan(studentQuantile(degrees));
    }
  });
});
