import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkKeyName,
  checkOwner,
  createKeyStore,
  type KeyStore,
  looksLikeKey,
  parseScopes,
} from '../../src/loop/key-store.ts';
import type { RedisPort } from '../../src/redis.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';

const START = 1_790_000_000_000;

describe.skipIf(!hasRedisServer)('createKeyStore', () => {
  let server: TestRedis;
  let now = START;
  let commands: string[] = [];
  let keys: KeyStore;

  beforeAll(async () => {
    server = await startTestRedis();
    const redis: RedisPort = {
      ...server.redis,
      command: (...args) => {
        commands.push(args[0] ?? '');
        return server.redis.command(...args);
      },
    };
    keys = createKeyStore(redis, { now: () => now });
  });
  afterAll(() => server.stop());

  const make = (owner = 'alice') => keys.createKey({ owner, name: 'ci', scopes: ['read', 'ask'] });

  /** Every key and value that Redis holds, as one text. */
  async function everything(): Promise<string> {
    const names = (await server.redis.command('KEYS', '*')) as string[];
    const values = await Promise.all(
      names.map((name) =>
        name === 'keys'
          ? server.redis.command('ZRANGE', name, '0', '-1')
          : server.redis.command('HGETALL', name),
      ),
    );
    return JSON.stringify([names, values]);
  }

  it('makes a key of 160 random bits and keeps its digest only', async () => {
    const [one, two] = [await make(), await make()];
    expect(one.secret).toMatch(/^stride_[a-z2-7]{32}$/);
    expect(two.secret).not.toBe(one.secret);
    const stored = await everything();
    expect(stored).toContain(`key:${one.key.hash}`);
    expect(stored).not.toContain(one.secret.slice('stride_'.length));
    expect(one.key.id).toBe(`key_${one.key.hash.slice(0, 16)}`);
  });

  it('finds the owner and the scopes of a key', async () => {
    const { secret, key } = await make('bob');
    expect(await keys.findKey(secret)).toEqual(key);
    expect(key).toMatchObject({
      owner: 'bob',
      name: 'ci',
      createdAt: now,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(new Set(key.scopes)).toEqual(new Set(['ask', 'read']));
  });

  it('finds nothing for a key that was never made, and asks nobody about other text', async () => {
    expect(await keys.findKey(`stride_${'a'.repeat(32)}`)).toBe(null);
    commands = [];
    for (const text of ['', 'stride_', `STRIDE_${'a'.repeat(32)}`, `stride_${'a'.repeat(33)}`]) {
      expect(await keys.findKey(text)).toBe(null);
    }
    expect(commands).toEqual([]);
  });

  it('gives no rights to a record that was not written whole', async () => {
    const { secret, key } = await make();
    await server.redis.command('HDEL', `key:${key.hash}`, 'owner');
    expect(await keys.findKey(secret)).toBe(null);
    await server.redis.command('HSET', `key:${key.hash}`, 'owner', 'x', 'scopes', 'root,read');
    expect((await keys.findKey(secret))?.scopes).toEqual(['read']);
  });

  it('writes the last use at most once a minute', async () => {
    const { secret } = await make();
    const use = async () => {
      const key = await keys.findKey(secret);
      if (!key) throw new Error('the key is gone');
      commands = [];
      await keys.noteKeyUse(key);
      return commands.length;
    };
    expect(await use()).toBe(1);
    now += 59_999;
    expect(await use()).toBe(0);
    now += 1;
    expect(await use()).toBe(1);
    expect((await keys.findKey(secret))?.lastUsedAt).toBe(now);
  });

  it('keeps a revoked key on record, with the time of its first revocation', async () => {
    const { secret, key } = await make('carol');
    const revokedAt = now;
    expect(await keys.revokeKey(key.id)).toMatchObject({ id: key.id, revokedAt });
    now += 5_000;
    expect(await keys.revokeKey(key.id)).toMatchObject({ revokedAt });
    expect(await keys.findKey(secret)).toMatchObject({ owner: 'carol', revokedAt });
    // A request that was under way notes its use a moment later.
    await keys.noteKeyUse(key);
    expect(await keys.findKey(secret)).toMatchObject({ revokedAt });
    expect((await keys.listKeys()).at(-1)).toMatchObject({ id: key.id, revokedAt });
  });

  it('revokes nothing by an id that no key has, or by a part of one', async () => {
    const { key } = await make();
    for (const id of ['key_0000000000000000', key.id.slice(0, -1), key.hash, '']) {
      expect(await keys.revokeKey(id)).toBe(null);
    }
  });

  it('lists a key whose making was cut off neither as working nor at all', async () => {
    await server.redis.command('ZADD', 'keys', String(now), 'f'.repeat(64));
    const listed = await keys.listKeys();
    expect(listed.some(({ hash }) => hash === 'f'.repeat(64))).toBe(false);
  });

  it('refuses an owner that would break a key or a path', async () => {
    await expect(make('a/b')).rejects.toThrow(/An owner is/);
  });
});

describe('checkOwner', () => {
  it.each([['a'], ['alice'], ['team-7'], ['0.x_y'], ['a'.repeat(64)]])('takes %j', (owner) => {
    expect(checkOwner(owner)).toEqual({ ok: true, value: owner });
  });

  it.each([
    [''],
    ['Alice'],
    ['a b'],
    ['a/b'],
    ['a:b'],
    ['..'],
    ['.a'],
    ['-a'],
    ['a\n'],
    ['ünal'],
    ['a'.repeat(65)],
  ])('refuses %j', (owner) => {
    expect(checkOwner(owner)).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  });
});

describe('checkKeyName', () => {
  it('takes one printable line, without blanks round it', () => {
    expect(checkKeyName(' build server ☂ ')).toEqual({ ok: true, value: 'build server ☂' });
  });

  it.each([['a\nb'], ['a\u001b[31m'], ['a\u202eb'], ['x'.repeat(81)]])('refuses %j', (name) => {
    expect(checkKeyName(name)).toMatchObject({ ok: false });
  });
});

describe('parseScopes', () => {
  it('reads a list, each scope once, in their usual order', () => {
    expect(parseScopes('read, ask,read')).toEqual({ ok: true, value: ['ask', 'read'] });
  });

  it.each([
    ['', 'is empty'],
    ['ask,', 'is empty'],
    ['ask,root', '"root"'],
    ['Ask', '"Ask"'],
  ])('refuses %j', (text, named) => {
    const parsed = parseScopes(text);
    expect(parsed.ok ? '' : parsed.error.message).toContain(named);
  });
});

describe('looksLikeKey', () => {
  it.each([
    [`stride_${'a2'.repeat(16)}`, true],
    [`stride_${'a1'.repeat(16)}`, false],
    [`stride_${'a2'.repeat(16)}\n`, false],
    ['sk-ant-123', false],
  ])('says of %j: %s', (text, expected) => {
    expect(looksLikeKey(text)).toBe(expected);
  });
});
