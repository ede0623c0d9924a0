/**
 * Runs in a Deno process that may read these files and Pyodide's, and nothing else: does for one
 * sandbox what envd and the code interpreter do in a real one. Frames over stdin and stdout, both
 * ways: two 4-byte big-endian lengths, a JSON header, a body. Ends when stdin ends.
 */
import { Failure, type Fields, fileOperations, HOME, type Operation } from './file-api.ts';
import { CHANNEL_BYTES } from './file-calls.ts';
import { createFiles, FileError } from './files.ts';
import { createContexts, type Material, startThread } from './kernels.ts';
import type { Begin, Said } from './worker.ts';

/** What is used of Deno's own API; everything else here is a web standard. */
declare const Deno: {
  args: string[];
  exit(code: number): never;
  readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
  readTextFile(path: URL): Promise<string>;
  stdin: { read(into: Uint8Array): Promise<number | null> };
  stdout: { writeSync(bytes: Uint8Array): number };
};

/** Arguments: the folder of Pyodide as a file URL, and the limits as JSON. */
interface Limits {
  bytes: number;
  entries: number;
}

const STATUS: Partial<Record<FileError['fault'], number>> = {
  ENOENT: 404,
  EEXIST: 409,
  ENOSPC: 507,
};
const KEPT_BYTES = 1024 * 1024;
const NO_COMMANDS =
  'This Python has the standard library only and no package index: packages cannot be installed ' +
  'and other programs cannot be run here. Use what the standard library offers.';

function send(header: Fields, body: Uint8Array = new Uint8Array(0)): void {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const frame = new Uint8Array(8 + head.length + body.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, head.length);
  view.setUint32(4, body.length);
  frame.set(head, 8);
  frame.set(body, 8 + head.length);
  for (let at = 0; at < frame.length; ) at += Deno.stdout.writeSync(frame.subarray(at));
}

async function readParts(folder: URL): Promise<Begin['parts']> {
  const at = (name: string) => new URL(name, folder);
  const [script, module, lock, wasm, library] = await Promise.all([
    Deno.readTextFile(at('pyodide.mjs')),
    Deno.readTextFile(at('pyodide.asm.mjs')),
    Deno.readTextFile(at('pyodide-lock.json')),
    Deno.readFile(at('pyodide.asm.wasm')),
    Deno.readFile(at('python_stdlib.zip')),
  ]);
  return { script, module, lock, library, wasm: await WebAssembly.compile(wasm) };
}

/** A copy that every thread can read, where a message would copy it for each. */
function share(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Loads Pyodide once without a snapshot, which takes seconds, and returns the memory it has then. */
function makeSnapshot(material: Material): Promise<Uint8Array> {
  const shared = {
    channel: new SharedArrayBuffer(CHANNEL_BYTES),
    interrupts: new SharedArrayBuffer(8),
  };
  const { worker, port } = startThread({ ...material, snapshot: null }, shared);
  return new Promise((resolve, reject) => {
    port.onmessage = ({ data: said }: MessageEvent<Said>) => {
      if (said.kind === 'snapshot') resolve(said.bytes);
      else if (said.kind === 'died') reject(new Error(said.message));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
}

/** Commands are part of the protocol; each ends at once and says why. */
function refuseCommand(id: number): void {
  const text = btoa(`${NO_COMMANDS}\n`);
  send({ id, event: { start: { pid: 1 } } });
  send({ id, event: { data: { stderr: text } } });
  const status = 'exit status 127';
  send({ id, event: { end: { exitCode: 127, exited: true, status, error: status } } });
  send({ id, end: true });
}

const [folder = '', limitsText = '{}'] = Deno.args;
const limits = JSON.parse(limitsText) as Limits;
const files = createFiles(limits);
files.ensureFolder(HOME);
files.ensureFolder('/tmp');
const byName: Record<string, Operation> = fileOperations(files);
let contexts: ReturnType<typeof createContexts> | null = null;

async function handle(id: number, { op, ...fields }: Fields, body: Uint8Array) {
  if (op === 'make_snapshot' || op === 'begin') {
    const parts = await readParts(new URL(folder));
    const material = { parts, prelude: String(fields.prelude ?? ''), snapshot: share(body) };
    if (op === 'make_snapshot') return makeSnapshot(material);
    contexts = createContexts({ material, files, emit: (to, said) => send({ id: to, ...said }) });
    return { version: await contexts.begin() };
  }
  const operation = byName[String(op)];
  if (operation) return operation(fields, body);
  if (contexts === null) throw new Failure(400, 'The sandbox has not begun');
  switch (op) {
    case 'execute':
      contexts.execute(id, fields);
      return null;
    case 'start':
      refuseCommand(id);
      return null;
    case 'restart':
      return contexts.restart(fields);
    case 'create_context':
      return contexts.create(fields);
    case 'remove_context':
      return contexts.remove(fields);
    case 'list_contexts':
      return contexts.list();
    case 'cancel':
      return contexts.cancel(fields);
    default:
      throw new Failure(404, 'There is no such process');
  }
}

async function answer(header: Fields, body: Uint8Array): Promise<void> {
  const id = Number(header.id);
  try {
    const value = await handle(id, header, body);
    if (value instanceof Uint8Array) send({ id, answer: {} }, value);
    else if (value !== null) send({ id, answer: value });
  } catch (error) {
    const isFault = error instanceof FileError;
    const status = isFault
      ? (STATUS[error.fault] ?? 400)
      : error instanceof Failure
        ? error.status
        : 500;
    const isMissing = isFault && error.fault === 'ENOENT';
    const path = String(header.path ?? header.source ?? '');
    const message = error instanceof Error ? error.message : String(error);
    send({ id, error: isMissing ? `path not found: ${path}` : message, status });
  }
}

async function readFrames(): Promise<void> {
  let buffer = new Uint8Array(64 * 1024);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
    const count = await Deno.stdin.read(buffer.subarray(filled));
    if (count === null) return;
    filled += count;
    for (;;) {
      if (filled < 8) break;
      const view = new DataView(buffer.buffer);
      const [head, body] = [view.getUint32(0), view.getUint32(4)];
      const size = 8 + head + body;
      if (filled < size) {
        if (buffer.length < size) {
          const larger = new Uint8Array(size);
          larger.set(buffer.subarray(0, filled));
          buffer = larger;
        }
        break;
      }
      const header = JSON.parse(new TextDecoder().decode(buffer.subarray(8, 8 + head)));
      const content = buffer.slice(8 + head, size);
      buffer.copyWithin(0, size, filled);
      filled -= size;
      void answer(header, content);
    }
    // A frame of many megabytes (the snapshot) needs no lasting room.
    if (filled === 0 && buffer.length > KEPT_BYTES) buffer = new Uint8Array(64 * 1024);
  }
}

send({ ready: true });
await readFrames();
Deno.exit(0);
