/**
 * The launcher of one lane as a child process, and what is done to it: killed, or its workerd
 * killed, started again on the same folder and port, watched until it answers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listDescendants, markProcess, type ProcessMark } from '../../dev/stack/processes.ts';
import type { FromLauncher, ToLauncher, Trap } from './trap.ts';

export type VictimName = 'workerd' | 'launcher';
export type Trapped = Extract<FromLauncher, { kind: 'trapped' }>;

export interface Victim {
  url(): string;
  /** Asks Redis itself, through the launcher's REST front. */
  redis(...command: string[]): Promise<unknown>;
  arm(trap: Trap): Promise<Trapped>;
  /** Decides about the request that the trap holds. */
  letGo(fault: 'pass' | 'drop_before'): void;
  /** SIGKILL; returns when it was sent, Unix milliseconds. */
  kill(name: VictimName): number;
  /** Starts a killed launcher again. */
  restart(): Promise<void>;
  /** Resolves with the time of the first good answer of /health. */
  waitForHealth(signal: AbortSignal): Promise<number>;
  /** Everything that ever hung below a launcher of this lane. */
  seenProcesses(): readonly ProcessMark[];
  stop(): Promise<void>;
}

const LAUNCHER = fileURLToPath(new URL('launcher.ts', import.meta.url));
const HEALTH_POLL_MS = 20;
const STOP_PATIENCE_MS = 10_000;

export async function startVictim(env: Record<string, string>): Promise<Victim> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-kill-'));
  const seen = new Map<string, ProcessMark>();
  let child: ChildProcess;
  let url = '';
  let redisAt: Promise<{ url: string; token: string }> | null = null;
  let onTrapped: (trapped: Trapped) => void = () => {};

  function launch(): Promise<void> {
    const port = url === '' ? 0 : Number(new URL(url).port);
    const options = JSON.stringify({ dataDir, port, env });
    // Its own group: a Ctrl-C in a terminal reaches the test, which ends it in order.
    child = fork(LAUNCHER, [options], { execArgv: [], stdio: 'inherit', detached: true });
    redisAt = null;
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the launcher ended (${code}) as it started`)));
      child.on('message', (message: FromLauncher) => {
        if (message.kind === 'failed') reject(new Error(message.message));
        else if (message.kind === 'trapped') onTrapped(message);
        else {
          ({ url } = message);
          resolve();
        }
      });
    });
  }

  function look() {
    const found = listDescendants(child.pid);
    for (const { pid } of found) seen.set(`${pid}`, markProcess(pid));
    return found;
  }

  async function redisAddress() {
    const response = await fetch(new URL('/test/redis', url));
    if (!response.ok) throw new Error(`/test/redis answered ${response.status}`);
    return (await response.json()) as { url: string; token: string };
  }

  try {
    await launch();
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }

  return {
    url: () => url,
    async redis(...command) {
      redisAt ??= redisAddress();
      const asked = redisAt;
      const at = await asked.catch((error: unknown) => {
        if (redisAt === asked) redisAt = null;
        throw error;
      });
      const headers = { authorization: `Bearer ${at.token}` };
      const body = JSON.stringify(command);
      const response = await fetch(at.url, { method: 'POST', headers, body });
      const answer = (await response.json()) as { result?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.result;
    },
    arm(trap) {
      const trapped = new Promise<Trapped>((resolve) => {
        onTrapped = resolve;
      });
      child.send({ kind: 'arm', trap } satisfies ToLauncher);
      return trapped;
    },
    letGo: (fault) => void child.send({ kind: 'let', fault } satisfies ToLauncher),
    kill(name) {
      const workerd = look().find(({ command }) => command === 'workerd');
      const pid = name === 'workerd' ? workerd?.pid : child.pid;
      if (pid === undefined) throw new Error(`there is no ${name} to kill`);
      const at = Date.now();
      process.kill(pid, 'SIGKILL');
      return at;
    },
    restart: launch,
    async waitForHealth(signal) {
      for (;;) {
        signal.throwIfAborted();
        const one = AbortSignal.any([signal, AbortSignal.timeout(1_000)]);
        const answer = await fetch(new URL('/health', url), { signal: one }).catch(() => null);
        await answer?.body?.cancel();
        if (answer?.ok) return Date.now();
        await sleep(HEALTH_POLL_MS);
      }
    },
    seenProcesses: () => [...seen.values()],
    async stop() {
      look();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await Promise.race([ended, sleep(STOP_PATIENCE_MS, undefined, { ref: false })]);
        child.kill('SIGKILL');
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
