import { beforeAll, describe, expect, it } from 'vitest';
import { type LuaMachine, loadLua } from '../../dev/redis/embedded/lua/wasm.ts';
import { FAULT_NAMES } from './faults.ts';
import { shrink, tellSchedule } from './shrink.ts';
import { type SeedResult, simulate } from './simulate.ts';
import { createTally } from './tally.ts';

const SEEDS = 500;

let lua: LuaMachine;
beforeAll(async () => {
  lua = await loadLua();
});

describe('simulate', () => {
  it(`breaks no invariant in ${SEEDS} seeds, takes every branch of the scripts and dies at every crash point`, async () => {
    const tally = createTally();
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const result = await simulate({ seed, lua });
      tally.add(result);
      const [broken] = result.broken;
      if (broken) {
        const replay = `npm run simulate -- --seeds 1 --from ${seed}`;
        failures.push(`${replay}\n${broken.invariant}: ${broken.what}`);
      }
    }
    expect(failures).toEqual([]);
    expect(tally.missedBranches()).toEqual([]);
    expect(tally.missedCrashPoints()).toEqual([]);
  }, 180_000);

  it('gives the same world for the same seed, event for event', async () => {
    const told = ({ digest, events, lastedMs, happened }: SeedResult) => ({
      digest,
      events,
      lastedMs,
      happened,
    });
    for (const seed of [3, 14, 159]) {
      const first = told(await simulate({ seed, lua }));
      expect(told(await simulate({ seed, lua }))).toEqual(first);
    }
  });

  it('has no fault but the one that was asked for', async () => {
    const names = new Set<string>();
    for (let seed = 1; seed <= 10; seed += 1) {
      const { happened } = await simulate({ seed, lua, only: ['lost_reply'] });
      for (const { name } of happened) names.add(name);
    }
    expect([...names]).toEqual(['lost_reply']);
  });

  it('leaves out the faults it is told to, and keeps the rest of the schedule', async () => {
    const whole = await simulate({ seed: 7, lua });
    const last = whole.happened.at(-1)?.id ?? '';
    const part = await simulate({ seed: 7, lua, without: new Set([last]) });
    expect(part.happened.map(({ id }) => id)).not.toContain(last);
    expect(part.happened.slice(0, whole.happened.length - 1)).toEqual(whole.happened.slice(0, -1));
  });
});

describe('the faults', () => {
  it('all happen', async () => {
    const missing = new Set<string>(FAULT_NAMES);
    for (let seed = 1; missing.size > 0 && seed < 300; seed += 1) {
      for (const { name } of (await simulate({ seed, lua })).happened) missing.delete(name);
    }
    expect([...missing]).toEqual([]);
  }, 60_000);
});

describe('shrink', () => {
  it('keeps what the failure needs and tells it in words', async () => {
    const seed = 12;
    const whole = await simulate({ seed, lua });
    // Any sentence of a judge will do: here, that somebody died.
    const judged = pretend(whole);
    const small = await shrink({ seed, lua }, judged, pretend);
    expect(whole.happened.length).toBeGreaterThan(3);
    expect(small.result.happened.map(({ name }) => name)).toEqual(['crash']);
    expect(tellSchedule(small.result).join('\n')).toMatch(/the process dies\n.*BROKEN nobody_dies/);
  });
});

/** The same result, as a judge sees it who holds that nobody may die. */
function pretend(result: SeedResult): SeedResult {
  const died = result.happened.some(({ name }) => name === 'crash');
  const sentence = { invariant: 'nobody_dies', what: 'somebody did', atMs: result.lastedMs };
  return { ...result, broken: died ? [sentence] : [] };
}
