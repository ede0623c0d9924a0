import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import { createTurnstile, runLane } from '../kill/lane.ts';
import type { MomentReport } from '../kill/moment.ts';
import { describeMoment, type Moment } from '../kill/phases.ts';

/** Four of the moments of `npm run test:kill`, side by side: most of each is waiting for a lease. */
const MOMENTS: Moment[] = [
  { victim: 'workerd', phase: 'tools', variant: 'once' },
  { victim: 'workerd', phase: 'append', variant: 'late' },
  { victim: 'launcher', phase: 'stream', variant: 'any' },
  { victim: 'launcher', phase: 'delivery', variant: 'lost' },
];

describe.skipIf(!hasRedisServer)('a kill while runs are under way', () => {
  const seed = 1 + Math.floor(Math.random() * 1_000_000);
  const reports = new Map<Moment, MomentReport>();
  const stopping = new AbortController();
  let lanes: Promise<PromiseSettledResult<string[]>[]>;

  beforeAll(async () => {
    const exclusively = createTurnstile();
    const queue = MOMENTS.map((moment, index) => ({ moment, number: index + 1 }));
    const lane = () =>
      runLane({
        seed,
        signal: stopping.signal,
        exclusively,
        take: () => queue.shift() ?? null,
        onReport: (report) => reports.set(report.moment, report),
      });
    lanes = Promise.allSettled(Array.from({ length: MOMENTS.length }, lane));
    await lanes;
  }, 300_000);
  afterAll(async () => {
    stopping.abort();
    await lanes;
  });

  it.each(MOMENTS.map((moment) => [describeMoment(moment), moment] as const))(
    'loses, repeats and leaves nothing: %s',
    (_, moment) => {
      const report = reports.get(moment);
      expect(report?.faults, `seed ${seed}`).toEqual([]);
      expect(report?.runs).toHaveLength(4);
    },
  );

  it('ends every process that was started', async () => {
    const ends = await lanes;
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason))).toEqual(
      ends.map(() => []),
    );
  });
});
