// Hashes: fields keep the order in which they were first set. A hash without fields is no key.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { INT64_MAX, INT64_MIN, integerArgument, parseInt64 } from '../numbers.ts';
import { type Value, wrongArity } from '../values.ts';

function getOrMake(key: string, keyspace: Keyspace): Map<string, string> {
  const hash = keyspace.get(key, 'hash');
  if (hash) return hash;
  const value = new Map<string, string>();
  keyspace.put(key, { type: 'hash', value });
  return value;
}

function hset(words: string[], keyspace: Keyspace): Value {
  if (words.length % 2 === 1) throw wrongArity('hset');
  const [, key = '', ...pairs] = words;
  const hash = getOrMake(key, keyspace);
  const before = hash.size;
  for (let i = 0; i < pairs.length; i += 2) hash.set(pairs[i] ?? '', pairs[i + 1] ?? '');
  keyspace.record(words);
  return hash.size - before;
}

function hdel([, key = '', ...fields]: string[], keyspace: Keyspace): Value {
  const hash = keyspace.get(key, 'hash');
  const removed = fields.filter((field) => hash?.delete(field));
  if (removed.length === 0) return 0;
  if (hash?.size === 0) keyspace.remove(key);
  keyspace.record(['HDEL', key, ...removed]);
  return removed.length;
}

function hincrby(words: string[], keyspace: Keyspace): Value {
  const [, key = '', field = '', amount = ''] = words;
  const change = integerArgument(amount);
  const text = keyspace.get(key, 'hash')?.get(field);
  const old = text === undefined ? 0n : parseInt64(text);
  if (old === null) throw new RedisError('ERR hash value is not an integer');
  const sum = old + change;
  if (sum > INT64_MAX || sum < INT64_MIN) {
    throw new RedisError('ERR increment or decrement would overflow');
  }
  getOrMake(key, keyspace).set(field, String(sum));
  keyspace.record(words);
  return sum;
}

const read = (
  arity: number,
  answer: (hash: Map<string, string>, fields: string[]) => Value,
): Command => ({
  arity,
  keys: 'first',
  run: ([, key = '', ...fields], keyspace) =>
    answer(keyspace.get(key, 'hash') ?? new Map(), fields),
});

export const hashCommands: [string, Command][] = [
  ['HSET', { arity: -4, keys: 'first', isWrite: true, run: hset }],
  ['HDEL', { arity: -3, keys: 'first', isWrite: true, run: hdel }],
  ['HINCRBY', { arity: 4, keys: 'first', isWrite: true, run: hincrby }],
  ['HGET', read(3, (hash, [field = '']) => hash.get(field) ?? null)],
  ['HMGET', read(-3, (hash, fields) => fields.map((field) => hash.get(field) ?? null))],
  ['HGETALL', read(2, (hash) => [...hash].flat())],
  ['HEXISTS', read(3, (hash, [field = '']) => (hash.has(field) ? 1 : 0))],
  ['HLEN', read(2, (hash) => hash.size)],
];
