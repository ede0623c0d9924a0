/** PDFs written by hand: objects in, bytes with a correct table of objects out. */
import { deflateSync } from 'node:zlib';

export type PdfObject = string | { dictionary: string; data: string | Uint8Array };

const encoder = new TextEncoder();

/** The objects numbered from 1 (the first is the catalog) as a whole file. */
export function makePdf(objects: PdfObject[], trailer = ''): Uint8Array {
  const parts: Uint8Array[] = [encoder.encode('%PDF-1.7\n')];
  let length = parts[0]?.length ?? 0;
  const put = (part: Uint8Array) => {
    parts.push(part);
    length += part.length;
  };
  const places = objects.map((object, index) => {
    const at = length;
    put(encoder.encode(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') put(latin1(object));
    else {
      const data = typeof object.data === 'string' ? latin1(object.data) : object.data;
      put(encoder.encode(`<<${object.dictionary}/Length ${data.length}>>\nstream\n`));
      put(data);
      put(encoder.encode('\nendstream'));
    }
    put(encoder.encode('\nendobj\n'));
    return at;
  });
  const table = length;
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  put(
    encoder.encode(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${table}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export interface Page {
  content: string | Uint8Array;
  /** More of the page's dictionary, e.g. `/Rotate 90/Annots[9 0 R]`. */
  more?: string;
  /** More of its resources, e.g. `/XObject<</I 8 0 R>>`. */
  resources?: string;
  /** Of the content stream, e.g. `/Filter/FlateDecode`. */
  filter?: string;
}

/**
 * Letter pages in Helvetica (/F1). Objects 1 to 3 are catalog, page tree and font, then come two a
 * page, then `others`.
 */
export function pagesPdf(
  pages: Page[],
  { others = [], catalog = '' }: { others?: PdfObject[]; catalog?: string } = {},
): Uint8Array {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  return makePdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap(({ content, more = '', resources = '', filter = '' }, index): PdfObject[] => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + index * 2} 0 R/Resources<</Font<</F1 3 0 R>>${resources}>>${more}>>`,
      { dictionary: filter, data: content },
    ]),
    ...others,
  ]);
}

/** `[x, y, text, size?]` as content; y counts from the bottom. */
export function texts(...items: [x: number, y: number, text: string, size?: number][]): string {
  return items
    .map(([x, y, text, size = 10]) => {
      const escaped = text.replace(/[()\\]/g, (sign) => `\\${sign}`);
      return `BT /F1 ${size} Tf ${x} ${y} Td (${escaped}) Tj ET`;
    })
    .join('\n');
}

/** An image object; samples are packed with DEFLATE unless `filter` is given. */
export function image(dictionary: string, samples: Uint8Array, filter?: string): PdfObject {
  const packed = filter === undefined ? deflateSync(samples) : samples;
  return {
    dictionary: `/Type/XObject/Subtype/Image${dictionary}/Filter${filter ?? '/FlateDecode'}`,
    data: new Uint8Array(packed),
  };
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0) & 0xff);
}
