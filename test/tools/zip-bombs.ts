/**
 * Workbooks that are far larger than they look, made in milliseconds and the same each time: too
 * large to keep among the fixtures, and nobody should find a live bomb in a repository.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';

const MEGABYTE = 1024 * 1024;

interface Part {
  name: string;
  packed: Uint8Array;
  /** What the headers say of it; 0 for stored. */
  method: 0 | 8;
  size: number;
  crc: number;
}

function stored(name: string, text: string): Part {
  const packed = new TextEncoder().encode(text);
  return { name, packed, method: 0, size: packed.length, crc: crc32(packed) };
}

/** `text`, then `megabytes` of blanks: a packed megabyte that ends on a byte, again and again. */
function blanks(name: string, text: string, megabytes: number): Part {
  const flush = { finishFlush: constants.Z_FULL_FLUSH, level: 9 };
  const head = deflateRawSync(text, flush);
  const one = Buffer.alloc(MEGABYTE, ' ');
  const packedOne = deflateRawSync(one, flush);
  const last = deflateRawSync('', { level: 9 });
  const packed = Buffer.concat([head, ...Array(megabytes).fill(packedOne), last]);
  let crc = crc32(text);
  for (let count = 0; count < megabytes; count++) crc = crc32(one, crc);
  return { name, packed, method: 8, size: text.length + megabytes * MEGABYTE, crc };
}

/** A zip of `parts`, with a directory. */
function zipOf(parts: readonly Part[]): Buffer {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, packed, method, size, crc } of parts) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt16LE(33, 8);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, Buffer.from(name));
    body.push(Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), Buffer.from(packed));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...body, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

function bookParts(): Part[] {
  const package_ = 'http://schemas.openxmlformats.org/package/2006';
  const relation = (kind: string, target: string) =>
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${OFFICE}/${kind}" Target="${target}"/></Relationships>`;
  return [
    stored(
      '[Content_Types].xml',
      `<Types xmlns="${package_}/content-types"><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}"/></Types>`,
    ),
    stored('_rels/.rels', relation('officeDocument', 'xl/workbook.xml')),
    stored('xl/_rels/workbook.xml.rels', relation('worksheet', 'worksheets/sheet1.xml')),
    stored(
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
  ];
}

const FIRST_ROW = '<row r="1"><c r="A1"><v>1</v></c></row>';

/** A sheet of `megabytes`, which its headers declare truly, or as 4,000 bytes when it `lies`. */
export function zipBomb({ megabytes, lies }: { megabytes: number; lies: boolean }): Uint8Array {
  const text = `<worksheet xmlns="${MAIN}"><sheetData>${FIRST_ROW}`;
  const sheet = blanks('xl/worksheets/sheet1.xml', text, megabytes);
  return zipOf([...bookParts(), lies ? { ...sheet, size: 4000 } : sheet]);
}

/** No bomb: a book of `rows` × `columns` numbers, as large ones are. */
export function manyCells({ rows, columns }: { rows: number; columns: number }): Uint8Array {
  const cells = Array.from({ length: columns }, (_, column) => `<c><v>${column}</v></c>`).join('');
  const text = `<worksheet xmlns="${MAIN}"><sheetData>${`<row>${cells}</row>`.repeat(rows)}</sheetData></worksheet>`;
  const packed = deflateRawSync(text);
  const sheet = { packed, method: 8 as const, size: text.length, crc: crc32(text) };
  return zipOf([...bookParts(), { name: 'xl/worksheets/sheet1.xml', ...sheet }]);
}
