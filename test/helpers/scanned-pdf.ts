/**
 * A PDF as a scanner makes it, written by hand: every page is one grey image and nothing else.
 * Page n shows n black bars on white, so that a test can tell which page it looks at.
 */
import { deflateSync, inflateSync } from 'node:zlib';

const WIDTH = 200;
const HEIGHT = 280;
const BAR = 10;

export function scannedPdf(pages: number): Uint8Array {
  const objects: Buffer[] = [];
  const kids = Array.from({ length: pages }, (_, page) => `${3 + page * 3} 0 R`).join(' ');
  objects.push(
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`),
  );
  for (let page = 0; page < pages; page += 1) {
    const first = 3 + page * 3;
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents ${first + 1} 0 R ` +
          `/Resources << /XObject << /Scan ${first + 2} 0 R >> >> >>`,
      ),
      stream('', Buffer.from(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Scan Do Q`)),
      stream(
        `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} ` +
          '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode ',
        deflateSync(bars(page + 1)),
      ),
    );
  }
  return assemble(objects);
}

function bars(count: number): Buffer {
  const pixels = Buffer.alloc(WIDTH * HEIGHT, 255);
  for (let bar = 0; bar < count; bar += 1) {
    const top = 20 + bar * 3 * BAR;
    pixels.fill(0, top * WIDTH, (top + BAR) * WIDTH);
  }
  return pixels;
}

function stream(dictionary: string, bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${dictionary}/Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

function assemble(objects: Buffer[]): Uint8Array {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, body] of objects.entries()) {
    offsets.push(at);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      body,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    at += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/** How many black bars a PNG of one byte (grey) or three (RGB) a pixel shows, from top to bottom. */
export function countBars(png: Buffer): number {
  const rows = pixelRows(png);
  const dark = rows.map((row) => row.reduce((sum, value) => sum + value, 0) / row.length < 128);
  return dark.filter((isDark, at) => isDark && !dark[at - 1]).length;
}

function pixelRows(png: Buffer): Uint8Array[] {
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG');
  const width = png.readUInt32BE(16);
  const channels = { 0: 1, 2: 3, 6: 4 }[png[25] ?? -1];
  if (png[24] !== 8 || channels === undefined) throw new Error('an unexpected kind of PNG');
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      data.push(png.subarray(at + 8, at + 8 + length));
    }
  }
  return unfilter(inflateSync(Buffer.concat(data)), { stride: width * channels, channels });
}

/** The five filters of the PNG specification, section 9. */
function unfilter(bytes: Buffer, { stride, channels }: { stride: number; channels: number }) {
  const rows: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += stride + 1) {
    const filter = bytes[at] ?? 0;
    const row = new Uint8Array(bytes.subarray(at + 1, at + 1 + stride));
    const above = rows.at(-1);
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : (row[x - channels] ?? 0);
      const up = above?.[x] ?? 0;
      const corner = x < channels ? 0 : (above?.[x - channels] ?? 0);
      row[x] = (row[x] ?? 0) + predicted(filter, { left, up, corner });
    }
    rows.push(row);
  }
  return rows;
}

function predicted(filter: number, near: { left: number; up: number; corner: number }): number {
  const { left, up, corner } = near;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
