/**
 * A lane: one stack with its outside world, on which moments follow one another. Several lanes run
 * side by side, because most of a moment is waiting for a lease to run out.
 */
import { isSameProcess } from '../../dev/stack/processes.ts';
import type { RunHead } from '../../src/loop/run-head.ts';
import { activeKey, usageKey } from '../../src/loop/store.ts';
import { toFields } from '../../src/redis.ts';
import { createRandom } from '../helpers/table-draws.ts';
import { judgeMoney } from './judge.ts';
import { type MomentOptions, type MomentReport, runMoment } from './moment.ts';
import { type Outside, startOutside } from './outside.ts';
import type { Moment } from './phases.ts';
import { startVictim, type Victim } from './victim.ts';

/** A moment that came too late for its phase is tried again so often. */
const TRIES = 3;

export interface LaneOptions {
  seed: number;
  /** The next moment with its number, or null when there is none left. */
  take(): { moment: Moment; number: number } | null;
  onReport(report: MomentReport, number: number): void;
  signal: AbortSignal;
  /** What is shared by all lanes of a process. */
  exclusively: MomentOptions['exclusively'];
}

/** One task at a time, in the order they came. */
export function createTurnstile(): MomentOptions['exclusively'] {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const mine = last.then(task, task);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Runs moments until there is none left; returns what broke beside them. Throws when it cannot go on. */
export async function runLane(options: LaneOptions): Promise<string[]> {
  const { signal } = options;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Nobody may be waiting for it when it comes.
  aborted.catch(() => {});
  const outside = await startOutside();
  let victim: Victim | null = null;
  try {
    const env = {
      ANTHROPIC_API_KEY: 'sk-test-kill',
      ANTHROPIC_BASE_URL: outside.modelUrl,
      // Every lost attempt is booked at its worst case: many moments cost more than a day's default.
      DAILY_USD: '10000',
    };
    victim = await options.exclusively(async () => {
      signal.throwIfAborted();
      return startVictim(env);
    });
    // A moment under way waits for leases to run out; an abort does not wait for it.
    await Promise.race([runMoments(options, { outside, victim }), aborted]);
  } finally {
    await victim?.stop();
    await outside.stop();
  }
  const left = victim.seenProcesses().filter(isSameProcess);
  return [
    ...outside.problems().map((problem) => `the model refused a request: ${problem}`),
    ...(left.length > 0 ? [`still running: ${left.map(({ pid }) => pid).join(', ')}`] : []),
  ];
}

async function runMoments(
  { seed, take, onReport, signal, exclusively }: LaneOptions,
  { outside, victim }: { outside: Outside; victim: Victim },
): Promise<void> {
  const heads: RunHead[] = [];
  for (let next = take(); next && !signal.aborted; next = take()) {
    const { moment, number } = next;
    // Of the seed and its number alone: which lane takes it, and when, changes nothing.
    const random = createRandom(seed + number);
    for (let tried = 1; tried <= TRIES; tried += 1) {
      const name = `m${number}t${tried}`;
      const options = { outside, victim, random, name, signal, exclusively };
      const report = await runMoment(moment, options);
      heads.push(...report.evidence.map(({ head }) => head));
      report.faults.push(...(await readMoney(victim, heads)));
      if (report.missed !== null && tried === TRIES) {
        report.faults.push(`it was missed ${TRIES} times: ${report.missed}`);
      }
      if (report.missed === null || tried === TRIES || report.faults.length > 0) {
        onReport(report, number);
        break;
      }
    }
  }
}

/** All days on which runs of this lane were accepted, as one. */
async function readMoney(victim: Victim, heads: RunHead[]): Promise<string[]> {
  const [first] = heads;
  if (!first) return [];
  const days = new Set(heads.map((head) => usageKey(head.owner, head.createdAt)));
  const total = new Map<string, string>();
  for (const day of days) {
    for (const [name, value] of toFields(await victim.redis('HGETALL', day))) {
      total.set(name, String(Number(total.get(name) ?? 0) + Number(value)));
    }
  }
  const active = Number(await victim.redis('ZCARD', activeKey(first.owner)));
  return judgeMoney(total, { heads, active });
}
