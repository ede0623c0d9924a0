// The shape of one command of the embedded engine, and how it is looked up and refused in Redis'
// own words. No I/O.

import { RedisError } from '../engine.ts';
import type { Keyspace } from './keyspace.ts';
import { type Value, wrongArity } from './values.ts';

export interface Command {
  /** As Redis counts, the name included: exactly this many words, or at least, when negative. */
  arity: number;
  /** Which words are keys; `database` needs all of it, so no lock on declared keys can cover it. */
  keys: 'first' | 'all' | 'none' | 'database';
  isWrite?: boolean;
  /** Refused inside a script. */
  noScript?: boolean;
  /** Throws `RedisError`. The name is the first word; the count has been checked. */
  run(words: string[], keyspace: Keyspace): Value;
}

export type CommandTable = ReadonlyMap<string, Command>;

/** Names in upper case; a subcommand as `SCRIPT|LOAD`. */
export function lookUp(table: CommandTable, words: string[]): Command | undefined {
  const name = (words[0] ?? '').toUpperCase();
  if (!CONTAINERS.has(name) || words.length === 1) return table.get(name);
  return table.get(`${name}|${(words[1] ?? '').toUpperCase()}`);
}

/** Commands that are only a name for others. */
const CONTAINERS = new Set(['SCRIPT']);

export function fitsArity({ arity }: Command, words: string[]): boolean {
  return arity < 0 ? words.length >= -arity : words.length === arity;
}

/** The command, or throws what Redis says when there is none or the words are too few or many. */
export function requireCommand(table: CommandTable, words: string[]): Command {
  const command = lookUp(table, words);
  if (command === undefined) throw unknownCommand(words);
  if (fitsArity(command, words)) return command;
  const [name = '', sub = ''] = words.map((word) => word.toLowerCase());
  throw wrongArity(CONTAINERS.has(name.toUpperCase()) && sub !== '' ? `${name}|${sub}` : name);
}

const SHOWN_BYTES = 128;

function unknownCommand(words: string[]): RedisError {
  const [name = '', ...rest] = words;
  if (CONTAINERS.has(name.toUpperCase())) {
    return new RedisError(
      `ERR unknown subcommand '${cut(words[1] ?? '')}'. Try ${name.toUpperCase()} HELP.`,
    );
  }
  let shown = '';
  for (const word of rest) {
    if (shown.length >= SHOWN_BYTES) break;
    shown += `'${cut(word, SHOWN_BYTES - shown.length)}' `;
  }
  return new RedisError(`ERR unknown command '${cut(name)}', with args beginning with: ${shown}`);
}

/** As C prints a text: up to its first NUL. */
function cut(word: string, maxBytes = SHOWN_BYTES): string {
  return (word.split('\0', 1)[0] ?? '').slice(0, maxBytes);
}

/** The keys a call touches. */
export function keysOf(command: Command, words: string[]): string[] {
  if (command.keys === 'all') return words.slice(1);
  return command.keys === 'first' ? words.slice(1, 2) : [];
}
