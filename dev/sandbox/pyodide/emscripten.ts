/** What is used of Pyodide and of Emscripten's file system inside it. */

export interface EmscriptenNode {
  name: string;
  parent: EmscriptenNode;
  mode: number;
  mount: { mountpoint: string };
  node_ops: object;
  stream_ops: object;
}

export interface EmscriptenStream {
  node: EmscriptenNode;
  position: number;
  /** Shared by the copies that dup() makes. */
  shared: { handle?: number; copies?: number };
}

export interface EmscriptenFs {
  ErrnoError: new (errno: number) => Error;
  createNode(
    parent: EmscriptenNode | null,
    name: string,
    mode: number,
    device: number,
  ): EmscriptenNode;
  mount(type: object, options: object, path: string): void;
  mkdirTree(path: string): void;
  chdir(path: string): void;
  filesystems: { MEMFS: { ops_table: Record<string, { node: Operations; stream: Operations }> } };
}

type Operations = Record<string, unknown>;

export interface Pyodide {
  FS: EmscriptenFs;
  runPython(code: string): unknown;
  pyimport(name: string): Record<string, (...args: unknown[]) => unknown>;
  registerJsModule(name: string, module: object): void;
  setInterruptBuffer(buffer: Uint8Array): void;
  setStdin(options: { stdin: () => null }): void;
  setStdout(options: OutputOptions): void;
  setStderr(options: OutputOptions): void;
  makeMemorySnapshot(): Uint8Array<ArrayBuffer>;
}

interface OutputOptions {
  write: (bytes: Uint8Array) => number;
  isatty: boolean;
}
