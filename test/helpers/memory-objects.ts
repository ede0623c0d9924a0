/**
 * Objects (R2) in memory for tests: immutable keys, ranges, and a log of what was asked.
 */
import type { Objects, SizedStream } from '../../src/deps.ts';

export interface MemoryObjects extends Objects {
  /** Key → bytes, as stored. */
  readonly stored: Map<string, Uint8Array>;
  /** `get key offset+length`, `put key`, … in order. */
  readonly calls: string[];
}

export function createMemoryObjects(): MemoryObjects {
  const stored = new Map<string, Uint8Array>();
  const types = new Map<string, string>();
  const calls: string[] = [];
  return {
    stored,
    calls,
    async get(key, range) {
      calls.push(range === undefined ? `get ${key}` : `get ${key} ${range.offset}+${range.length}`);
      const bytes = stored.get(key);
      if (bytes === undefined) return null;
      // A copy, as over the wire: a reader that changes its bytes changes nothing here.
      return range === undefined
        ? bytes.slice()
        : bytes.slice(range.offset, range.offset + range.length);
    },
    async put(key, body, mediaType = 'application/octet-stream') {
      calls.push(`put ${key}`);
      const bytes = body instanceof Uint8Array ? body : await readSized(body);
      stored.set(key, bytes.slice());
      types.set(key, mediaType);
    },
    async stream(key) {
      const bytes = stored.get(key);
      if (bytes === undefined) return null;
      const body = new Blob([bytes.slice()]).stream();
      return { body, bytes: bytes.length, mediaType: types.get(key) ?? 'application/octet-stream' };
    },
    async delete(keys) {
      for (const key of keys) stored.delete(key);
    },
    async list(prefix, limit) {
      const keys = [...stored.keys()].filter((key) => key.startsWith(prefix)).sort();
      return keys.slice(0, limit);
    },
  };
}

/** As R2: a stream of another length than announced fails and stores nothing. */
async function readSized({ stream, bytes }: SizedStream): Promise<Uint8Array> {
  const read = new Uint8Array(await new Response(stream).arrayBuffer());
  if (read.length !== bytes) throw new Error(`the stream gave ${read.length} of ${bytes} bytes`);
  return read;
}
