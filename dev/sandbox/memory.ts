/**
 * Memory of sandboxes, watched from outside: of a tree of processes, or of the one process that a
 * sandbox is.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;
const TREE_WATCH_MS = 250;
/** Shorter: one process is cheap to look at. */
const PROCESS_WATCH_MS = 100;

/** Ends a process that holds more than it may, and calls `onOver` then. */
export function watchProcess(
  pid: number,
  options: { limitBytes: number; onOver: () => void },
): { stop(): void } {
  const check = async () => {
    if ((await residentBytes(pid)) <= options.limitBytes) return;
    clearInterval(timer);
    options.onOver();
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  };
  const timer = setInterval(() => void check(), PROCESS_WATCH_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** 0 when the process is gone. */
async function residentBytes(pid: number): Promise<number> {
  if (existsSync('/proc/self/statm')) {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1];
      return Number(pages) * PAGE_BYTES;
    } catch {
      return 0;
    }
  }
  // Where there is no /proc (macOS).
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, output) =>
      resolve(error ? 0 : Number(output.trim()) * 1024),
    );
  });
}

/** Like the kernel's own: when a sandbox holds too much memory, its largest process goes. */
export function watchTrees(
  sandboxes: () => readonly { id: string; pid: number }[],
  options: { limitBytes: number; log: (line: string) => void },
): { stop(): void } {
  const { limitBytes, log } = options;
  const timer = setInterval(() => checkTrees(sandboxes(), { limitBytes, log }), TREE_WATCH_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function checkTrees(
  sandboxes: readonly { id: string; pid: number }[],
  { limitBytes, log }: { limitBytes: number; log: (line: string) => void },
): void {
  if (sandboxes.length === 0) return;
  const table = readProcesses();
  for (const sandbox of sandboxes) {
    const inside = descendants(table, sandbox.pid);
    if (sumBytes(inside) <= limitBytes) continue;
    // Forked processes share pages, so the exact look follows only where the rough one is above.
    const exact = inside.map((one) => ({ ...one, bytes: proportionalBytes(one.pid) ?? one.bytes }));
    if (sumBytes(exact) <= limitBytes) continue;
    const largest = exact.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    log(`sandbox ${sandbox.id} is out of memory: its largest process is ended`);
    try {
      process.kill(largest.pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

const sumBytes = (processes: ProcessInfo[]) => processes.reduce((sum, one) => sum + one.bytes, 0);

/** Memory with shared pages divided among their holders; null when the kernel does not tell. */
function proportionalBytes(pid: number): number | null {
  try {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(
      readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'),
    )?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

interface ProcessInfo {
  pid: number;
  parent: number;
  bytes: number;
}

function readProcesses(): ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields =
        readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').pop()?.split(' ') ?? [];
      found.push({
        pid: Number(name),
        parent: Number(fields[1]),
        bytes: Number(fields[21]) * PAGE_BYTES,
      });
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

function descendants(table: ProcessInfo[], root: number): ProcessInfo[] {
  const children = new Map<number, ProcessInfo[]>();
  for (const one of table) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
  const found: ProcessInfo[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      open.push(child.pid);
    }
  }
  return found;
}
