/**
 * `npm run test:differential -- --commands 100000 --seed 1`: the embedded engine against a real
 * redis-server, ending in one line of counts. Exit code 1 when anything differed.
 */
import { parseArgs } from 'node:util';
import { show } from './compare.ts';
import { runDifferential } from './session.ts';

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [commands, seed] = [Number(values.commands), Number(values.seed)];
if (!Number.isInteger(commands) || !Number.isInteger(seed)) {
  console.error('Give whole numbers: --commands 100000 --seed 1');
  process.exit(2);
}
const started = performance.now();
const outcome = await runDifferential({ commands, seed });
for (const { at, command, way, server, embedded } of outcome.differences) {
  console.log(`#${at} by ${way}: ${show(command)}`);
  console.log(`  redis-server: ${show(server)}`);
  console.log(`  embedded:     ${show(embedded)}`);
}
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
const ways = Object.entries(outcome.ways).map(([way, count]) => `${way} ${count}`);
console.log(
  `${outcome.commands} commands (${ways.join(', ')}; ${outcome.errors} errors among the replies), ` +
    `seed ${seed}, ${outcome.differences.length} differences, ${seconds} s`,
);
process.exit(outcome.differences.length > 0 ? 1 : 0);
