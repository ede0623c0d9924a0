// All keys as effects that make them again, in pieces small enough for one record of the log.

import type { Effect, Entry, Keyspace } from './keyspace.ts';
import { formatDouble, int64Text } from './numbers.ts';

/** Words of one effect; a list of a million entries must not become one record. */
const MAX_WORDS = 1_000;

export function snapshot(keyspace: Keyspace): Effect[] {
  const effects: Effect[] = [];
  for (const [key, entry] of keyspace.entries()) {
    effects.push(...contents(key, entry));
    if (entry.expiresAt !== null) {
      effects.push(['PEXPIREAT', key, int64Text(entry.expiresAt)]);
    }
  }
  return effects;
}

function contents(key: string, entry: Entry): Effect[] {
  switch (entry.type) {
    case 'string':
      return [['SET', key, entry.value]];
    case 'hash':
      return inPieces(['HSET', key], [...entry.value].flat());
    case 'list':
      return inPieces(['RPUSH', key], entry.value);
    case 'zset': {
      const items = entry.value.slice(0, entry.value.size());
      return inPieces(
        ['ZADD', key],
        items.flatMap(({ member, score }) => [formatDouble(score), member]),
      );
    }
  }
}

/** An even number of words each, so that pairs stay together. */
function inPieces(start: string[], words: string[]): Effect[] {
  const effects: Effect[] = [];
  for (let i = 0; i < words.length; i += MAX_WORDS) {
    effects.push([...start, ...words.slice(i, i + MAX_WORDS)]);
  }
  return effects;
}
