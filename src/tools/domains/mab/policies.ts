/**
 * How the next arm is chosen. A policy sees what was paid so far and, for Thompson sampling, draws
 * from the trial's stream; ties go to the lowest arm. Each form is given beside the textbook's:
 *
 * | algorithm | scaled (default) | textbook |
 * |---|---|---|
 * | ucb1 | μ̂ + σ·√(8 ln t / n) | μ̂ + √(2 ln t / n), the same for σ = ½: rewards in [0, 1] |
 * | kl_ucb, Bernoulli | largest q with n·kl(μ̂, q) ≤ ln t | the same |
 * | kl_ucb, Gaussian | μ̂ + σ·√(2 ln t / n) | the same |
 * | thompson_sampling, Bernoulli | Beta(1 + wins, 1 + losses) | the same |
 * | thompson_sampling, Gaussian | each arm once, then N(μ̂, σ²/n) | N(nμ̂/(n+1), σ²/(n+1)), prior N(0, σ²) |
 *
 * With σ ≠ ½ the textbook's UCB1 explores too little or too much, and its Gaussian Thompson prefers
 * arms near 0: adding 100 to every mean changes its regret. The scaled forms know neither fault.
 */
import type { Bandit } from './environments.ts';
import type { Algorithm, Form } from './options.ts';
import { ln, type RandomStream } from './random.ts';

/** What a trial knows of its arms; the runner keeps it up to date. */
export interface Arms {
  count: number;
  pulls: Float64Array;
  means: Float64Array;
}

export interface Policy {
  /** Whether each arm is pulled once, in order, before the first choice. */
  pullsEachArmFirst: boolean;
  choose(round: number): number;
}

interface PolicyOptions {
  bandit: Bandit;
  arms: Arms;
  random: RandomStream;
  form: Form;
  /** ln t at place t. */
  logs: Float64Array;
}

export function createPolicy(algorithm: Algorithm, options: PolicyOptions): Policy {
  const { kind } = options.bandit;
  switch (algorithm) {
    case 'ucb1':
      return { pullsEachArmFirst: true, choose: ucb1(options) };
    case 'kl_ucb':
      // For Gaussians n·(q − μ̂)²/2σ² ≤ ln t has a closed form.
      return {
        pullsEachArmFirst: true,
        choose: kind === 'bernoulli' ? klUcb(options) : widened(options, 2),
      };
    case 'thompson_sampling':
      if (kind === 'bernoulli') {
        return { pullsEachArmFirst: false, choose: betaThompson(options) };
      }
      return options.form === 'textbook'
        ? { pullsEachArmFirst: false, choose: normalThompson(options, 1) }
        : { pullsEachArmFirst: true, choose: normalThompson(options, 0) };
  }
}

function ucb1(options: PolicyOptions) {
  const { bandit, form } = options;
  const sigma = form === 'textbook' ? 0.5 : bandit.sigma;
  return widened({ ...options, bandit: { ...bandit, sigma } }, 8);
}

/** Largest μ̂ + σ·√(factor · ln t / n). */
function widened({ bandit, arms, logs }: PolicyOptions, factor: number) {
  const { pulls, means, count } = arms;
  const { sigma } = bandit;
  return (round: number) => {
    const width = factor * (logs[round] ?? 0);
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let arm = 0; arm < count; arm += 1) {
      const index = (means[arm] ?? 0) + sigma * Math.sqrt(width / (pulls[arm] ?? 1));
      if (index > most) {
        most = index;
        best = arm;
      }
    }
    return best;
  };
}

function betaThompson({ arms, random }: PolicyOptions) {
  const { pulls, means, count } = arms;
  return (_round: number) => {
    let best = 0;
    let most = -1;
    for (let arm = 0; arm < count; arm += 1) {
      const n = pulls[arm] ?? 0;
      const wins = Math.round((means[arm] ?? 0) * n);
      const draw = random.beta(1 + wins, 1 + n - wins);
      if (draw > most) {
        most = draw;
        best = arm;
      }
    }
    return best;
  };
}

/** `prior` pulls of reward 0 stand before the first real one: 1 in the textbook, 0 in ours. */
function normalThompson({ bandit, arms, random }: PolicyOptions, prior: 0 | 1) {
  const { pulls, means, count } = arms;
  const { sigma } = bandit;
  return (_round: number) => {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let arm = 0; arm < count; arm += 1) {
      const n = pulls[arm] ?? 0;
      const weight = n + prior;
      const centre = prior === 0 ? (means[arm] ?? 0) : ((means[arm] ?? 0) * n) / weight;
      const draw = centre + (sigma * random.normal()) / Math.sqrt(weight);
      if (draw > most) {
        most = draw;
        best = arm;
      }
    }
    return best;
  };
}

function klUcb({ arms, logs }: PolicyOptions) {
  const { pulls, means, count } = arms;
  return (round: number) => {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let arm = 0; arm < count; arm += 1) {
      const mean = means[arm] ?? 0;
      const level = (logs[round] ?? 0) / (pulls[arm] ?? 1);
      // Pinsker: the index is at most this, so most arms need no root finding.
      const atMost = Math.min(1, mean + Math.sqrt(level / 2));
      if (atMost <= most) continue;
      const index = klUpperLimit(mean, { level, atMost });
      if (index > most) {
        most = index;
        best = arm;
      }
    }
    return best;
  };
}

const KL_STEPS = 60;
const KL_TOLERANCE = 1e-10;

/** The largest q from `mean` to `atMost` with kl(mean, q) ≤ level: Newton, kept within a bracket. */
export function klUpperLimit(
  mean: number,
  { level, atMost }: { level: number; atMost: number },
): number {
  if (mean >= 1 || level <= 0) return mean;
  const entropy = mean > 0 ? mean * ln(mean) + (1 - mean) * ln(1 - mean) : 0;
  let low = mean;
  let high = atMost;
  let q = atMost < 1 ? atMost : (mean + 1) / 2;
  for (let step = 0; step < KL_STEPS && high - low > KL_TOLERANCE; step += 1) {
    const excess = entropy - (mean > 0 ? mean * ln(q) : 0) - (1 - mean) * ln(1 - q) - level;
    if (excess > 0) high = q;
    else low = q;
    const next = q - (excess * q * (1 - q)) / (q - mean);
    if (Math.abs(next - q) < KL_TOLERANCE) return next;
    q = next > low && next < high ? next : (low + high) / 2;
  }
  return low;
}
