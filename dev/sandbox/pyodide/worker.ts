/**
 * One Python: Pyodide in a thread of its own, which nothing but this file talks to. Everything goes
 * through one port that code in Python cannot name; what the thread's own `postMessage` sends is not
 * listened to. The boundary is Deno's (the process has no permissions); what is taken away here only
 * keeps accidents from ending the sandbox.
 */
import type { Pyodide } from './emscripten.ts';
import type { FileCall } from './file-calls.ts';
import { mountFiles } from './mount.ts';

/** The first message, with the port. */
export interface Begin {
  port: MessagePort;
  /** Pyodide's files by name, so that loading needs no permission to read. */
  parts: {
    script: string;
    module: string;
    lock: string;
    wasm: WebAssembly.Module;
    library: Uint8Array<ArrayBuffer>;
  };
  /** Source of the module `stride_kernel`; absent with a snapshot, which holds it. */
  prelude: string;
  snapshot: Uint8Array | null;
  folders: string[];
  channel: SharedArrayBuffer;
  /** Byte 0: a signal for Python. Number 1 (at byte 4): why the code was stopped, see `Reason`. */
  interrupts: SharedArrayBuffer;
}

/** What a thread says. */
export type Said =
  | { kind: 'ready'; version: string }
  | { kind: 'snapshot'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'file'; call: FileCall }
  | { kind: 'output'; name: 'stdout' | 'stderr'; text: string }
  | { kind: 'watch'; ms: number; cancelPath: string }
  | { kind: 'unwatch' }
  | { kind: 'end'; events: Record<string, unknown>[] }
  | { kind: 'died'; message: string };

/** What a thread is told: code to run, in a folder. */
export interface Run {
  code: string;
  cwd: string;
}

const REASONS = [undefined, 'timeout', 'cancelled'] as const;
export const REASON_NUMBERS = { timeout: 1, cancelled: 2 } as const;

/** Bytes of output of one execution that are sent on. */
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;
const BASE = 'https://pyodide.invalid/';
const HOME = '/home/user';

interface Scope {
  onmessage: ((event: MessageEvent<Begin>) => void) | null;
  [name: string]: unknown;
}

const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data }) => {
  scope.onmessage = null;
  const say = (said: Said) => data.port.postMessage(said);
  begin(data, say).catch((error: unknown) => say({ kind: 'died', message: String(error) }));
};

async function begin(data: Begin, say: (said: Said) => void): Promise<void> {
  // Without these Pyodide takes this for a browser's thread and asks `fetch` for its files.
  for (const name of ['Deno', 'process', 'Buffer', 'global', 'Worker', 'close', 'prompt']) {
    delete scope[name];
  }
  const quiet = () => {};
  // A promise that code leaves alone would end the thread.
  addEventListener('unhandledrejection', (event) => event.preventDefault());
  // The console writes to the pipe that the service reads.
  scope.console = { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet };
  const pyodide = await load(data);
  if (data.snapshot === null) {
    pyodide.runPython(preludeLoader(data.prelude));
    const bytes = pyodide.makeMemorySnapshot();
    say({ kind: 'snapshot', bytes });
    return;
  }
  serve(pyodide, { data, say });
}

async function load({ parts, snapshot }: Begin): Promise<Pyodide> {
  const asUrl = (source: string) =>
    URL.createObjectURL(new Blob([source], { type: 'application/javascript' }));
  const {
    fetch,
    WebAssembly: { instantiateStreaming },
  } = globalThis;
  globalThis.fetch = async () => new Response(parts.library);
  globalThis.WebAssembly.instantiateStreaming = async (_response, imports) => ({
    module: parts.wasm,
    instance: await WebAssembly.instantiate(parts.wasm, imports),
  });
  const { loadPyodide } = await import(asUrl(parts.script));
  const { default: createPyodideModule } = await import(asUrl(parts.module));
  const pyodide: Pyodide = await loadPyodide({
    indexURL: BASE,
    createPyodideModule,
    // Packages would come from a network that is not there.
    lockFileContents: { ...JSON.parse(parts.lock), packages: {} },
    env: { HOME, USER: 'user', LOGNAME: 'user', LANG: 'C.UTF-8' },
    ...(snapshot === null ? { _makeSnapshot: true } : { _loadSnapshot: snapshot }),
  });
  Object.assign(globalThis, { fetch });
  Object.assign(WebAssembly, { instantiateStreaming });
  return pyodide;
}

/** Runs the prelude as the module `stride_kernel`. A JSON string literal is a valid Python one. */
function preludeLoader(source: string): string {
  return [
    'import sys, types',
    'stride_kernel = sys.modules["stride_kernel"] = types.ModuleType("stride_kernel")',
    `exec(compile(${JSON.stringify(source)}, "<kernel>", "exec"), stride_kernel.__dict__)`,
    'del stride_kernel, types, sys',
  ].join('\n');
}

function serve(pyodide: Pyodide, { data, say }: { data: Begin; say: (said: Said) => void }) {
  const { port, channel, folders } = data;
  const signal = new Uint8Array(data.interrupts, 0, 1);
  const reason = new Int32Array(data.interrupts, 4, 1);
  mountFiles(pyodide.FS, { folders, channel, send: (call) => say({ kind: 'file', call }) });
  pyodide.FS.chdir(HOME);
  pyodide.setStdin({ stdin: () => null });
  const outputs = (['stdout', 'stderr'] as const).map((name) => createOutput(name, say));
  const [stdout, stderr] = outputs;
  if (stdout) pyodide.setStdout(stdout);
  if (stderr) pyodide.setStderr(stderr);
  pyodide.setInterruptBuffer(signal);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  pyodide.registerJsModule('stride_host', {
    /** Blocks without using the processor; Python sleeps in small pieces and hears signals. */
    pause: (ms: number) => Atomics.wait(pause, 0, 0, ms),
    watch(seconds: number, cancelPath: string) {
      Atomics.store(reason, 0, 0);
      say({ kind: 'watch', ms: seconds * 1000, cancelPath });
    },
    unwatch() {
      say({ kind: 'unwatch' });
      Atomics.store(signal, 0, 0);
      return REASONS[Atomics.load(reason, 0)];
    },
  });
  const kernel = pyodide.pyimport('stride_kernel');
  const version = String(kernel.begin?.() ?? '');
  port.onmessage = ({ data: run }: MessageEvent<Run>) => {
    for (const output of outputs) output.sent = 0;
    try {
      const events = JSON.parse(String(kernel.execute?.(run.code, run.cwd)));
      say({ kind: 'end', events });
    } catch (error) {
      // Python itself has ended (os._exit, a stack that is full): a new one is needed.
      say({ kind: 'died', message: String(error) });
    }
  };
  say({ kind: 'ready', version });
}

function createOutput(name: 'stdout' | 'stderr', say: (said: Said) => void) {
  const decoder = new TextDecoder();
  const output = {
    isatty: false,
    sent: 0,
    write(bytes: Uint8Array) {
      const room = MAX_OUTPUT_BYTES - output.sent;
      output.sent += bytes.length;
      if (room > 0) {
        const text = decoder.decode(bytes.slice(0, room), { stream: true });
        say({ kind: 'output', name, text });
        if (bytes.length >= room) {
          const rest = '\n[... output above the limit is left out ...]\n';
          say({ kind: 'output', name, text: rest });
        }
      }
      return bytes.length;
    },
  };
  return output;
}
