// Lists: appended to at the end, read by place.

import type { Command } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { indexArgument } from '../numbers.ts';
import type { Value } from '../values.ts';

function rpush(words: string[], keyspace: Keyspace): Value {
  const [, key = '', ...items] = words;
  let list = keyspace.get(key, 'list');
  if (!list) {
    list = [];
    keyspace.put(key, { type: 'list', value: list });
  }
  // Not `push(...items)`: a thousand entries of a script would be arguments on the stack.
  for (const item of items) list.push(item);
  keyspace.record(words);
  return list.length;
}

/** Redis' places, negative from the end, as those of `slice`. */
export function toSlice(first: number, last: number, length: number): [number, number] {
  const from = Math.max(0, first < 0 ? length + first : first);
  const to = Math.min(length - 1, last < 0 ? length + last : last);
  return from > to ? [0, 0] : [from, to + 1];
}

export const listCommands: [string, Command][] = [
  ['RPUSH', { arity: -3, keys: 'first', isWrite: true, run: rpush }],
  [
    'LLEN',
    { arity: 2, keys: 'first', run: ([, key = ''], keys) => keys.get(key, 'list')?.length ?? 0 },
  ],
  [
    'LRANGE',
    {
      arity: 4,
      keys: 'first',
      run([, key = '', first = '', last = ''], keyspace) {
        const [from, to] = [indexArgument(first), indexArgument(last)];
        const list = keyspace.get(key, 'list') ?? [];
        return list.slice(...toSlice(from, to, list.length));
      },
    },
  ],
];
