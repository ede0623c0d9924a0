/**
 * Chance by name: the same seed and the same words give the same number, whatever was drawn before.
 * So a fault can be left out of a schedule and everything drawn elsewhere stays as it was.
 */

export interface Chance {
  /** [0, 1). */
  number(words: string): number;
  /** Whole, both ends included. */
  int(words: string, range: readonly [min: number, max: number]): number;
  hit(words: string, share: number): boolean;
  pick<T>(words: string, list: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  function number(words: string): number {
    // FNV-1a over the words, then the finaliser of MurmurHash3: close words lie far apart.
    let hash = 0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1);
    for (let i = 0; i < words.length; i += 1) {
      hash = Math.imul(hash ^ words.charCodeAt(i), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
  }
  const int: Chance['int'] = (words, [min, max]) =>
    min + Math.floor(number(words) * (max - min + 1));
  return {
    number,
    int,
    hit: (words, share) => number(words) < share,
    pick(words, list) {
      const chosen = list[int(words, [0, list.length - 1])];
      if (chosen === undefined) throw new Error(`nothing to pick from for ${words}`);
      return chosen;
    },
  };
}
