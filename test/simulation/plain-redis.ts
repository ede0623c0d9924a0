/** The embedded engine as the store sees Redis, without transport or faults. */
import type { LuaMachine } from '../../dev/redis/embedded/lua/wasm.ts';
import { createMemoryEngine } from '../../dev/redis/embedded/memory.ts';
import type { RedisPort } from '../../src/redis.ts';
import { decodeReply } from './redis.ts';

export function createPlainRedis(
  lua: LuaMachine,
  now: () => number,
): RedisPort & { close(): void } {
  const engine = createMemoryEngine({ lua, now });
  const send = (words: string[]) =>
    decodeReply(engine.call(words.map((word) => Buffer.from(word))));
  return {
    script: async (text, keys, args) => send(['EVAL', text, String(keys.length), ...keys, ...args]),
    command: async (...words) => send(words),
    close: () => engine.close(),
  };
}
