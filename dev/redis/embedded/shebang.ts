// The first line of a script, `#!lua flags=…`: Redis 7.0's flags and the one that only Upstash has.
// No I/O.

import { RedisError } from '../engine.ts';

export interface ScriptFlags {
  /** Upstash: only the declared keys are locked, and no others may be touched. */
  locksKeys: boolean;
  readOnly: boolean;
}

const FLAGS = new Set([
  'no-writes',
  'allow-oom',
  'allow-stale',
  'no-cluster',
  'allow-cross-slot-keys',
  'allow-key-locking',
]);

/** The flags, and the script as Lua takes it: without that line but with its line break. */
export function parseShebang(script: string): { flags: ScriptFlags; code: string } {
  const flags = { locksKeys: false, readOnly: false };
  if (!script.startsWith('#!')) return { flags, code: script };
  const end = script.indexOf('\n');
  if (end < 0) throw new RedisError('ERR Invalid script shebang');
  const [engine = '', ...options] = script
    .slice(0, end)
    .split(/[ \r]+/)
    .filter(Boolean);
  if (engine !== '#!lua') {
    throw new RedisError(`ERR Unexpected engine in script shebang: ${engine}`);
  }
  for (const option of options) {
    if (!option.startsWith('flags=')) {
      throw new RedisError(`ERR Unknown lua shebang option: ${option}`);
    }
    const names = option.slice('flags='.length);
    for (const name of names === '' ? [] : names.split(',')) {
      if (!FLAGS.has(name)) {
        throw new RedisError(`ERR Unexpected flag in script shebang: ${name}`);
      }
      flags.locksKeys ||= name === 'allow-key-locking';
      flags.readOnly ||= name === 'no-writes';
    }
  }
  return { flags, code: script.slice(end) };
}
