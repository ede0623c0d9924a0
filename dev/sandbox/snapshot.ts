/**
 * The snapshot that Pythons start from: made once (some seconds), kept in memory, and on disk with
 * the packages that it belongs to, for the next start. A copy on disk that does not work is replaced.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeSnapshot, type PyodideFiles } from './pyodide.ts';

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

export interface Snapshots {
  get(): Promise<Buffer>;
  /** The one in use does not start: the next `get` makes another. */
  discard(): Promise<void>;
  /** Ends one that is being made; resolves when its process is gone. */
  stop(): Promise<void>;
}

export function createSnapshots(files: PyodideFiles): Snapshots {
  let current: Promise<Buffer> | null = null;
  const stopped = new AbortController();

  async function describe() {
    const prelude = (await read('./guest/kernel.py')) + (await read('./pyodide/prelude.py'));
    const key = createHash('sha256').update(`${files.version}\n${files.python}\n${prelude}`);
    // Beside pyodide in node_modules: `npm ci` removes it with the package.
    const folder = join(dirname(files.folder), '.cache', 'stride');
    return { prelude, path: join(folder, `pyodide-${key.digest('hex').slice(0, 16)}.snapshot`) };
  }

  async function load(): Promise<Buffer> {
    const { prelude, path } = await describe();
    const kept = await readFile(path).catch(() => null);
    if (kept !== null && kept.length > 0) return kept;
    const made = await makeSnapshot(files, { prelude, signal: stopped.signal });
    await keep(path, made).catch(() => {
      // A folder that cannot be written to: the next start makes its own.
    });
    return made;
  }

  return {
    get() {
      current ??= load();
      const promise = current;
      promise.catch(() => {
        if (current === promise) current = null;
      });
      return promise;
    },
    async discard() {
      current = null;
      const { path } = await describe();
      await rm(path, { force: true }).catch(() => {});
    },
    async stop() {
      stopped.abort();
      await current?.catch(() => {});
    },
  };
}

/** Also takes away those of other versions: nobody asks for them again. */
async function keep(path: string, bytes: Buffer): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.endsWith('.snapshot')) await rm(join(folder, name), { force: true });
  }
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}
