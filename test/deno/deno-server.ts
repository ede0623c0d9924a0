/** Stride under Deno as a child process: may reach loopback and read the project, nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '../..');

export interface DenoServer {
  url: string;
  /** What it logged so far, a line each. */
  lines: string[];
  stop(): Promise<void>;
}

/** Rejects with what Deno said when it ends before it serves. */
export async function startDenoServer(
  binary: string,
  settings: Record<string, string>,
): Promise<DenoServer> {
  const flags = [
    'run',
    '--quiet',
    '--no-prompt',
    // The packages are those that npm installed; nothing is fetched, nothing is written.
    '--node-modules-dir=manual',
    '--cached-only',
    '--no-lock',
    '--no-config',
    '--allow-net=127.0.0.1',
    // Settings come as an argument; the model's SDK looks for options of its own all the same.
    '--allow-env=ANTHROPIC_*',
  ];
  const cache = mkdtempSync(join(tmpdir(), 'stride-deno-'));
  const child = spawn(binary, [...flags, 'test/deno/serve.ts', JSON.stringify(settings)], {
    cwd: ROOT,
    env: { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(() => rmSync(cache, { recursive: true, force: true }));
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const output = createInterface(child.stdout);
  const first = new Promise<string>((done) => output.once('line', done));
  const url = await Promise.race([first, ended.then(() => null)]);
  if (url === null) throw new Error(`Deno ended before it served:\n${errors}`);
  output.on('line', (line) => lines.push(line));
  return {
    url,
    lines,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
