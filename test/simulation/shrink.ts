/**
 * A failing seed's schedule made small: faults are left out, kinds first, then in halves, then one
 * by one, as long as the same invariant still breaks. What is left is told in words.
 */
import { FAULTS, type Happened } from './faults.ts';
import { type SeedOptions, type SeedResult, simulate } from './simulate.ts';

const MAX_RERUNS = 250;

export interface Shrunk {
  result: SeedResult;
  /** Ids of the faults left out. */
  without: Set<string>;
  reruns: number;
}

/** `judged`: another judge of a result, for its own test. */
export async function shrink(
  options: SeedOptions,
  broken: SeedResult,
  judged: (result: SeedResult) => SeedResult = (result) => result,
): Promise<Shrunk> {
  const names = new Set(broken.broken.map(({ invariant }) => invariant));
  let without = new Set(options.without);
  let result = broken;
  let reruns = 0;

  async function tryWithout(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0 || reruns >= MAX_RERUNS) return false;
    reruns += 1;
    const more = new Set([...without, ...ids]);
    const tried = judged(await simulate({ ...options, without: more }));
    if (!tried.broken.some(({ invariant }) => names.has(invariant))) return false;
    without = more;
    result = tried;
    return true;
  }

  const idsOf = (happened: readonly Happened[]) => happened.map(({ id }) => id);
  for (const name of new Set(broken.happened.map((one) => one.name))) {
    await tryWithout(idsOf(result.happened.filter((one) => one.name === name)));
  }
  for (let size = Math.ceil(result.happened.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < result.happened.length && reruns < MAX_RERUNS; ) {
      const piece = idsOf(result.happened.slice(from, from + size));
      if (!(await tryWithout(piece))) from += size;
    }
  }
  return { result, without, reruns };
}

/** One line a fault, in the order of time. */
export function tellSchedule({ happened, broken }: SeedResult): string[] {
  const faults = happened.map(
    ({ name, where, atMs }) => `  ${clock(atMs)}  ${where}: ${FAULTS[name][1]}`,
  );
  const ends = broken.map(
    ({ invariant, what, atMs }) => `  ${clock(atMs)}  BROKEN ${invariant}: ${what}`,
  );
  return [...faults, ...ends.slice(0, 5)];
}

function clock(ms: number): string {
  const seconds = (ms / 1000).toFixed(1);
  return `${seconds.padStart(8)} s`;
}
