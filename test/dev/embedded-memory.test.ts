// The embedded engine in memory, on a clock that the test turns.

import { beforeEach, describe, expect, it } from 'vitest';
import { loadLua } from '../../dev/redis/embedded/lua/wasm.ts';
import { createMemoryEngine, type MemoryEngine } from '../../dev/redis/embedded/memory.ts';
import { RedisError, type Reply } from '../../dev/redis/engine.ts';

const START = 1_790_000_000_000;
const lua = await loadLua();
let now: number;
let engine: MemoryEngine;

type Told = null | number | string | Told[];
function toText(reply: Reply): Told {
  if (reply instanceof RedisError) return `error ${reply.message}`;
  if (Array.isArray(reply)) return reply.map(toText);
  return Buffer.isBuffer(reply) ? reply.toString() : reply;
}
const toWords = (words: (string | number)[]) => words.map((word) => Buffer.from(String(word)));
const call = (...words: (string | number)[]) => toText(engine.call(toWords(words)));

beforeEach(() => {
  now = START;
  engine = createMemoryEngine({ now: () => now, lua });
});

describe('expiry', () => {
  it('keeps a key through its last millisecond and not longer', () => {
    call('SET', 'k', 'v', 'PX', 1_000);
    now += 1_000;
    expect([call('GET', 'k'), call('PTTL', 'k'), call('TTL', 'k')]).toEqual(['v', 0, 0]);
    now += 1;
    expect([call('GET', 'k'), call('PTTL', 'k'), call('EXISTS', 'k')]).toEqual([null, -2, 0]);
  });

  it('rounds TTL to the nearest second', () => {
    call('SET', 'k', 'v', 'PX', 10_499);
    expect(call('TTL', 'k')).toBe(10);
    now -= 1;
    expect(call('TTL', 'k')).toBe(11);
  });

  it('stays with HSET and INCR, goes with SET, and stays with SET KEEPTTL', () => {
    call('HSET', 'h', 'a', 1);
    call('SET', 'n', 1);
    for (const key of ['h', 'n']) call('EXPIRE', key, 100);
    call('HSET', 'h', 'b', 2);
    call('INCR', 'n');
    expect([call('TTL', 'h'), call('TTL', 'n')]).toEqual([100, 100]);
    call('SET', 'n', 5, 'KEEPTTL');
    expect(call('TTL', 'n')).toBe(100);
    call('SET', 'n', 5);
    expect(call('TTL', 'n')).toBe(-1);
  });

  it('removes a key whose time is over at once', () => {
    call('RPUSH', 'l', 'a');
    expect(call('EXPIRE', 'l', -1)).toBe(1);
    expect(call('TYPE', 'l')).toBe('none');
  });

  it('starts a key that ended anew, without its old value or time', () => {
    call('SET', 'n', 41, 'EX', 1);
    now += 2_000;
    expect(call('INCR', 'n')).toBe(1);
    expect(call('TTL', 'n')).toBe(-1);
  });

  it('lets no time pass within a script', () => {
    const script = "local a = redis.call('TIME') return {a, redis.call('TIME')}";
    const turning = createMemoryEngine({ now: () => (now += 5), lua });
    const [first, second] = toText(turning.call(toWords(['EVAL', script, 0]))) as Told[];
    expect(first).toEqual(second);
    expect(first).toEqual([String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)]);
  });
});

describe('SCAN', () => {
  it('returns each key that stays exactly once, while others come and go', () => {
    for (let i = 0; i < 50; i += 1) call('SET', `stay:${i}`, i);
    for (let i = 0; i < 50; i += 1) call('SET', `go:${i}`, i);
    const seen: Told[] = [];
    let cursor: Told = '0';
    do {
      const [next, keys] = call('SCAN', String(cursor), 'MATCH', 'stay:*') as [Told, Told[]];
      seen.push(...keys);
      cursor = next;
      call('DEL', `go:${seen.length}`);
      call('SET', `new:${seen.length}`, 1);
    } while (cursor !== '0');
    expect(seen.sort()).toEqual(Array.from({ length: 50 }, (_, i) => `stay:${i}`).sort());
  });
});

