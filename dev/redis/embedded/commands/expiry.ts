// When keys end: EXPIRE and PEXPIRE with their conditions, the same with absolute times, and the
// time that is left. A time that is already over removes the key at once.

import { RedisError } from '../../engine.ts';
import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { INT64_MAX, INT64_MIN, int64Text, integerArgument } from '../numbers.ts';
import type { Value } from '../values.ts';

const invalidTime = (name: string) =>
  new RedisError(`ERR invalid expire time in '${name}' command`);

/** A positive time of SET as milliseconds since 1970. `unit` in ms. Throws for what overflows. */
export function deadline(
  text: string,
  { name, unit, base }: { name: string; unit: bigint; base: number },
): number {
  const amount = integerArgument(text);
  const at = amount * unit + BigInt(base);
  if (amount <= 0n || at > INT64_MAX) throw invalidTime(name);
  return Number(at);
}

type Condition = 'NX' | 'XX' | 'GT' | 'LT';
const isCondition = (word: string): word is Condition => /^(?:NX|XX|GT|LT)$/.test(word);

function parseConditions(words: string[]): Set<Condition> {
  const conditions = new Set<Condition>();
  for (const word of words.slice(3)) {
    const name = word.toUpperCase();
    if (!isCondition(name)) {
      throw new RedisError(`ERR Unsupported option ${word.split('\0', 1)[0]}`);
    }
    conditions.add(name);
  }
  if (conditions.has('NX') && conditions.size > 1) {
    throw new RedisError('ERR NX and XX, GT or LT options at the same time are not compatible');
  }
  if (conditions.has('GT') && conditions.has('LT')) {
    throw new RedisError('ERR GT and LT options at the same time are not compatible');
  }
  return conditions;
}

/** A key that never ends counts as one that ends later than any other. */
function mayChange(conditions: Set<Condition>, { old, at }: { old: number | null; at: number }) {
  if (conditions.has('NX') && old !== null) return false;
  if (conditions.has('XX') && old === null) return false;
  if (conditions.has('GT') && (old === null || at <= old)) return false;
  return !(conditions.has('LT') && old !== null && at >= old);
}

function expiring(name: string, { unit, absolute }: { unit: bigint; absolute?: boolean }): Command {
  function run(words: string[], keyspace: Keyspace): Value {
    const [, key = '', time = ''] = words;
    const conditions = parseConditions(words);
    const amount = integerArgument(time) * unit;
    const sum = amount + (absolute ? 0n : BigInt(keyspace.now()));
    if (amount > INT64_MAX || amount < INT64_MIN || sum > INT64_MAX) throw invalidTime(name);
    const at = Number(sum);
    const entry = keyspace.find(key);
    if (!entry || !mayChange(conditions, { old: entry.expiresAt, at })) return 0;
    if (at <= keyspace.now()) {
      keyspace.remove(key);
      keyspace.record(['DEL', key]);
    } else {
      keyspace.expire(key, at);
      keyspace.record(['PEXPIREAT', key, int64Text(at)]);
    }
    return 1;
  }
  return { arity: -3, keys: 'first', isWrite: true, run };
}

/** -2: no such key; -1: it never ends. */
const remaining = (unitMs: number): Command => ({
  arity: 2,
  keys: 'first',
  run([, key = ''], keyspace) {
    const entry = keyspace.find(key);
    if (!entry) return -2;
    if (entry.expiresAt === null) return -1;
    const left = Math.max(0, entry.expiresAt - keyspace.now());
    return unitMs === 1 ? left : Math.floor((left + unitMs / 2) / unitMs);
  },
});

export const expiryCommands: [string, Command][] = [
  ['EXPIRE', expiring('expire', { unit: 1_000n })],
  ['PEXPIRE', expiring('pexpire', { unit: 1n })],
  ['EXPIREAT', expiring('expireat', { unit: 1_000n, absolute: true })],
  ['PEXPIREAT', expiring('pexpireat', { unit: 1n, absolute: true })],
  ['TTL', remaining(1_000)],
  ['PTTL', remaining(1)],
];
