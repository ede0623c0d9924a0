/**
 * Files as envd serves them, for the service: the operations of guest/5_files.py over the tree in
 * memory. Only regular files are read and written.
 */
import { FileError, type FileNode, type Files } from './files.ts';

export const HOME = '/home/user';

const MAX_LISTED = 10_000;
/** What one answer may hold. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
const TYPES = { file: 'FILE', folder: 'DIRECTORY', link: 'SYMLINK' } as const;
const LETTERS = { file: '-', folder: 'd', link: 'l' } as const;

/** An answer with an HTTP status and a message. */
export class Failure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Failure';
    this.status = status;
  }
}

export type Fields = Record<string, unknown>;
export type Operation = (fields: Fields, body: Uint8Array) => Fields | Uint8Array;

export function fileOperations(files: Files): Record<string, Operation> {
  return {
    read: ({ path }) => {
      const full = inside(path);
      const node = files.find(full);
      if (node.kind !== 'file') throw new Failure(400, `path '${full}' is not a file`);
      if (node.size > MAX_READ_BYTES) {
        throw new Failure(400, `file '${full}' is above ${MAX_READ_BYTES} bytes`);
      }
      return node.data.subarray(0, node.size);
    },
    write: ({ path }, body) => {
      const full = inside(path);
      const above = full.slice(0, full.lastIndexOf('/'));
      files.ensureFolder(above);
      // A link that leads to a free name is written through, as open() does.
      const node = files.walk(full, { follow: true }).node ?? makeFile(files, full);
      if (node.kind !== 'file') throw new Failure(400, `path '${full}' is not a file`);
      files.resize(node, 0);
      files.write(node, 0, body);
      return entry(full, files.find(full, { follow: false }));
    },
    stat: ({ path }) => {
      const full = inside(path);
      return { entry: entry(full, files.find(full, { follow: false })) };
    },
    list: ({ path, depth }) => ({ entries: list(files, inside(path), Number(depth) || 1) }),
    make_dir: ({ path }) => {
      const full = inside(path);
      const isThere = isFound(files, full);
      if (isThere) throw new Failure(409, `directory already exists: ${full}`);
      return { entry: entry(full, files.ensureFolder(full)) };
    },
    remove: ({ path }) => {
      removeAll(files, inside(path));
      return {};
    },
    move: ({ source, destination }) => {
      const target = inside(destination);
      files.move(inside(source), target);
      return { entry: entry(target, files.find(target, { follow: false })) };
    },
  };
}

/** A path as the service gives it, absolute and without steps. */
export function inside(path: unknown): string {
  const text = String(path ?? '').replace(/^~(?=\/|$)/, HOME);
  const parts: string[] = [];
  for (const part of (text.startsWith('/') ? text : `${HOME}/${text}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function makeFile(files: Files, path: string): FileNode {
  const { node } = files.walk(path, { follow: false });
  if (node?.kind === 'link') throw new FileError('ENOENT');
  return files.add(path, { kind: 'file', mode: 0o644 });
}

function isFound(files: Files, path: string): boolean {
  try {
    return files.walk(path, { follow: true }).node !== null;
  } catch {
    return false;
  }
}

function entry(path: string, node: FileNode): Fields {
  const bits = [6, 3, 0].map((shift) => (node.mode >> shift) & 7);
  const permissions = bits.map(
    (one) => `${one & 4 ? 'r' : '-'}${one & 2 ? 'w' : '-'}${one & 1 ? 'x' : '-'}`,
  );
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    type: `FILE_TYPE_${TYPES[node.kind]}`,
    size: String(node.size),
    mode: node.mode,
    permissions: LETTERS[node.kind] + permissions.join(''),
    owner: 'user',
    group: 'user',
    modifiedTime: new Date(node.changedAt).toISOString(),
    ...(node.kind === 'link' ? { symlinkTarget: node.target } : {}),
  };
}

function list(files: Files, top: string, depth: number): Fields[] {
  const found: Fields[] = [];
  const open = [{ path: top, depth }];
  for (let at = open.pop(); at !== undefined && found.length < MAX_LISTED; at = open.pop()) {
    const folder = files.find(at.path);
    if (folder.kind !== 'folder') throw new FileError('ENOTDIR');
    for (const [name, node] of [...folder.children].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const path = `${at.path === '/' ? '' : at.path}/${name}`;
      found.push(entry(path, node));
      if (at.depth > 1 && node.kind === 'folder') open.push({ path, depth: at.depth - 1 });
    }
  }
  return found;
}

function removeAll(files: Files, path: string): void {
  const node = files.find(path, { follow: false });
  if (node.kind === 'folder') {
    for (const name of [...node.children.keys()]) removeAll(files, `${path}/${name}`);
  }
  files.remove(path);
}
