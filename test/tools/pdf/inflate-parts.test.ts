import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflateParts } from '../../../src/tools/pdf/inflate-parts.ts';

function inflated(packed: Uint8Array, max = Number.POSITIVE_INFINITY): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  inflateParts(packed, (part) => {
    parts.push(Buffer.from(part));
    size += part.length;
    return size < max;
  });
  return Buffer.concat(parts);
}

/** Words and numbers in an order that repeats now near, now far. */
function sample(bytes: number): Buffer {
  let seed = 7;
  let text = '';
  while (text.length < bytes) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += seed % 3 === 0 ? 'the quick brown fox ' : `${seed % 1_000} `;
  }
  return Buffer.from(text.slice(0, bytes));
}

describe('inflateParts', () => {
  it.each([0, 1, 100, 32_767, 32_768, 32_769, 400_000])('gives back %i bytes', (bytes) => {
    expect(inflated(deflateSync(sample(bytes)))).toEqual(sample(bytes));
  });

  it.each([
    ['stored blocks', { level: 0 }],
    ['fixed codes', { strategy: constants.Z_FIXED }],
    ['literals only', { strategy: constants.Z_HUFFMAN_ONLY }],
    ['runs', { strategy: constants.Z_RLE }],
    ['a small window', { windowBits: 9 }],
    ['the best packing', { level: 9 }],
  ])('reads %s', (_, options) => {
    const data = Buffer.concat([sample(70_000), Buffer.alloc(70_000), sample(90_000)]);
    expect(inflated(deflateSync(data, options))).toEqual(data);
  });

  it('reads bytes of all values', () => {
    const data = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * at * 31) >> 3));
    expect(inflated(deflateSync(data))).toEqual(data);
  });

  it('stops when nobody wants more', () => {
    expect(inflated(deflateSync(Buffer.alloc(10_000_000)), 60_000)).toHaveLength(65_536);
  });

  it('gives what comes before the end of a file that was cut off', () => {
    const data = sample(100_000);
    const got = inflated(deflateSync(data).subarray(0, 20_000));
    expect(got.length).toBeGreaterThan(30_000);
    // The bits beyond the end may still make a few signs.
    expect(got.subarray(0, -16)).toEqual(data.subarray(0, got.length - 16));
  });

  it('ends at damage', () => {
    expect(inflated(Buffer.from('789cffffffffff', 'hex'))).toHaveLength(0);
    // A stored block of two bytes, then one of a type that does not exist.
    expect(inflated(Buffer.from('789c000200fdff414207', 'hex')).toString()).toBe('AB');
  });
});
