/** What this machine offers beyond Node: asked by running it, so that a broken one counts as none. */
import { spawnSync } from 'node:child_process';
import { probeBubblewrap } from './sandbox/start.ts';

/** Scripts need version 7; an older one counts as none, as it does for the stack. */
export const hasRedisServer = redisMajorVersion() >= 7;

function redisMajorVersion(): number {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/\bv=(\d+)\./.exec(stdout)?.[1] ?? 0) : 0;
}

/** One line for each thing that is missing, with what it costs; empty when nothing is. */
export async function hostLacks(): Promise<string[]> {
  const lacking: string[] = [];
  if (!hasRedisServer) {
    lacking.push('tests on redis-server: there is no redis-server 7 or newer on the PATH');
  }
  const bubblewrap = await probeBubblewrap();
  if (!bubblewrap.ok) lacking.push(`tests of Python under bubblewrap: ${bubblewrap.reason}`);
  return lacking;
}
