import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Sandbox } from '@e2b/code-interpreter';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  type PythonKind,
  probeBubblewrap,
  type SandboxService,
  startSandboxService,
} from '../../dev/sandbox/start.ts';
import { hasBubblewrap, PYTHONS } from '../tools/e2b-fixture.ts';

/** A service of this kind for the tests of one `describe`. */
function useService(kind: PythonKind) {
  let service: SandboxService | null = null;
  beforeAll(async () => {
    if (PYTHONS.some((one) => one.kind === kind && one.isMissing)) return;
    service = await startSandboxService({ dataDir: '/nowhere', python: kind });
  });
  afterAll(() => service?.stop());
  const connection = () => {
    if (service === null) throw new Error('the service has not started');
    return { apiKey: service.apiKey, apiUrl: service.url, sandboxUrl: service.url };
  };
  const create = (options: object = {}) =>
    Sandbox.create({ ...connection(), timeoutMs: 60_000, allowInternetAccess: false, ...options });
  return { connection, create };
}

/** Processes below a pid that are no zombies. */
function liveDescendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields =
        readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').pop()?.split(' ') ?? [];
      if (fields[0] !== 'Z') parents.set(Number(name), Number(fields[1]));
    } catch {
      // It ended while we looked.
    }
  }
  const below = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || below(parent));
  };
  return [...parents.keys()].filter(below);
}

const isAlive = (pid: number) => {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop()?.[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
};

async function until(condition: () => boolean, ms = 5_000): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  return condition();
}

