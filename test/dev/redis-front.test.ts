// The wire as Upstash speaks it, by plain HTTP: encodings, error statuses, limits, refusals.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../dev/redis/commands.ts';
import { type Engine, EngineDown } from '../../dev/redis/engine.ts';
import { startFront } from '../../dev/redis/front.ts';
import { describeEngines } from '../helpers/redis.ts';
import { removeDataDirs, send, startTestRedis, type TestRedis } from './redis-support.ts';

describeEngines('the front', (engine) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis({ engine });
  });
  afterAll(async () => {
    await redis.stop();
    await removeDataDirs();
  });

  describe('encodings', () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);

    it('keeps every byte of a value sent as the body of a path request', async () => {
      expect(await send(redis, '/set/bytes?EX=60', { body: everyByte })).toEqual({
        status: 200,
        body: { result: 'OK' },
      });
      const { body } = await send(redis, '/', { body: ['GET', 'bytes'], base64: true });
      expect(body).toEqual({ result: Buffer.from(everyByte).toString('base64') });
      const ttl = await send(redis, '/ttl/bytes', { method: 'GET' });
      expect(ttl.body).toEqual({ result: expect.toBeOneOf([59, 60]) });
    });

    it('decodes percent-encoding in a path', async () => {
      await send(redis, '/set/a%2Fb/%C3%A9', { method: 'GET' });
      expect((await send(redis, '/', { body: ['GET', 'a/b'] })).body).toEqual({ result: 'é' });
      expect((await send(redis, '/get/%E9', { method: 'GET' })).status).toBe(400);
    });

    it('encodes all text as base64 on request but a plain OK, at any depth', async () => {
      const ask = async (command: unknown[]) =>
        (await send(redis, '/', { body: command, base64: true })).body;
      expect(await ask(['SET', 'k', 'v'])).toEqual({ result: 'OK' });
      expect(await ask(['TYPE', 'k'])).toEqual({ result: 'c3RyaW5n' });
      const nested = await ask(['EVAL', "return {redis.status_reply('OK'), {'v', 7, false}}", 0]);
      expect(nested).toEqual({ result: ['T0s=', ['dg==', 7, null]] });
    });

    it('takes numbers and booleans as arguments', async () => {
      await send(redis, '/', { body: ['RPUSH', 'mixed', 1, 2.5, true, -0, 1e21] });
      const { body } = await send(redis, '/', { body: ['LRANGE', 'mixed', 0, -1] });
      expect(body).toEqual({ result: ['1', '2.5', 'true', '0', '1e+21'] });
    });
  });

  describe('errors', () => {
    it('answers 401 without the right token', async () => {
      const denied = { status: 401, body: { error: 'WRONGPASS invalid or missing auth token' } };
      expect(await send(redis, '/', { body: ['PING'], token: null })).toEqual(denied);
      expect(await send(redis, '/', { body: ['PING'], token: 'wrong' })).toEqual(denied);
      expect(await send(redis, '/', { body: ['PING'], token: `${redis.token}x` })).toEqual(denied);
      const byQuery = await send(redis, `/ping?_token=${redis.token}`, { token: null });
      expect(byQuery).toEqual({ status: 200, body: { result: 'PONG' } });
    });

    it.each([
      ['text that is not JSON', '/', new TextEncoder().encode('{"a"'), /not JSON/],
      ['an object', '/', { command: 'PING' }, /must be a JSON array/],
      ['an empty command', '/', [], /empty command/],
      ['a null argument', '/', ['SET', 'k', null], /strings, numbers or booleans/],
      ['an object argument', '/', ['SET', 'k', {}], /strings, numbers or booleans/],
      ['a pipeline of words', '/pipeline', ['PING'], /each command is an array/],
      ['an empty transaction', '/multi-exec', [], /empty pipeline/],
      ['a command that does not exist', '/', ['NOPE', 'k'], /^ERR unknown command/],
      ['too few arguments', '/', ['GET'], /^ERR wrong number of arguments for 'get'/],
    ])('answers 400 and a reason for %s', async (_case, path, body, reason) => {
      const answer = await send(redis, path, { body });
      expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(reason) } });
    });

    it('leaves a short HSET or MSET to Redis to refuse', async () => {
      const short = [['HSET', 'short', 'field']];
      if (engine === 'redis-server') short.push(['MSET', 'short'], ['hmset', 'short', 'field']);
      for (const command of short) {
        const { status, body } = await send(redis, '/', { body: command });
        expect([status, body]).toEqual([
          400,
          { error: expect.stringMatching(/wrong number of arg/) },
        ]);
      }
      expect((await send(redis, '/', { body: ['EXISTS', 'short'] })).body).toEqual({ result: 0 });
    });

    it('answers 405 for a method that Upstash does not take', async () => {
      expect((await send(redis, '/get/k', { method: 'DELETE' })).status).toBe(405);
    });

    it("refuses a body above 10 MB with Upstash's text, and takes one just below", async () => {
      const value = 'x'.repeat(11 * 1024 * 1024);
      const { status, body } = await send(redis, '/', { body: ['SET', 'big', value] });
      expect([status, body]).toEqual([
        413,
        { error: expect.stringMatching(/^ERR max request size exceeded. Limit: 10485760 bytes/) },
      ]);
      const fits = value.slice(0, 10 * 1024 * 1024 - '["SET","big",""]'.length);
      expect((await send(redis, '/', { body: ['SET', 'big', fits] })).status).toBe(200);
      expect((await send(redis, '/', { body: ['GET', 'big'] })).body).toEqual({ result: fits });
    });

    it('answers 503 while the engine is down, also for a pipeline', async () => {
      const lost = () => Promise.reject(new EngineDown('redis-server does not answer'));
      const engine: Engine = { call: lost, transaction: lost, close: async () => {} };
      const front = await startFront({ engine, token: 't' });
      const down = { status: 503, body: { error: 'redis-server does not answer' } };
      const to = { url: front.url, token: 't' };
      expect(await send(to, '/', { body: ['GET', 'k'] })).toEqual(down);
      expect(
        await send(to, '/pipeline', {
          body: [
            ['GET', 'k'],
            ['GET', 'k'],
          ],
        }),
      ).toEqual(down);
      expect(await send(to, '/multi-exec', { body: [['GET', 'k']] })).toEqual(down);
      await front.close();
    });
  });

  describe('refusalOf', () => {
    it.each([
      [['SUBSCRIBE', 'c'], /subscriptions/],
      [['blpop', 'l', 0], /blocking/],
      [['XREAD', 'BLOCK', 0, 'STREAMS', 's', '$'], /blocking/],
      [['WATCH', 'k'], /no session/],
      [['MULTI'], /multi-exec/],
      [['CONFIG', 'GET', '*'], /administers/],
      [['SHUTDOWN', 'NOSAVE'], /administers/],
      [['DEBUG', 'SLEEP', 0], /administers/],
      [['SELECT', 1], /administers/],
      [['SCRIPT', 'DEBUG', 'YES'], /administers/],
    ])('refuses %j', async (command, reason) => {
      const { status, body } = await send(redis, '/', { body: command });
      expect([status, body]).toEqual([400, { error: expect.stringMatching(reason) }]);
      expect(body).toEqual({ error: expect.stringMatching(/^ERR Command is not available: /) });
    });

    it('lets KEYS pass', async () => {
      expect((await send(redis, '/', { body: ['KEYS', 'none*'] })).body).toEqual({ result: [] });
    });

    it('lets a stream pass whose name is BLOCK', () => {
      const words = ['XREAD', 'STREAMS', 'BLOCK', '0'].map((word) => Buffer.from(word));
      expect(refusalOf(words)).toBe(null);
    });

    it('refuses one command of a pipeline alone, but a transaction as a whole', async () => {
      const commands = [
        ['SET', 'refused', 'v'],
        ['WATCH', 'k'],
        ['EXISTS', 'refused'],
      ];
      const transaction = await send(redis, '/multi-exec', { body: commands });
      expect(transaction.status).toBe(400);
      expect(transaction.body).toEqual({ error: expect.stringMatching(/^EXECABORT .*WATCH/) });
      expect((await send(redis, '/', { body: ['EXISTS', 'refused'] })).body).toEqual({ result: 0 });
      const pipeline = await send(redis, '/pipeline', { body: commands });
      expect(pipeline).toEqual({
        status: 200,
        body: [{ result: 'OK' }, { error: expect.stringMatching(/no session/) }, { result: 1 }],
      });
    });

    it('discards a transaction that Redis will not queue', async () => {
      const answer = await send(redis, '/multi-exec', { body: [['SET', 'half', 'v'], ['GET']] });
      expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^EXECABORT/) } });
      expect((await send(redis, '/', { body: ['EXISTS', 'half'] })).body).toEqual({ result: 0 });
    });
  });
});
