/**
 * The store's outside half (what routes use) in memory, with the same answers as over Redis. The
 * holder's half (claim, append) throws: tests of the loop use the real store. `write` and `setHead`
 * stand for the loop.
 */
import { type Draft, type Entry, stamp } from '../../src/loop/journal.ts';
import { createKeyStore, type KeyStore } from '../../src/loop/key-store.ts';
import type { RunHead } from '../../src/loop/run-head.ts';
import type { AcceptRun, Store } from '../../src/loop/store.ts';
import type { RedisPort } from '../../src/redis.ts';

export interface MemoryStore extends Store {
  /** The keys as `npm run keys` would make them. */
  keys: KeyStore;
  accepted: AcceptRun[];
  /** Calls by method, for tests that count reads. */
  calls: Record<string, number>;
  /** Appends as the loop would; a `run_finished` ends the run. */
  write(id: string, ...drafts: Draft[]): void;
  setHead(id: string, fields: Partial<RunHead>): void;
  /** Retention: Redis lets go of the run and of everything about it. */
  expire(id: string): void;
  outboxOf(id: string): Record<string, string> | null;
}

interface MemoryRun {
  head: RunHead;
  entries: Entry[];
  outbox: Record<string, string>;
}

export function createMemoryStore({ now }: { now: () => number }): MemoryStore {
  const runs = new Map<string, MemoryRun>();
  const dedupes = new Map<string, { id: string; bodyHash: string }>();
  const files = new Map<string, Awaited<ReturnType<Store['loadFile']>>>();
  const listing: string[] = [];
  /** As the listing has them: kept when Redis lets go of a run. */
  const owners = new Map<string, string>();
  const keys = createKeyStore(memoryKeyRedis(), { now });
  const calls: Record<string, number> = {};
  const accepted: AcceptRun[] = [];
  const count = (name: string) => {
    calls[name] = (calls[name] ?? 0) + 1;
  };
  const live = (id: string) => {
    const run = runs.get(id);
    return run && run.head.state !== 'deleted' ? run : null;
  };
  const unfinished = (owner: string) =>
    [...runs.values()].filter(({ head }) => head.owner === owner && head.state === 'open');
  const notHere = async (): Promise<never> => {
    throw new Error('the memory store has no leases');
  };

  return {
    accepted,
    calls,
    keys,
    async findKey(secret) {
      count('findKey');
      return keys.findKey(secret);
    },
    noteKeyUse: keys.noteKeyUse,
    claim: notHere,
    append: notHere,
    readRest: notHere,
    sweep: async () => [],
    ping: async () => now(),
    overdue: async () => ({ count: 0, oldestMs: 0 }),

    async accept(run) {
      const known = run.dedupe && dedupes.get(run.dedupe.key);
      if (known) {
        const kind = known.bodyHash === run.dedupe?.bodyHash ? 'exists' : 'conflict';
        return { kind, id: known.id };
      }
      if (runs.has(run.id)) return { kind: 'exists', id: run.id };
      const active = unfinished(run.owner);
      const owned = [...runs.values()].filter(({ head }) => head.owner === run.owner);
      const reservedMicroUsd = owned
        .map(({ head }) => (head.state === 'open' ? head.limitMicroUsd : head.spentMicroUsd))
        .reduce((sum, money) => sum + money, 0);
      if (reservedMicroUsd + run.limitMicroUsd > run.dayLimitMicroUsd) {
        const limitMicroUsd = run.dayLimitMicroUsd;
        return { kind: 'budget_spent', reservedMicroUsd, limitMicroUsd };
      }
      if (active.length >= run.maxActive) {
        return { kind: 'too_many', active: active.length, limit: run.maxActive };
      }
      accepted.push(run);
      owners.set(run.id, run.owner);
      if (run.dedupe) {
        dedupes.set(run.dedupe.key, { id: run.id, bodyHash: run.dedupe.bodyHash });
      }
      runs.set(run.id, {
        head: newHead(run, now()),
        entries: [stamp(run.entry, now())],
        outbox: run.outbox,
      });
      listing.unshift(run.id);
      return { kind: 'ok', id: run.id };
    },

    async head(id) {
      count('head');
      return live(id)?.head ?? null;
    },
    async heads(ids) {
      count('heads');
      return ids.map((id) => live(id)?.head ?? null);
    },
    isDeleted: async (id) => runs.get(id)?.head.state === 'deleted',
    activeIds: async (owner) => unfinished(owner).map(({ head }) => head.id),
    async entries(id, fromSeq) {
      count('entries');
      return live(id)?.entries.slice(fromSeq - 1) ?? [];
    },
    async list(owner, { limit, before }) {
      const ids = listing.filter((id) => owners.get(id) === owner);
      const first = before ? ids.indexOf(before.slice(before.indexOf('.') + 1)) + 1 : 0;
      const page = ids.slice(first, first + limit);
      return { ids: page, next: ids.length > first + limit ? `0.${page.at(-1)}` : null };
    },

    async approve(id, { base, draft }) {
      const run = live(id);
      if (!run) return 'gone';
      if (run.head.state === 'finished') return 'finished';
      if (base !== run.entries.length) return 'moved';
      run.entries.push(stamp(draft, now()));
      run.head.notBefore = 0;
      return 'ok';
    },
    async requestCancel(id, { by }) {
      const run = live(id);
      if (!run) return 'gone';
      if (run.head.state === 'finished') return 'finished';
      run.entries.push(stamp({ type: 'cancel_requested', by }, now()));
      run.head.notBefore = 0;
      return 'ok';
    },
    async remove(id) {
      const run = live(id);
      if (listing.includes(id)) listing.splice(listing.indexOf(id), 1);
      if (!run) return 'gone';
      run.head = { ...run.head, state: 'deleted' };
      run.entries = [];
      run.outbox = { purge: '', kill_sandbox: '' };
      return 'ok';
    },

    async saveFile(file) {
      files.set(file.id, file);
    },
    loadFile: async (id) => files.get(id) ?? null,
    async deleteFile(id) {
      files.delete(id);
    },

    write(id, ...drafts) {
      const run = runs.get(id);
      if (!run) throw new Error(`no run ${id}`);
      for (const draft of drafts) {
        run.entries.push(stamp(draft, now()));
        if (draft.type !== 'run_finished') continue;
        Object.assign(run.head, { state: 'finished', status: draft.status, endedAt: now() });
      }
    },
    setHead(id, fields) {
      Object.assign(runs.get(id)?.head ?? {}, fields);
      if (fields.owner) owners.set(id, fields.owner);
    },
    expire(id) {
      runs.delete(id);
    },
    outboxOf: (id) => runs.get(id)?.outbox ?? null,
  };
}

