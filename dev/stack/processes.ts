/**
 * Which processes hang below this one, and which process a stored pid really is. Linux reads
 * /proc (slim images have no `ps`); elsewhere `ps` is asked. Nothing here ends a process that is
 * not a descendant of ours or was not recorded, with its start time, by an earlier stack.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  ppid: number;
  command: string;
}

/** A pid with what tells it from a later process of the same number (null where unknown). */
export interface ProcessMark {
  pid: number;
  born: string | null;
}

/** `/proc/PID/stat` after the command, which may itself hold blanks and parentheses. */
function procStat(pid: number): { ppid: number; born: string; command: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    // proc(5): fields 3 (state), 4 (ppid) and 22 (start time in ticks since boot).
    if (fields[0] === 'Z') return null;
    return {
      ppid: Number(fields[1]),
      born: fields[19] ?? '',
      command: text.slice(text.indexOf('(') + 1, end),
    };
  } catch {
    return null;
  }
}

function listProcesses(): ProcessInfo[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc').flatMap((name) => {
      const pid = Number(name);
      const stat = Number.isInteger(pid) ? procStat(pid) : null;
      return stat ? [{ pid, ppid: stat.ppid, command: stat.command }] : [];
    });
  }
  try {
    const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
    return text.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
      return match
        ? [{ pid: Number(match[1]), ppid: Number(match[2]), command: match[3] ?? '' }]
        : [];
    });
  } catch {
    return [];
  }
}

/** Children, grandchildren, … of a process, parents before their children. */
export function listDescendants(root: number = process.pid): ProcessInfo[] {
  const all = listProcesses();
  const found: ProcessInfo[] = [];
  let parents = new Set([root]);
  while (parents.size > 0) {
    const children = all.filter((one) => parents.has(one.ppid));
    found.push(...children);
    parents = new Set(children.map((one) => one.pid));
  }
  return found;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || procStat(pid) !== null;
}

export function markProcess(pid: number): ProcessMark {
  return { pid, born: process.platform === 'linux' ? (procStat(pid)?.born ?? null) : null };
}

/** True when the marked process still runs: pid numbers come round again, start times do not. */
export function isSameProcess(mark: ProcessMark): boolean {
  if (!isAlive(mark.pid)) return false;
  return mark.born === null || markProcess(mark.pid).born === mark.born;
}

/** SIGKILL to marked processes that still are what they were; returns how many. */
export function killMarked(marks: readonly ProcessMark[]): number {
  let count = 0;
  for (const mark of marks) {
    // Without a start time there is no telling, and ending a stranger is worse than leaving one.
    if (mark.born === null || !isSameProcess(mark)) continue;
    if (killQuietly(mark.pid)) count += 1;
  }
  return count;
}

/** SIGKILL to all that hangs below this process; the last resort at the end of a stack. */
export function killDescendants(): number {
  return listDescendants().filter((one) => killQuietly(one.pid)).length;
}

function killQuietly(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
