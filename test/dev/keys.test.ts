import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseKeysArguments } from '../../dev/cli/keys-arguments.ts';
import { keyJson, keyTable } from '../../dev/cli/keys-text.ts';
import { acquireLock } from '../../dev/stack/lock.ts';
import { findRedis, publishRedis } from '../../dev/stack/redis-address.ts';
import type { ApiKey } from '../../src/loop/key-store.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { runCommand } from '../stack/command.ts';

const KEY: ApiKey = {
  id: 'key_0123456789abcdef',
  hash: `0123456789abcdef${'0'.repeat(48)}`,
  owner: 'alice',
  name: '构建',
  scopes: ['ask', 'read'],
  createdAt: Date.UTC(2026, 10, 30, 12, 5, 59),
  lastUsedAt: null,
  revokedAt: null,
};

describe('parseKeysArguments', () => {
  it.each([
    [
      ['create', '--owner', 'alice', '--scopes', 'read,ask'],
      { kind: 'create', json: false, owner: 'alice', name: '', scopes: ['ask', 'read'] },
    ],
    [
      ['--json', 'create', '--owner=a', '--scopes=admin', '--name', ' ci '],
      { kind: 'create', json: true, owner: 'a', name: 'ci', scopes: ['admin'] },
    ],
    [['list'], { kind: 'list', json: false, owner: null }],
    [['list', '--owner', 'bob', '--json'], { kind: 'list', json: true, owner: 'bob' }],
    [['revoke', 'key_1'], { kind: 'revoke', json: false, id: 'key_1' }],
    [['--help'], { kind: 'help' }],
  ])('reads %j', (args, command) => {
    expect(parseKeysArguments(args)).toEqual({ ok: true, value: command });
  });

  it.each([
    [[], 'A command is missing'],
    [['remove'], 'no command "remove"'],
    [['constructor'], 'no command "constructor"'],
    [['create', '--scopes', 'ask'], '--owner is missing'],
    [['create', '--owner', 'a'], '--scopes is missing'],
    [['create', '--owner', 'A', '--scopes', 'ask'], 'An owner is 1 to 64'],
    [['create', '--owner', 'a', '--scopes', 'ask,root'], 'no scope "root"'],
    [['create', '--owner', 'a', '--scopes', 'ask', '--name', 'a\nb'], 'A name is one line'],
    [['create', '--owner', 'a', '--scopes', 'ask', 'more'], '"more" is one word too many'],
    [['create', '--owner'], '--owner needs a value'],
    [['list', '--scopes', 'ask'], 'list takes no --scopes'],
    [['list', '--owner', '../x'], 'An owner is 1 to 64'],
    [['revoke'], 'Which key?'],
    [['revoke', 'a', 'b'], '"b" is one word too many'],
    [['list', '--all'], 'Unknown option --all'],
    [['list', '--json=yes'], '--json takes no value'],
  ])('refuses %j', (args, message) => {
    const parsed = parseKeysArguments(args);
    expect(parsed.ok ? '' : parsed.error.message).toContain(message);
  });

  it('does not print a key that was given in place of its id', () => {
    const secret = `stride_${'a'.repeat(32)}`;
    const parsed = parseKeysArguments(['revoke', secret]);
    expect(parsed).toMatchObject({ ok: false });
    expect(JSON.stringify(parsed)).not.toContain(secret);
  });
});

describe('keyTable', () => {
  it('lines up columns, wide characters too', () => {
    const used = { ...KEY, name: '', lastUsedAt: KEY.createdAt, revokedAt: KEY.createdAt };
    expect(keyTable([KEY, used])).toEqual([
      'ID                    OWNER  NAME  SCOPES    CREATED (UTC)     LAST USED         STATE',
      'key_0123456789abcdef  alice  构建  ask,read  2026-11-30 12:05  never             works',
      'key_0123456789abcdef  alice  -     ask,read  2026-11-30 12:05  2026-11-30 12:05  revoked 2026-11-30 12:05',
    ]);
  });
});

describe('keyJson', () => {
  it('gives times in ISO 8601 and no digest', () => {
    expect(keyJson(KEY)).toEqual({
      id: KEY.id,
      owner: 'alice',
      name: '构建',
      scopes: ['ask', 'read'],
      created_at: '2026-11-30T12:05:59.000Z',
      last_used_at: null,
      revoked_at: null,
    });
  });
});

