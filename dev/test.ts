/**
 * `npm test`: types, lint, then every test; ends with one line `N passed, N failed, N skipped`
 * counted from the real results (types and lint count as one each). What this machine lacks is
 * skipped and named; in CI nothing may be skipped.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostLacks } from './host.ts';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numFailedTestSuites: number;
}

function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.on('error', () => resolve(127));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function checks(): Promise<number[]> {
  console.log('types');
  const types = await run('tsc', ['-p', '.']);
  console.log('lint');
  const lint = await run('biome', ['check', '.']);
  return [types, lint];
}

async function tests(args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'stride-test-'));
  const outputFile = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
    const code = await run('vitest', ['run', ...reporters, ...args]);
    const report = JSON.parse(readFileSync(outputFile, 'utf8')) as Report;
    return { code, report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const codes = await checks();
const { code, report } = await tests(process.argv.slice(2));
const skipped = report.numPendingTests + report.numTodoTests;
const lacking = await hostLacks();
for (const lack of lacking) console.log(`skipped here: ${lack}`);
const passed = report.numPassedTests + codes.filter((each) => each === 0).length;
// A file that did not load has failed too, though none of its tests were counted.
const unloaded =
  code !== 0 && report.numFailedTests === 0 ? Math.max(1, report.numFailedTestSuites) : 0;
const failed = report.numFailedTests + unloaded + codes.filter((each) => each !== 0).length;
const strict = process.env.CI === 'true' && skipped > 0;
if (strict) console.log('In CI nothing may be skipped: install what is named above.');
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 || strict ? 1 : 0);
