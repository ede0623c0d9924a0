// `npm run bench:documents`: what reading a document costs a fresh workerd, in resident memory and
// time, for large documents made on the spot and the largest committed fixtures (`-- --all` for
// each of them). Ends with 1 when one grows the process by 100 MB or more.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { buildWorker } from '../dev/stack/build.ts';
import { listDescendants } from '../dev/stack/processes.ts';
import { LARGE, type Sample } from './documents/files.ts';
import { formatTable } from './table.ts';

const LIMIT_MB = 100;
const FIXTURES = join(import.meta.dirname, '../test/fixtures/documents');

const worker = await buildWorker({ entry: join(import.meta.dirname, 'documents/worker.ts') });
const rows: (string | number)[][] = [];
let worst = 0;
for (const sample of [...LARGE, ...fixtures()]) {
  const { name, bytes, tool, input } = sample();
  const { growthMb, ms, first } = await measure({ name, bytes, tool, input });
  worst = Math.max(worst, growthMb);
  rows.push([name, Number((bytes.length / 1e6).toFixed(2)), growthMb, ms, first]);
  process.stderr.write('.');
}
await worker.stop();
process.stderr.write('\n');
console.log(formatTable(['document', 'MB', 'growth MB', 'ms', 'first line for the model'], rows));
console.log(`\nLargest growth of workerd: ${worst} MB (limit ${LIMIT_MB} MB).`);
process.exitCode = worst < LIMIT_MB ? 0 : 1;

/** Committed fixtures, largest first: six of them, or all. */
function fixtures(): (() => Sample)[] {
  const paths = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:xls[xmb]?|ods|csv|tsv|pdf)$/i.test(path))
    .sort((a, b) => statSync(join(FIXTURES, b)).size - statSync(join(FIXTURES, a)).size);
  const chosen = process.argv.includes('--all') ? paths : paths.slice(0, 6);
  return chosen.map((path) => () => ({
    name: path,
    tool: path.toLowerCase().endsWith('.pdf') ? 'parse_pdf' : 'parse_excel',
    bytes: new Uint8Array(readFileSync(join(FIXTURES, path))),
  }));
}

/** One call in a workerd of its own. */
async function measure({ name, bytes, tool, input = {} }: Sample) {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: worker.code,
      compatibilityDate: '2026-08-01',
      compatibilityFlags: ['nodejs_compat'],
      cf: false,
    }),
  );
  try {
    const url = await miniflare.ready;
    await (await fetch(url)).text();
    const pid = workerdOf(process.pid);
    const before = memoryMb(pid, 'VmRSS');
    const query = new URLSearchParams({ name, tool, input: JSON.stringify(input) });
    const startedAt = performance.now();
    const response = await fetch(new URL(`/?${query}`, url), {
      method: 'POST',
      body: bytes as Uint8Array<ArrayBuffer>,
    });
    const text = await response.text();
    const ms = Math.round(performance.now() - startedAt);
    // The peak since its start: never less than what the call itself took.
    const growthMb = Math.round(memoryMb(pid, 'VmHWM') - before);
    return { growthMb, ms, first: firstLine(response.ok ? JSON.parse(text).text : text) };
  } finally {
    await miniflare.dispose();
  }
}

function workerdOf(parent: number): number {
  const found = listDescendants(parent).find(({ command }) => command === 'workerd');
  if (found === undefined) throw new Error('no workerd is running');
  return found.pid;
}

/** From /proc, so on Linux only. */
function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1_000;
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