describe('findRedis', () => {
  it('finds the Redis of a stack that runs, in a file for this user only', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'stride-keys-'));
    try {
      writeFileSync(join(dataDir, 'redis.json'), '{}', { mode: 0o644 });
      const unpublish = publishRedis(dataDir, { url: 'http://127.0.0.1:1', token: 't' });
      expect(statSync(join(dataDir, 'redis.json')).mode & 0o777).toBe(0o600);
      // What a killed stack left behind is no address.
      expect(findRedis(dataDir)).toBe(null);
      const taken = acquireLock(dataDir);
      if (!('lock' in taken)) throw new Error('the new folder is taken');
      expect(findRedis(dataDir)).toEqual({ url: 'http://127.0.0.1:1', token: 't' });
      unpublish();
      expect(findRedis(dataDir)).toBe(null);
      taken.lock.release();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!hasRedisServer)('npm run keys', () => {
  let server: TestRedis;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startTestRedis();
    env = { UPSTASH_REDIS_REST_URL: server.url, UPSTASH_REDIS_REST_TOKEN: server.token };
  });
  afterAll(() => server.stop());

  async function keys(args: string[], more: Record<string, string> = env) {
    const command = runCommand(['dev/keys.ts', ...args], more);
    const code = await command.ended;
    return { code, stdout: command.stdout(), stderr: command.stderr() };
  }

  it('makes, lists and revokes keys, and shows a key once', async () => {
    const args = ['create', '--owner', 'alice', '--scopes', 'ask,read', '--name', 'ci'];
    const made = await keys(args);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [secret = ''] = made.stdout.split('\n');
    expect(secret).toMatch(/^stride_[a-z2-7]{32}$/);
    expect(made.stdout).toContain('shown only now');

    const list = await keys(['list', '--owner', 'alice', '--json']);
    const { keys: listed } = JSON.parse(list.stdout) as { keys: { id: string }[] };
    expect(listed).toMatchObject([{ owner: 'alice', name: 'ci', revoked_at: null }]);
    expect(list.stdout).not.toContain(secret);
    expect((await keys(['list', '--owner', 'bob'])).stdout).toBe('bob has no keys.\n');

    const revoked = await keys(['revoke', listed[0]?.id ?? '']);
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringMatching(/revoked 2\d{3}-/) });
    expect((await keys(['list'])).stdout).toContain('revoked 2');
  });

  it('prints one JSON object with the key', async () => {
    const made = await keys(['create', '--json', '--owner', 'carol', '--scopes', 'admin']);
    expect(JSON.parse(made.stdout)).toMatchObject({
      key: expect.stringMatching(/^stride_/),
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      owner: 'carol',
      scopes: ['admin'],
    });
  });

  it('exits 2 with the usage on a mistake, 1 for an unknown id', async () => {
    const wrong = await keys(['create', '--owner', 'alice']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('Usage: npm run keys');
    const unknown = await keys(['revoke', 'key_0000000000000000']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('There is no key key_0000000000000000');
  });

  it('says what to do when there is no Redis, and exits 1', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'stride-keys-'));
    try {
      const none = await keys(['list'], { STRIDE_DATA_DIR: dataDir });
      expect(none.code).toBe(1);
      expect(none.stderr).toContain('UPSTASH_REDIS_REST_URL');
      expect(none.stderr).toContain('npm start');
      const half = await keys(['list'], { UPSTASH_REDIS_REST_URL: server.url });
      expect(half).toMatchObject({ code: 1 });
      expect(half.stderr).toContain('UPSTASH_REDIS_REST_TOKEN is missing');
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('says when Redis does not answer, without its token', async () => {
    const down = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1', UPSTASH_REDIS_REST_TOKEN: 'hush' };
    const failed = await keys(['list', '--json'], down);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('the one at 127.0.0.1:1');
    expect(JSON.parse(failed.stdout)).toEqual({ error: expect.stringContaining('Redis') });
    expect(failed.stdout + failed.stderr).not.toContain('hush');
    const strange = await keys(['list'], { ...down, UPSTASH_REDIS_REST_URL: 'nonsense' });
    expect(strange).toMatchObject({ code: 1 });
    expect(strange.stderr).toBe('UPSTASH_REDIS_REST_URL is no address; it begins with https://.\n');
  });
});
