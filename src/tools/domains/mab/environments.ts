/**
 * The two bandits that can be simulated. A bandit is plain data: what an arm pays is drawn by the
 * runner from the trial's own stream.
 */
import { checkList, checkNumber } from './checks.ts';
import type { Distribution } from './options.ts';

export interface Bandit {
  kind: Distribution;
  /** Expected reward of each arm. */
  means: readonly number[];
  /** How far each arm's mean is below the best one; 0 for the best. */
  gaps: readonly number[];
  /** Standard deviation of a Gaussian reward; null for Bernoulli arms, whose mean decides it. */
  std: number | null;
  /**
   * Rewards are sub-Gaussian with this σ: the standard deviation of a Gaussian, ½ for anything
   * within [0, 1] (Hoeffding's lemma).
   */
  sigma: number;
}

/** Means beyond this lose to rounding what their gaps are made of. */
const MAX_MAGNITUDE = 1e9;

/** Rewards N(means[arm], std²). Throws invalid_input naming `means` or `std`. */
export function gaussianBandit({ means, std = 1 }: { means: readonly number[]; std?: number }) {
  checkList('means', means, { min: -MAX_MAGNITUDE, max: MAX_MAGNITUDE });
  checkNumber('std', std, { above: 0, max: MAX_MAGNITUDE });
  return bandit({ kind: 'gaussian', means, std, sigma: std });
}

/** Rewards 1 with probability probs[arm], else 0. Throws invalid_input naming `probs`. */
export function bernoulliBandit({ probs }: { probs: readonly number[] }) {
  checkList('probs', probs, { min: 0, max: 1 });
  return bandit({ kind: 'bernoulli', means: probs, std: null, sigma: 0.5 });
}

function bandit(parts: Omit<Bandit, 'gaps'>): Bandit {
  const best = parts.means.reduce((most, mean) => Math.max(most, mean), Number.NEGATIVE_INFINITY);
  return Object.freeze({ ...parts, gaps: parts.means.map((mean) => best - mean) });
}
