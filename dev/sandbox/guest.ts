/**
 * The host's end of one sandbox: frames to and from guest/, requests matched by id, streams of
 * events, outgoing connections handed to egress.ts. What comes from a guest is not trusted: sizes
 * are bounded and it can name nothing but its own requests.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processLimit, SANDBOX_LIMITS, startSandboxed } from './bubblewrap.ts';
import { createEgress, type EgressRules } from './egress.ts';

const MAX_HEADER_BYTES = 16 * 1024 * 1024;
const GRACE_MS = 500;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const GUEST_PARTS = ['1_base', '2_processes', '3_kernels', '4_commands', '5_files', '6_frames'];
const GUEST = GUEST_PARTS.map((name) => read(`./guest/${name}.py`)).join('\n');
const KERNEL = read('./guest/kernel.py');

/** An answer other than success; `status` is the HTTP status that envd would give. */
export class GuestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'GuestError';
    this.status = status;
  }
}

export type Event = Record<string, unknown>;

export interface Guest {
  /** Outermost process of the sandbox. */
  pid: number;
  request(op: string, fields: Event, body?: Uint8Array): Promise<{ answer: Event; body: Buffer }>;
  /** Resolves at the end of the stream; `cancel` ends what runs for it. */
  stream(
    op: string,
    fields: Event,
    onEvent: (event: Event) => void,
  ): { done: Promise<void>; cancel(): void };
  /** Resolves once every process of the sandbox is gone. */
  kill(): Promise<void>;
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<void>;
}

interface Waiting {
  resolve(value: { answer: Event; body: Buffer }): void;
  reject(error: Error): void;
  onEvent?: (event: Event) => void;
}

interface GuestHeader {
  id?: number;
  ready?: boolean;
  answer?: Event;
  event?: Event;
  end?: boolean;
  error?: string;
  status?: number;
  connection?: number;
  state?: 'open' | 'data' | 'close';
}

/** Starts a sandbox and waits until it answers. */
export async function startGuest(options: {
  rules: EgressRules;
  commandEnv: Record<string, string>;
}): Promise<Guest> {
  const settings = {
    kernel: KERNEL,
    command_env: options.commandEnv,
    memory_bytes: SANDBOX_LIMITS.memoryBytes,
    processes: processLimit(),
  };
  const child = startSandboxed(GUEST, [JSON.stringify(settings)]);
  const waiting = new Map<number, Waiting>();
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => {
    errors = (errors + data).slice(-2_000);
  });
  child.stdin?.on('error', () => {});
  const send = (header: Event, body: Uint8Array = new Uint8Array()) =>
    writeFrame(child, header, body);
  const egress = createEgress(options.rules, (connection, state, data) =>
    send({ connection, state }, data),
  );
  const ended = new Promise<void>((resolve) => {
    const finish = () => {
      egress.close();
      for (const one of waiting.values()) one.reject(new GuestError(502, 'The sandbox is gone'));
      waiting.clear();
      resolve();
    };
    child.once('error', finish);
    child.once('close', finish);
  });
  const ready = new Promise<void>((resolve, reject) => {
    readFrames(child, (header, body) => {
      if (header.ready) resolve();
      else if (header.connection !== undefined && header.state) {
        egress.handle(header.connection, header.state, body);
      } else dispatch(waiting, header, body);
    });
    ended.then(() =>
      reject(new Error(`The sandbox did not start: ${errors.trim() || 'no output'}`)),
    );
  });
  await ready;
  return { pid: child.pid ?? 0, ended, ...requests(waiting, send), kill: () => kill(child, ended) };
}

function requests(
  waiting: Map<number, Waiting>,
  send: (header: Event, body?: Uint8Array) => void,
): Pick<Guest, 'request' | 'stream'> {
  let last = 0;
  const request: Guest['request'] = (op, fields, body) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      send({ id, op, ...fields }, body);
    });
  const stream: Guest['stream'] = (op, fields, onEvent) => {
    const id = ++last;
    const done = new Promise<void>((resolve, reject) => {
      waiting.set(id, { resolve: () => resolve(), reject, onEvent });
    });
    send({ id, op, ...fields });
    const cancel = () => {
      if (waiting.has(id)) request('cancel', { job: id }).catch(() => {});
    };
    return { done, cancel };
  };
  return { request, stream };
}

function dispatch(waiting: Map<number, Waiting>, header: GuestHeader, body: Buffer): void {
  const id = header.id ?? 0;
  const one = waiting.get(id);
  if (!one) return;
  if (header.event) {
    one.onEvent?.(header.event);
    return;
  }
  waiting.delete(id);
  if (header.error !== undefined) one.reject(new GuestError(header.status ?? 500, header.error));
  else one.resolve({ answer: header.answer ?? {}, body });
}

function writeFrame(child: ChildProcess, header: Event, body: Uint8Array): void {
  const head = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  if (child.stdin?.writable) child.stdin.write(Buffer.concat([lengths, head, body]));
}

function readFrames(
  child: ChildProcess,
  onFrame: (header: GuestHeader, body: Buffer) => void,
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  // Chunks are joined only once a frame is complete: a large body arrives in many.
  let needed = 8;
  child.stdout?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < needed) return;
    let buffer = Buffer.concat(chunks);
    needed = 8;
    while (buffer.length >= 8) {
      const [head, body] = [buffer.readUInt32BE(0), buffer.readUInt32BE(4)];
      if (head > MAX_HEADER_BYTES || body > MAX_BODY_BYTES) {
        child.kill('SIGKILL');
        return;
      }
      needed = 8 + head + body;
      if (buffer.length < needed) break;
      onFrame(
        parseHeader(child, buffer.toString('utf8', 8, 8 + head)),
        buffer.subarray(8 + head, needed),
      );
      buffer = buffer.subarray(needed);
      needed = 8;
    }
    chunks = [buffer];
    size = buffer.length;
  });
}

function parseHeader(child: ChildProcess, text: string): GuestHeader {
  try {
    return JSON.parse(text) as GuestHeader;
  } catch {
    child.kill('SIGKILL');
    return {};
  }
}

async function kill(child: ChildProcess, ended: Promise<void>): Promise<void> {
  // The guest ends with its stdin and takes the PID namespace with it; if it cannot, the outer
  // bwrap's death does the same.
  child.stdin?.destroy();
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
