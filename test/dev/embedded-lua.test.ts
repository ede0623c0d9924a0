// Scripts in the embedded engine: what they may touch, how long they may run, and what they leave.

import { describe, expect, it } from 'vitest';
import { loadLua } from '../../dev/redis/embedded/lua/wasm.ts';
import { createMemoryEngine } from '../../dev/redis/embedded/memory.ts';

const lua = await loadLua();
const words = (...parts: (string | number)[]) => parts.map((part) => Buffer.from(String(part)));
const LOCKING = '#!lua flags=allow-key-locking\n';
const UNDECLARED = /Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag/;

function engineWith(limits = {}) {
  const engine = createMemoryEngine({ now: () => 1_790_000_000_000, lua, limits });
  const run = (script: string, keys: string[] = [], args: string[] = []) =>
    engine.call(words('EVAL', script, keys.length, ...keys, ...args));
  return { engine, run };
}

describe('a script with Upstash’s flag', () => {
  const { run } = engineWith();

  it('may touch the keys it declares', () => {
    const script = `${LOCKING}redis.call('SET', KEYS[1], 1) return redis.call('EXISTS', KEYS[1], KEYS[2])`;
    expect(run(script, ['a', 'b'])).toBe(1);
  });

  it.each([
    ["redis.call('GET', 'other')"],
    ["redis.call('SET', KEYS[1] .. 'x', 1)"],
    ["redis.call('DEL', KEYS[1], 'other')"],
    ["redis.call('KEYS', '*')"],
    ["redis.call('FLUSHALL')"],
  ])('may not run %s', (command) => {
    expect(() => run(`${LOCKING}return ${command}`, ['a'])).toThrow(UNDECLARED);
  });

  it('may ask for the time, which is no key', () => {
    expect(run(`${LOCKING}return #redis.call('TIME')`)).toBe(2);
  });

  it('is not looked at without the flag', () => {
    expect(run("return redis.call('SET', 'undeclared', 1)")).toEqual(Buffer.from('OK'));
  });
});

describe('the sandbox', () => {
  const { run } = engineWith();
  const text = (script: string) => String(run(script));

  it.each(['os', 'io', 'debug', 'require', 'load', 'loadstring', 'dofile', 'print', 'package'])(
    'has no %s',
    (name) => {
      expect(() => run(`return ${name}`)).toThrow(
        `Script attempted to access nonexistent global variable '${name}'`,
      );
    },
  );

  it.each([
    'KEYS = {}',
    'fresh = 1',
    '_G.fresh = 1',
    'string.format = nil',
    'redis.call = print',
    "rawset(redis, 'call', 1)",
    'setmetatable(_G, {})',
    "getmetatable('').__index = nil",
    'getmetatable(_G).__index = nil',
    'getmetatable(string).__index = nil',
  ])('does not let a script change what others see: %s', (script) => {
    expect(() => run(script)).toThrow(
      /readonly table|nonexistent global|attempt to index a boolean value/,
    );
  });

  it('leaves nothing of one script for the next', () => {
    run("local t = {} setmetatable(t, {__index = function() return 'kept' end}) return t.x", ['k']);
    expect(run('return #KEYS')).toBe(0);
  });

  it('prints and formats times in milliseconds whole', () => {
    expect(text("return string.format('%d|%14d|%i', 1790000000000, 1790000000001, -3)")).toBe(
      '1790000000000| 1790000000001|-3',
    );
    expect(text('return tostring(1790000000000)')).toBe('1790000000000');
  });

  it('keeps every byte on the way in and out', () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
    const { engine } = engineWith();
    const script =
      "redis.call('SET', KEYS[1], ARGV[1]) return {#ARGV[1], redis.call('GET', KEYS[1])}";
    const call = [...words('EVAL', script, 1), Buffer.from([0, 255]), bytes];
    expect(engine.call(call)).toEqual([256, bytes]);
  });
});

describe('bounds', () => {
  const { engine, run } = engineWith({ maxScriptMs: 30, maxMemoryBytes: 24 * 1024 * 1024 });

  it.each([
    ['while true do end'],
    ['while true do pcall(function() while true do end end) end'],
    ["redis.call('SET', 'k', 'kept') while true do redis.pcall('INCR', 'n') end"],
  ])('ends a script that would not: %s', (script) => {
    expect(() => run(script)).toThrow('Script ended after 30 ms');
    expect(run('return 1')).toBe(1);
  });

  it('keeps what an ended script wrote', () => {
    expect(engine.call(words('GET', 'k'))).toEqual(Buffer.from('kept'));
  });

  it('ends a script that takes too much memory', () => {
    const script = "local t = {} while true do t[#t + 1] = string.rep('x', 1000 + #t) end";
    const roomy = engineWith({ maxScriptMs: 5_000, maxMemoryBytes: 24 * 1024 * 1024 });
    expect(() => roomy.run(script)).toThrow('took too much memory');
  });

  it('goes on after a script that exhausted the stack', async () => {
    const greedy = "return string.find(string.rep('a', 300000), string.rep('a?', 200000))";
    expect(() => run(greedy)).toThrow('it exhausted the stack of Lua');
    await expect.poll(() => attempt(() => run('return 7'))).toBe(7);
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return null;
  }
}

describe('memory', () => {
  it('does not grow with the number of scripts run', () => {
    const { engine, run } = engineWith();
    const script = `local t = redis.call('TIME') redis.call('HSET', KEYS[1], ARGV[1], t[1])
      return {redis.call('HGETALL', KEYS[1]), redis.pcall('INCR', KEYS[1])}`;
    const value = 'v'.repeat(1_000);
    for (let i = 0; i < 2_000; i += 1) run(script, ['h'], [value]);
    const before = lua.c.HEAPU8.length;
    for (let i = 0; i < 10_000; i += 1) run(script, ['h'], [value]);
    expect(lua.c.HEAPU8.length).toBe(before);
    engine.close();
  });
});
