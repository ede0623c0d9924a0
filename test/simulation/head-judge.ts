/** What must be true of a run's head and of its place in `due` after every single call of Redis. */
import {
  BURY_ATTEMPTS,
  CLIENT_DUE_MS,
  HANDOFF_DUE_MS,
  LEASE_GRACE_MS,
  LEASE_MS,
  MAX_IDLE_CLAIMS,
  SWEEP_DUE_MS,
} from '../../src/limits.ts';
import type { RunAccount } from './ledger.ts';

export type Accuse = (invariant: string, what: string) => void;

export interface HeadChange {
  run: RunAccount;
  before: ReadonlyMap<string, string>;
  now: number;
  accuse: Accuse;
}

const fieldOf = (head: ReadonlyMap<string, string>, name: string) => Number(head.get(name) ?? 0);

/** A claim that was granted, and not merely told again. */
export function judgeClaim({ run, before, now, accuse }: HeadChange): void {
  const was = (name: string) => fieldOf(before, name);
  const is = (name: string) => fieldOf(run.head, name);
  const wasOpen = before.get('state') === 'open';
  if (was('lease') > now) accuse('a_lease_is_respected', `${run.id} was leased`);
  if (was('not_before') > Math.floor(now)) accuse('a_wait_is_respected', `${run.id} waited`);
  if (before.get('nonce') === run.head.get('nonce')) {
    accuse('a_released_claim_takes_nothing', `${run.id}, ${run.head.get('nonce')}`);
  }
  if (!wasOpen && run.outbox.size === 0) accuse('nothing_is_granted_where_nothing_is_owed', run.id);
  if (is('epoch') !== was('epoch') + 1) accuse('epochs_count_up', run.id);
  const expired = was('lease') > 0 ? 1 : 0;
  if (is('attempts') !== was('attempts') + expired) {
    accuse('attempts_count_expired_leases', `${run.id}: ${was('attempts')} → ${is('attempts')}`);
  }
  const idle = wasOpen && was('epoch') > 0 && was('commit') === 0 ? 1 : 0;
  if (is('idle') !== was('idle') + idle) {
    accuse('idle_counts_claims_without_entries', `${run.id}: ${was('idle')} → ${is('idle')}`);
  }
}

/** Any change of a head that existed. */
export function judgeHead({ run, before, accuse }: HeadChange): void {
  const was = (name: string) => fieldOf(before, name);
  const is = (name: string) => fieldOf(run.head, name);
  const [from, to] = [before.get('state'), run.head.get('state')];
  const isDeletion = to === 'deleted' && is('epoch') > was('epoch');
  if (from === 'deleted' && to !== 'deleted') accuse('deleted_runs_never_return', run.id);
  else if (from !== 'open' && from !== to && !isDeletion) {
    accuse('an_ended_run_stays_ended', `${run.id} is ${to} again`);
  }
  if (is('idle') < was('idle') && !isDeletion) accuse('idle_never_shrinks', run.id);
  if (is('spent') < was('spent')) accuse('spent_never_shrinks', run.id);
  if (is('spent') > is('limit')) {
    accuse('booked_within_the_limit', `${run.id}: ${is('spent')} of ${is('limit')}`);
  }
  if (is('attempts') > BURY_ATTEMPTS + MAX_IDLE_CLAIMS) {
    accuse('attempts_are_bounded', `${run.id}: ${is('attempts')}`);
  }
}

/** A run that is not at its end will be looked at, and soon enough; one that is over will not. */
export function judgeDue(
  run: RunAccount,
  { dueAt, now, accuse }: { dueAt: number | undefined; now: number; accuse: Accuse },
): void {
  const state = run.head.get('state');
  if (state === undefined) return;
  if (state !== 'open' && run.outbox.size === 0) {
    if (dueAt !== undefined) accuse('what_is_over_is_not_due', `${run.id} (${state}) is due`);
    return;
  }
  if (dueAt === undefined) {
    accuse('what_is_unfinished_is_due', `${run.id} (${state}) is not due`);
    return;
  }
  const latest = Math.max(
    now + Math.max(CLIENT_DUE_MS, SWEEP_DUE_MS, LEASE_MS + LEASE_GRACE_MS),
    fieldOf(run.head, 'lease') + LEASE_GRACE_MS,
    fieldOf(run.head, 'not_before') + HANDOFF_DUE_MS + 1,
  );
  if (dueAt > latest) {
    accuse('due_is_soon_enough', `${run.id} is due ${Math.round(dueAt - latest)} ms late`);
  }
}
