/** What many seeds came to, together: branches of the scripts, crash points, what happened at all. */
import { CRASH_POINTS } from './crash-points.ts';
import type { FaultName } from './faults.ts';
import type { SeedResult } from './simulate.ts';

/** Branches that a sound loop cannot take: guards against a bug of ours. */
const GUARDS = new Set([
  "append: finish ~= '' and (head[6] ~= usage or head[7] ~= active) → yes",
  'delete: head[3] ~= usage or head[4] ~= active → yes',
  // Outbox changes are made by the deliverer of an ended run only.
  "append: state ~= 'open' → no",
]);

export interface Tally {
  add(result: SeedResult): void;
  seeds(): number;
  readonly failed: number[];
  /** Branches of the scripts that nothing took. */
  missedBranches(): string[];
  missedCrashPoints(): string[];
  lines(): string[];
}

export function createTally(): Tally {
  const branches = new Map<string, number>();
  const marks = new Map<string, number>();
  const faults = new Map<FaultName, number>();
  const broken = new Map<string, number>();
  const failed: number[] = [];
  const sums = { seeds: 0, runs: 0, events: 0, forgetful: 0 };

  const addAll = (to: Map<string, number>, from: ReadonlyMap<string, number>) => {
    for (const [name, count] of from) to.set(name, (to.get(name) ?? 0) + count);
  };
  const isPassed = (name: string) => (branches.get(name) ?? 0) > 0;
  const missedBranches = () =>
    [...branches.keys()].filter((name) => !isPassed(name) && !GUARDS.has(name));
  const countOf = (hits: (mark: string) => boolean) =>
    [...marks].reduce((sum, [name, count]) => sum + (hits(name) ? count : 0), 0);
  const missedCrashPoints = () =>
    CRASH_POINTS.filter(({ hits }) => countOf(hits) === 0).map(({ id }) => id);

  return {
    failed,
    seeds: () => sums.seeds,
    missedBranches,
    missedCrashPoints,
    add(result) {
      sums.seeds += 1;
      sums.runs += result.runs;
      sums.events += result.events;
      if (result.losses > 0) sums.forgetful += 1;
      if (result.broken.length > 0) failed.push(result.seed);
      addAll(branches, result.branches);
      addAll(marks, result.marks);
      for (const { name } of result.happened) faults.set(name, (faults.get(name) ?? 0) + 1);
      for (const name of new Set(result.broken.map(({ invariant }) => invariant))) {
        broken.set(name, (broken.get(name) ?? 0) + 1);
      }
    },
    lines() {
      const all = [...branches.keys()].filter((name) => !GUARDS.has(name));
      const missed = missedBranches();
      const points = CRASH_POINTS.map(({ id, hits }) => `${id} ${countOf(hits)}`);
      return [
        `${sums.runs} runs, ${sums.events} events, ${sums.forgetful} seeds in which Redis forgot`,
        `faults: ${[...faults].map(([name, count]) => `${name} ${count}`).join(', ')}`,
        `branches of the scripts: ${all.length - missed.length} of ${all.length} taken (and ${GUARDS.size} guards)`,
        ...missed.map((name) => `  not taken: ${name}`),
        `crash points: ${points.join(', ')}`,
        `residual after Redis forgot: ${countOf((name) => name.startsWith('residual'))} once tools or code started twice`,
        ...[...broken].map(([name, count]) => `BROKEN ${name}: ${count} seeds`),
      ];
    },
  };
}
