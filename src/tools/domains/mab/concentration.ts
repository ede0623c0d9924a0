/**
 * How far a sample mean may be from its expectation: radius ε with P(|X̄ − μ| ≥ ε) ≤ δ for n
 * independent values. L = ln(2/δ) throughout. Bad input is refused with the field named.
 */
import { checkNumber } from './checks.ts';

const log2OverDelta = (delta: number) =>
  Math.log(2 / checkNumber('delta', delta, { above: 0, below: 1 }));
const checkCount = (n: number, min = 1) => checkNumber('n', n, { integer: true, min });

/**
 * Hoeffding, two-sided: range·√(L/2n). `range` is the width b − a of the interval [a, b] that
 * holds every value.
 */
export function hoeffdingBound(given: { n: number; range: number; delta: number }): number {
  const n = checkCount(given.n);
  const range = checkNumber('range', given.range, { above: 0 });
  return range * Math.sqrt(log2OverDelta(given.delta) / (2 * n));
}

/**
 * Bernstein, two-sided, from the true variance v: bL/3n + √((bL/3n)² + 2vL/n), where `range` = b
 * bounds |X − μ|. This solves Bernstein's inequality exactly; the usual √(2vL/n) + 2bL/3n is looser.
 */
export function bernsteinBound(given: {
  n: number;
  variance: number;
  range: number;
  delta: number;
}): number {
  const n = checkCount(given.n);
  const range = checkNumber('range', given.range, { above: 0 });
  // |X − μ| ≤ b leaves no room for a larger one.
  const variance = checkNumber('variance', given.variance, { min: 0, max: range * range });
  const logTerm = log2OverDelta(given.delta);
  const linear = (range * logTerm) / (3 * n);
  return linear + Math.sqrt(linear * linear + (2 * variance * logTerm) / n);
}

/**
 * Maurer and Pontil 2009, one-sided, for values in [0, 1]: √(2V̂L/n) + 7L/(3(n − 1)), where
 * `variance` = V̂ is the unbiased sample variance (divided by n − 1).
 */
export function empiricalBernsteinBound(given: {
  n: number;
  variance: number;
  delta: number;
}): number {
  const n = checkCount(given.n, 2);
  // Half the values 0 and half 1 vary most: n/4(n − 1); rounding of the caller's sums is forgiven.
  const most = (n / (4 * (n - 1))) * (1 + 1e-9);
  const variance = checkNumber('variance', given.variance, { min: 0, max: most });
  const logTerm = log2OverDelta(given.delta);
  return Math.sqrt((2 * variance * logTerm) / n) + (7 * logTerm) / (3 * (n - 1));
}

/** For σ-sub-Gaussian values, two-sided: σ·√(2L/n). σ = ½ equals Hoeffding on [0, 1]. */
export function subgaussianBound(given: { n: number; sigma: number; delta: number }): number {
  const n = checkCount(given.n);
  const sigma = checkNumber('sigma', given.sigma, { above: 0 });
  return sigma * Math.sqrt((2 * log2OverDelta(given.delta)) / n);
}
