import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findBomb } from '../../../src/tools/pdf/bombs.ts';
import { findStreams } from '../../../src/tools/pdf/streams.ts';
import { image, makePdf, type PdfObject, pagesPdf } from './make-pdf.ts';

const signal = new AbortController().signal;
const flate = (data: Uint8Array) => new Uint8Array(deflateSync(data, { level: 9 }));
const withStream = (dictionary: string, data: Uint8Array | string) =>
  makePdf(['<</Type/Catalog>>', { dictionary, data }]);

describe('findBomb', () => {
  it.each([
    ['one round of DEFLATE', '/Filter/FlateDecode', flate(new Uint8Array(40_000_000))],
    ['two rounds', '/Filter[/FlateDecode/FlateDecode]', flate(flate(new Uint8Array(40_000_000)))],
    ['an escaped name', '/Filter/#46lateDecode', flate(new Uint8Array(40_000_000))],
    ['a filter by its short name', '/Filter/Fl', flate(new Uint8Array(40_000_000))],
  ])('finds %s', async (_, dictionary, data) => {
    const found = await findBomb(withStream(dictionary, data), { images: false, signal });
    expect(found).toBe('a part of it unpacks to more than 16 MB');
  });

  it.each([
    ['<</Type/Font/W[0 2000000000 500]>>', true],
    ['<</Type/Font/W2 [ 1 [500 600] 5 9999999 1 2 3]>>', true],
    ['<</Type/Font/FirstChar 0/LastChar 4000000000>>', true],
    ['<</Type/Font/W[1[500 600]3 10 700]/FirstChar 32/LastChar 255>>', false],
  ])('knows widths without end from widths: %s', async (font, isBomb) => {
    const found = await findBomb(makePdf(['<</Type/Catalog>>', font]), { images: false, signal });
    expect(found).toBe(isBomb ? 'a font of it lists widths of millions of letters' : null);
  });

  it('finds it behind hexadecimal digits', async () => {
    const hex = Buffer.from(flate(new Uint8Array(40_000_000))).toString('hex');
    const bytes = withStream('/Filter[/ASCIIHexDecode/FlateDecode]', `${hex}>`);
    expect(await findBomb(bytes, { images: false, signal })).toMatch(/more than 16 MB/);
  });

  it('finds drawing states nested without end, packed or plain', async () => {
    const nested = 'q '.repeat(5_000);
    for (const bytes of [
      withStream('', nested),
      withStream('/Filter/FlateDecode', flate(Buffer.from(nested))),
    ]) {
      expect(await findBomb(bytes, { images: false, signal })).toMatch(/nested thousands deep/);
    }
    const balanced = withStream('', 'q Q '.repeat(5_000));
    expect(await findBomb(balanced, { images: false, signal })).toBeNull();
  });

  it('looks at images only when they are to be unpacked', async () => {
    const bytes = pagesPdf([{ content: '' }], {
      others: [image('/Width 9/Height 9/BitsPerComponent 8', new Uint8Array(60_000_000))],
    });
    expect(await findBomb(bytes, { images: false, signal })).toBeNull();
    expect(await findBomb(bytes, { images: true, signal })).toMatch(/more than 48 MB/);
  });

  it('stops when it is cancelled', async () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    const bytes = withStream('/Filter/FlateDecode', flate(new Uint8Array(30_000_000)));
    await expect(findBomb(bytes, { images: false, signal: cancelled })).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('findStreams', () => {
  it('tells place, filters and size of an image without unpacking it', () => {
    const picture: PdfObject = {
      dictionary: '/Subtype/Image/Width 30/Height 20/BitsPerComponent 1/Filter[/A85 /DCT]',
      data: 'streaming\nendstream is a word in it',
    };
    const bytes = makePdf(['<</Type/Catalog>>', picture]);
    const [stream, ...others] = [...findStreams(bytes)];
    expect(others).toEqual([]);
    expect(stream?.filters).toEqual(['ASCII85Decode', 'DCTDecode']);
    expect(stream?.image).toEqual({ width: 30, height: 20, bits: 1, grey: false });
    const body = Buffer.from(bytes.subarray(stream?.start, stream?.end)).toString();
    expect(body).toBe('streaming\nendstream is a word in it');
  });
});
