/** A run as its journal tells it when a world has come to rest, and the shape of an invariant. */
import { fold, type RunView } from '../../src/loop/fold.ts';
import { type Entry, parseEntry } from '../../src/loop/journal.ts';
import type { RunAccount } from './ledger.ts';
import type { World } from './world.ts';

export interface Told {
  run: RunAccount;
  lines: string[];
  entries: Entry[];
  /** Null where there is no journal, or one that cannot be folded. */
  view: RunView | null;
  /** Ended without being read: nothing was settled but the money. */
  isBuried: boolean;
}

export interface Invariant {
  name: string;
  /** Off once Redis has forgotten what it acknowledged (docs/crash-points.md). */
  isOffAfterLoss?: boolean;
  /** Sentences that say what broke. */
  check(world: World, told: readonly Told[]): string[];
}

type Found = (string | false | null | undefined)[];

/** An invariant of one run; what it says is told with the run's id. */
export const eachRun =
  (check: (told: Told, world: World) => Found): Invariant['check'] =>
  (world, told) =>
    told.flatMap((one) =>
      check(one, world)
        .filter((what) => typeof what === 'string')
        .map((what) => `${one.run.id}: ${what}`),
    );

export const stateOf = ({ run }: Told) => run.head.get('state');
export const field = ({ run }: Told, name: string) => Number(run.head.get(name) ?? 0);

export function tell(world: World, run: RunAccount): Told {
  const lines = world.redis.read('LRANGE', `run:${run.id}:log`, '0', '-1') as string[];
  try {
    const entries = lines.map(parseEntry);
    const view = entries.length > 0 ? fold(entries) : null;
    return { run, lines, entries, view, isBuried: view?.finished?.reason === 'unreadable' };
  } catch {
    return { run, lines, entries: [], view: null, isBuried: false };
  }
}
