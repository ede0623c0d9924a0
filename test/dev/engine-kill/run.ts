/**
 * `npm run test:engine-kill -- --moments 200`: SIGKILL to the embedded engine at random moments
 * while it writes. Exit code 1 when an acknowledged write is missing or a torn one was not said.
 */
import { parseArgs } from 'node:util';
import { killRounds } from './rounds.ts';

const { values } = parseArgs({
  options: {
    moments: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [moments, seed] = [Number(values.moments), Number(values.seed)];
if (!Number.isInteger(moments) || !Number.isInteger(seed)) {
  console.error('Give whole numbers: --moments 200 --seed 1');
  process.exit(2);
}
const started = performance.now();
const { acknowledged, torn, tornSaid, faults } = await killRounds({ moments, seed });
for (const fault of faults) console.log(fault);
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
console.log(
  `${moments} kills, seed ${seed}: ${acknowledged} acknowledged writes, ${faults.length} faults, ` +
    `${tornSaid} of ${torn} torn records left out and said, ${seconds} s`,
);
process.exit(faults.length > 0 || tornSaid !== torn ? 1 : 0);
