/** PNG (W3C PNG, third edition) from grey or RGB samples of 8 bits; compression by the platform. */

export interface Bitmap {
  width: number;
  height: number;
  /** 1 (grey) or 3 (RGB) bytes a pixel. */
  channels: 1 | 3;
  data: Uint8Array;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The bytes of a PNG file. */
export async function encodePng(bitmap: Bitmap): Promise<Uint8Array> {
  const { width, height, channels } = bitmap;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Bit depth 8, colour type grey or RGB, and the only compression, filter and no interlacing.
  header.set([8, channels === 1 ? 0 : 2, 0, 0, 0], 8);
  const packed = await deflate(filterRows(bitmap));
  return joinBytes([
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** Each row with the filter (none, Sub, Up) whose differences are smallest: it packs best. */
function filterRows({ width, height, channels, data }: Bitmap): Uint8Array {
  const stride = width * channels;
  const out = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const start = y * stride;
    let [none, sub, up] = [0, 0, 0];
    for (let x = 0; x < stride; x++) {
      const value = data[start + x] ?? 0;
      none += cost(value);
      sub += cost(value - (x < channels ? 0 : (data[start + x - channels] ?? 0)));
      up += cost(value - (y === 0 ? 0 : (data[start + x - stride] ?? 0)));
    }
    const filter = up < none && up <= sub ? 2 : sub < none ? 1 : 0;
    const back = filter === 0 ? 0 : filter === 1 ? channels : stride;
    out[start + y] = filter;
    for (let x = 0; x < stride; x++) {
      const isFirst = filter === 0 || (filter === 1 ? x < channels : y === 0);
      const before = isFirst ? 0 : (data[start + x - back] ?? 0);
      out[start + y + 1 + x] = (data[start + x] ?? 0) - before;
    }
  }
  return out;
}

/** How far a difference is from nothing, as a byte. */
function cost(difference: number): number {
  const byte = difference & 0xff;
  return byte < 128 ? byte : 256 - byte;
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const packed = source.pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(12 + body.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, body.length);
  out.set(new TextEncoder().encode(type), 4);
  out.set(body, 8);
  view.setUint32(8 + body.length, crc32(out.subarray(4, 8 + body.length)));
  return out;
}

function crc32(bytes: Uint8Array): number {
  const table = crcTable();
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function crcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
