/**
 * When two replies count as the same: exactly, but for what no two servers share. That is the order
 * of fields and keys, the moment a command was run, and the last digits of integers beyond 2^52.
 */

/** Plain data: text in latin1, errors as `{ error }`. */
export type Plain = null | number | string | { error: string } | Plain[];

const CLOCK_TOLERANCE: Record<string, number> = { TTL: 3, PTTL: 3_000 };
/** ioredis adds up digits in doubles, which goes wrong a little before 2^53. */
const EXACT_BELOW = 2 ** 52;
const TIME_TOLERANCE_SECONDS = 5;

export function isSameReply(name: string, one: Plain, other: Plain): boolean {
  const tolerance = CLOCK_TOLERANCE[name];
  if (tolerance !== undefined && typeof one === 'number' && typeof other === 'number') {
    const bothEnd = one >= 0 && other >= 0;
    const slack = Math.max(tolerance, one * Number.EPSILON * 4);
    return bothEnd ? Math.abs(one - other) <= slack : one === other;
  }
  if (name === 'TIME' && Array.isArray(one) && Array.isArray(other)) {
    return Math.abs(Number(one[0]) - Number(other[0])) <= TIME_TOLERANCE_SECONDS;
  }
  return isSame(inOrder(name, one), inOrder(name, other));
}

function isSame(one: Plain, other: Plain): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, i) => isSame(item, other[i] ?? null));
  }
  if (typeof one === 'number' && typeof other === 'number') {
    const isExact = Math.abs(one) < EXACT_BELOW;
    return (
      one === other || (!isExact && Math.abs(one - other) <= Math.abs(one) * Number.EPSILON * 4)
    );
  }
  if (typeof one === 'object' && typeof other === 'object' && one && other) {
    return 'error' in one && 'error' in other && one.error === other.error;
  }
  return one === other;
}

function inOrder(name: string, reply: Plain): Plain {
  if (!Array.isArray(reply)) return reply;
  if (name === 'KEYS') return sorted(reply);
  if (name === 'SCAN') return reply.map((part) => (Array.isArray(part) ? sorted(part) : part));
  return name === 'HGETALL' ? sorted(pairs(reply)) : reply;
}

const sorted = (items: Plain[]): Plain[] => items.map((item) => JSON.stringify(item)).sort();

const pairs = (flat: Plain[]): Plain[] =>
  flat.flatMap((field, i) => (i % 2 === 0 ? [[field, flat[i + 1] ?? null]] : []));

/** One line for people, cut to what a terminal shows. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
