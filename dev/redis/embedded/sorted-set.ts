// A sorted set: members by score, equal scores by bytes. One sorted array and a map from member to
// score; inserting moves what stands behind, which for a local stack's thousands is faster than
// any tree. No I/O.

export interface Scored {
  member: string;
  score: number;
}

/** Both ends included unless marked open. */
export interface ScoreRange {
  min: number;
  max: number;
  minOpen: boolean;
  maxOpen: boolean;
}

export interface SortedSet {
  size(): number;
  score(member: string): number | undefined;
  /** Adds the member, or moves it to this score. */
  set(member: string, score: number): void;
  /** False when it was not there. */
  remove(member: string): boolean;
  /** Place from the lowest, or null. */
  rank(member: string): number | null;
  /** Members from one place up to but not including another, lowest first. */
  slice(from: number, to: number): Scored[];
  /** The places a range of scores covers: from, and one past the last. */
  places(range: ScoreRange): { from: number; to: number };
}

export function createSortedSet(): SortedSet {
  const scores = new Map<string, number>();
  const order: Scored[] = [];

  /** First place whose item is not before; `order` is sorted, so one exists (the end, at most). */
  function search(isBefore: (item: Scored) => boolean): number {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = order[middle];
      if (item !== undefined && isBefore(item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const placeOf = (member: string, score: number) =>
    search((item) => item.score < score || (item.score === score && item.member < member));

  function remove(member: string): boolean {
    const score = scores.get(member);
    if (score === undefined) return false;
    order.splice(placeOf(member, score), 1);
    return scores.delete(member);
  }

  return {
    size: () => order.length,
    score: (member) => scores.get(member),
    set(member, given) {
      // Redis keeps whole scores of small sets as integers, which have no minus zero.
      const score = given + 0;
      remove(member);
      order.splice(placeOf(member, score), 0, { member, score });
      scores.set(member, score);
    },
    remove,
    rank(member) {
      const score = scores.get(member);
      return score === undefined ? null : placeOf(member, score);
    },
    slice: (from, to) => order.slice(from, to),
    places({ min, max, minOpen, maxOpen }) {
      const from = search(({ score }) => (minOpen ? score <= min : score < min));
      const to = search(({ score }) => (maxOpen ? score < max : score <= max));
      return { from, to: Math.max(from, to) };
    },
  };
}
