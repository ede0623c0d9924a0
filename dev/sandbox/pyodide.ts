/**
 * Python where bubblewrap is missing: Pyodide in a Deno process that may read Pyodide's own files
 * and nothing else: no network, no environment, no processes, no host files. Its memory is capped
 * inside (WebAssembly, V8) and watched from outside; it ends with its stdin and with this process.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Guest, linkGuest } from './guest-link.ts';
import { watchProcess } from './memory.ts';

/** What one sandbox may use. */
export const PYODIDE_LIMITS = {
  /** Python's own memory; above it, MemoryError. */
  memoryBytes: 512 * 1024 * 1024,
  /** Objects of JavaScript in one thread; above it the process ends itself. */
  heapBytes: 256 * 1024 * 1024,
  /** Resident memory of the process, watched from outside: all of the above, files and Deno. */
  totalMemoryBytes: 1280 * 1024 * 1024,
  filesBytes: 128 * 1024 * 1024,
  files: 50_000,
} as const;

/** Writable memory, resident or not, that the kernel grants at all: the watch is not instant. */
const DATA_LIMIT_BYTES = 4 * 1024 * 1024 * 1024;
const WASM_PAGE_BYTES = 64 * 1024;
const MEGABYTE = 1024 * 1024;
/** The process answers a request within moments; past this it is given up. */
const PATIENCE_MS = 10_000;
/** Its start is a second of work. */
const START_MS = 30_000;

const require = createRequire(import.meta.url);
const PROGRAM = fileURLToPath(new URL('./pyodide/', import.meta.url));

export interface PyodideFiles {
  deno: string;
  /** Folder of the npm package, with a slash at its end. */
  folder: string;
  version: string;
  python: string;
}

/** Where the npm packages have put Deno's binary and Pyodide; a sentence when one is missing. */
export function findPyodide(): PyodideFiles | { missing: string } {
  const deno = findDeno();
  if (deno === null) return { missing: 'the npm package deno has no binary for this machine' };
  try {
    const folder = dirname(require.resolve('pyodide/package.json')) + sep;
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { version } = read('package.json');
    const { info } = read('pyodide-lock.json');
    return { deno, folder, version: String(version), python: String(info.python) };
  } catch {
    return { missing: 'the npm package pyodide is not installed' };
  }
}

/** The npm package's binary itself: its launcher would start it as a child. Null when there is none. */
export function findDeno(): string | null {
  const name = process.platform === 'win32' ? 'deno.exe' : 'deno';
  const suffix = process.platform === 'linux' ? '-glibc' : '';
  const packages = ['deno', `@deno/${process.platform}-${process.arch}${suffix}`];
  for (const from of packages) {
    try {
      const path = join(dirname(require.resolve(`${from}/package.json`)), name);
      if (existsSync(path)) return path;
    } catch {
      // Not installed: the other one is asked.
    }
  }
  return null;
}

function startDeno(files: PyodideFiles): ChildProcess {
  const limits = { bytes: PYODIDE_LIMITS.filesBytes, entries: PYODIDE_LIMITS.files };
  const program = [
    join(PROGRAM, 'main.ts'),
    pathToFileURL(files.folder).href,
    JSON.stringify(limits),
  ];
  return startEnclosed(files, program);
}

/** Starts a program of Deno, with its arguments, as sandboxes run: without permissions. */
export function startEnclosed({ deno, folder }: PyodideFiles, program: string[]): ChildProcess {
  const { memoryBytes, heapBytes } = PYODIDE_LIMITS;
  const v8 = [
    `--wasm-max-mem-pages=${memoryBytes / WASM_PAGE_BYTES}`,
    `--max-old-space-size=${heapBytes / MEGABYTE}`,
  ];
  const closed = ['--no-remote', '--no-npm', '--no-config', '--no-lock', '--cached-only'];
  const args = [
    'run',
    ...closed,
    ...['--no-prompt', '--no-check', '--no-code-cache', '--quiet'],
    `--allow-read=${PROGRAM},${folder}`,
    `--v8-flags=${v8.join(',')}`,
    ...program,
  ];
  const [command = '', ...rest] = [...enclosure(), deno, ...args];
  return spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A cache that cannot be made: nothing is written anywhere.
    env: { DENO_DIR: '/dev/null/none', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    cwd: dirname(PROGRAM),
  });
}

/** Commands that run before Deno in its process, where the machine has them. */
function enclosure(): string[] {
  if (process.platform === 'win32') return [];
  const limit = `ulimit -d ${DATA_LIMIT_BYTES / 1024} -c 0 2>/dev/null; exec "$0" "$@"`;
  return ['/bin/sh', '-c', limit, ...deathSignal()];
}

let known: string[] | null = null;

/** Makes the process end with this one, however that ends. */
function deathSignal(): string[] {
  const path = ['/usr/bin/setpriv', '/bin/setpriv'].find((one) => existsSync(one));
  const command = [path ?? '', '--pdeathsig', 'KILL', '--no-new-privs', '--'];
  // Tried once: older versions do not know the option.
  known ??=
    path && spawnSync(path, [...command.slice(1), '/bin/sh', '-c', ':']).status === 0
      ? command
      : [];
  return known;
}

/** The memory of a Python that has just started, so that the next ones need not start. */
export async function makeSnapshot(
  files: PyodideFiles,
  { prelude, signal }: { prelude: string; signal: AbortSignal },
): Promise<Buffer> {
  const child = startDeno(files);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  try {
    const guest = await linkGuest(child);
    const { body } = await guest.request('make_snapshot', { prelude });
    await guest.kill();
    return body;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Starts a sandbox and waits until its Python answers. */
export async function startPyodide(
  files: PyodideFiles,
  options: { snapshot: Buffer; log: (line: string) => void },
): Promise<Guest> {
  const child = startDeno(files);
  const guest = await linkGuest(child);
  const megabytes = PYODIDE_LIMITS.totalMemoryBytes / MEGABYTE;
  const watch = watchProcess(guest.pid, {
    limitBytes: PYODIDE_LIMITS.totalMemoryBytes,
    onOver: () => options.log(`a Python held more than ${megabytes} MB and was ended`),
  });
  void guest.ended.then(watch.stop);
  const request: Guest['request'] = async (op, fields, body) => {
    const patience = op === 'begin' ? START_MS : PATIENCE_MS;
    const timer = setTimeout(() => child.kill('SIGKILL'), patience);
    try {
      return await guest.request(op, fields, body);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    await request('begin', {}, options.snapshot);
  } catch (error) {
    await guest.kill();
    throw error;
  }
  return { ...guest, request };
}
