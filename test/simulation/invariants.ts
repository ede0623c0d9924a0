/**
 * What must be true when a world has come to rest. What must be true after each single call is in
 * ledger.ts, head-judge.ts and watch.ts, and accused there under names of the same kind.
 */
import { ACCOUNT_INVARIANTS } from './invariants-account.ts';
import { EFFECT_INVARIANTS } from './invariants-effects.ts';
import { JOURNAL_INVARIANTS } from './invariants-journal.ts';
import { type Invariant, tell } from './told.ts';
import type { World } from './world.ts';

const INVARIANTS: readonly Invariant[] = [
  ...JOURNAL_INVARIANTS,
  ...EFFECT_INVARIANTS,
  ...ACCOUNT_INVARIANTS,
];

/** Sentences with the name of what broke; empty when nothing did. */
export function judge(world: World): { invariant: string; what: string }[] {
  const lost = world.ledger.losses() > 0;
  const told = [...world.ledger.runs.values()]
    .filter(({ head }) => head.size > 0)
    .map((run) => tell(world, run));
  return INVARIANTS.filter(({ isOffAfterLoss }) => !lost || !isOffAfterLoss).flatMap(
    ({ name, check }) => check(world, told).map((what) => ({ invariant: name, what })),
  );
}
