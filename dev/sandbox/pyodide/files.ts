/**
 * Files of one Pyodide sandbox: a tree in memory with a cap on bytes and on entries. It belongs to
 * the process, not to a Python: files outlive a kernel that is ended, and are served while code
 * runs. Links lead to other places in this tree and nowhere else. No I/O.
 */

export interface FileNode {
  ino: number;
  kind: 'file' | 'folder' | 'link';
  mode: number;
  /** Unix milliseconds. */
  changedAt: number;
  /** Content is `data` up to `size`; the rest is room to grow. */
  data: Uint8Array;
  size: number;
  /** Of a link. */
  target: string;
  children: Map<string, FileNode>;
  /** Open handles; an unlinked file lives on until the last is closed. */
  handles: number;
  linked: boolean;
}

/** Names as in errno.h. */
export type FileFault =
  | 'EACCES'
  | 'EBADF'
  | 'EEXIST'
  | 'EINVAL'
  | 'EISDIR'
  | 'ELOOP'
  | 'ENAMETOOLONG'
  | 'ENOENT'
  | 'ENOSPC'
  | 'ENOTDIR'
  | 'ENOTEMPTY';

export class FileError extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault, message: string = fault) {
    super(message);
    this.name = 'FileError';
    this.fault = fault;
  }
}

const MAX_LINKS = 40;
const MAX_NAME_BYTES = 255;
const GROWTH = 1.25;

export function createFiles(limits: { bytes: number; entries: number }) {
  let used = 0;
  let entries = 0;
  let lastIno = 0;
  const create = (kind: FileNode['kind'], mode: number, target = ''): FileNode => {
    if (entries >= limits.entries) throw new FileError('ENOSPC');
    entries++;
    return {
      ino: ++lastIno,
      kind,
      mode,
      changedAt: Date.now(),
      data: new Uint8Array(0),
      size: 0,
      target,
      children: new Map(),
      handles: 0,
      linked: true,
    };
  };
  const root = create('folder', 0o755);

  /** The entry at a path and the folder that holds it; `node` is null where only the name is free. */
  function walk(path: string, options: { follow: boolean }) {
    const open = path.split('/').reverse();
    const trail: FileNode[] = [root];
    let name = '';
    let links = 0;
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const folder = last(trail);
      if (folder.kind !== 'folder') throw new FileError('ENOTDIR');
      name = checkName(part);
      const isLast = open.every((one) => one === '' || one === '.');
      const next = folder.children.get(part);
      if (next === undefined) {
        if (!isLast) throw new FileError('ENOENT');
        return { folder, name, node: null };
      }
      if (next.kind === 'link' && (options.follow || !isLast)) {
        if (++links > MAX_LINKS) throw new FileError('ELOOP');
        if (next.target.startsWith('/')) trail.splice(1);
        open.push(...next.target.split('/').reverse());
      } else trail.push(next);
    }
    const node = last(trail);
    return { folder: trail[trail.length - 2] ?? root, name, node };
  }

  function find(path: string, options: { follow: boolean } = { follow: true }): FileNode {
    const { node } = walk(path, options);
    if (node === null) throw new FileError('ENOENT');
    return node;
  }

  function add(path: string, made: Pick<FileNode, 'kind' | 'mode'> & { target?: string }) {
    const { folder, name, node } = walk(path, { follow: false });
    if (node !== null) throw new FileError('EEXIST');
    const fresh = create(made.kind, made.mode, made.target);
    folder.children.set(name, fresh);
    folder.changedAt = fresh.changedAt;
    return fresh;
  }

  function release(node: FileNode): void {
    if (node.linked || node.handles > 0) return;
    used -= node.size;
    node.size = 0;
    node.data = new Uint8Array(0);
  }

  /** Takes an entry out of its folder: a file, a link or an empty folder. */
  function remove(path: string): void {
    const { folder, name, node } = walk(path, { follow: false });
    if (node === null || node === root) throw new FileError('ENOENT');
    if (node.children.size > 0) throw new FileError('ENOTEMPTY');
    detach(folder, name, node);
  }

  function detach(folder: FileNode, name: string, node: FileNode): void {
    folder.children.delete(name);
    folder.changedAt = Date.now();
    entries--;
    node.linked = false;
    release(node);
  }

  function move(from: string, to: string): void {
    const source = walk(from, { follow: false });
    const target = walk(to, { follow: false });
    const moved = source.node;
    if (moved === null || moved === root) throw new FileError('ENOENT');
    if (target.node === moved) return;
    if (isBelow(moved, target.folder)) throw new FileError('EINVAL');
    if (target.node !== null) {
      if (target.node.children.size > 0) throw new FileError('ENOTEMPTY');
      if ((target.node.kind === 'folder') !== (moved.kind === 'folder')) {
        throw new FileError(moved.kind === 'folder' ? 'ENOTDIR' : 'EISDIR');
      }
      detach(target.folder, target.name, target.node);
    }
    source.folder.children.delete(source.name);
    target.folder.children.set(target.name, moved);
  }

  function resize(node: FileNode, size: number): void {
    if (node.kind !== 'file') throw new FileError(node.kind === 'folder' ? 'EISDIR' : 'EINVAL');
    if (!Number.isSafeInteger(size) || size < 0) throw new FileError('EINVAL');
    if (size > node.size && used + size - node.size > limits.bytes) throw new FileError('ENOSPC');
    if (size > node.data.length) {
      const room = Math.min(Math.ceil(node.data.length * GROWTH), limits.bytes);
      const data = new Uint8Array(Math.max(size, room));
      data.set(node.data.subarray(0, node.size));
      node.data = data;
    } else if (size < node.size) node.data.fill(0, size, node.size);
    used += size - node.size;
    node.size = size;
    node.changedAt = Date.now();
  }

  function write(node: FileNode, at: number, bytes: Uint8Array): void {
    const end = at + bytes.length;
    if (end > node.size) resize(node, end);
    node.data.set(bytes, at);
    node.changedAt = Date.now();
  }

  /** `mkdir -p`; returns the folder. */
  function ensureFolder(path: string): FileNode {
    let made = '';
    for (const part of path.split('/').filter((one) => one !== '')) {
      made += `/${part}`;
      if (walk(made, { follow: true }).node === null) add(made, { kind: 'folder', mode: 0o755 });
    }
    const folder = find(made || '/');
    if (folder.kind !== 'folder') throw new FileError('ENOTDIR');
    return folder;
  }

  return {
    walk,
    find,
    add,
    remove,
    move,
    resize,
    write,
    ensureFolder,
    open(node: FileNode): void {
      node.handles++;
    },
    close(node: FileNode): void {
      node.handles--;
      release(node);
    },
  };
}

export type Files = ReturnType<typeof createFiles>;

function last(trail: FileNode[]): FileNode {
  const node = trail[trail.length - 1];
  if (node === undefined) throw new FileError('ENOENT');
  return node;
}

function checkName(name: string): string {
  if (name.includes('\0')) throw new FileError('EINVAL');
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) throw new FileError('ENAMETOOLONG');
  return name;
}

function isBelow(folder: FileNode, node: FileNode): boolean {
  if (folder === node) return true;
  return [...folder.children.values()].some((child) => isBelow(child, node));
}
