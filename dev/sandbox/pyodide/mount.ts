/**
 * The sandbox's files as an Emscripten file system: each operation is one call to the thread that
 * owns the tree (file-calls.ts), waited for on shared memory. Nothing is kept here but open handles.
 */
import type { EmscriptenFs, EmscriptenNode, EmscriptenStream } from './emscripten.ts';
import {
  CHANNEL_HEAD_BYTES,
  type FileCall,
  type FileStat,
  KIND_BITS,
  PIECE_BYTES,
  SLOT,
} from './file-calls.ts';

const EINVAL = 28;
const EROFS = 69;
const BLOCK_BYTES = 4096;
const SEEK_CURRENT = 1;
const SEEK_END = 2;
const KIND_MASK = 0o170000;

interface Attributes {
  mode?: number;
  size?: number;
  mtime?: number | Date;
}

/** Mounts the tree's folders where they are in the tree, and closes the rest for writing. */
export function mountFiles(
  FS: EmscriptenFs,
  options: { folders: string[]; channel: SharedArrayBuffer; send: (call: FileCall) => void },
): void {
  const ask = createAsk(FS, options);
  for (const folder of options.folders) {
    FS.mkdirTree(folder);
    FS.mount(fileSystem(FS, { ask, root: folder }), {}, folder);
  }
  refuseElsewhere(FS);
}

type Ask = (call: FileCall) => Uint8Array;

function createAsk(
  FS: EmscriptenFs,
  { channel, send }: { channel: SharedArrayBuffer; send: (call: FileCall) => void },
): Ask {
  const head = new Int32Array(channel, 0, CHANNEL_HEAD_BYTES / 4);
  const room = new Uint8Array(channel, CHANNEL_HEAD_BYTES);
  return (call) => {
    Atomics.store(head, SLOT.answered, 0);
    send(call);
    Atomics.wait(head, SLOT.answered, 0);
    const fault = head[SLOT.fault] ?? 0;
    if (fault !== 0) throw new FS.ErrnoError(fault);
    return room.subarray(0, head[SLOT.length]);
  };
}

