// The keys of the embedded engine: values by type, when they expire, and a record of what changed.
// Time stands still within one call, as it does in a script of Redis. A key whose time has come is
// removed by whoever looks at it next, and that removal is an effect like any other: the log never
// needs a clock to be read back.

import type { SortedSet } from './sorted-set.ts';
import { wrongType } from './values.ts';

interface ValueTypes {
  string: string;
  hash: Map<string, string>;
  list: string[];
  zset: SortedSet;
}
export type TypeName = keyof ValueTypes;

type Typed = { [T in TypeName]: { type: T; value: ValueTypes[T] } }[TypeName];
export type Entry = Typed & {
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** Grows with each key that is made, so that SCAN can go on where it was. */
  serial: number;
};

/** A command that makes the same change again, whatever the time. */
export type Effect = string[];

export interface Keyspace {
  /** Begins a call at this time: milliseconds since 1970, with a fraction if the clock has one. */
  begin(now: number): void;
  /** Whole milliseconds. */
  now(): number;
  micros(): number;
  find(key: string): Entry | undefined;
  /** The value if it has this type; undefined when there is no key. Throws WRONGTYPE. */
  get<T extends TypeName>(key: string, type: T): ValueTypes[T] | undefined;
  /** Makes or replaces a key; `keepTtl` leaves the expiry of the one that was there. */
  put(key: string, typed: Typed, options?: { keepTtl?: boolean }): void;
  expire(key: string, at: number | null): void;
  /** False when it was not there. Records nothing. */
  remove(key: string): boolean;
  clear(): void;
  /** Live keys in the order they were made; those whose time has come go on the way. */
  entries(): Iterable<[string, Entry]>;
  /** Notes a change that was made. */
  record(effect: Effect): void;
  /** The changes since the last time this was called. */
  takeEffects(): Effect[];
}

/** `replaying`: nothing expires and nothing is recorded, because the log says both itself. */
export function createKeyspace({ replaying }: { replaying: () => boolean }): Keyspace {
  const keys = new Map<string, Entry>();
  let time = 0;
  let micros = 0;
  let serial = 0;
  let effects: Effect[] = [];

  const isExpired = ({ expiresAt }: Entry) =>
    expiresAt !== null && time > expiresAt && !replaying();

  function record(effect: Effect): void {
    if (!replaying()) effects.push(effect);
  }

  function find(key: string): Entry | undefined {
    const entry = keys.get(key);
    if (entry === undefined || !isExpired(entry)) return entry;
    drop(key);
    return undefined;
  }

  function drop(key: string): void {
    keys.delete(key);
    record(['DEL', key]);
  }

  return {
    begin(now) {
      time = Math.trunc(now);
      micros = Math.floor(now * 1_000);
    },
    now: () => time,
    micros: () => micros,
    find,
    get(key, type) {
      const entry = find(key);
      if (entry === undefined) return undefined;
      if (entry.type !== type) throw wrongType();
      // The type was just compared, which the compiler does not carry over to a type parameter.
      return entry.value as ValueTypes[typeof type];
    },
    put(key, typed, options) {
      const old = find(key);
      const expiresAt = options?.keepTtl ? (old?.expiresAt ?? null) : null;
      serial = old ? serial : serial + 1;
      keys.set(key, { ...typed, expiresAt, serial: old?.serial ?? serial });
    },
    expire(key, at) {
      const entry = keys.get(key);
      if (entry) entry.expiresAt = at;
    },
    remove: (key) => find(key) !== undefined && keys.delete(key),
    clear: () => keys.clear(),
    *entries() {
      for (const pair of keys) {
        if (isExpired(pair[1])) drop(pair[0]);
        else yield pair;
      }
    },
    record,
    takeEffects() {
      const taken = effects;
      effects = [];
      return taken;
    },
  };
}
