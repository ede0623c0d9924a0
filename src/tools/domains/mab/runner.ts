/**
 * Plays a bandit over many trials and sums up its pseudo-regret Σ Δ of the arms pulled, which is
 * never negative. Work is counted, never timed: a Worker's clock stands still while it computes, so
 * after each slice the caller's `pace` may look at the clock, pause, or stop the rest.
 */
import { StrideError } from '../../../errors.ts';
import { checkList, checkNumber, refusal } from './checks.ts';
import type { Bandit } from './environments.ts';
import {
  ALGORITHMS,
  type Algorithm,
  DEFAULT_TRIALS,
  type Form,
  MAX_ARMS,
  MAX_ROUNDS,
  MAX_TRIALS,
  MAX_WORK,
  workOfPull,
} from './options.ts';
import { createStreams } from './random.ts';
import { logLogSlope } from './regret.ts';
import { createSample, type Summary } from './statistics.ts';
import { createTrial, logTable, type Trial, type TrialOptions } from './trial.ts';

/** About 50 ms between two looks at the clock, far below what a lease or a reader waits for. */
const SLICE_WORK = 5_000_000;

export interface ExperimentOptions {
  bandit: Bandit;
  algorithm: Algorithm;
  /** Pulls of one trial. */
  rounds: number;
  /** DEFAULT_TRIALS when left out. */
  trials?: number;
  /** Whole number from 0 (the default); the same one gives the same numbers everywhere. */
  seed?: number;
  /** `scaled` when left out; see policies.ts. */
  form?: Form;
  /** Rounds at which the curve is read beside the last one. */
  checkpoints?: readonly number[];
  /** Called between slices; false ends the experiment with the trials that are done. */
  pace?: () => Promise<boolean>;
}

export interface CurvePoint extends Summary {
  round: number;
}

export interface ArmResult {
  mean: number;
  gap: number;
  pulls: Summary;
  /** Over all pulls of all trials; null for an arm that was never pulled. */
  meanReward: number | null;
}

export interface Experiment {
  bandit: Bandit;
  algorithm: Algorithm;
  form: Form;
  rounds: number;
  seed: number;
  trialsAsked: number;
  /** Trials played to their end: fewer than asked when `pace` stopped the rest. */
  trials: number;
  /** Regret at `rounds`. */
  regret: Summary;
  /** Ascending; the last point is `rounds`. */
  curve: CurvePoint[];
  arms: ArmResult[];
}

/**
 * Plays the trials. Throws invalid_input naming the field at fault, also where the work would be
 * above MAX_WORK; throws `timeout` when `pace` stops before the end of the first trial.
 */
export async function runExperiment(options: ExperimentOptions): Promise<Experiment> {
  const given = checked(options);
  const { rounds, trials, pace } = given;
  const logs = logTable(rounds);
  const nextStream = createStreams(given.seed);
  const tally = createTally(given);
  const slice = Math.max(1, Math.floor(SLICE_WORK / pullWork(given)));
  let left = slice;
  let mayGoOn = true;
  for (let index = 0; index < trials && mayGoOn; index += 1) {
    const trial = createTrial({ ...given, logs }, nextStream());
    while (trial.round() < rounds && mayGoOn) {
      const until = Math.min(rounds, trial.round() + left);
      left -= until - trial.round();
      trial.playTo(until);
      if (left > 0) continue;
      left = slice;
      mayGoOn = await pace();
    }
    if (trial.round() === rounds) tally.add(trial);
  }
  if (tally.trials() === 0) {
    const message = `Not one trial of ${rounds} rounds ended within the time of the tool; ask for fewer rounds.`;
    throw new StrideError('timeout', message, { field: 'rounds' });
  }
  return tally.result();
}

export interface Sweep {
  results: { horizon: number; mean: number; standardError: number | null }[];
  /** See `logLogSlope`. */
  logLogSlope: number | null;
}

/**
 * Regret at several horizons. No policy here knows its horizon, so a fresh experiment of each with
 * the same seed would repeat the first rounds of the longest: that one is played, and read at each.
 */
