/** What an experiment says, beside what theory says: the tool's result and its plot. Pure. */
import type { ExperimentInput } from './experiment-input.ts';
import { evenRounds } from './experiment-input.ts';
import { drawRegret } from './plot.ts';
import { klsToBest, laiRobbinsLowerBound, ucb1UpperBound } from './regret.ts';
import { type Experiment, readSweep } from './runner.ts';

/** Points of the curve that the model reads; the plot has more. */
const TOLD_POINTS = 20;
const SLOPE_MEANING =
  'least squares of ln regret over ln round at these rounds: near 0 is logarithmic regret, 0.5 is √T, 1 is linear (no learning); a finite horizon reads above its limit';
const LAI_ROBBINS_NOTE =
  'asymptotic (T → ∞): measured regret may be below it at a finite horizon; never a test that a run passes or fails';

export interface Report {
  result: Record<string, unknown>;
  notes: string[];
  svg: string;
}

export function buildReport(experiment: Experiment, given: ExperimentInput): Report {
  const { bandit, rounds, trials, trialsAsked, regret } = experiment;
  const { results, logLogSlope } = readSweep(experiment, given.slopeOver);
  const told = new Set(evenRounds(rounds, TOLD_POINTS));
  const theory = theoryOf(experiment);
  const result = {
    mean_regret: tidy(regret.mean),
    standard_error: tidy(regret.standardError),
    ci95: tidy(regret.interval95),
    std: tidy(regret.std),
    algorithm: experiment.algorithm,
    distribution: bandit.kind,
    ...(bandit.std === null ? {} : { reward_std: bandit.std, form: experiment.form }),
    n_rounds: rounds,
    n_trials: trials,
    ...(trials < trialsAsked ? { n_trials_asked: trialsAsked } : {}),
    seed: experiment.seed,
    arms: experiment.arms.map(({ mean, gap, pulls, meanReward }, index) => ({
      arm: index + 1,
      mean,
      gap: tidy(gap),
      mean_pulls: tidy(pulls.mean),
      mean_reward: tidy(meanReward),
    })),
    theory: theory.told,
    log_log_slope: {
      value: tidy(logLogSlope),
      rounds: results.map(({ horizon }) => horizon),
      meaning: SLOPE_MEANING,
    },
    ...(given.sweep.length === 0 ? {} : { sweep: toldSweep(experiment, given.sweep) }),
    regret_curve: experiment.curve
      .filter(({ round }) => told.has(round))
      .map(({ round, mean, interval95 }) => ({ round, mean: tidy(mean), ci95: tidy(interval95) })),
  };
  const cut = `Only ${trials} of ${trialsAsked} trials were done within the tool's time; every figure is of these.`;
  const notes = [...given.notes, ...(trials < trialsAsked ? [cut] : [])];
  return { result, notes, svg: drawRegret(experiment, theory.lines) };
}

function toldSweep(experiment: Experiment, horizons: readonly number[]) {
  return readSweep(experiment, horizons).results.map(({ horizon, mean, standardError }) => ({
    horizon,
    mean_regret: tidy(mean),
    standard_error: tidy(standardError),
  }));
}

function theoryOf({ bandit, algorithm, form, rounds }: Experiment) {
  const { gaps } = bandit;
  const kls = klsToBest(bandit);
  // The textbook's UCB1 is the scaled one for σ = ½, and its bound holds for any smaller σ too.
  const sigma = form === 'textbook' ? 0.5 : bandit.sigma;
  const ucb1 = (horizon: number) => ucb1UpperBound({ gaps, horizon, sigma });
  const laiRobbins = (horizon: number) => laiRobbinsLowerBound({ gaps, kls, horizon });
  const applies = algorithm === 'ucb1' && bandit.sigma <= sigma;
  const why =
    algorithm === 'ucb1' ? 'the textbook form has no guarantee for this std' : 'a bound of UCB1';
  return {
    told: {
      ucb1_bound: {
        value: tidy(ucb1(rounds)),
        formula: 'Σ 32σ² ln T/Δ + (1 + π²/3) Σ Δ',
        sigma,
        holds: applies,
        note: applies ? 'holds for the expected regret at every T' : `for comparison only: ${why}`,
      },
      lai_robbins: {
        value: tidy(laiRobbins(rounds)),
        // ln e = 1: what ln T is multiplied by.
        constant: tidy(laiRobbins(Math.E)),
        note: LAI_ROBBINS_NOTE,
      },
    },
    lines: { ucb1, laiRobbins, ucb1Holds: applies },
  };
}

/** Seven digits: more than any simulation knows, and no 0.30000000000000004. */
function tidy<T extends number | readonly number[] | null>(value: T): T {
  if (value === null) return value;
  if (typeof value === 'number') return Number(value.toPrecision(7)) as T;
  return value.map((each) => Number(each.toPrecision(7))) as unknown as T;
}
