// Counts at the REST front and in redis-server what each call of the store costs. One run at a
// time, whose lease sends one call at a time: the difference around a call is that call's own.

import type { LocalRedis } from '../../dev/redis/start.ts';
import type { Objects } from '../../src/deps.ts';
import type { HolderAppend, Store } from '../../src/loop/store.ts';
import type { RedisPort } from '../../src/redis.ts';

export type CallKind =
  | 'accept'
  | 'claim'
  | 'claim, further pages'
  | 'prepared'
  | 'reply'
  | 'reply and end'
  | 'tool starts'
  | 'tool results'
  | 'heartbeat'
  | 'release'
  | 'other';

export interface StoreCall {
  kind: CallKind;
  /** HTTP requests. */
  roundTrips: number;
  /** Commands that redis-server ran for it, the ones inside the script too. */
  commands: number;
  /** Bytes of all arguments. */
  bytesOut: number;
  /** Bytes of the reply. */
  bytesIn: number;
  entries: number;
}

export interface Meter {
  store: Store;
  objects: Objects;
  calls: StoreCall[];
  /** Bytes put, by the first part of the key: `prompts`, `o`, `archive`. */
  objectBytes: Map<string, number>;
}

/** `redis` is a second client of the same server, for its statistics. */
export function createMeter(
  { store, objects }: { store: Store; objects: Objects },
  { server, redis }: { server: LocalRedis; redis: RedisPort },
): Meter {
  const calls: StoreCall[] = [];
  const objectBytes = new Map<string, number>();

  async function count<T>(
    { kind, entries = 0 }: { kind: CallKind; entries?: number },
    call: () => Promise<T>,
  ): Promise<T> {
    const commandsBefore = await commandsRun(redis);
    const before = server.stats();
    const result = await call();
    const after = server.stats();
    calls.push({
      kind,
      entries,
      roundTrips: after.requests - before.requests,
      commands: (await commandsRun(redis)) - commandsBefore,
      bytesOut: after.argumentBytes - before.argumentBytes,
      bytesIn: after.replyBytes - before.replyBytes,
    });
    return result;
  }

  return {
    calls,
    objectBytes,
    store: {
      ...store,
      accept: (run) => count({ kind: 'accept', entries: 1 }, () => store.accept(run)),
      claim: (id, nonce) => count({ kind: 'claim' }, () => store.claim(id, nonce)),
      readRest: (id, range) =>
        count({ kind: 'claim, further pages' }, () => store.readRest(id, range)),
      append: (request) =>
        count({ kind: kindOf(request), entries: request.lines.length }, () =>
          store.append(request),
        ),
    },
    objects: {
      ...objects,
      async put(key, body, mediaType) {
        const bytes = body instanceof Uint8Array ? body.length : body.bytes;
        const place = key.split('/')[0] ?? '';
        objectBytes.set(place, (objectBytes.get(place) ?? 0) + bytes);
        await objects.put(key, body, mediaType);
      },
    },
  };
}

function kindOf({ lines, release, finish, outboxDeletes, outboxSets }: HolderAppend): CallKind {
  if (lines.length === 0) {
    if (release) return 'release';
    return finish || outboxDeletes || outboxSets ? 'other' : 'heartbeat';
  }
  const types = new Set(lines.map((line) => (JSON.parse(line) as { type: string }).type));
  if (types.has('model_replied')) return finish ? 'reply and end' : 'reply';
  if (types.has('tool_finished')) return 'tool results';
  if (types.has('tool_started')) return 'tool starts';
  return types.has('run_prepared') ? 'prepared' : 'other';
}

/** Commands run since the server started, without the ones that ask for this. */
async function commandsRun(redis: RedisPort): Promise<number> {
  const info = String(await redis.command('INFO', 'commandstats'));
  let sum = 0;
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (name !== 'info') sum += Number(calls);
  }
  return sum;
}
