/** R2 as the simulation has it: one bucket for the world, reached over the transport. */
import type { Objects } from '../../src/deps.ts';
import { StrideError } from '../../src/errors.ts';
import type { Process } from './scheduler.ts';
import type { Transport } from './transport.ts';

export interface Bucket {
  readonly stored: Map<string, { bytes: Uint8Array; putAt: number }>;
  objects(process: Process): Objects;
}

export function createBucket({
  transport,
  now,
  isDown,
}: {
  transport: Transport;
  now: () => number;
  /** Out of reach: nothing is carried out. */
  isDown: () => boolean;
}): Bucket {
  const stored: Bucket['stored'] = new Map();

  function call<T>(process: Process, label: string, apply: () => T): Promise<T> {
    return transport.call(process, `r2 ${label}`, () => {
      if (isDown()) throw new StrideError('unavailable', 'R2 did not answer in time.');
      return apply();
    });
  }

  return {
    stored,
    objects: (process) => ({
      get: (key, range) =>
        call(process, `get ${kindOf(key)}`, () => {
          const bytes = stored.get(key)?.bytes;
          if (!bytes) return null;
          return range ? bytes.slice(range.offset, range.offset + range.length) : bytes.slice();
        }),
      put(key, body) {
        if (!(body instanceof Uint8Array)) throw new Error('the loop puts whole objects only');
        const bytes = body.slice();
        return call(process, `put ${kindOf(key)}`, () => {
          stored.set(key, { bytes, putAt: now() });
        });
      },
      stream: () => Promise.reject(new Error('the loop streams nothing')),
      delete: (keys) =>
        call(process, `delete ${kindOf(keys.at(-1) ?? '')}`, () => {
          for (const key of keys) stored.delete(key);
        }),
      list: (prefix, limit) =>
        call(process, `list ${kindOf(prefix)}`, () =>
          [...stored.keys()]
            .filter((key) => key.startsWith(prefix))
            .sort()
            .slice(0, limit),
        ),
    }),
  };
}

const kindOf = (key: string) => key.split('/', 1)[0] ?? '';
