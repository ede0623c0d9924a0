// The database as a whole: PING, TIME, its size, and emptying it.

import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { OK, syntaxError, type Value, wrongArity } from '../values.ts';

function flush(words: string[], keyspace: Keyspace): Value {
  const mode = words[1]?.toUpperCase();
  if (words.length > 2 || (mode !== undefined && mode !== 'SYNC' && mode !== 'ASYNC')) {
    throw syntaxError();
  }
  keyspace.clear();
  keyspace.record(['FLUSHALL']);
  return OK;
}

/** Seconds and microseconds, as Redis splits them. */
function time(keyspace: Keyspace): Value {
  const micros = keyspace.micros();
  return [String(Math.floor(micros / 1_000_000)), String(micros % 1_000_000)];
}

export const serverCommands: [string, Command][] = [
  [
    'PING',
    {
      arity: -1,
      keys: 'none',
      run(words) {
        if (words.length > 2) throw wrongArity('ping');
        return words[1] ?? { status: 'PONG' };
      },
    },
  ],
  ['TIME', { arity: 1, keys: 'none', run: (_words, keyspace) => time(keyspace) }],
  ['DBSIZE', { arity: 1, keys: 'database', run: (_words, keys) => [...keys.entries()].length }],
  ['FLUSHALL', { arity: -1, keys: 'database', isWrite: true, run: flush }],
  ['FLUSHDB', { arity: -1, keys: 'database', isWrite: true, run: flush }],
];
