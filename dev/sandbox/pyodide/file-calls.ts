/**
 * File operations of a running Python, answered while it waits: a kernel's thread sends one call and
 * blocks on shared memory until the answer is there (mount.ts is its end). Numbers of faults are
 * those of the C library that Pyodide is built with (WASI).
 */
import { FileError, type FileFault, type FileNode, type Files } from './files.ts';

/** One call. `bytes` goes with `write` only. */
export interface FileCall {
  op: string;
  path?: string;
  to?: string;
  mode?: number;
  size?: number;
  at?: number;
  changedAt?: number;
  handle?: number;
  bytes?: Uint8Array;
}

export interface FileStat {
  ino: number;
  mode: number;
  size: number;
  changedAt: number;
}

/** Layout of the shared memory: three numbers, then what was asked for. */
export const CHANNEL_HEAD_BYTES = 16;
/** Holds the names of a full folder, and one piece of a file. */
export const CHANNEL_BYTES = CHANNEL_HEAD_BYTES + 4 * 1024 * 1024;
export const PIECE_BYTES = 1024 * 1024;
/** Slots of the head: set to 1 when answered, fault or 0, bytes that follow. */
export const SLOT = { answered: 0, fault: 1, length: 2 } as const;

export const KIND_BITS = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const;

const NUMBERS: Record<FileFault, number> = {
  EACCES: 2,
  EBADF: 8,
  EEXIST: 20,
  EINVAL: 28,
  EISDIR: 31,
  ELOOP: 32,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
};

export function createFileCalls(files: Files, channel: SharedArrayBuffer) {
  const head = new Int32Array(channel, 0, CHANNEL_HEAD_BYTES / 4);
  const room = new Uint8Array(channel, CHANNEL_HEAD_BYTES);
  const handles = new Map<number, FileNode>();
  let lastHandle = 0;

  const opened = (call: FileCall): FileNode => {
    const node = handles.get(call.handle ?? 0);
    if (node === undefined) throw new FileError('EBADF');
    return node;
  };
  const noFollow = { follow: false };

  const operations: Record<string, (call: FileCall) => unknown> = {
    stat: ({ path = '' }) => stat(files.find(path, noFollow)),
    stat_open: (call) => stat(opened(call)),
    list: ({ path = '' }) => [...files.find(path, noFollow).children.keys()],
    read_link: ({ path = '' }) => files.find(path, noFollow).target,
    make: ({ path = '', mode = 0 }) => {
      const kind = (mode & 0o170000) === KIND_BITS.folder ? 'folder' : 'file';
      return stat(files.add(path, { kind, mode: mode & 0o7777 }));
    },
    link: ({ path = '', to = '' }) =>
      stat(files.add(path, { kind: 'link', mode: 0o777, target: to })),
    remove: ({ path = '' }) => files.remove(path),
    move: ({ path = '', to = '' }) => files.move(path, to),
    change: (call) => {
      const node = call.handle ? opened(call) : files.find(call.path ?? '', noFollow);
      if (call.size !== undefined) files.resize(node, call.size);
      if (call.mode !== undefined) node.mode = call.mode & 0o7777;
      if (call.changedAt !== undefined) node.changedAt = call.changedAt;
    },
    open: ({ path = '' }) => {
      const node = files.find(path, noFollow);
      files.open(node);
      handles.set(++lastHandle, node);
      return lastHandle;
    },
    close: (call) => {
      files.close(opened(call));
      handles.delete(call.handle ?? 0);
    },
    read: (call) => {
      const { at = 0, size = 0 } = call;
      const node = opened(call);
      const end = Math.min(node.size, at + Math.min(size, PIECE_BYTES));
      return node.data.subarray(Math.min(at, end), end);
    },
    write: (call) => files.write(opened(call), call.at ?? 0, call.bytes ?? new Uint8Array(0)),
  };

  return {
    /** Performs one call and wakes the thread that waits for it. */
    answer(call: FileCall): void {
      let fault = 0;
      let bytes = new Uint8Array(0);
      try {
        const operation = operations[call.op];
        if (operation === undefined) throw new FileError('EINVAL');
        const value = operation(call);
        bytes =
          value instanceof Uint8Array
            ? new Uint8Array(value)
            : new TextEncoder().encode(JSON.stringify(value ?? null));
        if (bytes.length > room.length) throw new FileError('EINVAL');
      } catch (error) {
        fault = error instanceof FileError ? NUMBERS[error.fault] : NUMBERS.EINVAL;
        bytes = new Uint8Array(0);
      }
      room.set(bytes);
      head[SLOT.fault] = fault;
      head[SLOT.length] = bytes.length;
      Atomics.store(head, SLOT.answered, 1);
      Atomics.notify(head, SLOT.answered);
    },
    /** The thread is gone: what it held open is closed. */
    closeAll(): void {
      for (const node of handles.values()) files.close(node);
      handles.clear();
    },
  };
}

export function stat(node: FileNode): FileStat {
  const size = node.kind === 'link' ? new TextEncoder().encode(node.target).length : node.size;
  return { ino: node.ino, mode: KIND_BITS[node.kind] | node.mode, size, changedAt: node.changedAt };
}
