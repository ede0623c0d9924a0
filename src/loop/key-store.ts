/**
 * API keys: one hash `key:{sha256}` each, and the zset `keys` that lists them by age. The key
 * itself is shown once, when it is made, and stored nowhere; what is known of it is its digest. A
 * revoked key keeps its record, so that a list can show it. Written by `npm run keys`; the service
 * only reads, and notes the last use.
 */
import type { Result } from '../errors.ts';
import { type RedisPort, toFields } from '../redis.ts';
import { sha256Hex } from '../tools/workspace.ts';

/** What a key may do: every route asks for exactly one of these. */
export const SCOPES = ['ask', 'read', 'knowledge', 'evaluate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ApiKey {
  /** `key_` and the first 16 hex digits of the digest: enough to name it, useless to guess it. */
  id: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  owner: string;
  /** What people call it, '' when they gave no name. */
  name: string;
  scopes: Scope[];
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds, at most a minute behind; null before the first use. */
  lastUsedAt: number | null;
  /** Unix milliseconds; null while the key works. */
  revokedAt: number | null;
}

export interface NewKey {
  owner: string;
  name: string;
  scopes: readonly Scope[];
}

export interface KeyStore {
  /** Makes a key. `secret` is the key itself and exists nowhere else. Throws on a bad owner. */
  createKey(wanted: NewKey): Promise<{ secret: string; key: ApiKey }>;
  /** The record of a key, a revoked one's too; null when there is none. */
  findKey(secret: string): Promise<ApiKey | null>;
  /** Notes that the key was used, at most once a minute. */
  noteKeyUse(key: ApiKey): Promise<void>;
  /** All keys, oldest first, revoked ones too. */
  listKeys(): Promise<ApiKey[]>;
  /** The key as it is now, or null when no key has that id. Revoking twice changes nothing. */
  revokeKey(id: string): Promise<ApiKey | null>;
}

/** All of our keys look like this, so that a leaked one can be found by searching for it. */
const KEY_PREFIX = 'stride_';
/** 32 characters of an alphabet of 32: 160 bits. */
const KEY_CHARS = 32;
const KEY_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const KEY_FORMAT = new RegExp(`^${KEY_PREFIX}[${KEY_ALPHABET}]{${KEY_CHARS}}$`);
const KEY_INDEX = 'keys';
/** A use is written this seldom: reading a run a hundred times must not be a hundred writes. */
const USE_NOTED_EVERY_MS = 60_000;
/** Part of Redis keys and of object paths, so neither `:` nor `/`, and no leading dot. */
const OWNER = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MAX_NAME_CHARS = 80;

/** True for text that could be one of our keys; anything else need not be looked up. */
export const looksLikeKey = (text: string): boolean => KEY_FORMAT.test(text);

export function checkOwner(owner: string): Result<string> {
  if (OWNER.test(owner)) return { ok: true, value: owner };
  return refuse(
    'An owner is 1 to 64 of a–z, 0–9, ".", "_" and "-", and begins with a letter or digit.',
  );
}

export function checkKeyName(name: string): Result<string> {
  const trimmed = name.trim();
  if ([...trimmed].length <= MAX_NAME_CHARS && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(trimmed)) {
    return { ok: true, value: trimmed };
  }
  return refuse(`A name is one line of at most ${MAX_NAME_CHARS} printable characters.`);
}

/** `ask, read` → scopes, each once, in their usual order. */
export function parseScopes(text: string): Result<Scope[]> {
  const given = text.split(',').map((part) => part.trim());
  const unknown = given.find((part) => !(SCOPES as readonly string[]).includes(part));
  if (unknown !== undefined) {
    const named = unknown === '' ? 'A scope is empty' : `There is no scope "${unknown}"`;
    return refuse(`${named}; the scopes are ${SCOPES.join(', ')}.`);
  }
  return { ok: true, value: SCOPES.filter((scope) => given.includes(scope)) };
}

export function createKeyStore(redis: RedisPort, { now }: { now: () => number }): KeyStore {
  async function load(hash: string): Promise<ApiKey | null> {
    return toApiKey(hash, toFields(await redis.command('HGETALL', recordKey(hash))));
  }

  async function listKeys(): Promise<ApiKey[]> {
    const hashes = (await redis.command('ZRANGE', KEY_INDEX, '0', '-1')) as string[];
    const keys = await Promise.all(hashes.map(load));
    return keys.filter((key) => key !== null);
  }

  return {
    async createKey({ owner, name, scopes: wanted }) {
      const checked = checkOwner(owner);
      if (!checked.ok) throw new Error(checked.error.message);
      const secret = newSecret();
      const hash = await hashOf(secret);
      const createdAt = now();
      const scopes = SCOPES.filter((scope) => wanted.includes(scope));
      // Listed before it works: no key may work that a list does not show.
      await redis.command('ZADD', KEY_INDEX, String(createdAt), hash);
      const fields = { owner, name, scopes: scopes.join(','), created: String(createdAt) };
      await redis.command('HSET', recordKey(hash), ...Object.entries(fields).flat());
      const key = { id: idOf(hash), hash, owner, name, scopes, createdAt };
      return { secret, key: { ...key, lastUsedAt: null, revokedAt: null } };
    },

    async findKey(secret) {
      return looksLikeKey(secret) ? await load(await hashOf(secret)) : null;
    },

    async noteKeyUse({ hash, lastUsedAt }) {
      const at = now();
      if (lastUsedAt !== null && at - lastUsedAt < USE_NOTED_EVERY_MS) return;
      await redis.command('HSET', recordKey(hash), 'last_used', String(at));
    },

    listKeys,

    async revokeKey(id) {
      const key = (await listKeys()).find((candidate) => candidate.id === id);
      if (!key || key.revokedAt !== null) return key ?? null;
      const revokedAt = now();
      await redis.command('HSET', recordKey(key.hash), 'revoked', String(revokedAt));
      return { ...key, revokedAt };
    },
  };
}

const recordKey = (hash: string) => `key:${hash}`;
const idOf = (hash: string) => `key_${hash.slice(0, 16)}`;
const hashOf = (secret: string) => sha256Hex(new TextEncoder().encode(secret));

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_CHARS));
  // 256 is a multiple of 32, so every character is equally likely.
  return KEY_PREFIX + Array.from(bytes, (byte) => KEY_ALPHABET[byte % 32]).join('');
}

/** Null for a record that is not whole: one whose making was cut off gives no rights. */
function toApiKey(hash: string, fields: ReadonlyMap<string, string>): ApiKey | null {
  const owner = fields.get('owner');
  const scopes = fields.get('scopes');
  if (!owner || scopes === undefined) return null;
  const given = new Set(scopes.split(','));
  const time = (name: string) => (fields.has(name) ? Number(fields.get(name)) : null);
  return {
    id: idOf(hash),
    hash,
    owner,
    name: fields.get('name') ?? '',
    scopes: SCOPES.filter((scope) => given.has(scope)),
    createdAt: time('created') ?? 0,
    lastUsedAt: time('last_used'),
    revokedAt: time('revoked'),
  };
}

function refuse(message: string): { ok: false; error: { code: 'invalid_input'; message: string } } {
  return { ok: false, error: { code: 'invalid_input', message } };
}
