import { describe, expect, it } from 'vitest';
import type { Matrix, Samples } from '../../../src/tools/pdf/drawing.ts';
import { blankBitmap, paintImage, toGrey } from '../../../src/tools/pdf/raster.ts';

/** Page space to pixels of a page two points high: y turned round. */
const TURNED: Matrix = [1, 0, 0, -1, 0, 2];

/** Four pixels in two rows of two, each as its red value (others are alike in these tests). */
function painted(samples: Samples, options: { matrix?: Matrix; paint?: [number, number, number] }) {
  const bitmap = blankBitmap(2, 2);
  const { matrix = [2, 0, 0, 2, 0, 0], paint = null } = options;
  paintImage(bitmap, { samples, matrix, paint }, TURNED);
  return [...bitmap.data].filter((_, index) => index % 3 === 0);
}

const rgb = (...reds: number[]) => Uint8Array.from(reds.flatMap((red) => [red, red, red]));

describe('paintImage', () => {
  it('places the first row at the top', () => {
    const samples = { width: 2, height: 2, kind: 2, data: rgb(10, 20, 30, 40) };
    expect(painted(samples, {})).toEqual([10, 20, 30, 40]);
  });

  it('turns and mirrors as the matrix says', () => {
    const samples = { width: 2, height: 2, kind: 2, data: rgb(10, 20, 30, 40) };
    expect(painted(samples, { matrix: [0, 2, -2, 0, 2, 0] })).toEqual([20, 40, 10, 30]);
    expect(painted(samples, { matrix: [-2, 0, 0, 2, 2, 0] })).toEqual([20, 10, 40, 30]);
  });

  it('averages the samples under a pixel', () => {
    const data = rgb(0, 100, 200, 200, 100, 200, 200, 200, 0, 0, 8, 8, 0, 0, 8, 8);
    expect(painted({ width: 4, height: 4, kind: 2, data }, {})).toEqual([100, 200, 0, 8]);
  });

  it('leaves the paper white around a small image', () => {
    const samples = { width: 1, height: 1, kind: 2, data: rgb(7) };
    expect(painted(samples, { matrix: [1, 0, 0, 1, 1, 0] })).toEqual([255, 255, 255, 7]);
  });

  it('reads one-bit samples, rows starting at whole bytes', () => {
    const data = Uint8Array.from([0b1000_0000, 0b0100_0000]);
    expect(painted({ width: 2, height: 2, kind: 1, data }, {})).toEqual([255, 0, 0, 255]);
  });

  it('paints a mask where its bits are 0', () => {
    const data = Uint8Array.from([0b1000_0000, 0b0100_0000]);
    const paint: [number, number, number] = [9, 9, 9];
    expect(painted({ width: 2, height: 2, data }, { paint })).toEqual([255, 9, 9, 255]);
  });

  it('blends what is half transparent with the paper', () => {
    const data = Uint8Array.from([
      55, 55, 55, 128, 55, 55, 55, 0, 55, 55, 55, 255, 55, 55, 55, 255,
    ]);
    expect(painted({ width: 2, height: 2, kind: 3, data }, {})).toEqual([155, 255, 55, 55]);
  });

  it('survives a matrix without area', () => {
    const samples = { width: 1, height: 1, kind: 2, data: rgb(7) };
    expect(painted(samples, { matrix: [0, 0, 0, 0, 0, 0] })).toEqual([255, 255, 255, 255]);
  });
});

describe('toGrey', () => {
  it('drops two channels only when all are alike', () => {
    const grey = { width: 2, height: 1, channels: 3 as const, data: rgb(1, 2) };
    expect(toGrey(grey)).toEqual({ width: 2, height: 1, channels: 1, data: Uint8Array.of(1, 2) });
    const color = { ...grey, data: Uint8Array.of(1, 1, 1, 2, 2, 3) };
    expect(toGrey(color)).toBe(color);
  });
});
