/**
 * Runs in Redis: typed calls of the five scripts, and the reads. Knows keys and answers, not what
 * entries mean. Every write may be sent again after a lost reply without a second effect.
 */
import {
  CLAIM_PAGE_BYTES,
  CLIENT_DUE_MS,
  HANDOFF_DUE_MS,
  SWEEP_DUE_MS,
  SWEEP_PAGE,
  TOMBSTONE_SECONDS,
} from '../limits.ts';
import { type RedisPort, toFields } from '../redis.ts';
import { createFileStore, type FileStore } from './file-store.ts';
import type { ApprovalGiven, Draft, Entry, RunStarted } from './journal.ts';
import { parseEntry, stamp } from './journal.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { type RunHead, toHead } from './run-head.ts';
import { createRunReads, type RunReads } from './run-reads.ts';
import { SCRIPTS, type ScriptName, withClockArgument } from './scripts.ts';

export type { RunHead } from './run-head.ts';

const DAY_MS = 86_400_000;
/** Usage of a day is read for at most a month of accounting, then goes. */
const USAGE_SECONDS = 40 * 86_400;
/** Entries fetched at a time beyond a claim's first page. */
const PAGE_ENTRIES = 256;

export interface AcceptRun {
  id: string;
  owner: string;
  entry: Draft<RunStarted>;
  drive: 'queue' | 'client';
  limitMicroUsd: number;
  dayLimitMicroUsd: number;
  maxActive: number;
  /** Full Redis key (`idem:{owner}:{key}`, `slack:{event}`) and the hash of what was asked. */
  dedupe: { key: string; bodyHash: string; ttlSeconds: number } | null;
  /** Deliveries the run owes at its end, kind → value. */
  outbox: Record<string, string>;
}

export type AcceptAnswer =
  | { kind: 'ok' | 'exists' | 'conflict'; id: string }
  | { kind: 'budget_spent'; reservedMicroUsd: number; limitMicroUsd: number }
  | { kind: 'too_many'; active: number; limit: number };

export type ClaimMode = 'work' | 'close' | 'bury' | 'deliver';

export interface Grant {
  kind: 'grant';
  mode: ClaimMode;
  /** Redis' clock, Unix milliseconds. */
  now: number;
  length: number;
  head: RunHead;
  outbox: Record<string, string>;
  /** Raw lines: the first page, or all (see `readRest`). Empty in mode `bury`. */
  lines: string[];
}

export type ClaimAnswer =
  | Grant
  | { kind: 'busy' | 'wait'; until: number; now: number }
  | { kind: 'nothing' | 'gone' };

export interface HolderAppend {
  id: string;
  epoch: number;
  nonce: string;
  /** 1, 2, 3 … within the epoch, for appends with entries. */
  commit: number;
  /** Journal length the writer has folded. */
  base: number;
  lines: string[];
  /** Gives the lease back; the run sleeps for `waitMs` and is looked at again after `dueMs`. */
  release?: { waitMs: number; dueMs: number; forgive?: boolean };
  /** Status of the `run_finished` among the lines. */
  finish?: string;
  costMicroUsd?: number;
  outboxDeletes?: string[];
  outboxSets?: Record<string, string>;
  /** New value of the head's `dead` field: deliveries that were given up. */
  dead?: string;
  usageKey: string;
  activeKey: string;
}

export type AppendAnswer =
  | { kind: 'ok'; now: number; length: number }
  | { kind: 'moved'; now: number; length: number; lines: string[] }
  | { kind: 'fenced' | 'finished' | 'gone' };

/** What the service may do with API keys; they are made and revoked by `npm run keys`. */
type KeyUses = Pick<KeyStore, 'findKey' | 'noteKeyUse'>;

export interface Store extends RunReads, FileStore, KeyUses {
  accept(run: AcceptRun): Promise<AcceptAnswer>;
  claim(id: string, nonce: string): Promise<ClaimAnswer>;
  /** The lines after `have` up to `length`; null when the list is shorter than told (data loss). */
  readRest(id: string, range: { have: number; length: number }): Promise<string[] | null>;
  append(request: HolderAppend): Promise<AppendAnswer>;
  approve(
    id: string,
    approval: { base: number; draft: Draft<ApprovalGiven> },
  ): Promise<'ok' | 'moved' | 'finished' | 'gone'>;
  requestCancel(id: string, request: { by: string }): Promise<'ok' | 'finished' | 'gone'>;
  /** `owner` also clears the listing of a run that Redis has let go already (then `gone`). */
  remove(id: string, owner?: string): Promise<'ok' | 'gone'>;
  /** Up to SWEEP_PAGE run ids whose time has come. */
  sweep(): Promise<string[]>;
}

