/**
 * Words and limits of an experiment, apart from the code that plays it: a tool's schema needs them
 * when the Worker starts, the rest is loaded with the first call.
 */
export const ALGORITHMS = ['ucb1', 'thompson_sampling', 'kl_ucb'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export const DISTRIBUTIONS = ['bernoulli', 'gaussian'] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

/** See policies.ts. */
export const FORMS = ['scaled', 'textbook'] as const;
export type Form = (typeof FORMS)[number];

export const MAX_ARMS = 100;
export const MAX_ROUNDS = 1_000_000;
export const MAX_TRIALS = 10_000;
/** Units of work of one experiment; a unit is 10 to 20 ns, so this is 5 to 10 s. */
export const MAX_WORK = 500_000_000;
export const DEFAULT_ROUNDS = 10_000;
export const DEFAULT_TRIALS = 20;

/** Units of one pull, measured: what a choice costs grows with the arms and the algorithm. */
export function workOfPull(given: {
  algorithm: Algorithm;
  distribution: Distribution;
  arms: number;
}): number {
  const isBernoulli = given.distribution === 'bernoulli';
  const each: Record<Algorithm, number> = {
    ucb1: 1,
    kl_ucb: isBernoulli ? 50 : 1,
    thompson_sampling: isBernoulli ? 16 : 6,
  };
  return 2 + given.arms * each[given.algorithm];
}
