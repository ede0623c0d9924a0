/** One trial of an experiment: arms pulled round after round, in as many pieces as the caller likes. */
import type { Bandit } from './environments.ts';
import type { Algorithm, Form } from './options.ts';
import { type Arms, createPolicy } from './policies.ts';
import { ln, type RandomStream } from './random.ts';

export interface Trial {
  /** Rounds played so far. */
  round(): number;
  /** Plays on to this round. */
  playTo(round: number): void;
  arms: Arms;
  /** Regret at each checkpoint that was passed. */
  regrets: Float64Array;
}

export interface TrialOptions {
  bandit: Bandit;
  algorithm: Algorithm;
  form: Form;
  /** Ascending. */
  checkpoints: readonly number[];
  /** From `logTable`, at least as long as the trial. */
  logs: Float64Array;
}

export function createTrial(options: TrialOptions, random: RandomStream): Trial {
  const { bandit, checkpoints } = options;
  const count = bandit.means.length;
  const arms = { count, pulls: new Float64Array(count), means: new Float64Array(count) };
  const policy = createPolicy(options.algorithm, { ...options, arms, random });
  const draw = createDraw(bandit, random);
  const regrets = new Float64Array(checkpoints.length);
  let passed = 0;
  let played = 0;

  function playTo(until: number): void {
    const { pulls, means } = arms;
    for (let round = played + 1; round <= until; round += 1) {
      const arm = policy.pullsEachArmFirst && round <= count ? round - 1 : policy.choose(round);
      const pullsNow = (pulls[arm] ?? 0) + 1;
      pulls[arm] = pullsNow;
      const mean = means[arm] ?? 0;
      means[arm] = mean + (draw(arm) - mean) / pullsNow;
      if (round === checkpoints[passed]) {
        // From the counts, not added up pull by pull: no rounding gathers in a million sums.
        regrets[passed] = bandit.gaps.reduce((sum, gap, i) => sum + gap * (pulls[i] ?? 0), 0);
        passed += 1;
      }
    }
    played = Math.max(played, until);
  }
  return { round: () => played, playTo, arms, regrets };
}

function createDraw(bandit: Bandit, random: RandomStream): (arm: number) => number {
  const { std } = bandit;
  if (std === null) {
    // A probability is met to 2⁻³², which no experiment of this size can tell.
    const thresholds = Float64Array.from(bandit.means, (mean) => mean * 2 ** 32);
    return (arm) => (random.word() < (thresholds[arm] ?? 0) ? 1 : 0);
  }
  const means = Float64Array.from(bandit.means);
  return (arm) => (means[arm] ?? 0) + std * random.normal();
}

/** ln t at place t, for every trial of an experiment. */
export function logTable(rounds: number): Float64Array {
  const logs = new Float64Array(rounds + 1);
  for (let round = 1; round <= rounds; round += 1) logs[round] = ln(round);
  return logs;
}