export interface StoreOptions {
  retentionDays: number;
  /** Unix milliseconds of this Worker; used only to stamp entries from outside a lease. */
  now: () => number;
  /** Time for the scripts instead of Redis' own: simulation, or a server without TIME in Lua. */
  scriptClock?: () => number;
}

export const keysOf = (id: string) => ({
  run: `run:${id}`,
  log: `run:${id}:log`,
  outbox: `outbox:${id}`,
});
export const usageKey = (owner: string, now: number) =>
  `usage:${owner}:${new Date(now).toISOString().slice(0, 10)}`;
export const activeKey = (owner: string) => `active:${owner}`;
export const listKey = (owner: string) => `runs:${owner}`;

export function createStore(redis: RedisPort, options: StoreOptions): Store {
  const { scriptClock } = options;
  const retentionSeconds = String(options.retentionDays * 86_400);
  const reads = createRunReads(redis);
  const { findKey, noteKeyUse } = createKeyStore(redis, options);

  async function call(name: ScriptName, keys: string[], args: (string | number)[]) {
    const text = scriptClock ? withClockArgument(SCRIPTS[name]) : SCRIPTS[name];
    const sent = scriptClock ? [...args, scriptClock()] : args;
    return (await redis.script(text, keys, sent.map(String))) as [string, ...unknown[]];
  }

  async function append(request: HolderAppend): Promise<AppendAnswer> {
    const { run, log, outbox } = keysOf(request.id);
    const deletes = request.outboxDeletes ?? [];
    const sets = Object.entries(request.outboxSets ?? {});
    const answer = await call(
      'append',
      [run, log, outbox, 'due', request.usageKey, request.activeKey],
      [
        request.id,
        'holder',
        request.epoch,
        request.nonce,
        request.commit,
        request.base,
        request.release ? (request.release.forgive ? 2 : 1) : 0,
        request.finish ?? '',
        Math.max(0, Math.ceil(request.release?.waitMs ?? 0)),
        Math.max(0, Math.ceil(request.release?.dueMs ?? HANDOFF_DUE_MS)),
        request.costMicroUsd ?? 0,
        retentionSeconds,
        request.dead ?? '',
        request.lines.length,
        deletes.length,
        sets.length,
        ...request.lines,
        ...deletes,
        ...sets.flat(),
      ],
    );
    return toAppendAnswer(answer);
  }

  const time = async () => options.scriptClock?.() ?? (await reads.ping());

  /** An append without a lease; needs the head first, for the names of its keys. */
  async function appendOutside(id: string, entry: Draft, base: number | 'any') {
    const { run, log, outbox } = keysOf(id);
    const head = await reads.head(id);
    if (!head) return 'gone' as const;
    // Redis' time, as for every other entry after the first: waits for people are measured by it.
    const line = JSON.stringify(stamp(entry, await time()));
    const [kind] = await call(
      'append',
      [run, log, outbox, 'due', head.usageKey, head.activeKey],
      [id, 'outside', '', '', 0, base, 0, '', 0, 0, 0, retentionSeconds, '', 1, 0, 0, line],
    );
    return kind as 'ok' | 'moved' | 'fenced' | 'finished' | 'gone';
  }

  return {
    ...reads,
    ...createFileStore(redis),
    findKey,
    noteKeyUse,

    async accept(run) {
      const { run: head, log, outbox } = keysOf(run.id);
      const now = options.now();
      const owed = Object.entries(run.outbox);
      const keys = [head, log, outbox, 'due', listKey(run.owner)];
      keys.push(usageKey(run.owner, now), activeKey(run.owner));
      if (run.dedupe) keys.push(run.dedupe.key);
      const answer = await call('accept', keys, [
        run.id,
        run.owner,
        run.dedupe?.bodyHash ?? '',
        run.limitMicroUsd,
        run.dayLimitMicroUsd,
        run.maxActive,
        JSON.stringify(stamp(run.entry, now)),
        run.drive === 'client' ? CLIENT_DUE_MS : HANDOFF_DUE_MS,
        run.drive,
        shortQuestion(run.entry.question),
        run.dedupe?.ttlSeconds ?? 0,
        USAGE_SECONDS,
        options.retentionDays * DAY_MS,
        owed.length,
        ...owed.flat(),
      ]);
      return toAcceptAnswer(answer, run);
    },

    async claim(id, nonce) {
      const { run, log, outbox } = keysOf(id);
      const answer = await call('claim', [run, log, outbox, 'due'], [id, nonce, CLAIM_PAGE_BYTES]);
      return toClaimAnswer(id, answer);
    },

    async readRest(id, { have, length }) {
      const lines: string[] = [];
      for (let from = have; from < length; from = have + lines.length) {
        const to = Math.min(from + PAGE_ENTRIES, length) - 1;
        const page = (await redis.command(
          'LRANGE',
          keysOf(id).log,
          `${from}`,
          `${to}`,
        )) as string[];
        if (page.length < to - from + 1) return null;
        lines.push(...page);
      }
      return lines;
    },

    append,

    async approve(id, { base, draft }) {
      const kind = await appendOutside(id, draft, base);
      return kind === 'fenced' ? 'moved' : kind;
    },

    async requestCancel(id, { by }) {
      const kind = await appendOutside(id, { type: 'cancel_requested', by }, 'any');
      return kind === 'finished' || kind === 'gone' ? kind : 'ok';
    },

    async remove(id, owner) {
      const head = await reads.head(id);
      if (!head && owner === undefined) return 'gone';
      const listed = listKey(head?.owner ?? owner ?? '');
      const usage = head?.usageKey ?? usageKey(owner ?? '', options.now());
      const active = head?.activeKey ?? activeKey(owner ?? '');
      const { run, log, outbox } = keysOf(id);
      const keys = [run, log, outbox, 'due', listed, usage, active];
      const [kind] = await call('delete', keys, [id, TOMBSTONE_SECONDS, HANDOFF_DUE_MS]);
      return kind as 'ok' | 'gone';
    },

    async sweep() {
      return (await call('sweep', ['due'], [SWEEP_PAGE, SWEEP_DUE_MS])) as string[];
    },
  };
}

