/** From the tool's fields to an experiment: which arms, read at which rounds. Pure. */
import { refusal } from './checks.ts';
import { type Bandit, bernoulliBandit, gaussianBandit } from './environments.ts';
import type { Algorithm, Distribution, Form } from './options.ts';
import type { ExperimentOptions } from './runner.ts';

export interface ExperimentFields {
  algorithm: Algorithm;
  distribution?: Distribution;
  n_arms?: number;
  probs?: number[];
  means?: number[];
  std?: number;
  n_rounds: number;
  n_trials: number;
  seed: number;
  horizons?: number[];
  form: Form;
  bandit_params?: { means?: number[]; probs?: number[]; std?: number };
}

export interface ExperimentInput {
  options: ExperimentOptions;
  /** Rounds of the sweep that was asked for, ascending; empty when none was. */
  sweep: number[];
  /** Rounds between which the slope is taken. */
  slopeOver: number[];
  /** What was assumed or overruled. */
  notes: string[];
}

const CURVE_POINTS = 100;

/** Throws invalid_input naming the field at fault. */
export function readExperimentInput(fields: ExperimentFields): ExperimentInput {
  const notes: string[] = [];
  const bandit = readBandit({ ...fields.bandit_params, ...withoutGaps(fields) }, notes);
  const sweep = [...new Set(fields.horizons ?? [])].sort((a, b) => a - b);
  const rounds = sweep.at(-1) ?? fields.n_rounds;
  const slopeOver =
    sweep.length > 1 ? sweep : [8, 4, 2, 1].map((part) => Math.round(rounds / part));
  const checkpoints = [...evenRounds(rounds, CURVE_POINTS), ...sweep, ...slopeOver];
  const { algorithm, n_trials: trials, seed, form } = fields;
  return {
    options: {
      bandit,
      algorithm,
      rounds,
      trials,
      seed,
      form,
      checkpoints: checkpoints.filter((round) => round >= 1),
    },
    sweep,
    slopeOver: [...new Set(slopeOver)].filter((round) => round >= 1),
    notes,
  };
}

/** `count` rounds from rounds/count to `rounds`, as evenly as whole numbers can be. */
export function evenRounds(rounds: number, count: number): number[] {
  const all = Array.from({ length: count }, (_, i) => Math.round(((i + 1) * rounds) / count));
  return [...new Set(all)].filter((round) => round >= 1);
}

/** A field that is there wins over the same one in bandit_params. */
function withoutGaps(fields: ExperimentFields): ExperimentFields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as ExperimentFields;
}

function readBandit(fields: ExperimentFields, notes: string[]): Bandit {
  const { probs, means, std } = fields;
  if (probs && means) throw refusal('probs', 'stand beside means; give one of the two');
  const distribution = fields.distribution ?? (probs ? 'bernoulli' : means ? 'gaussian' : null);
  if (distribution === null) {
    throw refusal('distribution', 'must be bernoulli or gaussian where no arms are given');
  }
  if (probs && distribution === 'gaussian') {
    throw refusal('probs', 'belong to bernoulli arms; give means for gaussian ones');
  }
  const values = probs ?? means ?? assumedArms(distribution, { count: fields.n_arms, notes });
  const name = probs || (distribution === 'bernoulli' && !means) ? 'probs' : 'means';
  if (fields.n_arms !== undefined && fields.n_arms !== values.length) {
    throw refusal('n_arms', `is ${fields.n_arms} but ${name} has ${values.length} numbers`);
  }
  if (distribution === 'gaussian') return gaussianBandit({ means: values, std });
  if (std !== undefined) notes.push('std was ignored: the mean of a Bernoulli arm decides it.');
  return bernoulliBandit({ probs: values });
}

/** Best arm first. Gaussian 0 … −1, Bernoulli 0.8 … 0.2: neither trivial nor hopeless. */
function assumedArms(
  distribution: Distribution,
  { count = 0, notes }: { count?: number; notes: string[] },
): number[] {
  const field = distribution === 'bernoulli' ? 'probs' : 'means';
  if (count < 1) throw refusal(field, `are missing; give them, or n_arms for evenly spaced arms`);
  const [first, last] = distribution === 'bernoulli' ? [0.8, 0.2] : [0, -1];
  const arms = Array.from({ length: count }, (_, i) =>
    Number((first + ((last - first) * i) / Math.max(1, count - 1)).toFixed(6)),
  );
  notes.push(`No ${field} were given: evenly spaced from ${first} to ${last} was assumed.`);
  return arms;
}
