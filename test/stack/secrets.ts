/**
 * Looks for the secrets of a stack in everything it wrote (log lines, journals, objects) and
 * answered. Used by the harness at the end of every stack, so the whole test run is searched.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/;
/** Shorter values would be found by chance. */
const MIN_SECRET_CHARS = 8;

/** Values of the variables whose names say that they are secret, and others by name. */
export function secretsOf(
  env: Record<string, string | undefined>,
  more: Record<string, string> = {},
) {
  const named = Object.entries({ ...env, ...more }).filter(
    ([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= MIN_SECRET_CHARS,
  );
  return new Map(named as [string, string][]);
}

/** Names of the secrets that stand in the text; their values are never printed. */
export function secretsIn(text: string, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name);
}

/** `file: NAME` for each secret in each file below the folder. */
export function searchFolder(folder: string, secrets: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // One byte a character: secrets are ASCII, and the files may be anything.
    const names = secretsIn(readFileSync(path, 'latin1'), secrets);
    found.push(...names.map((name) => `${path}: ${name}`));
  }
  return found;
}
