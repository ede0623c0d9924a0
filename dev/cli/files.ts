/**
 * The files that go with a question: named ones as they are, folders with all below them. Inside a
 * folder hidden entries, node_modules and symbolic links are left out, and each is reported.
 * Everything is checked before a byte is sent.
 */
import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Result } from '../../src/errors.ts';
import { MAX_FILES_PER_RUN, MAX_UPLOAD_BYTES } from '../../src/limits.ts';
import { normalisePath } from '../../src/tools/paths.ts';
import { toFileName } from './text.ts';

export interface LocalFile {
  /** Path the run will know it by, with `/`. */
  name: string;
  /** Where it lies here. */
  path: string;
  bytes: number;
}

export interface CollectedFiles {
  files: LocalFile[];
  /** What was left out of folders, with the reason. */
  skipped: { name: string; reason: string }[];
}

export async function collectFiles(paths: string[]): Promise<Result<CollectedFiles>> {
  const collected: CollectedFiles = { files: [], skipped: [] };
  for (const path of new Set(paths.map((one) => resolve(one)))) {
    const found = await collectOne(path, collected);
    if (!found.ok) return found;
  }
  // A folder and a file of it, both named: sent once.
  const once = new Map(collected.files.map((file) => [file.path, file]));
  const named = toUniqueNames([...once.values()]);
  const faulty = checkLimits(named);
  return faulty ?? { ok: true, value: { ...collected, files: named } };
}

async function collectOne(path: string, collected: CollectedFiles): Promise<Result<null>> {
  const shown = toFileName(path);
  let facts: Stats;
  try {
    // Follows a link that was named itself: the caller pointed at it.
    facts = await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fault(
      code === 'EACCES' ? `${shown} cannot be read: no permission.` : `${shown} was not found.`,
    );
  }
  if (facts.isFile()) {
    collected.files.push({ name: basename(path), path, bytes: facts.size });
    return { ok: true, value: null };
  }
  if (!facts.isDirectory()) return fault(`${shown} is neither a file nor a folder.`);
  const before = collected.files.length;
  const walked = await walkFolder({ path, name: basename(path) }, collected);
  if (!walked.ok) return walked;
  if (collected.files.length === before) return fault(`${shown} holds no file that can be sent.`);
  return { ok: true, value: null };
}

async function walkFolder(
  folder: { path: string; name: string },
  collected: CollectedFiles,
): Promise<Result<null>> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder.path, { withFileTypes: true });
  } catch {
    return fault(`${toFileName(folder.path)} cannot be read: no permission.`);
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder.path, entry.name);
    // The root folder `/` has no name of its own.
    const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
    const reason = reasonToSkip(entry);
    if (reason) {
      collected.skipped.push({ name, reason });
    } else if (entry.isDirectory()) {
      const walked = await walkFolder({ path, name }, collected);
      if (!walked.ok) return walked;
    } else {
      // A name that is no text leads nowhere, and a file may go between the two looks.
      const facts = await stat(path).catch(() => null);
      if (facts) collected.files.push({ name, path, bytes: facts.size });
      else collected.skipped.push({ name, reason: 'cannot be read' });
    }
    // A home folder by mistake: there is no need to look at all of it to refuse it.
    if (collected.files.length > MAX_FILES_PER_RUN * 50) break;
  }
  return { ok: true, value: null };
}

function reasonToSkip(entry: Dirent): string | null {
  if (entry.name.startsWith('.')) return 'hidden';
  if (entry.name === 'node_modules') return 'installed packages';
  if (entry.isSymbolicLink()) return 'symbolic link';
  if (!entry.isFile() && !entry.isDirectory()) return 'not a regular file';
  return null;
}

/** Two files of one name get their parent folders in front until they differ. */
function toUniqueNames(files: LocalFile[]): LocalFile[] {
  let current = files;
  for (let depth = 0; depth < 64; depth += 1) {
    const counts = new Map<string, number>();
    for (const { name } of current) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (counts.size === current.length) return current;
    current = current.map((file) => {
      if (counts.get(file.name) === 1) return file;
      const above = basename(dirname(file.path.slice(0, -file.name.length).concat('x')));
      return above === '' ? file : { ...file, name: `${above}/${file.name}` };
    });
  }
  return current;
}

function checkLimits(files: LocalFile[]): Result<never> | null {
  if (files.length > MAX_FILES_PER_RUN) {
    const count = files.length > MAX_FILES_PER_RUN * 50 ? 'too many' : files.length;
    return fault(
      `A question takes at most ${MAX_FILES_PER_RUN} files and these are ${count}; name the ones that matter, or pack them together.`,
    );
  }
  for (const { name, bytes } of files) {
    // As the service judges it, but before a stack is started for nothing.
    const path = normalisePath(name);
    if (!path.ok) {
      return fault(`${toFileName(name)} cannot be sent under this name. ${path.error.message}`);
    }
    if (bytes > MAX_UPLOAD_BYTES) {
      // In bytes: one too many would show as 26.2 MB of 26.2 MB.
      const [has, most] = [bytes, MAX_UPLOAD_BYTES].map((one) => one.toLocaleString('en-US'));
      return fault(
        `${toFileName(name)} has ${has} bytes and a file may have at most ${most} (${MAX_UPLOAD_BYTES / 2 ** 20} MiB); cut it or compress it.`,
      );
    }
  }
  return null;
}

function fault(message: string): { ok: false; error: { code: 'invalid_input'; message: string } } {
  return { ok: false, error: { code: 'invalid_input', message } };
}
