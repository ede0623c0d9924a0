import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  acquireLock,
  answersHealth,
  countUsers,
  findLive,
  readState,
  registerUser,
} from '../../dev/stack/lock.ts';
import {
  isAlive,
  isSameProcess,
  killMarked,
  listDescendants,
  markProcess,
} from '../../dev/stack/processes.ts';

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stride-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** A process that does nothing, and its pid. */
function spawnIdle() {
  const child = spawn('sleep', ['600']);
  children.push(child);
  return { child, pid: child.pid as number };
}

async function end(child: ChildProcess) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

function writeState(state: object | string) {
  const text = typeof state === 'string' ? state : JSON.stringify(state);
  writeFileSync(join(dataDir, 'stack.json'), text);
}

function takeLock() {
  const taken = acquireLock(dataDir);
  if ('holder' in taken) throw new Error(`held by ${taken.holder.pid}`);
  return taken.lock;
}

describe('acquireLock', () => {
  it('takes a free folder, tells others who has it, and gives it back', () => {
    const lock = takeLock();
    expect(acquireLock(dataDir)).toMatchObject({ holder: { pid: process.pid, url: null } });
    lock.publish('http://127.0.0.1:1', []);
    expect(findLive(dataDir)).toMatchObject({ url: 'http://127.0.0.1:1', pid: process.pid });
    lock.release();
    expect(readState(dataDir)).toBeNull();
    takeLock().release();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('makes the folder', () => {
    rmSync(dataDir, { recursive: true });
    takeLock();
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(true);
  });

  it('takes over from a process that is gone, and ends what it left behind', async () => {
    const holder = spawnIdle();
    const orphan = spawnIdle();
    const state = { ...markProcess(holder.pid), url: 'http://x', started: 'then' };
    writeState({ ...state, children: [markProcess(orphan.pid)] });
    expect(acquireLock(dataDir)).toMatchObject({ holder: { pid: holder.pid } });
    await end(holder.child);
    const orphanEnded = new Promise((resolve) =>
      orphan.child.once('exit', (_, how) => resolve(how)),
    );
    expect(findLive(dataDir)).toBeNull();
    takeLock();
    expect(await orphanEnded).toBe('SIGKILL');
    expect(readState(dataDir)?.pid).toBe(process.pid);
  });

  it('takes over when the pid is another process by now, and ends nothing of it', () => {
    const stranger = spawnIdle();
    const other = { pid: stranger.pid, born: 'long ago' };
    writeState({ ...other, url: 'http://x', started: 'then', children: [other] });
    takeLock();
    expect(isAlive(stranger.pid)).toBe(true);
  });

  it.each(['', '{', '[]', '{"pid":"1"}'])('takes over an unreadable file: %j', (text) => {
    writeState(text);
    takeLock();
    expect(readState(dataDir)?.pid).toBe(process.pid);
  });

  it('says what to do when the folder cannot be made', () => {
    writeFileSync(join(dataDir, 'file'), '');
    expect(() => acquireLock(join(dataDir, 'file/below'))).toThrow(
      /cannot be written \(ENOTDIR\); choose another one with STRIDE_DATA_DIR=/,
    );
  });

  it('leaves a lock alone that another process has taken meanwhile', () => {
    const lock = takeLock();
    const other = spawnIdle();
    writeState({ ...markProcess(other.pid), url: 'http://y', started: 'now', children: [] });
    lock.publish('http://x', []);
    lock.release();
    expect(readState(dataDir)?.url).toBe('http://y');
  });
});

describe('answersHealth', () => {
  it('counts any answer, and no answer not', async () => {
    const server = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await answersHealth(url)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await answersHealth(url)).toBe(false);
  });
});

describe('registerUser and countUsers', () => {
  it('count processes that live, and forget the others', async () => {
    expect(countUsers(dataDir)).toBe(0);
    const leave = registerUser(dataDir);
    const other = spawnIdle();
    writeFileSync(
      join(dataDir, 'stack.users', String(other.pid)),
      JSON.stringify(markProcess(other.pid)),
    );
    expect(countUsers(dataDir)).toBe(2);
    leave();
    expect(countUsers(dataDir)).toBe(1);
    await end(other.child);
    expect(countUsers(dataDir)).toBe(0);
    expect(readdirSync(join(dataDir, 'stack.users'))).toEqual([]);
  });

  it('forget a file that a dead process left half written', async () => {
    const other = spawnIdle();
    await end(other.child);
    mkdirSync(join(dataDir, 'stack.users'));
    writeFileSync(join(dataDir, 'stack.users', String(other.pid)), '{');
    expect(countUsers(dataDir)).toBe(0);
  });
});

describe('processes', () => {
  it('lists children of children', async () => {
    const child = spawn('sh', ['-c', 'sleep 600 & echo $!; wait']);
    children.push(child);
    const inner = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    const found = listDescendants().map(({ pid }) => pid);
    expect(found).toContain(child.pid);
    expect(found).toContain(inner);
    process.kill(inner, 'SIGKILL');
  });

  it('knows a process that is gone, and never kills one that is not the marked one', async () => {
    const { child, pid } = spawnIdle();
    const mark = markProcess(pid);
    expect(isSameProcess(mark)).toBe(true);
    expect(
      killMarked([
        { pid, born: 'other' },
        { pid, born: null },
      ]),
    ).toBe(0);
    expect(isSameProcess(mark)).toBe(true);
    await end(child);
    expect(isSameProcess(mark)).toBe(false);
  });
});
