/**
 * What theory says about regret, beside what a simulation measures. Bad input is refused with the
 * field named.
 */
import { checkList, checkNumber, checkSameLength } from './checks.ts';
import type { Bandit } from './environments.ts';
import { klBernoulli, klGaussian } from './information.ts';

export interface RegretParts {
  total: number;
  arms: { gap: number; pulls: number; contribution: number }[];
}

/** Pseudo-regret Σ Δᵢ·nᵢ and each arm's part of it. */
export function decomposeRegret(given: {
  gaps: readonly number[];
  pulls: readonly number[];
}): RegretParts {
  const gaps = checkList('gaps', given.gaps, { min: 0 });
  const pulls = checkList('pulls', given.pulls, { min: 0 });
  checkSameLength({ gaps, pulls });
  const arms = gaps.map((gap, index) => {
    const count = pulls[index] ?? 0;
    return { gap, pulls: count, contribution: gap * count };
  });
  return { total: arms.reduce((sum, arm) => sum + arm.contribution, 0), arms };
}

/**
 * Lai and Robbins 1985: regret of any uniformly good policy is at least Σ Δᵢ·ln T / KLᵢ as T → ∞,
 * with KLᵢ from arm i to the best arm. Asymptotic: regret at a finite T may well be below it.
 * Arms of gap 0 count nothing, an infinite KL (written `Infinity`) neither.
 */
export function laiRobbinsLowerBound(given: {
  gaps: readonly number[];
  kls: readonly number[];
  horizon: number;
}): number {
  const gaps = checkList('gaps', given.gaps, { min: 0 });
  const horizon = checkHorizon(given.horizon);
  checkSameLength({ gaps, kls: given.kls });
  return gaps.reduce((sum, gap, index) => {
    if (gap === 0) return sum;
    const kl = given.kls[index];
    if (kl === Number.POSITIVE_INFINITY) return sum;
    return sum + (gap * Math.log(horizon)) / checkNumber(`kls[${index}]`, kl, { above: 0 });
  }, 0);
}

/**
 * Auer, Cesa-Bianchi and Fischer 2002, for every T: regret of UCB1 with the bonus σ·√(8 ln t / n)
 * is at most Σ 32σ² ln T / Δᵢ + (1 + π²/3) Σ Δᵢ. σ = ½, which covers rewards in [0, 1], is the
 * textbook form: bonus √(2 ln t / n), bound Σ 8 ln T / Δᵢ + ….
 */
export function ucb1UpperBound(given: {
  gaps: readonly number[];
  horizon: number;
  sigma?: number;
}): number {
  const gaps = checkList('gaps', given.gaps, { min: 0 });
  const horizon = checkHorizon(given.horizon);
  const sigma = checkNumber('sigma', given.sigma ?? 0.5, { above: 0 });
  const constant = 1 + Math.PI ** 2 / 3;
  return gaps.reduce((sum, gap) => {
    if (gap === 0) return sum;
    return sum + (32 * sigma * sigma * Math.log(horizon)) / gap + constant * gap;
  }, 0);
}

/** UCB1's index of an arm in round t (from 1): mean + σ·√(8 ln t / pulls); σ = ½ is the textbook. */
export function ucb1Index(given: {
  mean: number;
  pulls: number;
  round: number;
  sigma?: number;
}): number {
  const mean = checkNumber('mean', given.mean);
  const pulls = checkNumber('pulls', given.pulls, { integer: true, min: 1 });
  const round = checkNumber('round', given.round, { integer: true, min: 1 });
  const sigma = checkNumber('sigma', given.sigma ?? 0.5, { above: 0 });
  return mean + sigma * Math.sqrt((8 * Math.log(round)) / pulls);
}

/** KL from each arm's reward distribution to the best arm's. */
export function klsToBest({ kind, means, gaps, sigma }: Bandit): number[] {
  const best = means[gaps.indexOf(0)] ?? 0;
  return means.map((mean) =>
    kind === 'bernoulli'
      ? klBernoulli({ p: mean, q: best })
      : klGaussian({ mu1: mean, mu2: best, sigma1: sigma }),
  );
}

/**
 * Slope of ln regret over ln horizon by least squares: near 0 for logarithmic growth, ½ for √T, 1
 * for a policy that does not learn. Null for fewer than two points above 0, or all at one horizon.
 */
export function logLogSlope(points: readonly { horizon: number; regret: number }[]): number | null {
  const usable = points.filter(({ horizon, regret }) => horizon > 0 && regret > 0);
  const xs = usable.map(({ horizon }) => Math.log(horizon));
  const ys = usable.map(({ regret }) => Math.log(regret));
  const average = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const middle = average(xs);
  const spread = xs.reduce((sum, x) => sum + (x - middle) ** 2, 0);
  if (usable.length < 2 || spread === 0) return null;
  const height = average(ys);
  const shared = xs.reduce((sum, x, index) => sum + (x - middle) * ((ys[index] ?? 0) - height), 0);
  return shared / spread;
}

function checkHorizon(horizon: number): number {
  return checkNumber('horizon', horizon, { min: 1 });
}
