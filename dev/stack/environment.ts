/**
 * What the local stack takes from outside: the process environment, then `.dev.vars`, then `.env`
 * of the project; the first that sets a name wins. Only Stride's own settings go on to the Worker,
 * so that nothing else of a developer's machine ends up there.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { SETTINGS } from '../../src/settings.ts';

/** The project's folder. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedEnvironment {
  env: Environment;
  /** Files that were read, for the start-up lines. */
  files: string[];
}

/** The environment with `.dev.vars` and `.env` of `root` below it. An empty value is not set. */
export function loadEnvironment(env: Environment, root: string): LoadedEnvironment {
  const merged: Record<string, string> = {};
  const files: string[] = [];
  for (const name of ['.env', '.dev.vars']) {
    const text = readOptional(join(root, name));
    if (text === null) continue;
    files.push(name);
    assignSet(merged, parseEnv(text));
  }
  assignSet(merged, env);
  return { env: merged, files };
}

function readOptional(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function assignSet(target: Record<string, string>, source: Environment): void {
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && value.trim() !== '') target[name] = value;
  }
}

/** The part of the environment that becomes variables of the Worker. */
export function workerVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    SETTINGS.flatMap(({ name }) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A TCP port from text; null when it is none. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text)) return null;
  const port = Number(text);
  return port <= 65_535 ? port : null;
}
