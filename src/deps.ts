/**
 * Everything a handler or the loop may touch, passed in. Built per request (I/O objects must not
 * cross requests in workerd); tests and the simulation pass their own.
 */
import type { Config } from './config.ts';
import type { Delivery } from './loop/deliver.ts';
import type { Store } from './loop/store.ts';
import type { ModelPort } from './model/port.ts';
import type { Registry } from './tools/registry.ts';
import type { Sandboxes } from './tools/sandbox.ts';

/** Time, replaceable: the simulation turns it by hand. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A stream and how many bytes it will give. */
export interface SizedStream {
  stream: ReadableStream<Uint8Array>;
  bytes: number;
}

/** Immutable objects (R2). `put` of an existing key with the same bytes is harmless. */
export interface Objects {
  get(key: string, range?: { offset: number; length: number }): Promise<Uint8Array | null>;
  /** A streamed body needs its length up front (R2); another length fails and stores nothing. */
  put(key: string, body: Uint8Array | SizedStream, mediaType?: string): Promise<void>;
  stream(
    key: string,
  ): Promise<{ body: ReadableStream<Uint8Array>; bytes: number; mediaType: string } | null>;
  delete(keys: string[]): Promise<void>;
  /** All keys below a prefix, or the first `limit` of them. */
  list(prefix: string, limit?: number): Promise<string[]>;
}

/** Hands a run to a queue consumer. A message is a hint; losing one costs time only. */
export interface StepQueue {
  send(runId: string, delayMs?: number): Promise<void>;
}

/** One line of structured log. Values must not hold secrets or user content. */
export type Log = (event: string, fields: Record<string, string | number | boolean | null>) => void;

export interface Deps {
  config: Config;
  clock: Clock;
  /** Unguessable, URL-safe, at least 128 bits. */
  randomId: (prefix: string) => string;
  /** [0, 1), for jitter only. */
  random: () => number;
  fetch: typeof fetch;
  store: Store;
  objects: Objects;
  queue: StepQueue;
  model: ModelPort;
  tools: Registry;
  /** Null when no sandbox service is configured. */
  sandboxes: Sandboxes | null;
  deliveries: ReadonlyMap<string, Delivery>;
  log: Log;
}
