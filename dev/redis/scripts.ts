// Upstash knows a script flag that Redis does not: `#!lua flags=allow-key-locking` (lock the
// declared keys instead of the whole database). Redis refuses such a script, so the flag is taken
// out on the way in, and the SHA1 of the script as its author wrote it is mapped to the other.
// With the flag Upstash refuses keys that were not declared in KEYS; redis-server cannot be told to,
// so nothing checks that on this path. The embedded engine does.

import { createHash } from 'node:crypto';
import type { Reply } from './engine.ts';

const UPSTASH_FLAG = 'allow-key-locking';

export interface PreparedCommand {
  args: Buffer[];
  /** Turns the engine's reply into the one Upstash gives. */
  toUpstash: (reply: Reply) => Reply;
}

export interface ScriptMap {
  /** The command as Redis takes it. Commands that carry no script pass unchanged. */
  prepare(args: Buffer[]): PreparedCommand;
}

/**
 * Remembers each flagged script it saw: 80 bytes a script, for as long as the front runs.
 * `keepFlag` passes everything on as it is, to an engine that knows the flag.
 */
export function createScriptMap({ keepFlag = false } = {}): ScriptMap {
  const redisSha = new Map<string, string>();

  function strip(script: Buffer): Buffer {
    const stripped = stripUpstashFlag(script);
    if (stripped !== script) redisSha.set(sha1(script), sha1(stripped));
    return stripped;
  }
  // An unknown SHA1 goes through as it is: Redis answers NOSCRIPT and the client sends the script.
  function toRedisSha(sha: Buffer): Buffer {
    const mapped = redisSha.get(sha.toString('latin1').toLowerCase());
    return mapped === undefined ? sha : Buffer.from(mapped);
  }

  return {
    prepare(args) {
      const [name, first, second] = args;
      const words = [name, first].map((word) => word?.toString('latin1').toUpperCase());
      const unchanged = { args, toUpstash: (reply: Reply) => reply };
      if (keepFlag || name === undefined || first === undefined) return unchanged;
      switch (words[0]) {
        case 'EVAL':
        case 'EVAL_RO':
          return { ...unchanged, args: [name, strip(first), ...args.slice(2)] };
        case 'EVALSHA':
        case 'EVALSHA_RO':
          return { ...unchanged, args: [name, toRedisSha(first), ...args.slice(2)] };
        case 'SCRIPT':
          if (words[1] === 'EXISTS') {
            return { ...unchanged, args: [name, first, ...args.slice(2).map(toRedisSha)] };
          }
          if (words[1] !== 'LOAD' || second === undefined) return unchanged;
          return {
            args: [name, first, strip(second), ...args.slice(3)],
            toUpstash: (reply) => (Buffer.isBuffer(reply) ? Buffer.from(sha1(second)) : reply),
          };
        default:
          return unchanged;
      }
    },
  };
}

/** The script without Upstash's flag; the same Buffer when it has none. Lines keep their numbers. */
export function stripUpstashFlag(script: Buffer): Buffer {
  // latin1 maps bytes to characters one to one, so a binary script survives.
  const text = script.toString('latin1');
  const [shebang] = text.split('\n', 1);
  if (shebang === undefined || !shebang.startsWith('#!lua')) return script;
  const words = shebang.split(/\s+/).flatMap((word) => {
    if (!word.startsWith('flags=')) return [word];
    const flags = word.slice('flags='.length).split(',');
    const kept = flags.filter((flag) => flag !== UPSTASH_FLAG);
    return kept.length === 0 ? [] : [`flags=${kept.join(',')}`];
  });
  if (!shebang.includes(UPSTASH_FLAG)) return script;
  return Buffer.from(words.join(' ').trimEnd() + text.slice(shebang.length), 'latin1');
}

function sha1(script: Buffer): string {
  return createHash('sha1').update(script).digest('hex');
}
