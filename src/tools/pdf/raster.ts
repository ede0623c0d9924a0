/**
 * Lays a page's images into one bitmap: each pixel is the average of the samples under it (never
 * enlarged by the caller's choice of size). White paper, later images over earlier ones. Pure.
 */
import { type Matrix, product, type Samples } from './drawing.ts';
import type { Bitmap } from './png.ts';

export interface PlacedSamples {
  samples: Samples;
  matrix: Matrix;
  paint: readonly [number, number, number] | null;
}

/** An RGB bitmap of white paper. */
export function blankBitmap(width: number, height: number): Bitmap {
  return { width, height, channels: 3, data: new Uint8Array(width * height * 3).fill(255) };
}

/** Paints one image; `toPixels` leads from page space to the bitmap's pixels, y down. */
export function paintImage(bitmap: Bitmap, placed: PlacedSamples, toPixels: Matrix): void {
  const { samples } = placed;
  const whole = product(toPixels, placed.matrix);
  const back = inverse(whole);
  if (back === null || samples.width < 1 || samples.height < 1) return;
  // From a pixel to a sample: image rows run down while the unit square's y runs up.
  const [a, b, c, d, e, f] = product(
    [samples.width, 0, 0, -samples.height, 0, samples.height],
    back,
  );
  const reachX = Math.max(0.5, (Math.abs(a) + Math.abs(c)) / 2);
  const reachY = Math.max(0.5, (Math.abs(b) + Math.abs(d)) / 2);
  const box = bounds(whole, bitmap);
  const average = averager(placed);
  // One box and one colour for all pixels: millions of small objects would fill the memory.
  const under: Box = { x0: 0, x1: 0, y0: 0, y1: 0 };
  const color = new Float64Array(4);
  const { width, height } = samples;
  for (let y = box.top; y < box.bottom; y++) {
    for (let x = box.left; x < box.right; x++) {
      const centerX = a * (x + 0.5) + c * (y + 0.5) + e;
      const centerY = b * (x + 0.5) + d * (y + 0.5) + f;
      if (centerX < 0 || centerY < 0 || centerX > width || centerY > height) continue;
      under.x0 = lowest(centerX - reachX, width);
      under.x1 = Math.min(width, Math.max(under.x0 + 1, Math.round(centerX + reachX)));
      under.y0 = lowest(centerY - reachY, height);
      under.y1 = Math.min(height, Math.max(under.y0 + 1, Math.round(centerY + reachY)));
      average(under, color);
      blend(bitmap, (y * bitmap.width + x) * 3, color);
    }
  }
}

/** The first whole sample of a stretch, with at least one after it. */
function lowest(from: number, size: number): number {
  return Math.min(Math.max(0, Math.round(from)), size - 1);
}

function inverse([a, b, c, d, e, f]: Matrix): Matrix | null {
  const determinant = a * d - b * c;
  if (!Number.isFinite(determinant) || Math.abs(determinant) < 1e-9) return null;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

/** The pixels that the unit square may touch. */
function bounds([a, b, c, d, e, f]: Matrix, { width, height }: Bitmap) {
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  return {
    left: Math.max(0, Math.floor(Math.min(...xs))),
    right: Math.min(width, Math.ceil(Math.max(...xs))),
    top: Math.max(0, Math.floor(Math.min(...ys))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys))),
  };
}

interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** Writes red, green, blue (0–255) and cover (0–1) of a box of samples. */
type Average = (box: Box, out: Float64Array) => void;

function averager({ samples, paint }: PlacedSamples): Average {
  const { width, kind } = samples;
  const data = samples.data ?? new Uint8Array(0);
  if (paint !== null || kind === 1) {
    const stride = (width + 7) >> 3;
    return (box, out) => {
      const light = lightShare(data, box, stride);
      // A mask paints where its bits are 0; a one-bit image is black there.
      if (paint === null) out.fill(light * 255, 0, 3);
      else for (let channel = 0; channel < 3; channel++) out[channel] = paint[channel] ?? 0;
      out[3] = paint === null ? 1 : 1 - light;
    };
  }
  const step = kind === 3 ? 4 : 3;
  return (box, out) => {
    let red = 0;
    let green = 0;
    let blue = 0;
    let cover = 0;
    for (let y = box.y0; y < box.y1; y++) {
      for (let at = (y * width + box.x0) * step; at < (y * width + box.x1) * step; at += step) {
        const alpha = step === 4 ? (data[at + 3] ?? 255) : 255;
        red += (data[at] ?? 255) * alpha;
        green += (data[at + 1] ?? 255) * alpha;
        blue += (data[at + 2] ?? 255) * alpha;
        cover += alpha;
      }
    }
    const total = cover || 1;
    out[0] = red / total;
    out[1] = green / total;
    out[2] = blue / total;
    out[3] = cover / (255 * (box.x1 - box.x0) * (box.y1 - box.y0));
  };
}

/** Share of one-bits in a box; rows start at whole bytes. */
function lightShare(data: ArrayLike<number>, box: Box, stride: number): number {
  let light = 0;
  for (let y = box.y0; y < box.y1; y++) {
    for (let x = box.x0; x < box.x1; x++) {
      light += ((data[y * stride + (x >> 3)] ?? 255) >> (7 - (x & 7))) & 1;
    }
  }
  return light / ((box.x1 - box.x0) * (box.y1 - box.y0));
}

function blend(bitmap: Bitmap, at: number, color: Float64Array): void {
  const cover = color[3] ?? 1;
  for (let channel = 0; channel < 3; channel++) {
    const paper = bitmap.data[at + channel] ?? 255;
    bitmap.data[at + channel] = Math.round(paper + ((color[channel] ?? 0) - paper) * cover);
  }
}

/** One channel when every pixel is grey, else the bitmap itself. */
export function toGrey(bitmap: Bitmap): Bitmap {
  const { width, height, data } = bitmap;
  const grey = new Uint8Array(width * height);
  for (let pixel = 0; pixel < grey.length; pixel++) {
    const red = data[pixel * 3] ?? 0;
    if (red !== data[pixel * 3 + 1] || red !== data[pixel * 3 + 2]) return bitmap;
    grey[pixel] = red;
  }
  return { width, height, channels: 1, data: grey };
}
