/**
 * `npm run simulate:mutants [-- filter]`: breaks each rule of mutants.ts in memory and simulates
 * until an invariant breaks, at most 200 seeds. Exit code 1 names the rules that nobody noticed.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SIMULATION_MUTANTS, type SimulationMutant } from './mutants.ts';

const SEEDS = 200;
/** A broken rule may keep a world busy for ever: that is noticed too, but worth saying. */
const PATIENCE_MS = 180_000;

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

type Verdict = { kind: 'caught'; how: string } | { kind: 'alive' | 'unfit' };

function judge(mutant: SimulationMutant): Promise<Verdict> {
  return new Promise((resolve) => {
    const args = ['--import', path('./break-rule.ts'), path('./run.ts')];
    const child = spawn('node', [...args, '--seeds', String(SEEDS), '--until-broken'], {
      env: { ...process.env, STRIDE_MUTANT: JSON.stringify(mutant) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.on('exit', (code) => {
      clearTimeout(patience);
      const [, seed, invariant] = /seed (\d+) breaks (\w+)/.exec(output) ?? [];
      if (output.includes('mutant no longer fits')) resolve({ kind: 'unfit' });
      else if (invariant) resolve({ kind: 'caught', how: `seed ${seed}, ${invariant}` });
      else if (code === null) resolve({ kind: 'caught', how: 'it never came to an end' });
      else if (code !== 0) resolve({ kind: 'caught', how: output.split('\n').slice(-6).join(' ') });
      else resolve({ kind: 'alive' });
    });
  });
}

const filter = process.argv[2] ?? '';
const chosen = SIMULATION_MUTANTS.filter(({ rule, file }) => `${file} ${rule}`.includes(filter));
const startedAt = Date.now();
let caught = 0;
for (const [i, mutant] of chosen.entries()) {
  const verdict = await judge(mutant);
  const name = `${mutant.file}: ${mutant.rule}`;
  if (verdict.kind === 'caught') caught += 1;
  const word = { caught: 'caught', alive: 'NOT NOTICED', unfit: 'DOES NOT FIT' }[verdict.kind];
  const how = verdict.kind === 'caught' ? ` (${verdict.how})` : '';
  console.log(`${i + 1}/${chosen.length} ${word}: ${name}${how}`);
}
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(`${caught} of ${chosen.length} broken rules noticed in ${seconds} s`);
process.exit(caught === chosen.length ? 0 : 1);