function fileSystem(FS: EmscriptenFs, { ask, root }: { ask: Ask; root: string }): object {
  // Shared memory cannot be decoded in place.
  const value = <T>(call: FileCall) => JSON.parse(new TextDecoder().decode(ask(call).slice())) as T;
  const pathOf = (node: EmscriptenNode): string =>
    node.parent === node ? root : `${pathOf(node.parent)}/${node.name}`;
  const pathIn = (parent: EmscriptenNode, name: string) => `${pathOf(parent)}/${name}`;
  const handleOf = (stream: EmscriptenStream) => stream.shared.handle ?? 0;

  function makeNode(parent: EmscriptenNode | null, name: string, mode: number): EmscriptenNode {
    const node = FS.createNode(parent, name, mode, 0);
    node.node_ops = nodeOperations;
    node.stream_ops = streamOperations;
    return node;
  }

  const nodeOperations = {
    getattr: (node: EmscriptenNode) =>
      attributes(value<FileStat>({ op: 'stat', path: pathOf(node) })),
    setattr: (node: EmscriptenNode, changed: Attributes) => {
      ask({ op: 'change', path: pathOf(node), ...changes(changed) });
      if (changed.mode !== undefined) node.mode = changed.mode;
    },
    lookup: (parent: EmscriptenNode, name: string) => {
      const found = value<FileStat>({ op: 'stat', path: pathIn(parent, name) });
      return makeNode(parent, name, found.mode);
    },
    mknod: (parent: EmscriptenNode, name: string, mode: number) => {
      const made = value<FileStat>({ op: 'make', path: pathIn(parent, name), mode });
      return makeNode(parent, name, made.mode);
    },
    rename: (node: EmscriptenNode, parent: EmscriptenNode, name: string) => {
      ask({ op: 'move', path: pathOf(node), to: pathIn(parent, name) });
      node.name = name;
    },
    unlink: (parent: EmscriptenNode, name: string) => {
      ask({ op: 'remove', path: pathIn(parent, name) });
    },
    rmdir: (parent: EmscriptenNode, name: string) => {
      ask({ op: 'remove', path: pathIn(parent, name) });
    },
    readdir: (node: EmscriptenNode) => [
      '.',
      '..',
      ...value<string[]>({ op: 'list', path: pathOf(node) }),
    ],
    symlink: (parent: EmscriptenNode, name: string, target: string) => {
      const made = value<FileStat>({ op: 'link', path: pathIn(parent, name), to: target });
      return makeNode(parent, name, made.mode);
    },
    readlink: (node: EmscriptenNode) => value<string>({ op: 'read_link', path: pathOf(node) }),
  };

  const streamOperations = {
    getattr: (stream: EmscriptenStream) =>
      attributes(value<FileStat>({ op: 'stat_open', handle: handleOf(stream) })),
    setattr: (stream: EmscriptenStream, changed: Attributes) => {
      ask({ op: 'change', handle: handleOf(stream), ...changes(changed) });
    },
    open: (stream: EmscriptenStream) => {
      stream.shared.handle = value<number>({ op: 'open', path: pathOf(stream.node) });
      stream.shared.copies = 1;
    },
    dup: (stream: EmscriptenStream) => {
      stream.shared.copies = (stream.shared.copies ?? 0) + 1;
    },
    close: (stream: EmscriptenStream) => {
      stream.shared.copies = (stream.shared.copies ?? 1) - 1;
      if (stream.shared.copies === 0) ask({ op: 'close', handle: handleOf(stream) });
    },
    read: (
      stream: EmscriptenStream,
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number,
    ) => {
      let done = 0;
      while (done < length) {
        const [at, size] = [position + done, length - done];
        const bytes = ask({ op: 'read', handle: handleOf(stream), at, size });
        if (bytes.length === 0) break;
        bytesOf(buffer).set(bytes, offset + done);
        done += bytes.length;
      }
      return done;
    },
    write: (
      stream: EmscriptenStream,
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number,
    ) => {
      for (let done = 0; done < length; done += PIECE_BYTES) {
        const end = Math.min(length, done + PIECE_BYTES);
        // A copy: the buffer is the whole memory of Python.
        const bytes = bytesOf(buffer).slice(offset + done, offset + end);
        ask({ op: 'write', handle: handleOf(stream), at: position + done, bytes });
      }
      return length;
    },
    llseek: (stream: EmscriptenStream, offset: number, whence: number) => {
      let position = offset;
      if (whence === SEEK_CURRENT) position += stream.position;
      else if (whence === SEEK_END) {
        position += value<FileStat>({ op: 'stat_open', handle: handleOf(stream) }).size;
      }
      if (position < 0) throw new FS.ErrnoError(EINVAL);
      return position;
    },
  };

  return { mount: () => makeNode(null, '/', 0o040755) };
}

/** As getattr gives them. */
function attributes(found: FileStat) {
  const changedAt = new Date(found.changedAt);
  const isFolder = (found.mode & KIND_MASK) === KIND_BITS.folder;
  return {
    dev: 1,
    ino: found.ino,
    mode: found.mode,
    nlink: 1,
    uid: 1000,
    gid: 1000,
    rdev: 0,
    size: isFolder ? BLOCK_BYTES : found.size,
    atime: changedAt,
    mtime: changedAt,
    ctime: changedAt,
    blksize: BLOCK_BYTES,
    blocks: Math.ceil(found.size / 512),
  };
}

/** Emscripten passes its memory as signed bytes. */
function bytesOf(buffer: Uint8Array | Int8Array): Uint8Array {
  return buffer instanceof Uint8Array
    ? buffer
    : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function changes({ mode, size, mtime }: Attributes): Partial<FileCall> {
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(size === undefined ? {} : { size }),
    ...(mtime === undefined ? {} : { changedAt: Number(mtime) }),
  };
}

/** Pyodide's own files are in memory without a cap: nothing may be written there. */
function refuseElsewhere(FS: EmscriptenFs): void {
  const refuse = () => {
    throw new FS.ErrnoError(EROFS);
  };
  const { dir, file, link } = FS.filesystems.MEMFS.ops_table;
  for (const name of ['mknod', 'symlink', 'rename', 'unlink', 'rmdir', 'setattr']) {
    if (dir) dir.node[name] = refuse;
  }
  if (file) Object.assign(file.node, { setattr: refuse });
  if (file) Object.assign(file.stream, { write: refuse, mmap: refuse });
  if (link) Object.assign(link.node, { setattr: refuse });
}
