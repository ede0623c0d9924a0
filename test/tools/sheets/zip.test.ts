import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../src/errors.ts';
import { isDamage, openZip, type Zip } from '../../../src/tools/sheets/zip.ts';

const TEXT = 'name,price\n'.repeat(5_000);

function archive(files: Record<string, Uint8Array>, level: 0 | 9 = 9): Uint8Array<ArrayBuffer> {
  return zipSync(files, { level });
}

function textOf(zip: Zip, name: string): string {
  return new TextDecoder().decode(zip.read(name, { maxBytes: 1_000_000 }));
}

/** Where the `nth` header with these two letters and numbers starts. */
function headerAt(bytes: Uint8Array, signature: number[], nth = 0): number {
  let found = -1;
  for (let at = 0; at + 4 <= bytes.length; at += 1) {
    if (signature.every((byte, index) => bytes[at + index] === byte)) found += 1;
    if (found === nth) return at;
  }
  throw new Error('no such header');
}

const LOCAL = [0x50, 0x4b, 3, 4];
const CENTRAL = [0x50, 0x4b, 1, 2];
const END = [0x50, 0x4b, 5, 6];

function changed(bytes: Uint8Array, at: number, values: number[]): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  copy.set(values, at);
  return copy;
}

function errorOf(run: () => unknown): StrideError {
  try {
    run();
  } catch (error) {
    if (error instanceof StrideError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('openZip', () => {
  it('lists packed and stored entries and reads them whole', () => {
    for (const level of [0, 9] as const) {
      const zip = openZip(
        archive({ 'a/one.txt': strToU8(TEXT), two: strToU8('2') }, level),
        'x.zip',
      );
      expect(zip.names).toEqual(['a/one.txt', 'two']);
      expect([zip.total, zip.size('a/one.txt'), zip.size('none')]).toEqual([
        TEXT.length + 1,
        TEXT.length,
        0,
      ]);
      expect([zip.repaired, zip.encrypted]).toEqual([false, false]);
      expect(textOf(zip, 'a/one.txt')).toBe(TEXT);
    }
  });

  it('finds a name in any case, with backslashes, and with a slash in front', () => {
    const zip = openZip(archive({ 'xl\\Sheet1.xml': strToU8('s') }), 'x.zip');
    expect(zip.names).toEqual(['xl/Sheet1.xml']);
    expect(
      ['XL/sheet1.XML', '/xl/Sheet1.xml', 'xl\\sheet1.xml', 'Sheet1.xml'].map(zip.has),
    ).toEqual([true, true, true, false]);
  });

  it('reads a zip with bytes before and behind it', () => {
    const inner = archive({ one: strToU8(TEXT) });
    const padded = new Uint8Array(inner.length + 300);
    padded.set(inner, 200);
    const zip = openZip(padded, 'x.zip');
    expect(zip.repaired).toBe(false);
    expect(textOf(zip, 'one')).toBe(TEXT);
  });

  it('gives pieces of at most 64 KB, and unpacks nothing that is not asked for', () => {
    const zip = openZip(archive({ zeros: new Uint8Array(3_000_000) }), 'x.zip');
    const sizes = [...zip.chunks('zeros')].map((chunk) => chunk.length);
    expect(Math.max(...sizes)).toBe(64 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_000_000);
    const [first] = zip.chunks('zeros');
    expect(first?.length).toBe(64 * 1024);
  });

  it('reads what a cut file still holds by the headers of the entries, and says so', () => {
    const bytes = archive({ one: strToU8(TEXT), two: strToU8('second'), three: strToU8(TEXT) });
    const zip = openZip(bytes.subarray(0, headerAt(bytes, CENTRAL) - 20), 'x.zip');
    expect([zip.repaired, zip.names]).toEqual([true, ['one', 'two', 'three']]);
    expect([textOf(zip, 'one'), textOf(zip, 'two')]).toEqual([TEXT, 'second']);
    const pieces: Uint8Array[] = [];
    const error = errorOf(() => {
      for (const piece of zip.chunks('three')) pieces.push(piece);
    });
    expect(isDamage(error)).toBe(true);
    expect(error.message).toMatch(
      /^x\.zip is cut off: three ends too early; ask for the file again/,
    );
    expect(pieces.length).toBeGreaterThan(0);
  });

  it('reads an entry without sizes in its header by the descriptor behind it', () => {
    // As a writer that streams leaves it: flag 8, no sizes, then crc, packed and unpacked size.
    const bytes = archive({ one: strToU8(TEXT) });
    const at = headerAt(bytes, LOCAL);
    const end = headerAt(bytes, CENTRAL);
    const sums = bytes.slice(at + 14, at + 26);
    const streamed = new Uint8Array(end + 16);
    streamed.set(bytes.subarray(0, end));
    streamed.set([8, 0], at + 6);
    streamed.fill(0, at + 14, at + 26);
    streamed.set([0x50, 0x4b, 7, 8], end);
    streamed.set(sums, end + 4);
    const zip = openZip(streamed, 'x.zip');
    expect([zip.repaired, zip.size('one')]).toEqual([true, TEXT.length]);
    expect(textOf(zip, 'one')).toBe(TEXT);
  });

  it('reads sizes and places that are kept in 64 bits', () => {
    const bytes = archive({ one: strToU8(TEXT) });
    const central = headerAt(bytes, CENTRAL);
    const end = headerAt(bytes, END);
    const view = new DataView(bytes.buffer);
    const wide = new DataView(new ArrayBuffer(28));
    wide.setUint16(0, 1, true);
    wide.setUint16(2, 24, true);
    wide.setBigUint64(4, BigInt(view.getUint32(central + 24, true)), true);
    wide.setBigUint64(12, BigInt(view.getUint32(central + 20, true)), true);
    wide.setBigUint64(20, BigInt(view.getUint32(central + 42, true)), true);
    const all = new Uint8Array(bytes.length + 28);
    all.set(bytes.subarray(0, end));
    all.set(new Uint8Array(wide.buffer), end);
    all.set(bytes.subarray(end), end + 28);
    for (const field of [20, 24, 42]) all.fill(0xff, central + field, central + field + 4);
    all.set([28, 0], central + 30);
    new DataView(all.buffer).setUint32(end + 28 + 12, end - central + 28, true);
    const zip = openZip(all, 'x.zip');
    expect([zip.repaired, zip.size('one')]).toEqual([false, TEXT.length]);
    expect(textOf(zip, 'one')).toBe(TEXT);
  });

  it('says that an entry needs a password', () => {
    const bytes = archive({ one: strToU8(TEXT) });
    const locked = changed(bytes, headerAt(bytes, CENTRAL) + 8, [1, 0]);
    const zip = openZip(locked, 'x.zip');
    expect(zip.encrypted).toBe(true);
    expect(errorOf(() => textOf(zip, 'one')).message).toMatch(/^x\.zip is protected by a password/);
  });

  it('tells a wrong checksum and corrupt data from an unusual way of packing', () => {
    const bytes = archive({ one: strToU8(TEXT) });
    const central = headerAt(bytes, CENTRAL);
    const checksum = errorOf(() =>
      textOf(openZip(changed(bytes, central + 16, [1, 2, 3, 4]), 'x.zip'), 'one'),
    );
    expect(checksum.message).toContain('the checksum of one does not match');
    expect(isDamage(checksum)).toBe(true);
    const start = headerAt(bytes, LOCAL) + 33;
    const corrupt = errorOf(() =>
      textOf(openZip(changed(bytes, start, [0xff, 0xff, 0xff]), 'x.zip'), 'one'),
    );
    expect(corrupt.message).toContain('one cannot be unpacked to its end');
    expect(isDamage(corrupt)).toBe(true);
    const lzma = errorOf(() =>
      textOf(openZip(changed(bytes, central + 10, [14, 0]), 'x.zip'), 'one'),
    );
    expect(lzma.message).toBe(
      'x.zip is packed in an unusual way (one: zip method 14); unpack it with execute_python.',
    );
    expect(isDamage(lzma)).toBe(false);
  });

  it('refuses a part larger than asked for', () => {
    const zip = openZip(archive({ one: strToU8(TEXT) }), 'x.zip');
    expect(errorOf(() => zip.read('one', { maxBytes: 100 })).message).toMatch(
      /^x\.zip holds a part \(one\)/,
    );
    expect(errorOf(() => zip.read('two', { maxBytes: 100 })).message).toMatch(
      /^x\.zip has no part two/,
    );
  });

  it('refuses what is no zip, and a zip of which nothing is left', () => {
    for (const bytes of [
      new Uint8Array(0),
      strToU8('<html>not found</html>'),
      strToU8('PK\u0003\u0004'),
    ]) {
      expect(errorOf(() => openZip(bytes, 'x.zip')).message).toMatch(
        /^x\.zip is not a whole zip file/,
      );
    }
  });

  it('refuses a bomb by what it declares, before anything is unpacked', () => {
    const bytes = archive({ zeros: new Uint8Array(30_000_000) });
    expect(errorOf(() => openZip(bytes, 'x.zip')).message).toMatch(
      /^x\.zip would unpack to 29 MB from \d+ KB, which no real document does/,
    );
  });

  it('refuses one entry listed many times', () => {
    const bytes = archive({ zeros: new Uint8Array(900_000) });
    const central = headerAt(bytes, CENTRAL);
    const end = headerAt(bytes, END);
    const entry = bytes.slice(central, end);
    const many = new Uint8Array(central + entry.length * 600 + 22);
    many.set(bytes.subarray(0, central));
    for (let copy = 0; copy < 600; copy += 1) many.set(entry, central + copy * entry.length);
    many.set(bytes.subarray(end), central + entry.length * 600);
    const view = new DataView(many.buffer);
    view.setUint32(central + entry.length * 600 + 12, entry.length * 600, true);
    expect(errorOf(() => openZip(many, 'x.zip')).message).toContain('would unpack to 515 MB');
  });

  it('stops an entry that gives more than it declares', () => {
    const bytes = archive({ zeros: new Uint8Array(15_000_000) });
    const zip = openZip(changed(bytes, headerAt(bytes, CENTRAL) + 24, [0, 16, 0, 0]), 'x.zip');
    expect(zip.total).toBe(4_096);
    let length = 0;
    const error = errorOf(() => {
      for (const chunk of zip.chunks('zeros')) length += chunk.length;
    });
    expect(length).toBeLessThanOrEqual(4_096);
    expect(error.message).toMatch(
      /^x\.zip is not what it says: zeros unpacks to more than the 4096 bytes/,
    );
    expect(isDamage(error)).toBe(false);
  });

  it('gives 64 MB in all, however often a part is asked for', () => {
    const zip = openZip(archive({ a: new Uint8Array(3 * 1024 * 1024) }, 0), 'x.zip');
    let opened = 0;
    const error = errorOf(() => {
      for (; opened < 100; opened++) for (const _ of zip.chunks('a'));
    });
    expect(opened).toBe(21);
    expect(error.message).toMatch(/^x\.zip takes more than 64 MB of unpacking to read/);
    expect(isDamage(error)).toBe(false);
  });

  it('counts the opening of a part, so that ten thousand small ones end too', () => {
    const zip = openZip(archive({ a: strToU8('x') }), 'x.zip');
    const error = errorOf(() => {
      for (let at = 0; at < 10_000; at++) for (const _ of zip.chunks('a'));
    });
    expect(error.code).toBe('too_large');
  });

  it('looks at the last end records only, and keeps the beginning of endless names', () => {
    const named = archive({ ['n'.repeat(60_000)]: strToU8('x') });
    expect(openZip(named, 'x.zip').names).toEqual(['n'.repeat(512)]);
    const whole = archive({ a: strToU8('x') });
    const end = whole.subarray(headerAt(whole, END));
    const broken = changed(end, 16, [0xff, 0xff, 0xff, 0x7f]);
    const many = new Uint8Array(whole.length + 1_000 * broken.length);
    many.set(whole);
    for (let at = 0; at < 1_000; at++) many.set(broken, whole.length + at * broken.length);
    expect(openZip(many, 'x.zip').repaired).toBe(true);
  });
});
