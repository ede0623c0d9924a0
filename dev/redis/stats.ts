// Counts what goes through the front, for benches: requests, commands and payload bytes.
// Payload means the values themselves, without JSON, base64 or HTTP around them.

import type { Reply } from './engine.ts';
import { RedisError } from './engine.ts';

export interface RedisStats {
  /** Authorized HTTP requests, also those that failed. */
  requests: number;
  /** Commands given to the engine, by name in upper case. Calls inside a script do not count. */
  commands: Record<string, number>;
  /** Bytes of all arguments, command names included. */
  argumentBytes: number;
  /** Bytes of all replies; an integer counts its digits. */
  replyBytes: number;
}

export function emptyStats(): RedisStats {
  return { requests: 0, commands: {}, argumentBytes: 0, replyBytes: 0 };
}

/** Adds one command to `stats`, which it changes. */
export function countCommand(stats: RedisStats, name: string, args: Buffer[]): void {
  stats.commands[name] = (stats.commands[name] ?? 0) + 1;
  stats.argumentBytes += args.reduce((sum, arg) => sum + arg.length, 0);
}

/** Payload bytes of one reply. */
export function replyBytes(reply: Reply): number {
  if (reply === null) return 0;
  if (Array.isArray(reply)) return reply.reduce<number>((sum, item) => sum + replyBytes(item), 0);
  if (reply instanceof RedisError) return Buffer.byteLength(reply.message);
  return typeof reply === 'number' ? String(reply).length : reply.length;
}
