/** Random choices that a seed repeats exactly (mulberry32). */
export interface Random {
  /** From 0 up to but not including `end`. */
  int(end: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** `count` draws. */
  times<T>(count: number, draw: () => T): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (end: number) => Math.floor(next() * end);
  return {
    int,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new Error('There is nothing to pick from.');
      return items[int(items.length)] as (typeof items)[number];
    },
    times: (count, draw) => Array.from({ length: count }, draw),
  };
}
