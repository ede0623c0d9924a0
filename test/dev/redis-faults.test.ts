// Losing requests and replies on purpose, and what the front counts.

import { afterEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../dev/redis/front.ts';
import { describeEngines } from '../helpers/redis.ts';
import {
  removeDataDirs,
  send,
  startTestRedis,
  strideClient,
  type TestRedis,
} from './redis-support.ts';

describeEngines('the front', (engine) => {
  let redis: TestRedis;
  afterEach(async () => {
    await redis.stop();
    await removeDataDirs();
  });

  /** Starts a Redis that meets its first INCR requests with these faults, one each. */
  async function startWithFaults(faults: Fault[]): Promise<string[]> {
    const seen: string[] = [];
    redis = await startTestRedis({
      engine,
      intercept: async ({ path, commands }) => {
        seen.push(`${path} ${commands.map((args) => args.join(' ')).join('; ')}`);
        return commands[0]?.[0] === 'incr' ? (faults.shift() ?? 'pass') : 'pass';
      },
    });
    return seen;
  }

  describe('intercept', () => {
    it('loses a request before anything happened; the client sends it again', async () => {
      const seen = await startWithFaults(['drop_before']);
      expect(await strideClient(redis).incr('n')).toBe(1);
      expect(seen).toEqual(['/ incr n', '/ incr n']);
    });

    it('applies a request and loses its reply, so that the client applies it twice', async () => {
      await startWithFaults(['drop_reply']);
      expect(await strideClient(redis).incr('n')).toBe(2);
    });

    it('breaks the socket of a plain request, whose write still stands', async () => {
      await startWithFaults(['drop_reply']);
      await expect(send(redis, '/', { body: ['incr', 'n'] })).rejects.toThrow('fetch failed');
      expect((await send(redis, '/', { body: ['GET', 'n'] })).body).toEqual({ result: '1' });
    });

    it('applies a delayed request although the client has given up', async () => {
      await startWithFaults([{ delayMs: 300 }]);
      const impatient = strideClient(redis, () => AbortSignal.timeout(50));
      await expect(impatient.incr('n')).rejects.toThrow('aborted due to timeout');
      const client = strideClient(redis);
      expect(await client.get('n')).toBe(null);
      await expect.poll(() => client.get('n'), { timeout: 5_000 }).toBe('1');
    });

    it('sees the commands of a transaction', async () => {
      const seen = await startWithFaults([]);
      const multi = strideClient(redis).multi();
      multi.set('a', '1');
      multi.get('a');
      await multi.exec();
      expect(seen).toEqual(['/multi-exec set a 1; get a']);
    });
  });

  describe('stats', () => {
    it('counts requests, commands by name, and the bytes of arguments and replies', async () => {
      redis = await startTestRedis({ engine });
      await send(redis, '/', { body: ['set', 'key', 'é'] });
      expect((await send(redis, '/', { body: ['DECR', 'key'] })).status).toBe(400);
      await send(redis, '/pipeline', {
        body: [
          ['GET', 'key'],
          ['INCRBY', 'n', 10],
          ['WATCH', 'n'],
        ],
      });
      await send(redis, '/multi-exec', {
        body: [
          ['RPUSH', 'key', 'x'],
          ['GET', 'none'],
        ],
      });
      await send(redis, '/', { body: ['PING'], token: 'wrong' });
      await send(redis, '/', { body: 'no command' });
      const wrongType = 'WRONGTYPE Operation against a key holding the wrong kind of value';
      const notInteger = 'ERR value is not an integer or out of range';
      expect(redis.stats()).toEqual({
        requests: 5,
        commands: { SET: 1, DECR: 1, GET: 2, INCRBY: 1, RPUSH: 1 },
        argumentBytes:
          'setkey..DECRkey'.length + 'GETkeyINCRBYn10'.length + 'RPUSHkeyxGETnone'.length,
        replyBytes: 'OK'.length + '..'.length + '10'.length + wrongType.length + notInteger.length,
      });
      redis.resetStats();
      expect(redis.stats()).toEqual({ requests: 0, commands: {}, argumentBytes: 0, replyBytes: 0 });
    });
  });
});
