// One process a data folder: two that write the same log would ruin it. `embedded.pid` names the
// process with its start time, so that one that was killed is told from another of the same number.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, markProcess, type ProcessMark } from '../../stack/processes.ts';

const MAX_ROUNDS = 20;

/** Takes the folder; call the result to give it free. Throws a plain error when it is in use. */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, 'embedded.pid');
  const mine = JSON.stringify({ ...markProcess(process.pid), owner: crypto.randomUUID() });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (link(draft, path)) {
        return () => {
          if (read(path) === mine) rmSync(path, { force: true });
        };
      }
      const holder = read(path);
      if (holder === null) continue;
      const pid = livePid(holder);
      if (pid !== null) throw new Error(inUse(pid, { dataDir, path }));
      removeStale(path, holder);
    }
    throw new Error(`${path} cannot be replaced; remove it and start again.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False when there is a file already. Linked, so that whoever sees the file sees all of it. */
function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function livePid(holder: string): number | null {
  try {
    const mark = JSON.parse(holder) as ProcessMark;
    return isSameProcess(mark) ? mark.pid : null;
  } catch {
    return null;
  }
}

/** Moves it aside and looks again: another process may have taken the folder since it was read. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (read(aside) !== stale) link(aside, path);
  } catch {
    // Gone already: the next round decides.
  } finally {
    rmSync(aside, { force: true });
  }
}

function inUse(pid: number, { dataDir, path }: { dataDir: string; path: string }): string {
  return (
    `The data directory ${dataDir} is in use by process ${pid}: stop that one, or choose ` +
    `another directory. If it is not a Stride, remove ${path} and start again.`
  );
}