describe('onChange', () => {
  const effectsOf = (...words: (string | number)[]) => {
    const effects: string[][][] = [];
    const told = createMemoryEngine({
      now: () => now,
      lua,
      onChange: (list) => effects.push(list),
    });
    for (const line of words) told.call(toWords(String(line).split(' ')));
    return effects;
  };

  it('tells absolute times, so that the same can be done later', () => {
    expect(effectsOf('SET k v EX 10', 'PEXPIRE k 500', 'EXPIRE k -1')).toEqual([
      [['SET', 'k', 'v', 'PXAT', String(START + 10_000)]],
      [['PEXPIREAT', 'k', String(START + 500)]],
      [['DEL', 'k']],
    ]);
  });

  it('tells nothing of a call that changed nothing', () => {
    const idle = ['GET k', 'DEL k', 'HDEL h f', 'ZREM z m', 'EXPIRE k 5', 'SET k v XX'];
    expect(effectsOf(...idle)).toEqual([]);
  });

  it('tells the removal of a key that ended, before what follows from it', () => {
    const effects: string[][][] = [];
    const told = createMemoryEngine({
      now: () => now,
      lua,
      onChange: (list) => effects.push(list),
    });
    told.call(toWords(['SET', 'n', 5, 'PX', 1]));
    now += 2;
    told.call(toWords(['INCR', 'n']));
    expect(effects[1]).toEqual([
      ['DEL', 'n'],
      ['INCRBY', 'n', '1'],
    ]);
  });

  it('tells a script as one change, also when it failed half way', () => {
    const effects: string[][][] = [];
    const told = createMemoryEngine({
      now: () => now,
      lua,
      onChange: (list) => effects.push(list),
    });
    const script = "redis.call('SET', 'a', 1) redis.call('RPUSH', 'l', 'x') error('now')";
    expect(() => told.call(toWords(['EVAL', script, 0]))).toThrow('now');
    expect(effects).toEqual([
      [
        ['SET', 'a', '1'],
        ['RPUSH', 'l', 'x'],
      ],
    ]);
  });
});

describe('snapshot and replay', () => {
  it('make the same keys in another engine, whatever the time there', () => {
    for (let i = 0; i < 2_500; i += 1) call('RPUSH', 'long', i);
    call('HSET', 'h', 'a', 1, 'b', 2);
    call('ZADD', 'z', 1.5, 'm', '-inf', 'n');
    call('SET', 's', 'v', 'EX', 100);
    const copy = createMemoryEngine({ now: () => now + 99_000, lua });
    copy.replay(engine.snapshot());
    const reads = ['LRANGE long 0 -1', 'HGETALL h', 'ZRANGE z 0 -1 WITHSCORES', 'GET s'];
    for (const line of reads) {
      expect(copy.call(toWords(line.split(' ')))).toEqual(engine.call(toWords(line.split(' '))));
    }
    expect(copy.call(toWords(['TTL', 's']))).toBe(1);
  });
});

describe('transaction', () => {
  it('runs nothing when one command cannot be queued, and all when one only fails', () => {
    const commands = (...lines: string[]) => lines.map((line) => toWords(line.split(' ')));
    expect(() => engine.transaction(commands('SET a 1', 'NOPE'))).toThrow('EXECABORT');
    expect(call('EXISTS', 'a')).toBe(0);
    const replies = engine.transaction(commands('SET a x', 'INCR a', 'GET a'));
    expect(replies.map(toText)).toEqual([
      'OK',
      'error ERR value is not an integer or out of range',
      'x',
    ]);
  });
});

describe('what the engine does not know', () => {
  it.each([['LPUSH l x'], ['MSET a 1'], ['SUBSCRIBE c'], ['XADD s * a b'], ['CONFIG GET x']])(
    'answers %j as Redis answers an unknown command',
    (line) => {
      const [name = '', ...rest] = line.split(' ');
      const shown = rest.map((word) => `'${word}' `).join('');
      const text = `ERR unknown command '${name}', with args beginning with: ${shown}`;
      expect(() => call(...line.split(' '))).toThrow(text);
    },
  );

  it('quotes text of a command as it was sent', () => {
    expect(() => call('é', '漢')).toThrow(
      "ERR unknown command 'é', with args beginning with: '漢' ",
    );
  });
});
