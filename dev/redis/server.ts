// Runs redis-server for the local stack: finds it, starts it on a unix socket (no port to race for,
// nobody else's to open), waits until it has loaded its data, starts it again when it dies, and
// stops it. It speaks no more Redis than PING; the engine does the rest.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { claimDataDir, SOCKET_DIR_PREFIX } from './claim.ts';
import { type Running, supervise } from './supervise.ts';

const run = promisify(execFile);

export interface RedisServer {
  socketPath: string;
  version: string;
  /** Ends redis-server and gives the data directory free. Safe to call twice. */
  stop(): Promise<void>;
}

/** Scripts with a `#!lua` line came with 7.0. */
const MIN_MAJOR_VERSION = 7;
const INSTALL_HINT =
  'install Redis 7 or newer (Debian, Ubuntu: apt install redis-server; macOS: brew install redis).';
const ANSWER_TIMEOUT_MS = 30_000;
const POLL_MS = 10;

/**
 * Starts redis-server over `dataDir`, made when missing. Throws a plain error that names what to
 * do when there is no redis-server, the directory is in use, or the server does not come up.
 */
export async function startRedisServer(options: {
  dataDir: string;
  log?: (line: string) => void;
}): Promise<RedisServer> {
  const log = options.log ?? (() => {});
  const dataDir = resolve(options.dataDir);
  const { path, version } = await findRedisServer();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // A socket's path is limited to about 100 bytes, so it cannot live in the data directory.
  const socketDir = mkdtempSync(join(tmpdir(), SOCKET_DIR_PREFIX));
  const socketPath = join(socketDir, 'redis.sock');
  const dropSocketDir = () => rmSync(socketDir, { recursive: true, force: true });
  const claim = await claimDataDir(dataDir, socketDir).catch((error: unknown) => {
    dropSocketDir();
    throw error;
  });
  const command = [...(await parentDeathPrefix()), path, ...redisArguments(dataDir, socketPath)];
  const supervisor = supervise({
    launch: () => launch(command, { socketPath, record: claim.record }),
    mayRestart: claim.isMine,
    log,
  });
  const stop = async () => {
    await supervisor.stop();
    claim.release();
    dropSocketDir();
  };
  await supervisor.started.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { socketPath, version, stop };
}

/** The redis-server on the PATH. Throws a plain error when there is none, or one that is too old. */
export async function findRedisServer(): Promise<{ path: string; version: string }> {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find(isExecutable);
  if (path === undefined) throw new Error(`There is no redis-server on the PATH: ${INSTALL_HINT}`);
  const { stdout } = await run(path, ['--version']);
  const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? 'unknown';
  if (Number.parseInt(version, 10) >= MIN_MAJOR_VERSION) return { path, version };
  throw new Error(`${path} has version ${version}, which is too old: ${INSTALL_HINT}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function redisArguments(dataDir: string, socketPath: string): string[] {
  const settings: [string, string][] = [
    ['port', '0'],
    ['unixsocket', socketPath],
    ['unixsocketperm', '700'],
    ['dir', dataDir],
    ['databases', '1'],
    ['save', ''],
    ['appendonly', 'yes'],
    // `always`, because what the hosted service acknowledged is not lost when a process dies, and
    // everysec may put its write off by 2 s while the disk is busy. About 0.2 ms a command.
    ['appendfsync', 'always'],
    ['maxmemory-policy', 'noeviction'],
    // The hosted limit for one record.
    ['proto-max-bulk-len', '100mb'],
    // Keeps the command line as given: the next launcher knows a leftover by its data directory.
    ['set-proc-title', 'no'],
    ['loglevel', 'notice'],
  ];
  return settings.flatMap(([name, value]) => [`--${name}`, value]);
}

/**
 * On Linux the kernel can end redis-server when its parent dies, however it dies. Elsewhere, or
 * without a fitting `setpriv`, the next start on the same directory ends what was left.
 */
async function parentDeathPrefix(): Promise<string[]> {
  const prefix = ['setpriv', '--pdeathsig', 'TERM'];
  const works = await run('setpriv', [...prefix.slice(1), 'true']).then(
    () => true,
    () => false,
  );
  return works ? prefix : [];
}

function launch(
  command: string[],
  { socketPath, record }: { socketPath: string; record: (pid: number) => void },
): { process: Running; ready: Promise<void> } {
  const [file = '', ...args] = command;
  // Its own process group: Ctrl-C in a terminal reaches the launcher, which stops this last.
  // Of the environment only the PATH, so no secret ends up in another process.
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { PATH: process.env.PATH },
  });
  if (child.pid !== undefined) record(child.pid);
  const lastLines = keepLastLines(child);
  const ended = new Promise<string>((settle) => {
    child.once('exit', (code, signal) => settle(signal ?? `exit code ${code}`));
    child.once('error', (error) => settle(error.message));
  });
  const ready = (async () => {
    const gone = new AbortController();
    void ended.then(() => gone.abort());
    if (await answers(socketPath, gone.signal)) return;
    child.kill('SIGKILL');
    throw new Error(`redis-server did not start (${await ended}). It said: ${lastLines()}`);
  })();
  return { process: { ended, kill: (signal) => void child.kill(signal) }, ready };
}

function keepLastLines(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  return () => text.trim().split('\n').slice(-5).join(' | ');
}

/** Waits for PONG, through any LOADING. False once the process is gone or has been silent too long. */
async function answers(socketPath: string, gone: AbortSignal): Promise<boolean> {
  let deadline = Date.now() + ANSWER_TIMEOUT_MS;
  while (!gone.aborted && Date.now() < deadline) {
    const answer = await ping(socketPath);
    if (answer.startsWith('+PONG')) return true;
    if (answer.startsWith('-LOADING')) deadline = Date.now() + ANSWER_TIMEOUT_MS;
    await sleep(POLL_MS);
  }
  return false;
}

/** The first bytes of the answer to PING; empty when there is none within a second. */
function ping(socketPath: string): Promise<string> {
  return new Promise((settle) => {
    const socket = connect(socketPath);
    const finish = (answer: string) => {
      socket.destroy();
      settle(answer);
    };
    socket.setTimeout(1_000, () => finish(''));
    socket.once('error', () => finish(''));
    socket.once('data', (bytes) => finish(bytes.toString('latin1')));
    socket.once('close', () => finish(''));
    socket.write('PING\r\n');
  });
}
