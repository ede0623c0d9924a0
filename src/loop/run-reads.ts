/** Reads of runs: heads, entries, lists. Nothing here writes. */
import { type RedisPort, toFields } from '../redis.ts';
import { type Entry, parseEntry } from './journal.ts';
import { type RunHead, toHead } from './run-head.ts';

export interface RunReads {
  /** Null when there is no such run, or only its tombstone. */
  head(id: string): Promise<RunHead | null>;
  heads(ids: string[]): Promise<(RunHead | null)[]>;
  /** True while the tombstone of a deleted run stands: nothing of it may be shown again. */
  isDeleted(id: string): Promise<boolean>;
  /** From `fromSeq` (1 is the first) to the end. */
  entries(id: string, fromSeq: number): Promise<Entry[]>;
  /** Newest first; `next` is an opaque cursor, null at the end. */
  list(
    owner: string,
    page: { limit: number; before?: string },
  ): Promise<{ ids: string[]; next: string | null }>;
  /** Unfinished runs, oldest first; those too that the list has dropped for their age. */
  activeIds(owner: string): Promise<string[]>;
  /** Redis' own clock, Unix milliseconds. */
  ping(): Promise<number>;
  /** Members of `due` whose time passed more than `graceMs` ago. */
  overdue(graceMs: number): Promise<{ count: number; oldestMs: number }>;
}

export function createRunReads(redis: RedisPort): RunReads {
  async function anyHead(id: string) {
    const fields = toFields(await redis.command('HGETALL', `run:${id}`));
    return fields.size === 0 ? null : toHead(id, fields);
  }

  async function head(id: string) {
    const found = await anyHead(id);
    return found?.state === 'deleted' ? null : found;
  }

  async function ping() {
    const [seconds, micros] = (await redis.command('TIME')) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** Where the page after the cursor begins; a cursor whose run was deleted goes by its time. */
  async function rankAfter(key: string, cursor: string) {
    const split = cursor.indexOf('.');
    const [score, id] = [cursor.slice(0, split), cursor.slice(split + 1)];
    const rank = await redis.command('ZREVRANK', key, id);
    if (rank !== null) return Number(rank) + 1;
    return Number(await redis.command('ZCOUNT', key, `(${Number(score) || 0}`, '+inf'));
  }

  return {
    head,
    heads: (ids) => Promise.all(ids.map(head)),
    isDeleted: async (id) => (await anyHead(id))?.state === 'deleted',

    async entries(id, fromSeq) {
      const lines = await redis.command('LRANGE', `run:${id}:log`, `${fromSeq - 1}`, '-1');
      return (lines as string[]).map(parseEntry);
    },

    async list(owner, { limit, before }) {
      const key = `runs:${owner}`;
      const first = before ? await rankAfter(key, before) : 0;
      const flat = (await redis.command(
        'ZREVRANGE',
        key,
        `${first}`,
        `${first + limit}`,
        'WITHSCORES',
      )) as string[];
      const ids = flat.filter((_, i) => i % 2 === 0).slice(0, limit);
      const last = flat[2 * (limit - 1) + 1];
      const more = flat.length / 2 > limit;
      return { ids, next: more ? `${last}.${ids.at(-1)}` : null };
    },

    async activeIds(owner) {
      return (await redis.command('ZRANGE', `active:${owner}`, '0', '-1')) as string[];
    },

    ping,

    async overdue(graceMs) {
      const now = await ping();
      const count = await redis.command('ZCOUNT', 'due', '-inf', `${now - graceMs}`);
      const [, oldest] = (await redis.command('ZRANGE', 'due', '0', '0', 'WITHSCORES')) as string[];
      const oldestMs = oldest === undefined ? 0 : Math.max(0, now - Number(oldest));
      return { count: Number(count), oldestMs };
    },
  };
}
