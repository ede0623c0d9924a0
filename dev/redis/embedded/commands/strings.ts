// Strings and counters: GET, SET with all its options, INCR and its kin. Effects carry absolute
// times, so that the log can be read back at any time.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { INT64_MAX, INT64_MIN, int64Text, integerArgument, parseInt64 } from '../numbers.ts';
import { notInteger, OK, syntaxError, type Value } from '../values.ts';
import { deadline } from './expiry.ts';

interface SetOptions {
  condition: 'NX' | 'XX' | null;
  get: boolean;
  keepTtl: boolean;
  unit: 'EX' | 'PX' | 'EXAT' | 'PXAT' | null;
  time: string;
}

function parseSetOptions(words: string[]): SetOptions {
  const options: SetOptions = { condition: null, get: false, keepTtl: false, unit: null, time: '' };
  for (let i = 3; i < words.length; i += 1) {
    const word = (words[i] ?? '').toUpperCase();
    const next = words[i + 1];
    if ((word === 'NX' || word === 'XX') && (options.condition ?? word) === word) {
      options.condition = word;
    } else if (word === 'GET') {
      options.get = true;
    } else if (word === 'KEEPTTL' && options.unit === null) {
      options.keepTtl = true;
    } else if (isUnit(word) && !options.keepTtl && next !== undefined) {
      if ((options.unit ?? word) !== word) throw syntaxError();
      options.unit = word;
      options.time = next;
      i += 1;
    } else {
      throw syntaxError();
    }
  }
  return options;
}

function isUnit(word: string): word is 'EX' | 'PX' | 'EXAT' | 'PXAT' {
  return word === 'EX' || word === 'PX' || word === 'EXAT' || word === 'PXAT';
}

function set(words: string[], keyspace: Keyspace): Value {
  const [, key = '', value = ''] = words;
  const { condition, get, keepTtl, unit, time } = parseSetOptions(words);
  const at =
    unit === null
      ? null
      : deadline(time, {
          name: 'set',
          unit: unit.startsWith('EX') ? 1_000n : 1n,
          base: unit.endsWith('AT') ? 0 : keyspace.now(),
        });
  const old = get ? (keyspace.get(key, 'string') ?? null) : null;
  const found = keyspace.find(key) !== undefined;
  if ((condition === 'NX' && found) || (condition === 'XX' && !found)) return get ? old : null;
  keyspace.put(key, { type: 'string', value }, { keepTtl });
  if (at !== null) keyspace.expire(key, at);
  const expiry = at === null ? (keepTtl ? ['KEEPTTL'] : []) : ['PXAT', int64Text(at)];
  keyspace.record(['SET', key, value, ...expiry]);
  return get ? old : OK;
}

function add(key: string, change: bigint, keyspace: Keyspace): Value {
  const text = keyspace.get(key, 'string');
  const old = text === undefined ? 0n : parseInt64(text);
  if (old === null) throw notInteger();
  const sum = old + change;
  if (sum > INT64_MAX || sum < INT64_MIN) {
    throw new RedisError('ERR increment or decrement would overflow');
  }
  keyspace.put(key, { type: 'string', value: String(sum) }, { keepTtl: true });
  keyspace.record(['INCRBY', key, String(change)]);
  return sum;
}

function negated(text: string): bigint {
  const change = integerArgument(text);
  if (change === INT64_MIN) throw new RedisError('ERR decrement would overflow');
  return -change;
}

const counter = (arity: number, change: (words: string[]) => bigint): Command => ({
  arity,
  keys: 'first',
  isWrite: true,
  run: (words, keyspace) => add(words[1] ?? '', change(words), keyspace),
});

export const stringCommands: [string, Command][] = [
  [
    'GET',
    {
      arity: 2,
      keys: 'first',
      run: ([, key = ''], keyspace) => keyspace.get(key, 'string') ?? null,
    },
  ],
  ['SET', { arity: -3, keys: 'first', isWrite: true, run: set }],
  ['INCR', counter(2, () => 1n)],
  ['DECR', counter(2, () => -1n)],
  ['INCRBY', counter(3, (words) => integerArgument(words[2] ?? ''))],
  ['DECRBY', counter(3, (words) => negated(words[2] ?? ''))],
];
