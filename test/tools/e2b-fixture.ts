/** A sandbox service, a workspace in memory and a short way to call Python, for the tests beside. */
import { afterAll, beforeAll } from 'vitest';
import { bubblewrapLack } from '../../dev/host.ts';
import { findPyodide } from '../../dev/sandbox/pyodide.ts';
import {
  type PythonKind,
  type SandboxService,
  startSandboxService,
} from '../../dev/sandbox/start.ts';
import type { FileRef } from '../../src/loop/journal.ts';
import type { PythonOutcome, SandboxPort, Workspace } from '../../src/tools/define.ts';
import { createE2bSandboxes } from '../../src/tools/e2b.ts';
import type { Sandboxes } from '../../src/tools/sandbox.ts';

export interface MemoryWorkspace extends Workspace {
  /** Paths that were written by calls, in order. */
  written: string[];
  put(path: string, content: string | Uint8Array): void;
  text(path: string): string;
  bytes(path: string): Uint8Array;
}

/** Objects are named by a counter, so every write is a new version, as with content hashes. */
export function memoryWorkspace(files: Record<string, string> = {}): MemoryWorkspace {
  const stored = new Map<string, { ref: FileRef; bytes: Uint8Array }>();
  const written: string[] = [];
  let version = 0;
  const put = (path: string, content: string | Uint8Array) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const object = `o/test/${++version}`;
    const ref = { path, object, bytes: bytes.length, media_type: 'application/octet-stream' };
    stored.set(path, { ref, bytes });
    return ref;
  };
  const bytes = (path: string) => {
    const file = stored.get(path);
    if (!file) throw new Error(`the workspace has no ${path}`);
    return file.bytes;
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    list: () =>
      [...stored.values()].map(({ ref }) => ref).sort((a, b) => (a.path < b.path ? -1 : 1)),
    find: (path) => stored.get(path)?.ref ?? null,
    read: async (path) => bytes(path),
    write: async (path, content) => {
      written.push(path);
      return put(path, content);
    },
    written,
    put,
    text: (path) => new TextDecoder().decode(bytes(path)),
    bytes,
  };
}

export type Python = (
  code: string,
  options?: Partial<Parameters<SandboxPort['execute']>[0]>,
) => Promise<PythonOutcome>;

/** Calls of one run: ids count up, time-out 20 s. */
export function pythonOf(port: SandboxPort, workspace: Workspace = memoryWorkspace()): Python {
  let calls = 0;
  return (code, options = {}) =>
    port.execute({
      toolUseId: `toolu_${++calls}`,
      code,
      requirements: [],
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      workspace,
      resumed: false,
      ...options,
    });
}

let runs = 0;

/** What `npm test` names when it is missing here. */
export const hasBubblewrap = (await bubblewrapLack()) === null;
export const hasPyodide = !('missing' in findPyodide());

/** Both kinds of Python, for tests of what they have in common. */
export const PYTHONS: { kind: PythonKind; isMissing: boolean }[] = [
  { kind: 'bubblewrap', isMissing: !hasBubblewrap },
  { kind: 'pyodide', isMissing: !hasPyodide },
];

/** Starts a service for the tests of a file, or of a `describe`, and stops it after them. */
export function useSandboxes(
  options: { packageIndex?: () => Promise<string>; python?: PythonKind } = {},
) {
  const state: { service?: SandboxService; sandboxes?: Sandboxes } = {};
  const python = options.python ?? 'bubblewrap';
  beforeAll(async () => {
    if (PYTHONS.some(({ kind, isMissing }) => kind === python && isMissing)) return;
    const packageIndex = await options.packageIndex?.();
    const service = await startSandboxService({
      dataDir: '/nowhere',
      python,
      ...(packageIndex ? { packageIndex } : {}),
    });
    state.service = service;
    state.sandboxes = createE2bSandboxes({
      apiKey: service.apiKey,
      apiUrl: service.url,
      sandboxUrl: service.url,
      indexHosts: ['index.example'],
    });
  });
  afterAll(() => state.service?.stop());
  const get = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the service has not started');
    return value;
  };
  const fixture = {
    service: () => get(state.service),
    sandboxes: () => get(state.sandboxes),
    obtain: (runId: string, knownSandboxId: string | null = null) =>
      fixture.sandboxes().obtain({ runId, knownSandboxId, signal: new AbortController().signal }),
    /** A new run with its own sandbox. */
    async start(files: Record<string, string> = {}) {
      const runId = `run_${process.pid}_${++runs}`;
      const workspace = memoryWorkspace(files);
      const sandbox = await fixture.obtain(runId);
      return { runId, workspace, ...sandbox, python: pythonOf(sandbox.port, workspace) };
    },
  };
  return fixture;
}
