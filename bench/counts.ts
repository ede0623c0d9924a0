// `npm run bench:counts`: what a run of 5, 50 and 200 turns costs in Redis round trips, commands
// and bytes, in all and by kind of call, and whether that keeps to the limits.

import { exceeded, sumOf } from './counts/limits.ts';
import { countRun, type RunCounts } from './counts/measure.ts';
import type { StoreCall } from './counts/meter.ts';
import { startBenchRedis } from './counts/server.ts';
import { type Cell, formatTable, kib } from './table.ts';

const SIZES = [5, 50, 200];
const HEADER = ['call', 'times', 'round trips', 'commands', 'bytes out', 'bytes in', 'entries'];

const server = await startBenchRedis();
const runs: RunCounts[] = [];
try {
  // The first use of each script sends its text; that is once for a server, not for a run.
  await countRun(2, server);
  for (const turns of SIZES) runs.push(await countRun(turns, server));
} finally {
  await server.stop();
}

console.log('Runs, whole (per turn in brackets)\n');
const perTurn = (value: number, turns: number) => `${value} (${(value / turns).toFixed(1)})`;
console.log(
  formatTable(
    ['', ...runs.map(({ turns }) => `${turns} turns`)],
    [
      row('invocations', ({ invocations }) => invocations),
      row('entries', ({ entries }) => entries.length),
      row('round trips', (run) => perTurn(sumOf(run).roundTrips, run.turns)),
      row('commands in Redis', (run) => perTurn(sumOf(run).commands, run.turns)),
      row('content', ({ contentBytes }) => kib(contentBytes)),
      row('written', (run) => kib(sumOf(run).written)),
      row('of it pinned prompt', ({ objectBytes }) => kib(objectBytes.get('prompts') ?? 0)),
      row('of it long results', ({ objectBytes }) => kib(objectBytes.get('o') ?? 0)),
      row('allowed', (run) => kib(sumOf(run).allowed)),
      row('written / content', (run) => sumOf(run).written / run.contentBytes),
      row('archive beside it', (run) => kib(sumOf(run).archived)),
      row('read by claims', (run) => kib(sumOf(run).readByClaims)),
      row('fold, all of the run', ({ foldMs }) => `${foldMs.toFixed(1)} ms`),
      row('parse, once', ({ parseMs }) => `${parseMs.toFixed(1)} ms`),
    ],
  ),
);

for (const run of runs) {
  console.log(`\n${run.turns} turns, by kind of call\n`);
  console.log(formatTable(HEADER, kindRows(run.calls)));
}

const faults = runs.flatMap((run) => exceeded(run).map((fault) => `${run.turns} turns: ${fault}`));
console.log(faults.length === 0 ? '\nAll limits are kept.' : `\nExceeded:\n${faults.join('\n')}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function row(name: string, cell: (run: RunCounts) => Cell): Cell[] {
  return [name, ...runs.map(cell)];
}

/** Means of each kind's calls. */
function kindRows(calls: readonly StoreCall[]): Cell[][] {
  return [...Map.groupBy(calls, ({ kind }) => kind)].map(([kind, group]) => {
    const mean = (pick: (call: StoreCall) => number) =>
      group.reduce((sum, call) => sum + pick(call), 0) / group.length;
    return [
      kind,
      group.length,
      mean(({ roundTrips }) => roundTrips),
      mean(({ commands }) => commands),
      Math.round(mean(({ bytesOut }) => bytesOut)),
      Math.round(mean(({ bytesIn }) => bytesIn)),
      mean(({ entries }) => entries),
    ];
  });
}
