/**
 * What the scripts are asked and what they answer: the shapes, and their parsing from Redis' flat
 * lists. No I/O.
 */
import { toFields } from '../redis.ts';
import type { Draft, RunStarted } from './journal.ts';
import { type RunHead, toHead } from './run-head.ts';

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

export function toAcceptAnswer(answer: [string, ...unknown[]], run: AcceptRun): AcceptAnswer {
  const [kind, value] = answer;
  if (kind === 'budget_spent') {
    const limitMicroUsd = run.dayLimitMicroUsd;
    return { kind, reservedMicroUsd: Number(value), limitMicroUsd };
  }
  if (kind === 'too_many') return { kind, active: Number(value), limit: run.maxActive };
  return { kind: kind as 'ok' | 'exists' | 'conflict', id: String(value) };
}

export function toClaimAnswer(id: string, answer: [string, ...unknown[]]): ClaimAnswer {
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

export function toAppendAnswer(answer: [string, ...unknown[]]): AppendAnswer {
  const [kind, now, length, lines] = answer;
  if (kind === 'ok') return { kind, now: Number(now), length: Number(length) };
  if (kind === 'moved') {
    return { kind, now: Number(now), length: Number(length), lines: lines as string[] };
  }
  return { kind: kind as 'fenced' | 'finished' | 'gone' };
}
