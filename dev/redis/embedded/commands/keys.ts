// Keys of any type: DEL, EXISTS, TYPE, and the listings KEYS and SCAN.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import { globMatches } from '../glob.ts';
import type { Keyspace } from '../keyspace.ts';
import { integerArgument } from '../numbers.ts';
import { syntaxError, type Value } from '../values.ts';

const SCAN_COUNT = 10n;

function parseScan(words: string[]) {
  const options = { pattern: '*', count: SCAN_COUNT, type: null as string | null };
  for (let i = 2; i < words.length; i += 2) {
    const name = (words[i] ?? '').toUpperCase();
    const value = words[i + 1];
    if (value === undefined) throw syntaxError();
    if (name === 'MATCH') options.pattern = value;
    else if (name === 'TYPE') options.type = value.toLowerCase();
    else if (name === 'COUNT') options.count = integerArgument(value);
    else throw syntaxError();
    if (options.count < 1n) throw syntaxError();
  }
  return options;
}

/**
 * The cursor is the serial of the last key that was looked at. Keys stand in that order, so what is
 * there from the first call to the last is returned exactly once.
 */
function scan(words: string[], keyspace: Keyspace): Value {
  const cursor = words[1] ?? '';
  // Nothing at all counts as zero, as C reads it.
  if (!/^\d{0,20}$/.test(cursor)) throw new RedisError('ERR invalid cursor');
  const { pattern, count, type } = parseScan(words);
  const found: string[] = [];
  let looked = 0n;
  let last = 0;
  for (const [key, entry] of keyspace.entries()) {
    if (BigInt(entry.serial) <= BigInt(cursor)) continue;
    if (looked === count) return [String(last), found];
    looked += 1n;
    last = entry.serial;
    if ((type === null || type === entry.type) && globMatches(pattern, key)) found.push(key);
  }
  return ['0', found];
}

function del(words: string[], keyspace: Keyspace): Value {
  const removed = words.slice(1).filter((key) => keyspace.remove(key));
  if (removed.length > 0) keyspace.record(['DEL', ...removed]);
  return removed.length;
}

export const keyCommands: [string, Command][] = [
  ['DEL', { arity: -2, keys: 'all', isWrite: true, run: del }],
  [
    'EXISTS',
    {
      arity: -2,
      keys: 'all',
      // A key named twice counts twice.
      run: (words, keyspace) => words.slice(1).filter((key) => keyspace.find(key)).length,
    },
  ],
  [
    'TYPE',
    {
      arity: 2,
      keys: 'first',
      run: ([, key = ''], keyspace) => ({ status: keyspace.find(key)?.type ?? 'none' }),
    },
  ],
  [
    'KEYS',
    {
      arity: 2,
      keys: 'database',
      run: ([, pattern = ''], keyspace) =>
        [...keyspace.entries()].map(([key]) => key).filter((key) => globMatches(pattern, key)),
    },
  ],
  ['SCAN', { arity: -2, keys: 'database', run: scan }],
];
