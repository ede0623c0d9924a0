/**
 * One stack per data folder. `stack.json` in it says which process serves the folder and where;
 * a file whose process is gone (killed, machine restarted) is stale and taken over, after ending
 * the children that process left behind. `stack.users/` holds one file per `ask` that uses a stack
 * it did not start, so that the one who did waits for them.
 */
import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isAlive, isSameProcess, killMarked, markProcess, type ProcessMark } from './processes.ts';

export interface StackState extends ProcessMark {
  /** Null while the stack is still starting. */
  url: string | null;
  /** ISO time. */
  started: string;
  children: ProcessMark[];
}

export interface StackLock {
  /** Says where the stack answers (null: not now) and what hangs below it. */
  publish(url: string | null, children: ProcessMark[]): void;
  release(): void;
}

const stateFile = (dataDir: string) => join(dataDir, 'stack.json');

/** The state of the folder's stack as written, alive or not; null when there is none. */
export function readState(dataDir: string): StackState | null {
  try {
    const state = JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as Partial<StackState>;
    if (typeof state.pid !== 'number' || typeof state.started !== 'string') return null;
    return {
      pid: state.pid,
      born: typeof state.born === 'string' ? state.born : null,
      url: typeof state.url === 'string' ? state.url : null,
      started: state.started,
      children: Array.isArray(state.children) ? state.children : [],
    };
  } catch {
    return null;
  }
}

/** The folder's stack when its process runs, else null (no file, stale, unreadable). */
export function findLive(dataDir: string): StackState | null {
  const state = readState(dataDir);
  return state && isSameProcess(state) ? state : null;
}

/** True when something answers HTTP at `url` within 2 s. Any status counts: it is there. */
export async function answersHealth(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/health', url), { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** Takes the folder, or returns the state of the stack that has it. Throws when it is not ours to write. */
export function acquireLock(dataDir: string): { lock: StackLock } | { holder: StackState } {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${dataDir} cannot be written (${code}); choose another one with STRIDE_DATA_DIR=.`,
    );
  }
  // Twice at most would do; the bound only keeps a strange file system from looping for ever.
  for (let round = 0; round < 20; round += 1) {
    const mine: StackState = {
      ...markProcess(process.pid),
      url: null,
      started: new Date().toISOString(),
      children: [],
    };
    if (createExclusively(dataDir, mine)) return { lock: createLock(dataDir, mine) };
    const holder = findLive(dataDir);
    if (holder) return { holder };
    removeStale(dataDir);
  }
  throw new Error(`${stateFile(dataDir)} cannot be replaced; remove it and start again.`);
}

/** Written beside and linked into place: whoever sees the file sees all of it. */
function createExclusively(dataDir: string, state: StackState): boolean {
  const draft = `${stateFile(dataDir)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state));
  try {
    linkSync(draft, stateFile(dataDir));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Moves a stale file away and looks again: between reading and moving another process may have
 * taken the folder, and then its file goes back.
 */
function removeStale(dataDir: string): void {
  const aside = `${stateFile(dataDir)}.stale.${process.pid}`;
  try {
    renameSync(stateFile(dataDir), aside);
  } catch {
    return;
  }
  try {
    const state = JSON.parse(readFileSync(aside, 'utf8')) as StackState;
    if (isSameProcess(state)) linkSync(aside, stateFile(dataDir));
    else killMarked(state.children ?? []);
  } catch {
    // Unreadable, or replaced once more meanwhile: the next round of the caller decides.
  } finally {
    rmSync(aside, { force: true });
  }
}

function createLock(dataDir: string, mine: StackState): StackLock {
  const isMine = () => readState(dataDir)?.pid === process.pid;
  return {
    publish(url, children) {
      if (!isMine()) return;
      const draft = `${stateFile(dataDir)}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ ...mine, url, children }));
      renameSync(draft, stateFile(dataDir));
    },
    release() {
      if (isMine()) rmSync(stateFile(dataDir), { force: true });
    },
  };
}

/** Notes that this process uses the folder's stack; call the result when it no longer does. */
export function registerUser(dataDir: string): () => void {
  const folder = join(dataDir, 'stack.users');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(process.pid));
  writeFileSync(file, JSON.stringify(markProcess(process.pid)));
  return () => rmSync(file, { force: true });
}

/** How many other processes use the folder's stack now; files of dead ones are removed. */
export function countUsers(dataDir: string): number {
  const folder = join(dataDir, 'stack.users');
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return 0;
  }
  return names.filter((name) => {
    const file = join(folder, name);
    try {
      if (isSameProcess(JSON.parse(readFileSync(file, 'utf8')) as ProcessMark)) return true;
    } catch {
      // Half written by a process that is about to use the stack.
      if (isAlive(Number(name))) return true;
    }
    rmSync(file, { force: true });
    return false;
  }).length;
}
