/** Divergences and Fano's inequality, in nats. Bad input is refused with the field named. */
import { checkNumber } from './checks.ts';

/**
 * KL(Bernoulli(p) ‖ Bernoulli(q)), 0·ln 0 = 0. Truly infinite where q rules out what p allows:
 * q = 0 < p and q = 1 > p.
 */
export function klBernoulli({ p, q }: { p: number; q: number }): number {
  checkNumber('p', p, { min: 0, max: 1 });
  checkNumber('q', q, { min: 0, max: 1 });
  // p ln(p/q) alone keeps its sign under rounding; the sum must not fall below 0.
  return Math.max(0, term(p, q) + term(1 - p, 1 - q));
}

function term(a: number, b: number): number {
  if (a === 0) return 0;
  return b === 0 ? Number.POSITIVE_INFINITY : a * Math.log(a / b);
}

/** KL(N(mu1, sigma1²) ‖ N(mu2, sigma2²)); `sigma2` left out equals `sigma1`. */
export function klGaussian(given: {
  mu1: number;
  mu2: number;
  sigma1: number;
  sigma2?: number;
}): number {
  const difference = checkNumber('mu1', given.mu1) - checkNumber('mu2', given.mu2);
  const sigma1 = checkNumber('sigma1', given.sigma1, { above: 0 });
  const sigma2 = checkNumber('sigma2', given.sigma2 ?? sigma1, { above: 0 });
  const ratio = sigma1 / sigma2;
  const scaled = difference / sigma2;
  return Math.max(0, (ratio * ratio - 1) / 2 - Math.log(ratio) + (scaled * scaled) / 2);
}

/**
 * Fano: no test among `hypotheses` equally likely ones errs with smaller probability, when the
 * data carry at most `informationNats` about which one holds: 1 − (I + ln 2)/ln M, at least 0.
 */
export function fanoLowerBound(given: { hypotheses: number; informationNats: number }): number {
  const hypotheses = checkNumber('hypotheses', given.hypotheses, { integer: true, min: 1 });
  const information = checkNumber('informationNats', given.informationNats, { min: 0 });
  if (hypotheses === 1) return 0;
  return Math.max(0, 1 - (information + Math.LN2) / Math.log(hypotheses));
}