describe.each(PYTHONS)('startSandboxService: through the SDK, with $kind', (given) => {
  const { connection, create } = useService(given.kind);
  const it = test.skipIf(given.isMissing);

  it('runs code, keeps state, and streams output', async () => {
    const sandbox = await create();
    const lines: string[] = [];
    await sandbox.runCode('x = 1');
    const execution = await sandbox.runCode('print("hi")\nx + 1', {
      onStdout: (message) => lines.push(message.line),
    });
    expect(execution.text).toBe('2');
    expect(lines.join('')).toBe('hi\n');
    expect((await sandbox.runCode('1 / 0')).error).toMatchObject({
      name: 'ZeroDivisionError',
      value: 'division by zero',
    });
  });

  it('gives contexts of their own, restarts and removes them', async () => {
    const sandbox = await create();
    const context = await sandbox.createCodeContext({ cwd: '/home/user/other' });
    await sandbox.runCode('y = 1', { context });
    expect((await sandbox.runCode('import os\nos.getcwd()', { context })).text).toBe(
      "'/home/user/other'",
    );
    expect((await sandbox.runCode('y')).error?.name).toBe('NameError');
    await sandbox.restartCodeContext(context);
    expect((await sandbox.runCode('y', { context })).error?.name).toBe('NameError');
    await sandbox.removeCodeContext(context);
    expect((await sandbox.listCodeContexts()).map(({ id }) => id)).toEqual(['default']);
    await expect(sandbox.runCode('1', { context })).rejects.toThrow('not found');
  });

  it('times out a cell, and a restart frees the kernel', async () => {
    const sandbox = await create();
    await expect(sandbox.runCode('while True: pass', { timeoutMs: 300 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await sandbox.restartCodeContext('default');
    expect((await sandbox.runCode('1 + 1')).text).toBe('2');
  });

  it('writes, reads, lists, moves and removes files', async () => {
    const sandbox = await create();
    await sandbox.files.write('/home/user/数据/a b.txt', 'text');
    await sandbox.files.write('rel.bin', new Uint8Array([0, 255, 10]).buffer);
    expect(await sandbox.files.read('数据/a b.txt')).toBe('text');
    expect([...(await sandbox.files.read('/home/user/rel.bin', { format: 'bytes' }))]).toEqual([
      0, 255, 10,
    ]);
    expect(await sandbox.files.makeDir('new/deep')).toBe(true);
    expect(await sandbox.files.makeDir('new/deep')).toBe(false);
    await sandbox.files.rename('rel.bin', 'new/moved.bin');
    const names = (await sandbox.files.list('.', { depth: 2 })).map(
      (entry) => `${entry.type} ${entry.path}`,
    );
    expect(names.sort()).toEqual([
      'dir /home/user/new',
      'dir /home/user/new/deep',
      'dir /home/user/数据',
      'file /home/user/new/moved.bin',
      'file /home/user/数据/a b.txt',
    ]);
    expect((await sandbox.files.getInfo('new/moved.bin')).size).toBe(3);
    await sandbox.files.remove('new');
    expect(await sandbox.files.exists('new')).toBe(false);
    await expect(sandbox.files.read('gone')).rejects.toMatchObject({ name: 'FileNotFoundError' });
  });

  it('lists by metadata, extends, tells and kills', async () => {
    const sandbox = await create({ metadata: { stride_run: 'a b&c=1' } });
    const pages = Sandbox.list({ ...connection(), query: { metadata: { stride_run: 'a b&c=1' } } });
    expect((await pages.nextItems()).map(({ sandboxId }) => sandboxId)).toEqual([
      sandbox.sandboxId,
    ]);
    await sandbox.setTimeout(120_000);
    const info = await sandbox.getInfo();
    expect(info.endAt.getTime() - Date.now()).toBeGreaterThan(110_000);
    expect(info.allowInternetAccess).toBe(false);
    expect(await sandbox.kill()).toBe(true);
    expect(await Sandbox.kill(sandbox.sandboxId, connection())).toBe(false);
    await expect(Sandbox.connect(sandbox.sandboxId, connection())).rejects.toMatchObject({
      name: 'SandboxNotFoundError',
    });
    await expect(sandbox.runCode('1')).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ends a sandbox at its time-out', async () => {
    const sandbox = await create({ timeoutMs: 1_000 });
    expect(await sandbox.isRunning()).toBe(true);
    await until(() => false, 1_300);
    expect(await sandbox.isRunning()).toBe(false);
  });

  it('refuses a wrong key and a wrong access token', async () => {
    await expect(create({ apiKey: 'e2b_0000' })).rejects.toMatchObject({
      name: 'AuthenticationError',
    });
    const sandbox = await create();
    const response = await fetch(`${connection().apiUrl}/files?path=x`, {
      headers: { 'e2b-sandbox-id': sandbox.sandboxId, 'x-access-token': 'wrong' },
    });
    expect(response.status).toBe(401);
  });
});

describe.skipIf(!hasBubblewrap)('startSandboxService: what code under bubblewrap can reach', () => {
  const { create } = useService('bubblewrap');

  it('runs commands with exit codes, output and a time-out', async () => {
    const sandbox = await create();
    expect(await sandbox.commands.run('echo out; echo err >&2')).toMatchObject({
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    await expect(sandbox.commands.run('exit 3')).rejects.toMatchObject({
      name: 'CommandExitError',
      exitCode: 3,
    });
    await expect(sandbox.commands.run('sleep 30', { timeoutMs: 300 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(
      (await sandbox.commands.run('head -c 50000000 /dev/zero | tr "\\0" x')).stdout.length,
    ).toBeLessThan(11_000_000);
  });

  it('follows links inside the sandbox only, when it reads and when it writes', async () => {
    const sandbox = await create();
    await sandbox.runCode(
      "import os\nos.symlink('/etc/passwd', 'passwd')\nos.symlink('/', 'root')\nos.symlink('../../../../etc', 'etc')\nos.symlink('/proc/1/root', 'proc')",
    );
    const host = readFileSync('/etc/passwd', 'utf8');
    expect(await sandbox.files.read('passwd')).toBe('user:x:1000:1000::/home/user:/bin/bash\n');
    expect(await sandbox.files.read('etc/passwd')).not.toBe(host);
    await expect(sandbox.files.read('root/etc/hostname')).rejects.toMatchObject({
      name: 'FileNotFoundError',
    });
    await expect(sandbox.files.read(`root${process.cwd()}/package.json`)).rejects.toMatchObject({
      name: 'FileNotFoundError',
    });
    await expect(sandbox.files.write('passwd', 'x')).rejects.toThrow('Read-only file system');
    await expect(sandbox.files.write('root/etc/new', 'x')).rejects.toThrow(/Read-only|Permission/);
    expect(readFileSync('/etc/passwd', 'utf8')).toBe(host);
  });

  it('is not blocked by a pipe or a device that is read as a file', async () => {
    const sandbox = await create();
    await sandbox.runCode("import os\nos.mkfifo('pipe')\nos.symlink('/dev/zero', 'zero')");
    await expect(sandbox.files.read('pipe')).rejects.toThrow('is not a file');
    await expect(sandbox.files.read('zero')).rejects.toThrow('is not a file');
    expect((await sandbox.runCode('1')).text).toBe('1');
  });

  it('does not let code make namespaces or mounts of its own', async () => {
    const sandbox = await create();
    const result = await sandbox.commands.run(
      'unshare -Ur true 2>&1; echo $?; mount -t tmpfs x /tmp 2>&1; echo $?',
    );
    expect(result.stdout).not.toContain('\n0\n');
  });
});

describe.skipIf(!hasBubblewrap)('startSandboxService: processes under bubblewrap', () => {
  const { create } = useService('bubblewrap');

  it('leaves none behind when it stops', async () => {
    const own = await startSandboxService({ dataDir: '/nowhere', python: 'bubblewrap' });
    const before = liveDescendants(process.pid);
    const sandbox = await Sandbox.create({
      apiKey: own.apiKey,
      apiUrl: own.url,
      sandboxUrl: own.url,
      timeoutMs: 60_000,
    });
    await sandbox.runCode(
      "import subprocess\nfor _ in range(3): subprocess.Popen(['sleep', '600'], start_new_session=True)",
    );
    const started = liveDescendants(process.pid).filter((pid) => !before.includes(pid));
    expect(started.length).toBeGreaterThanOrEqual(6);
    await own.stop();
    expect(await until(() => !started.some(isAlive))).toBe(true);
  });

  it('dies with a launcher that is killed', async () => {
    const script = `
const { startSandboxService } = await import(${JSON.stringify(new URL('../../dev/sandbox/start.ts', import.meta.url).href)});
const { Sandbox } = await import(${JSON.stringify(import.meta.resolve('@e2b/code-interpreter'))});
const s = await startSandboxService({ dataDir: '/nowhere', python: 'bubblewrap' });
const b = await Sandbox.create({ apiKey: s.apiKey, apiUrl: s.url, sandboxUrl: s.url, timeoutMs: 60_000 });
await b.runCode("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)");
void b.runCode('while True: pass');
console.log('ready');`;
    const launcher: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => launcher.stdout?.once('data', () => resolve()));
    const started = liveDescendants(launcher.pid ?? 0);
    expect(started.length).toBeGreaterThanOrEqual(4);
    launcher.kill('SIGKILL');
    expect(await until(() => !started.some(isAlive))).toBe(true);
  });

  it('notices that code killed the sandbox from inside', async () => {
    const sandbox = await create();
    await expect(sandbox.runCode('import os\nos.kill(os.getppid(), 9)')).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(await sandbox.isRunning()).toBe(false);
  });
});

describe('probeBubblewrap', () => {
  it.skipIf(!hasBubblewrap)('starts a sandbox to find out', async () => {
    expect(await probeBubblewrap()).toEqual({ ok: true });
  });

  it('says what is missing', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      expect(await probeBubblewrap()).toEqual({
        ok: false,
        reason: expect.stringContaining('install the bubblewrap package'),
      });
    } finally {
      process.env.PATH = path;
    }
  });
});
