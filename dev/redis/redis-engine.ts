// The engine over a real redis-server: one ioredis connection on a unix socket.
// Never sends a command twice: a write whose reply was lost is the caller's to judge, as it is
// with the hosted service. Reconnects by itself; until then every call fails at once.

import { once } from 'node:events';
import { Command, Redis } from 'ioredis';
import { type Engine, EngineDown, RedisError, type Reply } from './engine.ts';

const RECONNECT_MS = 50;

/** Connects, and resolves once the server has loaded its data; waits for as long as that takes. */
export async function createRedisEngine(socketPath: string): Promise<Engine> {
  const redis = new Redis({
    path: socketPath,
    // RESP3, the default, changes the shape of XREAD and of double replies.
    protocol: 2,
    disableClientInfo: true,
    retryStrategy: () => RECONNECT_MS,
    // The three together: no waiting while the server is away, and nothing is ever sent again.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  // A refused connection is retried; a call made meanwhile reports it to its own caller.
  redis.on('error', () => {});
  await once(redis, 'ready');

  function assertReady(): void {
    // ioredis also writes some commands (MULTI and EXEC among them) to a connection that is not
    // ready yet and refuses the rest, which would tear a transaction apart.
    if (redis.status !== 'ready') throw new EngineDown('redis-server does not answer');
  }

  return {
    async call(args) {
      assertReady();
      return send(redis, args);
    },
    async transaction(commands) {
      assertReady();
      // All of it leaves in this tick, so no other call can slip in between MULTI and EXEC.
      const sent = [[Buffer.from('MULTI')], ...commands].map((args) => send(redis, args));
      const exec = send(redis, [Buffer.from('EXEC')]);
      // What one command was refused for is told again by EXEC, which then discards them all.
      const [replies] = await Promise.all([exec, Promise.allSettled(sent)]);
      if (!Array.isArray(replies)) throw new RedisError('EXECABORT Transaction discarded.');
      return replies;
    },
    async close() {
      redis.disconnect();
    },
  };
}

async function send(redis: Redis, args: Buffer[]): Promise<Reply> {
  const [name = Buffer.alloc(0), ...rest] = args;
  // ioredis looks up its argument and reply rewriting by lower-case name. In upper case none
  // applies: HGETALL stays a flat list, and HSET or MSET with a Buffer is not taken for an object.
  const command = new Command(name.toString().toUpperCase(), rest, { replyEncoding: null });
  try {
    return toReply(await redis.sendCommand(command));
  } catch (error) {
    if (isReplyError(error)) throw new RedisError(error.message);
    throw new EngineDown('redis-server was lost before it answered');
  }
}

function toReply(value: unknown): Reply {
  if (Array.isArray(value)) return value.map(toReply);
  if (isReplyError(value)) return new RedisError(value.message);
  return Buffer.isBuffer(value) || typeof value === 'number' ? value : null;
}

function isReplyError(value: unknown): value is Error {
  return value instanceof Error && value.name === 'ReplyError';
}