/** First line of the question, short enough for a list. */
function shortQuestion(question: string) {
  const line = question.trim().split('\n')[0] ?? '';
  const characters = [...line];
  return characters.length > 120 ? `${characters.slice(0, 119).join('')}…` : line;
}

function toAcceptAnswer(answer: [string, ...unknown[]], run: AcceptRun): AcceptAnswer {
  const [kind, value] = answer;
  if (kind === 'budget_spent') {
    const limitMicroUsd = run.dayLimitMicroUsd;
    return { kind, reservedMicroUsd: Number(value), limitMicroUsd };
  }
  if (kind === 'too_many') return { kind, active: Number(value), limit: run.maxActive };
  return { kind: kind as 'ok' | 'exists' | 'conflict', id: String(value) };
}

function toClaimAnswer(id: string, answer: [string, ...unknown[]]): ClaimAnswer {
  const [kind, ...rest] = answer;
  if (kind === 'busy' || kind === 'wait') {
    return { kind, until: Number(rest[0]), now: Number(rest[1]) };
  }
  if (kind !== 'grant') return { kind: kind as 'nothing' | 'gone' };
  const [mode, now, length, head, outbox, lines] = rest;
  return {
    kind,
    mode: mode as ClaimMode,
    now: Number(now),
    length: Number(length),
    head: toHead(id, toFields(head)),
    outbox: Object.fromEntries(toFields(outbox)),
    lines: lines as string[],
  };
}

function toAppendAnswer(answer: [string, ...unknown[]]): AppendAnswer {
  const [kind, now, length, lines] = answer;
  if (kind === 'ok') return { kind, now: Number(now), length: Number(length) };
  if (kind === 'moved') {
    return { kind, now: Number(now), length: Number(length), lines: lines as string[] };
  }
  return { kind: kind as 'fenced' | 'finished' | 'gone' };
}

/** Entries of raw lines; throws on damage (a poison journal ends as `bury`). */
export const parseLines = (lines: string[]): Entry[] => lines.map(parseEntry);
