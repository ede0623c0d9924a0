import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Bitmap, encodePng } from '../../../src/tools/pdf/png.ts';

/** The samples of a PNG of 8 bits with the filters None, Sub and Up only. */
function decode(png: Uint8Array): { width: number; height: number; type: number; data: number[] } {
  const file = Buffer.from(png);
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const type = file[25] ?? 0;
  const step = type === 0 ? 1 : 3;
  const stride = width * step;
  const raw = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)));
  const data: number[] = [];
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const before =
        filter === 1
          ? x < step
            ? 0
            : (data[y * stride + x - step] ?? 0)
          : filter === 2 && y > 0
            ? (data[(y - 1) * stride + x] ?? 0)
            : 0;
      data.push(((raw[y * (stride + 1) + 1 + x] ?? 0) + before) & 0xff);
    }
  }
  return { width, height, type, data };
}

describe('encodePng', () => {
  it.each([1, 3] as const)('keeps every sample of %i channels', async (channels) => {
    const data = Uint8Array.from({ length: 7 * 5 * channels }, (_, index) => (index * 37) % 256);
    const bitmap: Bitmap = { width: 7, height: 5, channels, data };
    const decoded = decode(await encodePng(bitmap));
    expect(decoded).toEqual({ width: 7, height: 5, type: channels === 1 ? 0 : 2, data: [...data] });
  });

  it('ends with the checksum that every reader checks', async () => {
    const png = await encodePng({ width: 1, height: 1, channels: 1, data: new Uint8Array(1) });
    // The last chunk has no body, so its checksum is always the same.
    expect(Buffer.from(png.subarray(-12)).toString('hex')).toBe('0000000049454e44ae426082');
  });
});
