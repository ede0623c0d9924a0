/**
 * `npm run test:bare`: the README's two commands on a clean clone, with a PATH that holds Node, npm,
 * git and coreutils alone. Prints how long the first one takes from the clone to its answer, how
 * much of that is Stride's own, and the memory of the whole stack. `-- --ask` leaves out npm test.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REPOSITORY = new URL('../..', import.meta.url).pathname;
const COREUTILS =
  'sh bash env cat chmod cp cut date dirname basename echo expr false head id ln ls mkdir mkfifo mktemp mv printf pwd readlink realpath rm rmdir sleep sort stat tail tee test touch tr true uname uniq wc';
const MAX_COLD_SECONDS = 90;
const MAX_OWN_SECONDS = 15;
const EXPECTED = '7995.56';
const SAMPLE_MS = 200;

/** The machine's own tools: the PATH as it was before npm put the project's folders in front. */
function systemPath(): string[] {
  return (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
}

function makeBin(folder: string): string {
  mkdirSync(folder);
  for (const name of ['node', 'npm', 'npx', 'git', ...COREUTILS.split(' ')]) {
    const found = systemPath()
      .map((path) => join(path, name))
      .find((path) => existsSync(path));
    if (found) symlinkSync(found, join(folder, name));
  }
  return folder;
}

interface Ended {
  code: number;
  output: string;
  seconds: number;
  peakMiB: number;
}

/** Resident memory of a process and all below it, MiB; 0 where /proc is missing. */
function memoryOf(root: number): number {
  if (!existsSync('/proc')) return 0;
  const parents = new Map<number, number>();
  const resident = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
      resident.set(Number(name), Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It ended while we looked.
    }
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  const pids = [...resident.keys()].filter((pid) => pid > 1 && isBelow(pid));
  return Math.round(pids.reduce((sum, pid) => sum + (resident.get(pid) ?? 0), 0) / 1024);
}

function run(args: string[], { cwd, bin }: { cwd: string; bin: string }): Promise<Ended> {
  const startedAt = Date.now();
  const home = process.env.HOME ?? tmpdir();
  const kept = Object.entries(process.env).filter(([name]) =>
    /^npm_config_(registry|cache)$/i.test(name),
  );
  const env = { PATH: bin, HOME: home, LANG: 'C.UTF-8', ...Object.fromEntries(kept) };
  const [command = '', ...rest] = args;
  const child = spawn(join(bin, command), rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let peakMiB = 0;
  const sampler = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryOf(child.pid ?? 0));
  }, SAMPLE_MS);
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearInterval(sampler);
      resolve({ code: code ?? 1, output, seconds: (Date.now() - startedAt) / 1000, peakMiB });
    });
  });
}

function check(holds: boolean, what: string): void {
  console.log(`${holds ? 'ok' : 'NOT OK'}: ${what}`);
  if (!holds) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'stride-bare-'));
try {
  const bin = makeBin(join(folder, 'bin'));
  const clone = join(folder, 'stride');
  const cloned = await run(
    ['git', 'clone', '--quiet', '--depth', '1', `file://${REPOSITORY}`, clone],
    { cwd: folder, bin },
  );
  check(cloned.code === 0, `git clone in ${cloned.seconds.toFixed(1)} s`);
  const installed = await run(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: clone, bin });
  check(installed.code === 0, `npm ci in ${installed.seconds.toFixed(1)} s`);
  const question = 'What is the total of the amount column?';
  const asked = await run(['npm', 'run', 'ask', '--', question, '--file', 'examples/sales.csv'], {
    cwd: clone,
    bin,
  });
  console.log(asked.output);
  check(
    asked.code === 0 && asked.output.includes(`Answer: ${EXPECTED}`),
    `the first command answers ${EXPECTED}`,
  );
  const cold = cloned.seconds + installed.seconds + asked.seconds;
  check(
    cold < MAX_COLD_SECONDS,
    `${cold.toFixed(1)} s from the clone to the answer (under ${MAX_COLD_SECONDS})`,
  );
  check(
    asked.seconds < MAX_OWN_SECONDS,
    `${asked.seconds.toFixed(1)} s of it Stride's own (under ${MAX_OWN_SECONDS})`,
  );
  console.log(`${asked.peakMiB} MiB resident at the most, the whole stack with npm`);
  if (!process.argv.includes('--ask')) {
    const tested = await run(['npm', 'test'], { cwd: clone, bin });
    const lines = tested.output.trimEnd().split('\n');
    if (tested.code !== 0) console.log(lines.slice(-80).join('\n'));
    console.log(lines.filter((line) => line.startsWith('skipped here:')).join('\n'));
    check(tested.code === 0, `npm test in ${tested.seconds.toFixed(0)} s: ${lines.at(-1)}`);
    check(
      /, [1-9]\d* skipped$/.test(lines.at(-1) ?? ''),
      'what this PATH lacks is skipped, and named',
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
