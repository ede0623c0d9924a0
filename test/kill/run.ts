/**
 * `npm run test:kill -- --moments 30 [--seed n] [--lanes n]`: kills workerd and the launcher at
 * random moments while runs are under way, and judges every run afterwards. One line a moment, one
 * at the end; exit code 1 with the seed and what broke. Ctrl-C ends all of it.
 */
import { parseArgs } from 'node:util';
import { handleEnding } from '../../dev/stack/signals.ts';
import { createRandom } from '../helpers/table-draws.ts';
import { createTurnstile, runLane } from './lane.ts';
import type { MomentReport } from './moment.ts';
import { drawMoments } from './phases.ts';
import { describeEvidence, describeReport, summarize } from './report.ts';

const USAGE = 'Usage: npm run test:kill -- [--moments 30] [--seed n] [--lanes 3]';

function readNumber(text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`${text} is no whole number above 0.\n${USAGE}`);
  process.exit(2);
}

const { values } = parseArgs({
  options: { moments: { type: 'string' }, seed: { type: 'string' }, lanes: { type: 'string' } },
});
const count = readNumber(values.moments, 30);
const seed = readNumber(values.seed, 1 + Math.floor(Math.random() * 1_000_000));
const laneCount = Math.min(count, readNumber(values.lanes, 3));

const stopping = new AbortController();
let lanes: Promise<PromiseSettledResult<string[]>[]> = Promise.resolve([]);
const ending = handleEnding({
  onFatal: (message) => console.error(message),
  async cleanUp(reason) {
    if (reason !== 'exit') console.log('\nstopping …');
    stopping.abort();
    await lanes;
  },
});

const startedAt = Date.now();
const queue = drawMoments(createRandom(seed), count).map((moment, at) => ({
  moment,
  number: at + 1,
}));
const reports: MomentReport[] = [];
const exclusively = createTurnstile();
console.log(`${count} moments in ${laneCount} lanes, seed ${seed}`);
lanes = Promise.allSettled(
  Array.from({ length: laneCount }, () =>
    runLane({
      seed,
      signal: stopping.signal,
      exclusively,
      take: () => queue.shift() ?? null,
      onReport(report, number) {
        reports.push(report);
        console.log(`${number}/${count} ${describeReport(report)}`);
        for (const fault of report.faults) console.log(`  ${fault}`);
        if (report.faults.length > 0) console.log(describeEvidence(report));
      },
    }),
  ),
);
const ends = await lanes;
// After a Ctrl-C there is nothing to judge; this waits for the exit that is under way.
if (stopping.signal.aborted) await ending.exit(1);
const broke = ends.flatMap((lane) =>
  lane.status === 'fulfilled' ? lane.value : [`a lane broke off: ${String(lane.reason)}`],
);
for (const fault of broke) console.log(fault);
const failed = reports.filter(({ faults }) => faults.length > 0).length;
const isGood = failed === 0 && broke.length === 0 && reports.length === count;
console.log(summarize(reports, { count, seconds: (Date.now() - startedAt) / 1000 }));
if (!isGood) console.log(`Again with: npm run test:kill -- --moments ${count} --seed ${seed}`);
await ending.exit(isGood ? 0 : 1);
