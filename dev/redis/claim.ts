// One launcher a data directory: two redis-servers that append to the same files would ruin them.
// `redis.pid` names the launcher and its redis-server. What is left of a launcher that was killed
// is found by process id, checked by command line and parent, and ended: never ended by name.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Start of the name of the folder that holds the socket, in the system's temporary folder. */
export const SOCKET_DIR_PREFIX = 'stride-redis-';
const TERM_WAIT_MS = 5_000;
const POLL_MS = 20;

interface Holder {
  /** Random, so that a claim is told apart from one by a process with the same id. */
  owner: string;
  launcher: number;
  /** null until redis-server runs. */
  pid: number | null;
  socketDir: string;
}

export interface Claim {
  /** Writes down which redis-server now runs. */
  record(pid: number): void;
  /** False once another launcher has taken the directory over. */
  isMine(): boolean;
  release(): void;
}

/**
 * Takes the data directory for this process, ending what a killed launcher left behind.
 * Throws a plain error when a live launcher holds it.
 */
export async function claimDataDir(dataDir: string, socketDir: string): Promise<Claim> {
  const path = join(dataDir, 'redis.pid');
  const mine: Holder = { owner: crypto.randomUUID(), launcher: process.pid, pid: null, socketDir };
  const write = (flag: 'w' | 'wx') => writeFileSync(path, JSON.stringify(mine), { flag });
  try {
    write('wx');
  } catch {
    const holder = readHolder(path);
    if (holder !== null) await endLeftover(holder, { dataDir, path });
    write('w');
  }
  const isMine = () => readHolder(path)?.owner === mine.owner;
  return {
    record(pid) {
      mine.pid = pid;
      write('w');
    },
    isMine,
    release() {
      if (isMine()) rmSync(path, { force: true });
    },
  };
}

function readHolder(path: string): Holder | null {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    return typeof holder.launcher === 'number' && typeof holder.socketDir === 'string'
      ? holder
      : null;
  } catch {
    return null;
  }
}

async function endLeftover(holder: Holder, where: { dataDir: string; path: string }) {
  const { launcher, pid, socketDir } = holder;
  // The launcher died, or is about to start its server. After a reboot its id may be another's,
  // which is why this looks at the launcher alone only in that short moment.
  if (pid === null) {
    if (isAlive(launcher)) throw inUse(launcher, where);
    return;
  }
  const isOurs = () => {
    const found = describeProcess(pid);
    return found?.command.includes('redis-server') && found.command.includes(where.dataDir)
      ? found
      : null;
  };
  // An orphan gets another parent; as long as the parent is the launcher, the launcher lives.
  if (isOurs()?.parent === launcher) throw inUse(launcher, where);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (isOurs() === null) break;
    signalProcess(pid, signal);
    for (const end = Date.now() + TERM_WAIT_MS; isOurs() !== null && Date.now() < end; ) {
      await sleep(POLL_MS);
    }
  }
  const isSocketDir =
    dirname(socketDir) === tmpdir() && basename(socketDir).startsWith(SOCKET_DIR_PREFIX);
  if (isSocketDir) rmSync(socketDir, { recursive: true, force: true });
}

function inUse(launcher: number, { dataDir, path }: { dataDir: string; path: string }): Error {
  return new Error(
    `The data directory ${dataDir} is in use by process ${launcher}: stop that one, or choose ` +
      `another directory. If it is not a Stride, remove ${path} and start again.`,
  );
}

function isAlive(pid: number): boolean {
  return signalProcess(pid, 0);
}

/** False when there is no such process. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // EPERM: it exists, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Parent and command line of a live process; null when there is none (a zombie has no command). */
function describeProcess(pid: number): { parent: number; command: string } | null {
  try {
    if (existsSync('/proc/self/stat')) {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      // The name in brackets may hold spaces and brackets; after the last one: state, parent.
      const [, parent] =
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return { parent: Number(parent), command };
    }
    // One -o a column: BSD's ps takes all that follows a "=" for the heading.
    const columns = ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', String(pid)];
    const line = execFileSync('ps', columns, { encoding: 'utf8' });
    const [, parent, command] = /^\s*(\d+)\s+(.*)$/m.exec(line) ?? [];
    return { parent: Number(parent), command: command ?? '' };
  } catch {
    return null;
  }
}
