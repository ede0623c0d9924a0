// `wrangler check startup`, offline: builds the Worker as a deployment would, starts it in workerd
// and reads how long its start was busy. The machine's own speed is in that number.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 120_000;

export interface StartupCheck {
  /** Milliseconds of the start during which the Worker was busy. */
  activeMs: number;
  /** Wrangler's own count of the bundle, KiB. */
  gzipKiB: number;
}

/** Throws with wrangler's output when it fails or says something else than expected. */
export async function checkStartup(): Promise<StartupCheck> {
  const folder = mkdtempSync(join(tmpdir(), 'stride-startup-'));
  try {
    const output = await runWrangler(['check', 'startup', '--outfile', join(folder, 'profile')]);
    const activeMs = Number(/Active: ([\d.]+) ms/.exec(output)?.[1]);
    const gzipKiB = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
    if (Number.isNaN(activeMs + gzipKiB)) throw new Error(`wrangler said:\n${output}`);
    return { activeMs, gzipKiB };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runWrangler(args: string[]): Promise<string> {
  return new Promise((done, failed) => {
    // Both variables keep it off the network: the first fetches a sample request, the second counts.
    const env = {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
    };
    const bin = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    let output = '';
    const take = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', failed);
    child.on('close', (code) => {
      if (code === 0) done(output);
      else failed(new Error(`wrangler ended with ${code}:\n${output}`));
    });
  });
}
