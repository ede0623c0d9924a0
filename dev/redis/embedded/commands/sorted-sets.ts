// Sorted sets, one member at a time: ZADD with all its options, ZREM, ZSCORE, ranks.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { floatArgument, formatDouble } from '../numbers.ts';
import { createSortedSet, type Scored, type SortedSet } from '../sorted-set.ts';
import { syntaxError, type Value } from '../values.ts';

type Option = 'NX' | 'XX' | 'GT' | 'LT' | 'CH' | 'INCR';
const isOption = (word: string): word is Option => /^(?:NX|XX|GT|LT|CH|INCR)$/.test(word);

/** Checks all of it before anything is added, in Redis' order. */
function parseZadd(words: string[]): { options: Set<Option>; pairs: Scored[] } {
  const options = new Set<Option>();
  let first = 2;
  for (; first < words.length; first += 1) {
    const word = (words[first] ?? '').toUpperCase();
    if (!isOption(word)) break;
    options.add(word);
  }
  const count = words.length - first;
  if (count === 0 || count % 2 === 1) throw syntaxError();
  const [nx, gt, lt] = (['NX', 'GT', 'LT'] as const).map((name) => options.has(name));
  if (nx && options.has('XX')) {
    throw new RedisError('ERR XX and NX options at the same time are not compatible');
  }
  if ((gt && nx) || (lt && nx) || (gt && lt)) {
    throw new RedisError('ERR GT, LT, and/or NX options at the same time are not compatible');
  }
  if (options.has('INCR') && count > 2) {
    throw new RedisError('ERR INCR option supports a single increment-element pair');
  }
  const pairs: Scored[] = [];
  for (let i = first; i < words.length; i += 2) {
    pairs.push({ score: floatArgument(words[i] ?? ''), member: words[i + 1] ?? '' });
  }
  return { options, pairs };
}

/** The score the member gets, or null when the options leave it alone. */
function nextScore(set: SortedSet, { member, score }: Scored, options: Set<Option>): number | null {
  const old = set.score(member);
  if (old === undefined) return options.has('XX') ? null : score;
  if (options.has('NX')) return null;
  const next = options.has('INCR') ? old + score : score;
  if (Number.isNaN(next)) throw new RedisError('ERR resulting score is not a number (NaN)');
  if ((options.has('LT') && next >= old) || (options.has('GT') && next <= old)) return null;
  return next;
}

function zadd(words: string[], keyspace: Keyspace): Value {
  const { options, pairs } = parseZadd(words);
  const [, key = ''] = words;
  const found = keyspace.get(key, 'zset');
  const set = found ?? createSortedSet();
  const changed: string[] = [];
  let added = 0;
  let last: number | null = null;
  for (const pair of pairs) {
    const old = set.score(pair.member);
    last = nextScore(set, pair, options);
    // Equal scores stay as they are, so that minus zero does not replace zero.
    if (last === null || last === old) continue;
    set.set(pair.member, last);
    changed.push(formatDouble(last), pair.member);
    if (old === undefined) added += 1;
  }
  if (!found && set.size() > 0) keyspace.put(key, { type: 'zset', value: set });
  if (changed.length > 0) keyspace.record(['ZADD', key, ...changed]);
  if (options.has('INCR')) return last === null ? null : formatDouble(last);
  return options.has('CH') ? changed.length / 2 : added;
}

/** Removes members; the key goes with the last one. */
export function removeMembers(key: string, members: string[], keyspace: Keyspace): number {
  const set = keyspace.get(key, 'zset');
  const removed = members.filter((member) => set?.remove(member));
  if (removed.length === 0) return 0;
  if (set?.size() === 0) keyspace.remove(key);
  keyspace.record(['ZREM', key, ...removed]);
  return removed.length;
}

const rank = (fromTop: boolean): Command => ({
  arity: 3,
  keys: 'first',
  run([, key = '', member = ''], keyspace) {
    const set = keyspace.get(key, 'zset');
    const place = set?.rank(member) ?? null;
    return place === null || !set || !fromTop ? place : set.size() - 1 - place;
  },
});

export const sortedSetCommands: [string, Command][] = [
  ['ZADD', { arity: -4, keys: 'first', isWrite: true, run: zadd }],
  [
    'ZREM',
    {
      arity: -3,
      keys: 'first',
      isWrite: true,
      run: ([, key = '', ...members], keyspace) => removeMembers(key, members, keyspace),
    },
  ],
  [
    'ZSCORE',
    {
      arity: 3,
      keys: 'first',
      run([, key = '', member = ''], keyspace) {
        const score = keyspace.get(key, 'zset')?.score(member);
        return score === undefined ? null : formatDouble(score);
      },
    },
  ],
  [
    'ZCARD',
    { arity: 2, keys: 'first', run: ([, key = ''], keys) => keys.get(key, 'zset')?.size() ?? 0 },
  ],
  ['ZRANK', rank(false)],
  ['ZREVRANK', rank(true)],
];
