// The write log of the embedded engine: what was recorded since the last write goes out in one
// write and one fsync, and only then may anybody be told. When the file has grown to several times
// what the keys need, it is written anew beside and moved into place, which loses nothing at any
// moment: until the move the old file is whole, after it the new one.

import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EngineDown } from '../engine.ts';
import type { Effect } from './keyspace.ts';
import { decodeLog, encodeRecord, HEADER } from './log-format.ts';

export interface WriteLog {
  /** Takes the effects of one call. They are on the disk when the next `flushed` resolves. */
  append(effects: Effect[]): void;
  /** Rejects with `EngineDown` when the disk refused: whether the write counts is then unknown. */
  flushed(): Promise<void>;
  /** Writes what is left and closes the file. */
  close(): Promise<void>;
}

export interface WriteLogOptions {
  dataDir: string;
  /** Takes what the log holds, record by record, before `openWriteLog` resolves. */
  replay: (effects: Effect[]) => void;
  /** Effects that make all present keys. */
  snapshot: () => Effect[];
  log: (line: string) => void;
  /** Default 8 MiB: below this the file is left to grow. */
  compactAboveBytes?: number;
}

const COMPACT_ABOVE_BYTES = 8 * 1024 * 1024;
const COMPACT_FACTOR = 2;
const FILE_NAME = 'embedded.log';

/** Throws a plain error when the file is damaged or cannot be written. */
export async function openWriteLog(options: WriteLogOptions): Promise<WriteLog> {
  const path = join(options.dataDir, FILE_NAME);
  // Left by a process that died while it wrote the file anew; the old one is whole.
  await rm(`${path}.new`, { force: true });
  const size = await recover(path, options);
  const file = size === null ? await rewrite(path, options.snapshot()) : await reopen(path, size);
  return createWriteLog(path, { ...file, options });
}

interface OpenLog {
  file: FileHandle;
  size: number;
}

/** Reads the log and cuts off what was not written whole. Its size, or null when there is none. */
async function recover(path: string, options: WriteLogOptions): Promise<number | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  try {
    const { records, wholeBytes } = decodeLog(bytes);
    for (const effects of records) options.replay(effects);
    const torn = bytes.length - wholeBytes;
    if (torn > 0) {
      options.log(`The last write to ${path} was cut off (${torn} bytes) and is left out`);
    }
    return wholeBytes;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The write log ${path} cannot be read: ${reason}. Move it away to start empty, or put a copy back.`,
    );
  }
}

async function reopen(path: string, size: number): Promise<OpenLog> {
  const file = await open(path, 'r+');
  await file.truncate(size);
  await file.datasync();
  return { file, size };
}

/** Writes all keys to a new file and moves it into place. */
async function rewrite(path: string, effects: Effect[]): Promise<OpenLog> {
  const parts = [HEADER, ...effects.map((effect) => encodeRecord([effect]))];
  const file = await open(`${path}.new`, 'w', 0o600);
  const bytes = Buffer.concat(parts);
  await file.writeFile(bytes);
  await file.sync();
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
  return { file, size: bytes.length };
}

/** A full disk takes a part and refuses the rest. */
async function writeAll(file: FileHandle, { bytes, at }: { bytes: Buffer; at: number }) {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function createWriteLog(path: string, start: OpenLog & { options: WriteLogOptions }): WriteLog {
  const { snapshot, log } = start.options;
  const compactAbove = start.options.compactAboveBytes ?? COMPACT_ABOVE_BYTES;
  let { file, size } = start;
  let compactAt = Math.max(compactAbove, size * COMPACT_FACTOR);
  let waiting: Buffer[] = [];
  /** Ends when everything recorded so far is on the disk; null when it already is. */
  let flush: Promise<void> | null = null;
  let failure: EngineDown | null = null;

  async function writeWaiting(): Promise<void> {
    // What was lost once would be a hole, whatever comes after it.
    if (failure) throw failure;
    // What is recorded in the same turn of the event loop goes out together.
    await new Promise((resolve) => setImmediate(resolve));
    const bytes = Buffer.concat(waiting);
    waiting = [];
    if (size + bytes.length > compactAt) {
      // The keys as they are now hold what is waiting, too.
      const old = file;
      ({ file, size } = await rewrite(path, snapshot()));
      await old.close();
      compactAt = Math.max(compactAbove, size * COMPACT_FACTOR);
      return;
    }
    await writeAll(file, { bytes, at: size });
    size += bytes.length;
    await file.datasync();
  }

  /** One write after the other; whoever comes meanwhile waits for the next one. */
  function flushSoon(): Promise<void> {
    const previous = flush ?? Promise.resolve();
    const next: Promise<void> = previous
      .then(() => (waiting.length > 0 ? writeWaiting() : undefined))
      .catch((error: unknown) => {
        if (failure === null) {
          failure = new EngineDown(describeFailure(path, error));
          log(failure.message);
        }
        throw failure;
      })
      .finally(() => {
        if (flush === next) flush = null;
      });
    return next;
  }

  return {
    append(effects) {
      waiting.push(encodeRecord(effects));
      flush = flushSoon();
      flush.catch(() => {});
    },
    async flushed() {
      if (failure) throw failure;
      await flush;
    },
    async close() {
      await flush?.catch(() => {});
      await file.close();
    },
  };
}

function describeFailure(path: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return `The write log ${path} cannot be written (${code}): make room or give access, then start again`;
}
