// Ranges of sorted sets, by place or by score, in both directions. BYLEX is not among them: nothing
// here keeps members of equal scores in order to read them so.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { formatDouble, indexArgument, strtod } from '../numbers.ts';
import type { Scored, ScoreRange, SortedSet } from '../sorted-set.ts';
import { syntaxError, type Value } from '../values.ts';
import { toSlice } from './lists.ts';
import { removeMembers } from './sorted-sets.ts';

interface RangeOptions {
  by: 'place' | 'score';
  reverse: boolean;
  withScores: boolean;
  offset: number;
  /** Negative: all. */
  limit: number;
}

/** What the command's name already says stays out of its words: ZREVRANGE takes no REV. */
interface RangeKind {
  by?: 'place' | 'score';
  reverse?: boolean;
}

function parseOptions(words: string[], kind: RangeKind): RangeOptions {
  const options = { by: kind.by, reverse: kind.reverse, withScores: false, offset: 0, limit: -1 };
  for (let i = 4; i < words.length; i += 1) {
    const word = (words[i] ?? '').toUpperCase();
    if (word === 'WITHSCORES') {
      options.withScores = true;
    } else if (word === 'LIMIT' && i + 2 < words.length) {
      options.offset = indexArgument(words[i + 1] ?? '');
      options.limit = indexArgument(words[i + 2] ?? '');
      i += 2;
    } else if (word === 'REV' && kind.reverse === undefined && options.reverse === undefined) {
      options.reverse = true;
    } else if (word === 'BYSCORE' && options.by === undefined) {
      options.by = 'score';
    } else {
      throw syntaxError();
    }
  }
  const by = options.by ?? 'place';
  if (options.limit !== -1 && by === 'place') {
    throw new RedisError(
      'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
    );
  }
  return { ...options, by, reverse: options.reverse ?? false };
}

/** `1`, `(1`, `-inf`: read as C does, which stops at a NUL and takes nothing for zero. */
function parseScoreRange(low: string, high: string): ScoreRange {
  const parse = (word: string) => {
    const isOpen = word.startsWith('(');
    const text = (isOpen ? word.slice(1) : word).split('\0', 1)[0] ?? '';
    const { value, length } = strtod(text);
    if (length !== text.length || Number.isNaN(value)) {
      throw new RedisError('ERR min or max is not a float');
    }
    return { value, isOpen };
  };
  const [min, max] = [parse(low), parse(high)];
  return { min: min.value, max: max.value, minOpen: min.isOpen, maxOpen: max.isOpen };
}

type Pick = (set: SortedSet) => Scored[];

function byPlace(first: string, last: string, reverse: boolean): Pick {
  const [start, stop] = [indexArgument(first), indexArgument(last)];
  return (set) => {
    const size = set.size();
    const [from, to] = toSlice(start, stop, size);
    return reverse ? set.slice(size - to, size - from).reverse() : set.slice(from, to);
  };
}

function byScore(first: string, last: string, { reverse, offset, limit }: RangeOptions): Pick {
  const range = reverse ? parseScoreRange(last, first) : parseScoreRange(first, last);
  return (set) => {
    if (offset < 0) return [];
    const { from, to } = set.places(range);
    const count = limit < 0 ? to - from : Math.min(limit, Math.max(0, to - from - offset));
    if (!reverse) return set.slice(from + offset, Math.min(to, from + offset + count));
    const end = Math.max(from, to - offset);
    return set.slice(Math.max(from, end - count), end).reverse();
  };
}

const range = (kind: RangeKind): Command => ({
  arity: -4,
  keys: 'first',
  run(words, keyspace): Value {
    const [, key = '', first = '', last = ''] = words;
    const options = parseOptions(words, kind);
    const pick =
      options.by === 'score'
        ? byScore(first, last, options)
        : byPlace(first, last, options.reverse);
    const set = keyspace.get(key, 'zset');
    const items = set ? pick(set) : [];
    return options.withScores
      ? items.flatMap(({ member, score }) => [member, formatDouble(score)])
      : items.map(({ member }) => member);
  },
});

function countWithin([, key = '', low = '', high = '']: string[], keyspace: Keyspace): Value {
  const wanted = parseScoreRange(low, high);
  const { from, to } = keyspace.get(key, 'zset')?.places(wanted) ?? { from: 0, to: 0 };
  return to - from;
}

function removeWithin([, key = '', low = '', high = '']: string[], keyspace: Keyspace): Value {
  const wanted = parseScoreRange(low, high);
  const set = keyspace.get(key, 'zset');
  if (!set) return 0;
  const { from, to } = set.places(wanted);
  return removeMembers(
    key,
    set.slice(from, to).map(({ member }) => member),
    keyspace,
  );
}

export const sortedSetRangeCommands: [string, Command][] = [
  ['ZRANGE', range({})],
  ['ZREVRANGE', range({ by: 'place', reverse: true })],
  ['ZRANGEBYSCORE', range({ by: 'score', reverse: false })],
  ['ZCOUNT', { arity: 4, keys: 'first', run: countWithin }],
  ['ZREMRANGEBYSCORE', { arity: 4, keys: 'first', isWrite: true, run: removeWithin }],
];
