import { beforeAll, describe, expect, it } from 'vitest';
import { exceeded, sumOf } from '../../bench/counts/limits.ts';
import { countRun, type RunCounts } from '../../bench/counts/measure.ts';
import type { CallKind } from '../../bench/counts/meter.ts';
import { startBenchRedis } from '../../bench/counts/server.ts';
import { hasRedisServer } from '../helpers/redis.ts';

/** Whole rounds of the bench's ten kinds of turns, and the answer. */
const SIZES = [11, 21, 41] as const;

const runs = new Map<number, RunCounts>();
const runOf = (turns: number): RunCounts => {
  const run = runs.get(turns);
  if (!run) throw new Error(`no run of ${turns} turns was counted`);
  return run;
};
const tripsOf = ({ calls }: RunCounts, kind: CallKind) =>
  calls.filter((call) => call.kind === kind).map(({ roundTrips }) => roundTrips);

describe.skipIf(!hasRedisServer)('what a run costs', () => {
  beforeAll(async () => {
    const server = await startBenchRedis();
    try {
      // The first use of a script sends its text: once for a server, not for a run.
      await countRun(2, server);
      for (const turns of SIZES) runs.set(turns, await countRun(turns, server));
    } finally {
      await server.stop();
    }
  }, 60_000);

  it.each(SIZES)('keeps to every limit of round trips and bytes in a run of %i turns', (turns) => {
    expect(exceeded(runOf(turns))).toEqual([]);
  });

  it('is one round trip for a claim and one for a reply, each', () => {
    const run = runOf(21);
    expect(new Set(tripsOf(run, 'claim'))).toEqual(new Set([1]));
    expect(tripsOf(run, 'reply')).toEqual(Array.from({ length: 20 }, () => 1));
    expect(tripsOf(run, 'reply and end')).toEqual([1]);
  });

  it('is as many commands and bytes a turn in a long run as in a short one', () => {
    const [short, middle, long] = SIZES.map((turns) => ({ turns, ...sumOf(runOf(turns)) }));
    if (!short || !middle || !long) throw new Error('a run is missing');
    const turns = [middle.turns - short.turns, long.turns - middle.turns] as const;
    for (const what of ['commands', 'roundTrips', 'written'] as const) {
      const early = (middle[what] - short[what]) / turns[0];
      const late = (long[what] - middle[what]) / turns[1];
      // How many results share one append is a matter of timing. A cost that grows with the
      // journal would be twice as high in the later turns.
      expect(Math.abs(late / early - 1), what).toBeLessThan(0.15);
    }
  });

  it('holds every entry that the run has, counted once', () => {
    const { calls, entries } = runOf(11);
    expect(calls.reduce((sum, call) => sum + call.entries, 0)).toBe(entries.length);
    expect(calls.map(({ kind }) => kind)).not.toContain('other');
  });
});

describe.skipIf(!hasRedisServer)('exceeded', () => {
  it('names a second round trip of a model step', () => {
    const run = runOf(11);
    const calls = run.calls.map((call) =>
      call.kind === 'reply and end' ? { ...call, roundTrips: 2 } : call,
    );
    expect(exceeded({ ...run, calls })).toEqual(['round trips of model steps: 12, at most 11']);
  });

  it('names bytes that are written twice', () => {
    const run = runOf(11);
    const calls = run.calls.map((call) => ({ ...call, bytesOut: 2 * call.bytesOut }));
    expect(exceeded({ ...run, calls })).toEqual([expect.stringMatching(/^bytes written: \d+, /)]);
  });

  it('names heartbeats without silence', () => {
    const run = runOf(11);
    expect(tripsOf(run, 'heartbeat').length).toBeGreaterThan(0);
    expect(exceeded({ ...run, silentSeconds: 9 })).toEqual([
      expect.stringMatching(/^heartbeats: \d+, at most 0$/),
    ]);
  });
});