/** As much of Redis as keys need. */
function memoryKeyRedis(): RedisPort {
  const hashes = new Map<string, Map<string, string>>();
  const index: string[] = [];
  return {
    script: () => Promise.reject(new Error('keys have no scripts')),
    async command(name, key = '', ...args) {
      if (name === 'ZADD') return index.push(args[1] ?? '');
      if (name === 'ZRANGE') return [...index];
      const hash = hashes.get(key) ?? new Map<string, string>();
      if (name === 'HGETALL') return [...hash].flat();
      if (name !== 'HSET') throw new Error(`keys do not need ${name}`);
      for (let i = 0; i < args.length; i += 2) hash.set(args[i] ?? '', args[i + 1] ?? '');
      hashes.set(key, hash);
      return 1;
    },
  };
}

function newHead(run: AcceptRun, now: number): RunHead {
  return {
    id: run.id,
    owner: run.owner,
    state: 'open',
    status: '',
    drive: run.drive,
    epoch: 0,
    nonce: '',
    leaseUntil: 0,
    notBefore: 0,
    attempts: 0,
    idle: 0,
    limitMicroUsd: run.limitMicroUsd,
    spentMicroUsd: 0,
    usageKey: '',
    activeKey: '',
    question: run.entry.question.slice(0, 120),
    createdAt: now,
    endedAt: null,
    dead: '',
  };
}
