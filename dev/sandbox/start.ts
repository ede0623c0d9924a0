/**
 * The local E2B: control plane, files, processes and code interpreter on one loopback origin, with
 * Python under bubblewrap behind it, or, where that cannot start, Pyodide in a process without
 * permissions. For development and tests; `apiUrl` and `sandboxUrl` of the SDK both point here.
 * Sandboxes live in memory and end with the service.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { probeBubblewrap, SANDBOX_LIMITS } from './bubblewrap.ts';
import { handleControl } from './control-plane.ts';
import { handleData } from './data-plane.ts';
import { startGuest } from './guest.ts';
import { sendJson } from './http.ts';
import { watchTrees } from './memory.ts';
import { findPyodide, PYODIDE_LIMITS, type PyodideFiles, startPyodide } from './pyodide.ts';
import { createSandboxes, type StartGuest } from './sandboxes.ts';
import { createSnapshots } from './snapshot.ts';

export { probeBubblewrap } from './bubblewrap.ts';

export type PythonKind = 'bubblewrap' | 'pyodide';

export interface SandboxService {
  /** Origin for both `apiUrl` and `sandboxUrl`. */
  url: string;
  apiKey: string;
  kind: PythonKind;
  /** One sentence for start-up output. */
  describe: string;
  /** What a model must know where this Python has less than E2B's; else null. */
  note: string | null;
  /** Kills every sandbox and closes the port; resolves when all processes are gone. */
  stop(): Promise<void>;
}

interface Engine {
  kind: PythonKind;
  describe: string;
  note: string | null;
  startGuest: StartGuest;
  stop(): Promise<void>;
}

const PYODIDE_NOTE =
  'Only the Python standard library is there: no pandas, numpy or matplotlib, and requirements cannot be installed.';

/**
 * Starts the service on a free port of 127.0.0.1.
 * `dataDir` is taken like by the other stand-ins; nothing is written, homes are in memory.
 * `packageIndex`: base URL of a PEP 503 index that stands in for pip's default one.
 * `python`: which one to use; left out, STRIDE_PYTHON names it, else bubblewrap where it starts.
 * Throws with a sentence when the one that is named, or every one, cannot start.
 */
export async function startSandboxService(options: {
  dataDir: string;
  log?: (line: string) => void;
  packageIndex?: string;
  python?: string;
}): Promise<SandboxService> {
  const log = options.log ?? (() => {});
  const engine = await chooseEngine(parseKind(options.python ?? process.env.STRIDE_PYTHON), log);
  const apiKey = `e2b_${randomBytes(20).toString('hex')}`;
  const sandboxes = createSandboxes({
    startGuest: engine.startGuest,
    packageIndex: options.packageIndex ?? null,
    log,
  });
  const trees = () => sandboxes.list().map(({ id, guest }) => ({ id, pid: guest.pid }));
  const limitBytes = SANDBOX_LIMITS.totalMemoryBytes;
  const watch = engine.kind === 'bubblewrap' ? watchTrees(trees, { limitBytes, log }) : null;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local');
    const context = { request, response, url };
    handleControl(context, { sandboxes, apiKey })
      .then((handled) => (handled ? undefined : handleData(context, sandboxes)))
      .catch((error: unknown) => {
        log(`${request.method} ${url.pathname}: ${error instanceof Error ? error.message : error}`);
        if (response.headersSent) response.end();
        else sendJson(response, 500, { code: 500, message: 'The local sandbox service failed' });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    kind: engine.kind,
    describe: engine.describe,
    note: engine.note,
    async stop() {
      watch?.stop();
      await sandboxes.close();
      await engine.stop();
      await closeServer(server);
    },
  };
}

/** Null leaves the choice to the machine; a name that is none is a mistake worth a word. */
function parseKind(name: string | undefined): PythonKind | null {
  if (name === undefined || name === '') return null;
  if (name === 'bubblewrap' || name === 'pyodide') return name;
  throw new Error(`STRIDE_PYTHON is "${name}"; set it to bubblewrap or pyodide, or leave it out.`);
}

async function chooseEngine(kind: PythonKind | null, log: (line: string) => void): Promise<Engine> {
  if (kind === 'pyodide') return pyodideEngine(log, 'as STRIDE_PYTHON asks');
  const probe = await probeBubblewrap();
  if (probe.ok) return bubblewrapEngine();
  if (kind === 'bubblewrap') throw new Error(probe.reason);
  return pyodideEngine(log, probe.reason);
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;

function bubblewrapEngine(): Engine {
  const { memoryBytes, homeBytes } = SANDBOX_LIMITS;
  return {
    kind: 'bubblewrap',
    describe: `Python under bubblewrap: no network, ${megabytes(memoryBytes)} of memory a process, ${megabytes(homeBytes)} of files`,
    note: null,
    startGuest,
    stop: async () => {},
  };
}

function pyodideEngine(log: (line: string) => void, reason: string): Engine {
  const files = findPyodide();
  if ('missing' in files) throw new Error(`${reason} Pyodide is no way out: ${files.missing}.`);
  const { memoryBytes, filesBytes } = PYODIDE_LIMITS;
  return {
    kind: 'pyodide',
    describe: `Python ${files.python} under Pyodide ${files.version}, without permissions: standard library only (no pandas), ${megabytes(memoryBytes)} of memory, ${megabytes(filesBytes)} of files; ${reason.replace(/\.$/, '')}`,
    note: PYODIDE_NOTE,
    ...pyodideStarter(files, log),
  };
}

function pyodideStarter(
  files: PyodideFiles,
  log: (line: string) => void,
): Pick<Engine, 'startGuest' | 'stop'> {
  const snapshots = createSnapshots(files);
  let isStopped = false;
  // Begun now: the first sandbox is asked for soon.
  snapshots.get().catch((error: unknown) => {
    if (!isStopped) log(`Pyodide does not start: ${String(error)}`);
  });
  return {
    async startGuest() {
      const snapshot = await snapshots.get();
      try {
        return await startPyodide(files, { snapshot, log });
      } catch (error) {
        await snapshots.discard();
        throw error;
      }
    },
    stop() {
      isStopped = true;
      return snapshots.stop();
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
