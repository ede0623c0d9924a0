/**
 * Workspace files in and out of a sandbox. A manifest (path → immutable object) says what is there
 * already, so each version of a file is sent once and what code wrote is not sent back to it.
 */
import type { Sandbox } from '@e2b/code-interpreter';
import { StrideError } from '../errors.ts';
import type { FileRef } from '../loop/journal.ts';
import type { Workspace } from './define.ts';
import { parentFolders } from './paths.ts';
import { type CallRecord, isPlainPath } from './sandbox-record.ts';

/** Together with the interpreter this stays far below a Worker's 128 MB: files go one by one. */
const MAX_UPLOAD_FILE_BYTES = 26_214_400;

/** Where things are inside a sandbox. The hidden folder is outside what code lists as its files. */
const SANDBOX_HOME = '/home/user';
export const SANDBOX_ROOT = `${SANDBOX_HOME}/.stride`;
export const SANDBOX_WORK = `${SANDBOX_HOME}/work`;

export type Manifest = Record<string, string>;

/** What a sandbox says is already there; an unreadable manifest only costs time. */
export async function loadManifest(sandbox: Sandbox): Promise<Manifest> {
  try {
    const value: unknown = JSON.parse(await sandbox.files.read(`${SANDBOX_ROOT}/manifest.json`));
    const entries = Object.entries(value !== null && typeof value === 'object' ? value : {});
    return Object.fromEntries(entries.filter(([, object]) => typeof object === 'string'));
  } catch {
    return {};
  }
}

/**
 * Sends the files that the sandbox does not have; returns their paths. Updates `manifest`. A file
 * that cannot be put there is named in `notes`: it must not keep the code from running.
 */
export async function uploadWorkspace(
  sandbox: Sandbox,
  options: { workspace: Workspace; manifest: Manifest; signal: AbortSignal; notes: string[] },
): Promise<string[]> {
  const uploaded: string[] = [];
  const files = options.workspace.list();
  const paths = new Set(files.map(({ path }) => path));
  for (const file of files) {
    if (options.manifest[file.path] === file.object || !isPlainPath(file.path)) continue;
    if (file.bytes > MAX_UPLOAD_FILE_BYTES) {
      options.notes.push(
        `${file.path} is too large (${file.bytes} bytes) to be put into the sandbox.`,
      );
      continue;
    }
    // Calls that ran side by side may have written `d` and `d/x`.
    const above = parentFolders(file.path).find((folder) => paths.has(folder));
    if (above !== undefined) {
      options.notes.push(
        `${file.path} is not in the sandbox: ${above} is a file, so nothing can lie below it. Use read_file for ${file.path}.`,
      );
      continue;
    }
    const bytes = await readIfThere(options.workspace, file.path);
    if (bytes === null) {
      options.notes.push(`${file.path} is not there: its bytes were deleted. Go on without it.`);
      continue;
    }
    // A copy over exactly these bytes: the view may be a window on a larger buffer.
    try {
      await sandbox.files.write(`${SANDBOX_WORK}/${file.path}`, new Uint8Array(bytes).buffer, {
        signal: options.signal,
      });
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      options.notes.push(
        `${file.path} could not be put into the sandbox: something that code made there is in its way. Remove or rename that with Python.`,
      );
      continue;
    }
    options.manifest[file.path] = file.object;
    uploaded.push(file.path);
  }
  return uploaded;
}

/**
 * The path alone cannot be written: a folder of that name, a file where its folder should be, or
 * one that code protected. envd answers 400 or 500 then, told apart by its text only.
 */
function isInTheWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isRefusal = error.name === 'InvalidArgumentError' || error.name === 'SandboxError';
  const texts = /\b(?:is|not) a (?:file|directory)\b|file exists|permission denied/i;
  return isRefusal && texts.test(error.message);
}

/** Null when the upload, or the earlier run that wrote the file, was deleted meanwhile. */
async function readIfThere(workspace: Workspace, path: string): Promise<Uint8Array | null> {
  try {
    return await workspace.read(path);
  } catch (error) {
    if (error instanceof StrideError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Stores the files that a call wrote. A file that cannot be fetched is named in `notes`. */
export async function saveFiles(
  sandbox: Sandbox,
  options: { record: CallRecord; workspace: Workspace; manifest: Manifest; notes: string[] },
): Promise<FileRef[]> {
  const saved: FileRef[] = [];
  for (const { path } of options.record.files) {
    if (!isPlainPath(path)) {
      options.notes.push(`Not saved, not a usable name: ${JSON.stringify(path.slice(0, 100))}.`);
      continue;
    }
    try {
      const bytes = await sandbox.files.read(`${SANDBOX_WORK}/${path}`, { format: 'bytes' });
      const file = await options.workspace.write(path, bytes);
      options.manifest[path] = file.object;
      saved.push(file);
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
      options.notes.push(`Not saved: ${path} (${why.replace(/\.$/, '')}).`);
    }
  }
  return saved;
}
