/**
 * Where the stack of a data folder has its stand-in for Redis, for commands that work on the same
 * data (`npm run keys`). Readable by this user only; gone when the stack stops.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLive } from './lock.ts';

export interface RedisAddress {
  url: string;
  token: string;
}

const addressFile = (dataDir: string) => join(dataDir, 'redis.json');

/** Call the result when Redis stops. */
export function publishRedis(dataDir: string, { url, token }: RedisAddress): () => void {
  const file = addressFile(dataDir);
  // A file that is there already would keep its rights.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ url, token }), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Null when no stack runs there, or when it uses a Redis that the environment names. */
export function findRedis(dataDir: string): RedisAddress | null {
  if (findLive(dataDir) === null) return null;
  try {
    const address = JSON.parse(readFileSync(addressFile(dataDir), 'utf8')) as Partial<RedisAddress>;
    const { url, token } = address;
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : null;
  } catch {
    return null;
  }
}
