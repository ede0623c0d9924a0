/**
 * `dev/ask.ts` and `dev/start.ts` as a shell runs them: a process of its own, with nothing of this
 * machine's environment but the PATH.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, listDescendants } from '../../dev/stack/processes.ts';

export interface Command {
  child: ChildProcess;
  /** A signal to its whole process group, as a terminal sends Ctrl-C. */
  interrupt(signal?: NodeJS.Signals): void;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout or stderr matches; rejects when the command ends before. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code (or signal), once it has ended. */
  ended: Promise<number | string | null>;
  /** Pids of everything below it now. */
  descendants(): number[];
}

export function runCommand(args: string[], env: Record<string, string> = {}): Command {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  }
  let isOver = false;
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(code ?? signal);
    });
  });
  return {
    child,
    interrupt: (signal = 'SIGINT') => process.kill(-(child.pid as number), signal),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    descendants: () => listDescendants(child.pid).map(({ pid }) => pid),
    async shows(pattern) {
      for (;;) {
        const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (match) return match;
        if (isOver) throw new Error(`ended without ${pattern}: ${output.stdout}${output.stderr}`);
        await sleep(25);
      }
    },
  };
}

/** Those of the pids that still run after a moment for the kernel to clear up. */
export async function stillRunning(pids: number[]): Promise<number[]> {
  for (let round = 0; round < 40 && pids.some(isAlive); round += 1) await sleep(25);
  return pids.filter(isAlive);
}