export async function sweepT(
  options: Omit<ExperimentOptions, 'rounds' | 'checkpoints'> & { horizons: readonly number[] },
): Promise<Sweep & { experiment: Experiment }> {
  const { horizons, ...rest } = options;
  checkList('horizons', horizons, { integer: true, min: 1, max: MAX_ROUNDS });
  const rounds = Math.max(...horizons);
  const experiment = await runExperiment({ ...rest, rounds, checkpoints: horizons });
  return { ...readSweep(experiment, horizons), experiment };
}

/** The curve's points at these horizons, in ascending order, and their slope. */
export function readSweep({ curve }: Experiment, horizons: readonly number[]): Sweep {
  const results = curve
    .filter(({ round }) => horizons.includes(round))
    .map(({ round, mean, standardError }) => ({ horizon: round, mean, standardError }));
  const points = results.map(({ horizon, mean }) => ({ horizon, regret: mean }));
  return { results, logLogSlope: logLogSlope(points) };
}

function pullWork({ bandit, algorithm }: Pick<ExperimentOptions, 'bandit' | 'algorithm'>): number {
  return workOfPull({ algorithm, distribution: bandit.kind, arms: bandit.means.length });
}

type Checked = Required<Omit<ExperimentOptions, 'checkpoints'>> & Omit<TrialOptions, 'logs'>;

function checked(options: ExperimentOptions): Checked {
  const { bandit, algorithm, form = 'scaled', pace = async () => true } = options;
  if (!ALGORITHMS.includes(algorithm)) {
    throw refusal('algorithm', `must be one of ${ALGORITHMS.join(', ')}, got "${algorithm}"`);
  }
  const whole = (field: string, value: number, range: { min: number; max: number }) =>
    checkNumber(field, value, { integer: true, ...range });
  whole('arms', bandit.means.length, { min: 1, max: MAX_ARMS });
  const rounds = whole('rounds', options.rounds, { min: 1, max: MAX_ROUNDS });
  const trials = whole('trials', options.trials ?? DEFAULT_TRIALS, { min: 1, max: MAX_TRIALS });
  const seed = whole('seed', options.seed ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const points = options.checkpoints ?? [];
  for (const point of points) whole('checkpoints', point, { min: 1, max: rounds });
  const most = Math.floor(MAX_WORK / pullWork(options));
  if (rounds * trials > most) {
    const asked = `${rounds} rounds × ${trials} trials are ${rounds * trials} pulls`;
    const arms = bandit.means.length === 1 ? 'one arm' : `${bandit.means.length} arms`;
    throw refusal(
      'rounds',
      `${asked}; ${algorithm} with ${arms} can make ${most} in one call, so lower the rounds or the trials`,
    );
  }
  const checkpoints = [...new Set([...points, rounds])].sort((a, b) => a - b);
  return { bandit, algorithm, rounds, trials, seed, checkpoints, form, pace };
}

/** Adds trials up. */
function createTally(given: Checked) {
  const { bandit, checkpoints } = given;
  const curve = checkpoints.map((round) => ({ round, sample: createSample() }));
  const regret = createSample();
  const arms = bandit.means.map(() => ({ pulls: createSample(), count: 0, reward: 0 }));
  let trials = 0;
  return {
    trials: () => trials,
    add(trial: Trial): void {
      trials += 1;
      regret.add(trial.regrets.at(-1) ?? 0);
      for (const [index, { sample }] of curve.entries()) sample.add(trial.regrets[index] ?? 0);
      for (const [index, arm] of arms.entries()) {
        const count = trial.arms.pulls[index] ?? 0;
        arm.pulls.add(count);
        arm.count += count;
        arm.reward += count * (trial.arms.means[index] ?? 0);
      }
    },
    result: (): Experiment => ({
      bandit,
      algorithm: given.algorithm,
      form: given.form,
      rounds: given.rounds,
      seed: given.seed,
      trialsAsked: given.trials,
      trials,
      regret: regret.summary(),
      curve: curve.map(({ round, sample }) => ({ round, ...sample.summary() })),
      arms: arms.map(({ pulls, count, reward }, index) => ({
        mean: bandit.means[index] ?? 0,
        gap: bandit.gaps[index] ?? 0,
        pulls: pulls.summary(),
        meanReward: count === 0 ? null : reward / count,
      })),
    }),
  };
}
