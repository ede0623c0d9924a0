// A local Redis over a temporary folder for the tests beside this file, and the ways they talk to
// it: the vendor's client as Stride sets it up, the same with its defaults, and plain HTTP.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from '@upstash/redis';
import type { Intercept } from '../../dev/redis/front.ts';
import { type EngineName, type LocalRedis, startRedis } from '../../dev/redis/start.ts';

export interface TestRedis extends LocalRedis {
  dataDir: string;
  log: string[];
}

/** Folders made by `startTestRedis` and `makeDataDir`, removed by `removeDataDirs`. */
const dataDirs: string[] = [];

export async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stride test redis '));
  dataDirs.push(dataDir);
  return dataDir;
}

export async function removeDataDirs(): Promise<void> {
  for (const dataDir of dataDirs.splice(0)) await rm(dataDir, { recursive: true, force: true });
}

export async function startTestRedis(
  options: { dataDir?: string; intercept?: Intercept; engine?: EngineName } = {},
): Promise<TestRedis> {
  const dataDir = options.dataDir ?? (await makeDataDir());
  const log: string[] = [];
  const redis = await startRedis({
    dataDir,
    log: (line) => log.push(line),
    intercept: options.intercept,
    engine: options.engine,
  });
  return { ...redis, dataDir, log };
}

/** The client as Stride uses it: no parsing, no batching, no base64. */
export function strideClient(redis: LocalRedis, signal?: () => AbortSignal): Redis {
  return new Redis({
    url: redis.url,
    token: redis.token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    responseEncoding: false,
    enableTelemetry: false,
    signal,
  });
}

/** The client with everything the vendor turns on: base64, auto-pipelining, JSON parsing. */
export function defaultClient(redis: LocalRedis): Redis {
  return new Redis({ url: redis.url, token: redis.token });
}

export interface HttpAnswer {
  status: number;
  body: unknown;
}

/** One request by plain HTTP: a JSON body, or bytes as they are. */
export async function send(
  redis: { url: string; token: string },
  path: string,
  options: { body?: unknown; method?: string; token?: string | null; base64?: boolean } = {},
): Promise<HttpAnswer> {
  const { body, method = 'POST' } = options;
  const token = options.token === undefined ? redis.token : options.token;
  const response = await fetch(redis.url + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.base64 ? { 'upstash-encoding': 'base64' } : {}),
    },
    body: body === undefined || isBytes(body) ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

/** The id of the redis-server that now serves this directory. */
export function redisPid(dataDir: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8')).pid;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
