/**
 * `npm run keys -- create | list | revoke`: API keys, in the Redis that the environment names or in
 * that of the local stack. Exit code 0 done, 1 failed, 2 wrong usage.
 */
import { resolve } from 'node:path';
import { StrideError } from '../src/errors.ts';
import { createKeyStore, type KeyStore } from '../src/loop/key-store.ts';
import { createRedis } from '../src/redis.ts';
import { KEYS_USAGE, type KeysCommand, parseKeysArguments } from './cli/keys-arguments.ts';
import { keyJson, keyTable } from './cli/keys-text.ts';
import { toHarmless, toHarmlessJson } from './cli/text.ts';
import { type Environment, loadEnvironment, ROOT } from './stack/environment.ts';
import { findLive } from './stack/lock.ts';
import { findRedis, type RedisAddress } from './stack/redis-address.ts';

async function main(args: string[]): Promise<void> {
  const parsed = parseKeysArguments(args);
  if (!parsed.ok) return fail(parsed.error.message, { exitCode: 2, args });
  const command = parsed.value;
  if (command.kind === 'help') return print([KEYS_USAGE]);
  try {
    const { env } = loadEnvironment(process.env, ROOT);
    const address = whichRedis(env);
    const store = createKeyStore(createRedis(address), { now: Date.now });
    await perform(command, store).catch((error: unknown) => {
      throw withAddress(error, address);
    });
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), { exitCode: 1, args });
  }
}

/** Throws an Error that says what to do when there is none. */
function whichRedis(env: Environment): RedisAddress {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env;
  if (url && token) {
    if (/^https?:\/\/./i.test(url) && URL.canParse(url)) return { url, token };
    throw new Error('UPSTASH_REDIS_REST_URL is no address; it begins with https://.');
  }
  if (url || token) {
    const missing = url ? 'UPSTASH_REDIS_REST_TOKEN' : 'UPSTASH_REDIS_REST_URL';
    throw new Error(`${missing} is missing beside the other one; set it, or neither.`);
  }
  const dataDir = env.STRIDE_DATA_DIR ?? resolve(ROOT, '.stride');
  const address = findRedis(dataDir);
  if (address) return address;
  if (findLive(dataDir)) {
    throw new Error(
      'The local stack that runs is still starting, or was started with another Redis; set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN as it has them.',
    );
  }
  throw new Error(
    'No Redis to keep keys in: set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN for a deployment, or run npm start for keys of the local stack.',
  );
}

/** Which Redis it was that failed; without user and password, which may stand in an address. */
function withAddress(error: unknown, { url }: RedisAddress): unknown {
  if (!(error instanceof StrideError) || error.code !== 'unavailable') return error;
  const { host } = new URL(url);
  return new Error(
    `${error.message} (the one at ${host}); check UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.`,
  );
}

async function perform(
  command: Exclude<KeysCommand, { kind: 'help' }>,
  store: KeyStore,
): Promise<void> {
  switch (command.kind) {
    case 'create': {
      const { secret, key } = await store.createKey(command);
      if (command.json) return printJson({ key: secret, ...keyJson(key) });
      const lines = [secret, '', ...keyTable([key]), ''];
      return print([...lines, 'The key is on the first line and is shown only now: keep it safe.']);
    }
    case 'list': {
      const all = await store.listKeys();
      const keys = all.filter(({ owner }) => command.owner === null || owner === command.owner);
      if (command.json) return printJson({ keys: keys.map(keyJson) });
      if (keys.length > 0) return print(keyTable(keys));
      return print([command.owner ? `${command.owner} has no keys.` : 'There are no keys.']);
    }
    case 'revoke': {
      const key = await store.revokeKey(command.id);
      if (!key) throw new Error(`There is no key ${command.id}; npm run keys -- list shows all.`);
      return command.json ? printJson(keyJson(key)) : print(keyTable([key]));
    }
  }
}

function fail(message: string, { exitCode, args }: { exitCode: 1 | 2; args: string[] }): void {
  const usage = exitCode === 2 ? `\n\n${KEYS_USAGE}` : '';
  process.stderr.write(`${toHarmless(message)}${usage}\n`);
  if (args.includes('--json')) printJson({ error: message });
  process.exitCode = exitCode;
}

function print(lines: string[]): void {
  process.stdout.write(`${toHarmless(lines.join('\n'))}\n`);
}

function printJson(result: object): void {
  process.stdout.write(`${toHarmlessJson(result)}\n`);
}

await main(process.argv.slice(2));
