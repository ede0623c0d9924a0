// Upstash's script flag, which redis-server does not know, and the limiter that relies on it.

import { createHash } from 'node:crypto';
import { Ratelimit } from '@upstash/ratelimit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stripUpstashFlag } from '../../dev/redis/scripts.ts';
import { describeEngines } from '../helpers/redis.ts';
import {
  defaultClient,
  removeDataDirs,
  startTestRedis,
  strideClient,
  type TestRedis,
} from './redis-support.ts';

const sha1 = (script: string) => createHash('sha1').update(script).digest('hex');

describe('stripUpstashFlag', () => {
  it.each([
    ['#!lua flags=allow-key-locking\nreturn 1', '#!lua\nreturn 1'],
    ['#!lua flags=allow-key-locking', '#!lua'],
    ['#!lua  flags=no-writes,allow-key-locking\r\nreturn 1', '#!lua flags=no-writes\nreturn 1'],
    ['#!lua name=x flags=allow-key-locking,allow-oom\nx', '#!lua name=x flags=allow-oom\nx'],
  ])('turns %j into %j', (script, expected) => {
    expect(stripUpstashFlag(Buffer.from(script)).toString()).toBe(expected);
  });

  it.each([
    'return 1',
    '#!lua flags=no-writes\nreturn "allow-key-locking"',
    '-- #!lua flags=allow-key-locking\nreturn 1',
    '',
  ])('hands %j back as it is', (script) => {
    const bytes = Buffer.from(script);
    expect(stripUpstashFlag(bytes)).toBe(bytes);
  });

  it('keeps bytes that are not UTF-8', () => {
    const tail = Buffer.from([0x0a, 0xff, 0x00, 0xfe]);
    const script = Buffer.concat([Buffer.from('#!lua flags=allow-key-locking'), tail]);
    expect(stripUpstashFlag(script)).toEqual(Buffer.concat([Buffer.from('#!lua'), tail]));
  });
});

describeEngines('scripts', (engine) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis({ engine });
  });
  afterAll(async () => {
    await redis.stop();
    await removeDataDirs();
  });

  describe('EVAL, EVALSHA and SCRIPT', () => {
    const flagged = (text: string) => `#!lua flags=allow-key-locking\nreturn '${text}' .. KEYS[1]`;

    it('answers NOSCRIPT until the script was sent, then runs it by the SHA1 of its own text', async () => {
      const client = strideClient(redis);
      const script = flagged('a');
      await expect(client.evalsha(sha1(script), ['k'], [])).rejects.toThrow('NOSCRIPT');
      expect(await client.eval(script, ['k'], [])).toBe('ak');
      expect(await client.evalsha(sha1(script), ['k'], [])).toBe('ak');
      expect(await client.evalsha(sha1(script).toUpperCase(), ['k'], [])).toBe('ak');
    });

    it('answers SCRIPT LOAD with the SHA1 of the text as sent, in a transaction too', async () => {
      const client = strideClient(redis);
      expect(await client.scriptLoad(flagged('b'))).toBe(sha1(flagged('b')));
      const multi = client.multi();
      multi.scriptLoad(flagged('c'));
      multi.evalsha(sha1(flagged('b')), ['k'], []);
      expect(await multi.exec()).toEqual([sha1(flagged('c')), 'bk']);
      const known = await client.scriptExists(sha1(flagged('b')), sha1(flagged('c')), sha1('none'));
      expect(known).toEqual([1, 1, 0]);
    });

    it('forgets scripts with SCRIPT FLUSH, as the client expects', async () => {
      const client = strideClient(redis);
      await client.scriptLoad(flagged('d'));
      await client.scriptFlush();
      await expect(client.evalsha(sha1(flagged('d')), ['k'], [])).rejects.toThrow('NOSCRIPT');
    });

    it('runs scripts without the flag, and reports the errors of their authors', async () => {
      const client = strideClient(redis);
      expect(await client.eval('return #ARGV[1]', [], ['é'])).toBe(2);
      await expect(client.eval("return redis.error_reply('MINE bad')", [], [])).rejects.toThrow(
        'MINE bad',
      );
      await expect(client.eval('#!lua flags=unheard-of\nreturn 1', [], [])).rejects.toThrow(
        'Unexpected flag in script shebang',
      );
    });
  });

  describe('@upstash/ratelimit, what else it asks of Redis', () => {
    const limiters = [
      Ratelimit.fixedWindow(3, '1 h'),
      Ratelimit.slidingWindow(3, '1 h'),
      Ratelimit.tokenBucket(3, '1 h', 3),
    ];

    it('says what is left, and gives everything back on reset', async () => {
      for (const limiter of limiters) {
        const prefix = crypto.randomUUID();
        const limit = new Ratelimit({ redis: strideClient(redis), limiter, prefix });
        await limit.limit('someone');
        await limit.limit('someone', { rate: 2 });
        expect((await limit.getRemaining('someone')).remaining).toBe(0);
        await limit.resetUsedTokens('someone');
        expect((await limit.getRemaining('someone')).remaining).toBe(3);
      }
    });

    it('counts on in Redis behind the window that is cached in memory', async () => {
      const limit = new Ratelimit({
        redis: strideClient(redis),
        limiter: Ratelimit.cachedFixedWindow(2, '1 h'),
        prefix: crypto.randomUUID(),
        ephemeralCache: new Map(),
      });
      const answers = [];
      for (let i = 0; i < 3; i++) {
        const answer = await limit.limit('someone');
        answers.push(answer.success);
        await answer.pending;
      }
      expect(answers).toEqual([true, true, false]);
      expect((await limit.getRemaining('someone')).remaining).toBe(0);
    });
  });

  describe.each([
    { name: 'fixed window', limiter: () => Ratelimit.fixedWindow(3, '1 h') },
    { name: 'sliding window', limiter: () => Ratelimit.slidingWindow(3, '1 h') },
    { name: 'token bucket', limiter: () => Ratelimit.tokenBucket(3, '1 h', 3) },
  ])('@upstash/ratelimit with a $name', ({ name, limiter }) => {
    it('lets three through and stops the fourth', async () => {
      for (const client of [strideClient(redis), defaultClient(redis)]) {
        const prefix = crypto.randomUUID();
        // Without the cache in memory, so that every answer comes from the script.
        const limit = new Ratelimit({
          redis: client,
          limiter: limiter(),
          prefix,
          ephemeralCache: false,
        });
        const answers = [];
        for (let i = 0; i < 4; i++) answers.push(await limit.limit(name));
        expect(answers.map(({ success }) => success)).toEqual([true, true, true, false]);
        expect(answers.map(({ reason }) => reason)).not.toContain('timeout');
        expect(answers[0]?.remaining).toBe(2);
      }
    });
  });
});
