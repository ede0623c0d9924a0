/**
 * run_bandit_experiment: a bandit simulated over many trials, compared with theory, its regret
 * curve drawn. What it computes is bounded by counted work; it yields what is done within its time.
 */
import { z } from 'zod';
import { defineTool, type ToolContext } from '../../define.ts';
import type { ExperimentInput } from './experiment-input.ts';
import {
  ALGORITHMS,
  DEFAULT_ROUNDS,
  DEFAULT_TRIALS,
  DISTRIBUTIONS,
  FORMS,
  MAX_ARMS,
  MAX_ROUNDS,
  MAX_TRIALS,
} from './options.ts';

/** Of the tool's time; the rest is for the plot, its upload and a slow slice. */
const COMPUTING_SHARE = 0.7;
const MAX_HORIZONS = 20;

/** Spellings by which papers and other tools know the algorithms and distributions. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['ucb', 'ucb1'],
  ['thompson', 'thompson_sampling'],
  ['ts', 'thompson_sampling'],
  ['thompsonsampling', 'thompson_sampling'],
  ['klucb', 'kl_ucb'],
  ['normal', 'gaussian'],
]);

function canonical(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const plain = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SPELLINGS.get(plain) ?? plain;
}

const numbers = z.array(z.number()).min(1).max(MAX_ARMS);

export const runBanditExperiment = defineTool({
  name: 'run_bandit_experiment',
  description:
    'Simulates a stochastic multi-armed bandit and returns the mean pseudo-regret with standard error and 95 % interval, the regret curve, pulls and mean reward of each arm, ' +
    'the UCB1 finite-time bound and the asymptotic Lai–Robbins value, and the log-log slope; draws the curve and keeps it as an SVG file. The same seed gives the same numbers. ' +
    'Give the arms as probs (bernoulli) or means and std (gaussian); with n_arms alone they are evenly spaced.',
  // The plot takes the next free name, so two calls must not look for one at the same time.
  lane: 'workspace',
  fieldAliases: {
    bandit_type: 'distribution',
    T: 'n_rounds',
    horizon: 'n_rounds',
    rounds: 'n_rounds',
    n_seeds: 'n_trials',
    trials: 'n_trials',
    T_sweep: 'horizons',
    T_values: 'horizons',
    sigma: 'std',
    policy: 'algorithm',
  },
  input: z.object({
    algorithm: z.preprocess(canonical, z.enum(ALGORITHMS)).describe('Which policy plays'),
    distribution: z
      .preprocess(canonical, z.enum(DISTRIBUTIONS))
      .optional()
      .describe('Of the rewards; follows from probs or means when left out'),
    n_arms: z.int().min(1).max(MAX_ARMS).optional().describe('Number of arms K'),
    probs: numbers.optional().describe('bernoulli: success probability of each arm'),
    means: numbers.optional().describe('gaussian: mean of each arm'),
    std: z.number().optional().describe('gaussian: standard deviation of every arm, 1 if left out'),
    n_rounds: z.int().min(1).max(MAX_ROUNDS).default(DEFAULT_ROUNDS).describe('Horizon T'),
    n_trials: z.int().min(1).max(MAX_TRIALS).default(DEFAULT_TRIALS).describe('Repetitions'),
    seed: z.int().min(0).default(0).describe('Of the random numbers'),
    horizons: z
      .array(z.int().min(1).max(MAX_ROUNDS))
      .max(MAX_HORIZONS)
      .optional()
      .describe('Sweep: regret at each of these T; the longest replaces n_rounds'),
    form: z
      .enum(FORMS)
      .default('scaled')
      .describe(
        'scaled: UCB1 bonus σ·√(8 ln t/n), Gaussian Thompson N(μ̂, σ²/n). textbook: √(2 ln t/n), prior N(0, σ²)',
      ),
    bandit_params: z
      .object({
        means: numbers.optional(),
        probs: numbers.optional(),
        std: z.number().optional(),
      })
      .optional()
      .describe('The arms in another spelling: {probs} or {means, std}'),
  }),
  async run(input, context) {
    const { readExperimentInput } = await import('./experiment-input.ts');
    const { runExperiment } = await import('./runner.ts');
    const { buildReport } = await import('./report.ts');
    const given = readExperimentInput(input);
    const experiment = await runExperiment({ ...given.options, pace: createPace(context) });
    const report = buildReport(experiment, given);
    const plot = await keepPlot(given, { svg: report.svg, context });
    const data = { ...report.result, ...plot, notes: [...report.notes, ...(plot.notes ?? [])] };
    return { content: JSON.stringify(data), data };
  },
});

/**
 * Between slices: lets everything else happen (a Worker's clock moves only then), obeys an abort,
 * and says whether there is time for more.
 */
function createPace({ now, timeoutMs, signal }: ToolContext): () => Promise<boolean> {
  const stopAt = now() + timeoutMs * COMPUTING_SHARE;
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    return now() < stopAt;
  };
}

async function keepPlot(
  { options }: ExperimentInput,
  { svg, context }: { svg: string; context: ToolContext },
): Promise<{ plot?: string; notes?: string[] }> {
  const { workspace, signal } = context;
  const stem = `regret-${options.algorithm.replaceAll('_', '-')}-${options.bandit.kind}`;
  const taken = new Set(workspace.list().map(({ path }) => path));
  let path = `${stem}.svg`;
  for (let number = 2; taken.has(path); number += 1) path = `${stem}-${number}.svg`;
  try {
    await workspace.write(path, new TextEncoder().encode(svg), 'image/svg+xml');
    return { plot: path };
  } catch {
    // The numbers are worth having without their picture, unless the call itself was stopped.
    signal.throwIfAborted();
    return { notes: ['The plot could not be stored.'] };
  }
}
