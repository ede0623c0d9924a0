/**
 * Frames to and from the process that serves one sandbox, requests matched by id, streams of events.
 * What comes from it is not trusted: sizes are bounded and it can name nothing but its own requests.
 */
import type { ChildProcess } from 'node:child_process';

const MAX_HEADER_BYTES = 16 * 1024 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of one stream: a full output in JSON at its longest. */
const MAX_EVENT_BYTES = 160 * 1024 * 1024;
/** Answers to nothing that was asked. A few are late ones. */
const MAX_STRAY_FRAMES = 1_000;
const GRACE_MS = 500;

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
  eventBytes: number;
}

export interface GuestHeader {
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

/**
 * Waits until the sandbox behind a process answers. `onFrame` gets first look at each frame and
 * returns true for those that are its own; `onEnd` is called once when the process is gone.
 */
export async function linkGuest(
  child: ChildProcess,
  options: { onFrame?: (header: GuestHeader, body: Buffer) => boolean; onEnd?: () => void } = {},
): Promise<Guest> {
  const waiting = new Map<number, Waiting>();
  let errors = '';
  let strays = 0;
  let over = false;
  child.stderr?.on('data', (data: Buffer) => {
    errors = (errors + data).slice(-2_000);
  });
  child.stdin?.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    const finish = () => {
      over = true;
      options.onEnd?.();
      for (const one of waiting.values()) one.reject(new GuestError(502, 'The sandbox is gone'));
      waiting.clear();
      resolve();
    };
    child.once('error', finish);
    child.once('close', finish);
  });
  const ready = new Promise<void>((resolve, reject) => {
    readFrames(child, (frame) => {
      if (frame.header.ready) resolve();
      else if (options.onFrame?.(frame.header, frame.body)) return;
      else strays += dispatch(waiting, frame);
      if (strays > MAX_STRAY_FRAMES) child.kill('SIGKILL');
    });
    ended.then(() =>
      reject(new Error(`The sandbox did not start: ${errors.trim() || 'no output'}`)),
    );
  });
  await ready;
  const send = (header: Event, body?: Uint8Array) => {
    if (over) {
      waiting.get(Number(header.id))?.reject(new GuestError(502, 'The sandbox is gone'));
      waiting.delete(Number(header.id));
    } else writeFrame(child, header, body);
  };
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
      waiting.set(id, { resolve, reject, eventBytes: 0 });
      send({ id, op, ...fields }, body);
    });
  const stream: Guest['stream'] = (op, fields, onEvent) => {
    const id = ++last;
    const done = new Promise<void>((resolve, reject) => {
      waiting.set(id, { resolve: () => resolve(), reject, onEvent, eventBytes: 0 });
    });
    send({ id, op, ...fields });
    const cancel = () => {
      if (waiting.has(id)) request('cancel', { job: id }).catch(() => {});
    };
    return { done, cancel };
  };
  return { request, stream };
}

/** How much the frame counts as stray: 1 when it was not asked for, all when it is too much. */
function dispatch(
  waiting: Map<number, Waiting>,
  frame: { header: GuestHeader; body: Buffer; bytes: number },
): number {
  const { header, body } = frame;
  const id = header.id ?? 0;
  const one = waiting.get(id);
  if (!one) return 1;
  if (header.event) {
    one.eventBytes += frame.bytes;
    if (one.eventBytes > MAX_EVENT_BYTES) return Number.POSITIVE_INFINITY;
    one.onEvent?.(header.event);
    return 0;
  }
  waiting.delete(id);
  if (header.error !== undefined) one.reject(new GuestError(header.status ?? 500, header.error));
  else one.resolve({ answer: header.answer ?? {}, body });
  return 0;
}

export function writeFrame(
  child: ChildProcess,
  header: Event,
  body: Uint8Array = new Uint8Array(0),
): void {
  const head = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  if (child.stdin?.writable) child.stdin.write(Buffer.concat([lengths, head, body]));
}

function readFrames(
  child: ChildProcess,
  onFrame: (frame: { header: GuestHeader; body: Buffer; bytes: number }) => void,
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
      onFrame({
        header: parseHeader(child, buffer.toString('utf8', 8, 8 + head)),
        body: buffer.subarray(8 + head, needed),
        bytes: needed,
      });
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
  // The guest ends with its stdin (and takes a PID namespace with it); if it cannot, the death of
  // the process does the same.
  child.stdin?.destroy();
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
