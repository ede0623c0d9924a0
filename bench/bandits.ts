// `npm run bench:bandits`: pulls per second of each simulated policy, one process, best of five.
// The best is what the code can do; the others tell how busy the machine is.

import { bernoulliBandit, gaussianBandit } from '../src/tools/domains/mab/environments.ts';
import type { Algorithm } from '../src/tools/domains/mab/options.ts';
import { runExperiment } from '../src/tools/domains/mab/runner.ts';
import { formatTable } from './table.ts';

const ROUNDS = 10_000;
const RUNS = 5;
/** What the simulation owes its users: UCB1 on two Bernoulli arms. */
const WANTED = 10_000_000;

const bernoulli = bernoulliBandit({ probs: [0.7, 0.5] });
const gaussian = gaussianBandit({ means: [0, -0.5] });
const ten = bernoulliBandit({ probs: Array.from({ length: 10 }, (_, i) => 0.7 - i / 20) });

const cases = [
  { name: 'ucb1, 2 Bernoulli arms', algorithm: 'ucb1', bandit: bernoulli, trials: 1_000 },
  { name: 'ucb1, 2 Gaussian arms', algorithm: 'ucb1', bandit: gaussian, trials: 500 },
  { name: 'ucb1, 10 Bernoulli arms', algorithm: 'ucb1', bandit: ten, trials: 200 },
  { name: 'kl_ucb, 2 Bernoulli arms', algorithm: 'kl_ucb', bandit: bernoulli, trials: 50 },
  {
    name: 'thompson_sampling, 2 Bernoulli arms',
    algorithm: 'thompson_sampling',
    bandit: bernoulli,
    trials: 100,
  },
  {
    name: 'thompson_sampling, 2 Gaussian arms',
    algorithm: 'thompson_sampling',
    bandit: gaussian,
    trials: 200,
  },
] as const satisfies readonly {
  name: string;
  algorithm: Algorithm;
  trials: number;
  bandit: object;
}[];

const speeds = new Map<string, number[]>();
for (const { name, algorithm, bandit, trials } of cases) {
  const measured: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await runExperiment({ bandit, algorithm, rounds: ROUNDS, trials, seed: run });
    measured.push((ROUNDS * trials * 1_000) / (performance.now() - startedAt));
  }
  speeds.set(
    name,
    measured.sort((a, b) => b - a),
  );
}

const millions = (speed: number | undefined) => ((speed ?? 0) / 1e6).toFixed(2);
console.log(
  formatTable(
    ['million pulls a second', 'best', 'median', 'worst'],
    [...speeds].map(([name, all]) => [
      name,
      millions(all[0]),
      millions(all[Math.floor(RUNS / 2)]),
      millions(all.at(-1)),
    ]),
  ),
);
const best = speeds.get(cases[0].name)?.[0] ?? 0;
const verdict = best >= WANTED ? 'reached' : 'missed';
console.log(
  `\nUCB1 on two Bernoulli arms: ${millions(best)} million pulls a second; 10 wanted: ${verdict}.`,
);
process.exitCode = best >= WANTED ? 0 : 1;
