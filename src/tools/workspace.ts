/**
 * The files of a run as one tool call sees them: references from the journal plus what the call
 * writes. Bytes are immutable objects named by their digest and put before the reference exists,
 * so a journal never names bytes that are not there; the caller journals `written()`.
 */
import type { Objects } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import type { FileRef } from '../loop/journal.ts';
import type { Workspace } from './define.ts';
import { mediaTypeOf } from './media-type.ts';
import { nearestFirst } from './nearest.ts';
import { normalisePath, parentFolders } from './paths.ts';

export interface WorkspaceOptions {
  /** Later references to the same path win. */
  files: readonly FileRef[];
  objects: Objects;
  /** `o/{owner}/{run}/`, where this run's own bytes go. */
  objectPrefix: string;
  /** Once aborted, nothing is read or written any more. */
  signal?: AbortSignal;
}

export interface RunWorkspace extends Workspace {
  /** References made by `write` so far, one a path, the last one. */
  written(): FileRef[];
}

/** A workspace over `files`. Throws StrideError: not_found, invalid_input (path), too_large. */
export function createWorkspace(options: WorkspaceOptions): RunWorkspace {
  const { objects, objectPrefix, signal } = options;
  const byPath = new Map(options.files.map((file) => [file.path, file]));
  const written = new Map<string, FileRef>();

  async function read(
    path: string,
    range: { offset?: number; maxBytes?: number } = {},
  ): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const file = findFile(byPath, path);
    if (file === null) throw new StrideError('not_found', missingFile(path, [...byPath.keys()]));
    const offset = Math.min(Math.max(0, range.offset ?? 0), file.bytes);
    const length = Math.min(range.maxBytes ?? file.bytes, file.bytes - offset);
    if (length <= 0) return new Uint8Array(0);
    const whole = offset === 0 && length === file.bytes;
    const bytes = await objects.get(file.object, whole ? undefined : { offset, length });
    if (bytes === null) {
      throw new StrideError('not_found', `The bytes of ${file.path} are gone; go on without it.`);
    }
    return bytes;
  }

  async function write(path: string, bytes: Uint8Array, mediaType?: string): Promise<FileRef> {
    signal?.throwIfAborted();
    const normal = normalisePath(path);
    if (!normal.ok) throw new StrideError('invalid_input', normal.error.message);
    const clash = clashOf(byPath, normal.value);
    if (clash !== null) throw new StrideError('invalid_input', clash);
    if (bytes.length > MAX_UPLOAD_BYTES) {
      throw new StrideError(
        'too_large',
        `${normal.value} would be ${bytes.length} bytes; a file holds at most ${MAX_UPLOAD_BYTES}. Write less or split it.`,
      );
    }
    const type = mediaType ?? mediaTypeOf(normal.value);
    const object = `${objectPrefix}${await sha256Hex(bytes)}`;
    await objects.put(object, bytes, type);
    const file = { path: normal.value, object, bytes: bytes.length, media_type: type };
    byPath.set(file.path, file);
    written.set(file.path, file);
    return file;
  }

  return {
    list: () => [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    find: (path) => findFile(byPath, path),
    read,
    write,
    written: () => [...written.values()],
  };
}

/** Lower-case hex of SHA-256. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  // The type asks for a non-shared buffer; ours always are.
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The exact path, else the only file that differs in case alone, else the only one of that base
 * name: models write `/mnt/data/sales.csv` for `sales.csv`. Two candidates are no answer.
 */
function findFile(byPath: ReadonlyMap<string, FileRef>, wanted: string): FileRef | null {
  const path = wanted.trim().normalize('NFC');
  const exact = byPath.get(path);
  if (exact !== undefined) return exact;
  const lower = path.toLowerCase();
  const base = lower.slice(lower.lastIndexOf('/') + 1);
  if (base === '') return null;
  const files = [...byPath.values()];
  const sameButCase = files.filter((file) => file.path.toLowerCase() === lower);
  if (sameButCase.length > 0) return only(sameButCase);
  return only(files.filter((file) => baseName(file.path).toLowerCase() === base));
}

/**
 * Why a new file cannot lie at `path`: it would make a folder of a file or the other way round, and
 * no disk (a sandbox's, say) could hold both. Null when it can.
 */
function clashOf(byPath: ReadonlyMap<string, FileRef>, path: string): string | null {
  if (byPath.has(path)) return null;
  const above = parentFolders(path).find((folder) => byPath.has(folder));
  if (above !== undefined) {
    return `"${above}" is a file, so nothing can lie below it; choose another path.`;
  }
  for (const other of byPath.keys()) {
    if (other.startsWith(`${path}/`)) {
      return `"${path}" is a folder, it holds ${other}; choose another name for the file.`;
    }
  }
  return null;
}

function only(files: FileRef[]): FileRef | null {
  return files.length === 1 ? (files[0] ?? null) : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The file that a tool was asked for. Throws StrideError not_found with the nearest names. */
export function findOrThrow(workspace: Workspace, path: string): FileRef {
  const file = workspace.find(path);
  if (file !== null) return file;
  throw new StrideError(
    'not_found',
    missingFile(
      path,
      workspace.list().map((one) => one.path),
    ),
  );
}

/** What to say when there is no such file: the nearest names, or how to get one. */
export function missingFile(path: string, paths: readonly string[]): string {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  if (paths.length === 0) return `There is no file "${shown}": this run has no files.`;
  const wantedBase = baseName(path.toLowerCase());
  const same = paths.filter((other) => baseName(other).toLowerCase() === wantedBase);
  if (same.length > 1) {
    return `"${shown}" could be ${same.slice(0, 8).join(', ')}; use one of these paths exactly.`;
  }
  const near = nearestFirst(path, paths).slice(0, 8);
  const more = paths.length > near.length ? ` (list_files shows all ${paths.length})` : '';
  return `There is no file "${shown}"; the nearest are ${near.join(', ')}${more}.`;
}
