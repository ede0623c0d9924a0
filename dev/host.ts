/** What this machine offers beyond Node: asked by running it, so that a broken one counts as none. */
import { spawnSync } from 'node:child_process';
import { findPython, probeBubblewrap } from './sandbox/bubblewrap.ts';
import { findDeno, findPyodide } from './sandbox/pyodide.ts';

/** Scripts need version 7; an older one counts as none, as it does for the stack. */
export const hasRedisServer = redisMajorVersion() >= 7;

function redisMajorVersion(): number {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/\bv=(\d+)\./.exec(stdout)?.[1] ?? 0) : 0;
}

/** The npm package's own binary; null when there is none for this machine. */
export const denoBinary = findDeno();

/** One line for each thing that is missing, with what it costs; empty when nothing is. */
export async function hostLacks(): Promise<string[]> {
  const lacking: string[] = [];
  if (!hasRedisServer) {
    lacking.push('tests on redis-server: there is no redis-server 7 or newer on the PATH');
  }
  if (denoBinary === null) {
    lacking.push('the test under Deno: the npm package deno has no binary for this machine');
  }
  const bubblewrap = await bubblewrapLack();
  if (bubblewrap !== null) lacking.push(`tests of Python under bubblewrap: ${bubblewrap}`);
  const pyodide = findPyodide();
  if ('missing' in pyodide) lacking.push(`tests of Python under Pyodide: ${pyodide.missing}`);
  return lacking;
}

/** Why Python under bubblewrap, with the packages that tests use, is not to be had; null when it is. */
export async function bubblewrapLack(): Promise<string | null> {
  const probe = await probeBubblewrap();
  if (!probe.ok) return probe.reason;
  const find = 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))';
  const packages = ['numpy', 'pandas', 'matplotlib'];
  const { status } = spawnSync(findPython() ?? 'python3', ['-I', '-c', find, ...packages]);
  return status === 0 ? null : `python3 lacks one of ${packages.join(', ')}`;
}
