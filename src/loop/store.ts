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
import type { RedisPort } from '../redis.ts';
import { createFileStore, type FileStore } from './file-store.ts';
import { type ApprovalGiven, type Draft, stamp } from './journal.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createRunReads, type RunReads } from './run-reads.ts';
import { SCRIPTS, type ScriptName, withClockArgument } from './scripts.ts';
import {
  type AcceptAnswer,
  type AcceptRun,
  type AppendAnswer,
  type ClaimAnswer,
  type HolderAppend,
  toAcceptAnswer,
  toAppendAnswer,
  toClaimAnswer,
} from './store-answers.ts';

export type { RunHead } from './run-head.ts';
export type {
  AcceptAnswer,
  AcceptRun,
  AppendAnswer,
  ClaimAnswer,
  ClaimMode,
  Grant,
  HolderAppend,
} from './store-answers.ts';

const DAY_MS = 86_400_000;
/** Usage of a day is read for at most a month of accounting, then goes. */
const USAGE_SECONDS = 40 * 86_400;
/** Entries fetched at a time beyond a claim's first page. */
const PAGE_ENTRIES = 256;

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
const listKey = (owner: string) => `runs:${owner}`;

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
