/**
 * Where a question goes: the deployment named by STRIDE_URL, else the stack that serves the data
 * folder, else one started here. A stack started here ends with the command, but not under others
 * that have begun to use it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../stack/environment.ts';
import { answersHealth, findLive, registerUser, type StackState } from '../stack/lock.ts';
import type { Stack } from '../stack/start-stack.ts';

export interface Session {
  url: string;
  apiKey: string | null;
  /** The stack that was started here, if one was. */
  stack: Stack | null;
  /** Why the service can never answer again, in one sentence; null while it may. */
  whyGone(): Promise<string | null>;
  /** Ends what was started here. `patient` waits for others that use it. */
  leave(how: { patient: boolean; onWait?(): void }): Promise<void>;
}

export interface SessionOptions {
  env: Environment;
  dataDir: string;
  signal: AbortSignal;
  onStarting(): void;
  /** Another process is starting or ending the stack. */
  onWaiting(): void;
}

/** How long another process may take to start (or end) its stack before we give up on it. */
const OTHER_MS = 60_000;
const LOOK_AGAIN_MS = 200;
const HIDDEN_MS = 100;

/** Throws an Error whose message says what to do. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { env } = options;
  const apiKey = env.STRIDE_API_KEY?.trim() || null;
  const remote = env.STRIDE_URL?.trim();
  if (remote) {
    const url = toOrigin(remote);
    return { url, apiKey, stack: null, whyGone: async () => null, leave: async () => {} };
  }
  const giveUpAt = Date.now() + OTHER_MS;
  while (Date.now() < giveUpAt) {
    options.signal.throwIfAborted();
    const session = (await joinRunning(options.dataDir)) ?? (await startOwn(options));
    if (session) return session;
    options.onWaiting();
    await sleep(LOOK_AGAIN_MS);
  }
  const pid = findLive(options.dataDir)?.pid;
  throw new Error(
    `Process ${pid} holds ${options.dataDir} and its stack does not answer; end that process, or choose another folder with STRIDE_DATA_DIR=.`,
  );
}

/** Null when no stack answers for the folder. */
async function joinRunning(dataDir: string): Promise<Session | null> {
  const live = findLive(dataDir);
  if (!live?.url || !(await answersHealth(live.url))) return null;
  const leave = registerUser(dataDir);
  // Who ends a stack hides its address before it looks for users, so one of us sees the other.
  if (findLive(dataDir)?.url !== live.url) {
    leave();
    return null;
  }
  const whyGone = () => whyEnded(live, dataDir);
  return { url: live.url, apiKey: null, stack: null, whyGone, leave: async () => leave() };
}

/** The process that started a stack ends it, on Ctrl-C also under those who use it. */
async function whyEnded(joined: StackState, dataDir: string): Promise<string | null> {
  for (let look = 0; look < 2; look += 1) {
    const now = findLive(dataDir);
    if (now?.url === joined.url && now.pid === joined.pid) return null;
    // A stack that waits for its users hides its address for a moment (start-stack.ts).
    if (look === 0) await sleep(HIDDEN_MS);
  }
  return `The local stack at ${joined.url} was stopped with the command that had started it (process ${joined.pid}).`;
}

/** Null when another process has the folder. */
async function startOwn({ env, dataDir, onStarting }: SessionOptions): Promise<Session | null> {
  if (findLive(dataDir)) return null;
  onStarting();
  // Loads Miniflare, half a second that a question to a running stack need not wait.
  const { StackRunningError, startStack } = await import('../stack/start-stack.ts');
  try {
    const stack = await startStack({ dataDir, port: 0, env, quiet: true });
    return {
      url: stack.url,
      apiKey: null,
      stack,
      whyGone: async () => null,
      leave: ({ patient, onWait }) => (patient ? stack.stopWhenUnused(onWait) : stack.stop()),
    };
  } catch (error) {
    if (error instanceof StackRunningError) return null;
    throw error;
  }
}

function toOrigin(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:') {
    throw new Error(`STRIDE_URL must be an address like https://stride.example.com.`);
  }
  return address.origin;
}
