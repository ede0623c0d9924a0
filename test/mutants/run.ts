/**
 * `npm run test:mutants`: breaks each rule of list.ts in memory and checks that its test fails.
 * Exit code 1 names the rules that nobody noticed. [filter] narrows by rule text.
 */
import { spawn } from 'node:child_process';
import { MUTANTS, type Mutant } from './list.ts';

const PATIENCE_MS = 60_000;

/** True when the test file passes; with a mutant, when nobody noticed it. */
function passes(test: string, mutant: Mutant | null): Promise<boolean> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...(mutant ? { STRIDE_MUTANT: JSON.stringify(mutant) } : {}) };
    const args = [
      'run',
      '--project',
      'unit',
      '--bail=1',
      '--reporter=dot',
      '--fsModuleCache=false',
    ];
    const child = spawn('vitest', [...args, test], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A broken rule may spin for ever: that is noticed too.
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.on('exit', (code) => {
      clearTimeout(patience);
      const unfit = output.includes('mutant no longer fits');
      if (unfit) console.log(`  does not fit the source: ${mutant?.rule}`);
      resolve(code === 0 || unfit);
    });
  });
}

const filter = process.argv[2] ?? '';
const chosen = MUTANTS.filter(({ rule, file }) => `${file} ${rule}`.includes(filter));
for (const test of new Set(chosen.map((mutant) => mutant.test))) {
  if (await passes(test, null)) continue;
  console.log(`${test} fails as it is: nothing it says about broken rules would count`);
  process.exit(1);
}
const alive: Mutant[] = [];
const startedAt = Date.now();
for (const [i, mutant] of chosen.entries()) {
  const alone = await passes(mutant.test, mutant);
  if (alone) alive.push(mutant);
  console.log(`${i + 1}/${chosen.length} ${alone ? 'NOT NOTICED' : 'caught'}: ${mutant.rule}`);
}
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(
  `${chosen.length - alive.length} of ${chosen.length} broken rules caught in ${seconds} s`,
);
process.exit(alive.length > 0 ? 1 : 0);
