/**
 * R2 behind the `Objects` port. Objects are immutable, so a repeated put of a key writes the same
 * bytes. The only file besides index.ts that knows a Cloudflare type.
 */
import type { FixedLengthStream as FixedLengthStreamOf, R2Bucket } from '@cloudflare/workers-types';
import type { Objects } from './deps.ts';

/** R2 deletes at most this many keys a call, and lists as many. */
const MAX_DELETE_KEYS = 1000;
const MAX_LIST_KEYS = 1000;
const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

// A global of workerd, typed here because the project's own types are those of the web.
declare const FixedLengthStream: typeof FixedLengthStreamOf;

type Streams = {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
};

export function createObjects(bucket: R2Bucket): Objects {
  return {
    async get(key, range) {
      try {
        const object = await bucket.get(key, range ? { range } : {});
        return object && new Uint8Array(await object.arrayBuffer());
      } catch (error) {
        // R2 refuses a range that holds no byte (its emulation fails on it without a code); here
        // "nothing" is the fair answer.
        if (range && isEmptyRange(range, (await bucket.head(key))?.size ?? 0)) {
          return new Uint8Array();
        }
        throw error;
      }
    },

    async put(key, body, mediaType = DEFAULT_MEDIA_TYPE) {
      const options = { httpMetadata: { contentType: mediaType } };
      if (body instanceof Uint8Array) {
        await bucket.put(key, body, options);
        return;
      }
      // R2 wants the length up front; a sender who stops early or goes on makes the put fail whole.
      const fixed = new FixedLengthStream(body.bytes) as unknown as Streams;
      const piped = body.stream.pipeTo(fixed.writable);
      const stored = bucket.put(key, fixed.readable as never, options);
      const [pipe, put] = await Promise.allSettled([piped, stored]);
      if (pipe.status === 'rejected') throw pipe.reason;
      if (put.status === 'rejected') throw put.reason;
    },

    async stream(key) {
      const object = await bucket.get(key);
      if (!object) return null;
      return {
        body: object.body as unknown as ReadableStream<Uint8Array>,
        bytes: object.size,
        mediaType: object.httpMetadata?.contentType ?? DEFAULT_MEDIA_TYPE,
      };
    },

    async delete(keys) {
      for (let from = 0; from < keys.length; from += MAX_DELETE_KEYS) {
        await bucket.delete(keys.slice(from, from + MAX_DELETE_KEYS));
      }
    },

    async list(prefix, limit = Number.POSITIVE_INFINITY) {
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const wanted = Math.min(limit - keys.length, MAX_LIST_KEYS);
        const page = await bucket.list({ prefix, limit: wanted, ...(cursor ? { cursor } : {}) });
        keys.push(...page.objects.map(({ key }) => key));
        cursor = page.truncated ? page.cursor : undefined;
      } while (cursor !== undefined && keys.length < limit);
      return keys;
    },
  };
}

const isEmptyRange = (range: { offset: number; length: number }, size: number) =>
  range.length === 0 || range.offset >= size;
