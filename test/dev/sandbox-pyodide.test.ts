import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findPyodide, startEnclosed } from '../../dev/sandbox/pyodide.ts';
import { startSandboxService } from '../../dev/sandbox/start.ts';
import { hasBubblewrap, hasPyodide } from '../tools/e2b-fixture.ts';

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

async function until(condition: () => boolean, ms = 5_000): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  return condition();
}

/** Processes that have this one as their parent. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
  return text.split(' ').filter(Boolean).map(Number);
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (data: Buffer) => {
    output += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

describe.skipIf(!hasPyodide)('startEnclosed', () => {
  it('refuses everything, with all of the API of Deno at hand', async () => {
    const files = findPyodide();
    if ('missing' in files) throw new Error(files.missing);
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('export {}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const target = join(tmpdir(), `stride-attempt-${process.pid}`);
    const source = fileURLToPath(new URL('../../src/limits.ts', import.meta.url));
    const script = fileURLToPath(new URL('./pyodide-attempts.ts', import.meta.url));
    process.env.STRIDE_TEST_SECRET = 'host-only';
    const child = startEnclosed(files, [script, url, target, source]);
    delete process.env.STRIDE_TEST_SECRET;
    const outcomes = JSON.parse(await outputOf(child)) as Record<string, string>;
    server.close();
    const refusal = /^refused: .*(NotCapable|Requires \w+ access|--no-remote|--no-npm|denied)/;
    expect(Object.entries(outcomes).filter(([, outcome]) => !refusal.test(outcome))).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(28);
    expect(requests).toEqual([]);
    expect(existsSync(target)).toBe(false);
  });
});

describe.skipIf(!hasPyodide)('startSandboxService with Pyodide', () => {
  it('says which Python it is and what it lacks', async () => {
    const service = await startSandboxService({ dataDir: '/nowhere', python: 'pyodide' });
    await service.stop();
    expect(service.kind).toBe('pyodide');
    expect(service.describe).toMatch(
      /^Python 3\.\d+\.\d+ under Pyodide [\d.]+, without permissions: standard library only \(no pandas\), 512 MB of memory, 128 MB of files; as STRIDE_PYTHON asks$/,
    );
    expect(service.note).toContain('no pandas, numpy or matplotlib');
  });

  it('is what a machine without bwrap gets, and the reason is told', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      const service = await startSandboxService({ dataDir: '/nowhere' });
      await service.stop();
      expect(service.kind).toBe('pyodide');
      expect(service.describe).toContain('; bwrap is not on the PATH');
    } finally {
      process.env.PATH = path;
    }
  });

  it.skipIf(!hasBubblewrap)('is not what a machine with bwrap gets', async () => {
    const service = await startSandboxService({ dataDir: '/nowhere', python: '' });
    await service.stop();
    expect([service.kind, service.note]).toEqual(['bubblewrap', null]);
  });

  it('refuses a Python that there is not', async () => {
    await expect(startSandboxService({ dataDir: '/nowhere', python: 'conda' })).rejects.toThrow(
      'STRIDE_PYTHON is "conda"; set it to bubblewrap or pyodide, or leave it out.',
    );
  });

  it('leaves no process behind when it stops or its launcher is killed', async () => {
    const script = `
const { startSandboxService } = await import(${JSON.stringify(new URL('../../dev/sandbox/start.ts', import.meta.url).href)});
const { Sandbox } = await import(${JSON.stringify(import.meta.resolve('@e2b/code-interpreter'))});
const s = await startSandboxService({ dataDir: '/nowhere', python: 'pyodide' });
const make = () => Sandbox.create({ apiKey: s.apiKey, apiUrl: s.url, sandboxUrl: s.url, timeoutMs: 60_000 });
await Promise.all([make(), make()]).then(([one]) => { void one.runCode('while True: pass').catch(() => {}); });
process.on('message', async () => { await s.stop(); process.send('stopped'); });
process.send('ready');`;
    const launch = async () => {
      const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      await new Promise((resolve) => launcher.once('message', resolve));
      const started = childrenOf(launcher.pid ?? 0);
      expect(started).toHaveLength(2);
      return { launcher, started };
    };
    const [stopped, killed] = await Promise.all([launch(), launch()]);
    stopped.launcher.send('stop');
    await new Promise((resolve) => stopped.launcher.once('message', resolve));
    expect(stopped.started.filter(isAlive)).toEqual([]);
    stopped.launcher.kill('SIGKILL');
    killed.launcher.kill('SIGKILL');
    expect(await until(() => !killed.started.some(isAlive))).toBe(true);
  });
});
