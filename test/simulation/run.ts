/**
 * `npm run simulate -- [--seeds N] [--from S] [--fault name]… [--coverage] [--until-broken]`: seeds one after
 * another, with progress. A failing one prints the line that replays it, and its schedule made
 * small. Exit code 1 when an invariant broke.
 */
import { parseArgs } from 'node:util';
import { loadLua } from '../../dev/redis/embedded/lua/wasm.ts';
import { startCoverage } from './coverage.ts';
import { FAULT_NAMES, type FaultName } from './faults.ts';
import { shrink, tellSchedule } from './shrink.ts';
import { simulate } from './simulate.ts';
import { createTally } from './tally.ts';

const PROGRESS_MS = 5_000;
/** Schedules made small; further failing seeds print their line only. */
const MAX_SHRUNK = 3;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    fault: { type: 'string', multiple: true },
    coverage: { type: 'boolean', default: false },
    'until-broken': { type: 'boolean', default: false },
  },
});
const [count, first] = [Number(values.seeds), Number(values.from)];
const only = values.fault?.map(toFault);

function toFault(name: string): FaultName {
  if (FAULT_NAMES.includes(name as FaultName)) return name as FaultName;
  console.error(`There is no fault "${name}". Use one of: ${FAULT_NAMES.join(', ')}.`);
  process.exit(2);
}

process.on('unhandledRejection', (error) => {
  console.error('a promise was rejected and nobody noticed:', error);
  process.exit(1);
});

const coverage = values.coverage ? await startCoverage() : null;
const lua = await loadLua();
const tally = createTally();
const startedAt = performance.now();
let toldAt = startedAt;
for (let seed = first; seed < first + count; seed += 1) {
  const result = await simulate({ seed, lua, only });
  tally.add(result);
  if (result.broken.length > 0) {
    const faults = (only ?? []).map((name) => ` --fault ${name}`).join('');
    console.log(
      `seed ${seed} breaks ${result.broken[0]?.invariant}: npm run simulate -- --seeds 1 --from ${seed}${faults}`,
    );
    if (values['until-broken']) break;
    if (tally.failed.length <= MAX_SHRUNK) {
      const small = await shrink({ seed, lua, only }, result);
      console.log(
        `${result.happened.length} faults made ${small.result.happened.length} in ${small.reruns} reruns:`,
      );
      for (const line of tellSchedule(small.result)) console.log(line);
    }
  }
  if (performance.now() - toldAt > PROGRESS_MS) {
    toldAt = performance.now();
    const rate = (seed - first + 1) / ((toldAt - startedAt) / 1000);
    console.log(
      `${seed - first + 1}/${count} seeds, ${rate.toFixed(0)} a second, ${tally.failed.length} failed`,
    );
  }
}
const seconds = (performance.now() - startedAt) / 1000;
for (const line of tally.lines()) console.log(line);
if (coverage) for (const line of await coverage.lines()) console.log(line);
console.log(
  `${tally.seeds()} seeds, ${tally.failed.length} failed, ${seconds.toFixed(1)} s, ${(tally.seeds() / seconds).toFixed(0)} seeds a second`,
);
process.exit(tally.failed.length > 0 ? 1 : 0);
