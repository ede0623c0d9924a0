// The stand-in through the vendor's own client, as Stride sets it up and with its defaults.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEngines } from '../helpers/redis.ts';
import {
  defaultClient,
  removeDataDirs,
  startTestRedis,
  strideClient,
  type TestRedis,
} from './redis-support.ts';

describeEngines('the vendor’s client', (engine) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis({ engine });
  });
  afterAll(async () => {
    await redis.stop();
    await removeDataDirs();
  });

  const clients = [
    { settings: "Stride's settings", client: () => strideClient(redis) },
    { settings: 'default settings', client: () => defaultClient(redis) },
  ];

  describe.each(clients)('@upstash/redis with $settings', ({ client, settings }) => {
    const key = (name: string) => `${settings}:${name}`;

    it('reads back what it wrote, whatever the text', async () => {
      const texts = [
        'plain',
        '',
        'ünïcödé 漢字 👩‍🔬',
        'OK',
        'line\r\nline\0end',
        '"quoted" \\ back',
      ];
      for (const text of texts) {
        expect(await client().set(key('text'), text)).toBe('OK');
        expect(await client().get(key('text'))).toBe(text);
      }
    });

    it('reads back 5 MB in one value', async () => {
      const value = 'aé漢'.repeat(5 * 175_000);
      await client().set(key('large'), value);
      expect(await client().get(key('large'))).toBe(value);
    });

    it('answers null for a missing key and integers as numbers', async () => {
      expect(await client().get(key('missing'))).toBe(null);
      expect(await client().incrby(key('count'), 41)).toBe(41);
      expect(await client().incr(key('count'))).toBe(42);
      expect(await client().exists(key('missing'))).toBe(0);
    });

    it('keeps the order of lists and sorted sets, and options of SET', async () => {
      expect(await client().rpush(key('list'), 'a', 'b', 'OK')).toBe(3);
      expect(await client().lrange(key('list'), 0, -1)).toEqual(['a', 'b', 'OK']);
      await client().zadd(key('zset'), { score: 2, member: 'two' }, { score: 1, member: 'one' });
      expect(await client().zrange(key('zset'), 0, -1)).toEqual(['one', 'two']);
      expect(await client().set(key('nx'), 'first', { nx: true, ex: 60 })).toBe('OK');
      expect(await client().set(key('nx'), 'second', { nx: true })).toBe(null);
      expect(await client().ttl(key('nx'))).toBeGreaterThan(0);
    });

    it('keeps the fields of a hash, which only the default settings make an object', async () => {
      await client().hset(key('hash'), { name: 'Ada', note: 'x=1' });
      const whole = await client().hgetall(key('hash'));
      const some = await client().hmget(key('hash'), 'name', 'none');
      // Without automatic deserialization the client hands on what Redis sent: a flat list.
      const isFlat = settings !== 'default settings';
      expect(whole).toEqual(isFlat ? ['name', 'Ada', 'note', 'x=1'] : { name: 'Ada', note: 'x=1' });
      expect(some).toEqual(isFlat ? ['Ada', null] : { name: 'Ada', none: null });
    });

    it('runs a pipeline in order and reports the one that failed in its place', async () => {
      const pipeline = client().pipeline();
      pipeline.set(key('p'), 'v');
      pipeline.rpush(key('p'), 'x');
      pipeline.get(key('p'));
      const replies = await pipeline.exec({ keepErrors: true });
      expect(replies.map(({ result }) => result)).toEqual(['OK', undefined, 'v']);
      expect(replies[1]?.error).toMatch(/^WRONGTYPE/);
    });

    it('runs a transaction, where a failing command leaves the others applied', async () => {
      const multi = client().multi();
      multi.set(key('m'), 'v');
      multi.incr(key('m'));
      multi.get(key('m'));
      const replies = await multi.exec({ keepErrors: true });
      expect(replies.map(({ result }) => result)).toEqual(['OK', undefined, 'v']);
      expect(replies[1]?.error).toMatch(/^ERR value is not an integer/);
      expect(await client().get(key('m'))).toBe('v');
    });

    it('throws the error text of Redis for a wrong type', async () => {
      await client().set(key('string'), 'v');
      await expect(client().rpush(key('string'), 'x')).rejects.toThrow(
        'WRONGTYPE Operation against a key holding the wrong kind of value',
      );
    });

    it('returns what a script returns, nested arrays and integers included', async () => {
      const script = "return {1, 'two', {ARGV[1], 'OK', {3}}, redis.status_reply('FINE')}";
      const reply = await client().eval(script, [], ['drei']);
      expect(reply).toEqual([1, 'two', ['drei', 'OK', [3]], 'FINE']);
    });
  });

  describe('concurrent transactions', () => {
    it('never mix with each other or with single commands', async () => {
      const client = strideClient(redis);
      const transactions = Array.from({ length: 40 }, () => {
        const multi = client.multi();
        for (let i = 0; i < 5; i++) multi.incr('shared');
        return multi.exec<number[]>();
      });
      const singles = Array.from({ length: 40 }, () => client.incr('shared'));
      const [replies] = await Promise.all([Promise.all(transactions), Promise.all(singles)]);
      for (const [first = 0, ...rest] of replies) {
        expect(rest).toEqual([first + 1, first + 2, first + 3, first + 4]);
      }
      expect(await client.get('shared')).toBe('240');
    });
  });
});
