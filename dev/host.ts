/** What this machine offers beyond Node: asked by running it, so that a broken one counts as none. */
import { spawnSync } from 'node:child_process';
import { probeBubblewrap } from './sandbox/start.ts';

export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

/** One line for each thing that is missing, with what it costs; empty when nothing is. */
export async function hostLacks(): Promise<string[]> {
  const lacking: string[] = [];
  if (!hasRedisServer) lacking.push('tests on redis-server: there is no redis-server on the PATH');
  const bubblewrap = await probeBubblewrap();
  if (!bubblewrap.ok) lacking.push(`tests of Python under bubblewrap: ${bubblewrap.reason}`);
  return lacking;
}
