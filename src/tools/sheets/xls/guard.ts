/**
 * What SheetJS must not be given: it visits every column and cell of a range that a file states, so a
 * few bytes can keep it busy for hours. Only ranges are looked at, before it reads anything.
 */
import { StrideError } from '../../../errors.ts';
import type { Zip } from '../zip.ts';

const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
const MAX_LINKED_CELLS = 100_000;
/** Over all sheets of XML of Excel 2003: SheetJS makes an object of each. */
const MAX_MERGED_CELLS = 300_000;
const MAX_SPANNED_COLUMNS = 200_000;
/** Record types of MS-XLSB 2.3. */
const COLUMN_INFO = 0x3c;
const HYPERLINK = 0x1ee;

/** Throws StrideError invalid_input when a sheet of an xlsb states ranges that no sheet has. */
export function guardXlsb(zip: Zip, { name, maxBytes }: { name: string; maxBytes: number }): void {
  for (const part of zip.names) {
    if (!/sheets\/[^/]*\.bin$/i.test(part)) continue;
    if (!hasSaneRanges(zip.read(part, { maxBytes }))) throw absurd(name);
  }
}

function hasSaneRanges(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    // Type and length are written seven bits a byte (MS-XLSB 2.1.4).
    let type = bytes[at++] ?? 0;
    if (type & 0x80) type = (type & 0x7f) | ((bytes[at++] ?? 0) << 7);
    let length = 0;
    for (let byte = 0, more = true; byte < 4 && more; byte++) {
      const next = bytes[at++] ?? 0;
      length += (next & 0x7f) << (7 * byte);
      more = (next & 0x80) !== 0;
    }
    const holds = (size: number) => length >= size && at + size <= bytes.length;
    if (type === COLUMN_INFO && holds(8) && view.getUint32(at + 4, true) >= MAX_COLUMNS)
      return false;
    if (type === HYPERLINK && holds(16)) {
      const [top, bottom, left, right] = [0, 4, 8, 12].map((from) =>
        view.getUint32(at + from, true),
      );
      const cells = ((bottom ?? 0) - (top ?? 0) + 1) * ((right ?? 0) - (left ?? 0) + 1);
      if (cells > MAX_LINKED_CELLS) return false;
    }
    at += length;
  }
  return true;
}

/** The same for the XML of Excel 2003; a DOCTYPE has no place in it either. */
export function guardXml(bytes: Uint8Array, name: string): void {
  const text = new TextDecoder().decode(bytes);
  if (/<!DOCTYPE/i.test(text)) throw absurd(name);
  for (const [, number] of text.matchAll(/:Index\s*=\s*["']\s*(\d+)/g)) {
    if (Number(number) > MAX_ROWS) throw absurd(name);
  }
  if (!hasSaneSpans(text)) throw absurd(name);
}

function hasSaneSpans(text: string): boolean {
  let columns = 0;
  let merged = 0;
  let tag = '';
  let [across, down] = [0, 0];
  const parts =
    /<(?:\w{1,32}:)?(Column|Row|Cell)\b|[\s:](Span|MergeAcross|MergeDown)\s*=\s*["']([^"']*)/g;
  for (const [, opened, attribute, value = ''] of text.matchAll(parts)) {
    if (opened !== undefined) {
      tag = opened;
      [across, down] = [0, 0];
      continue;
    }
    const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
    if (number > MAX_ROWS) return false;
    if (attribute === 'Span') columns += tag === 'Column' ? number : 0;
    else if (attribute === 'MergeAcross') across = number;
    else down = number;
    if (attribute !== 'Span') merged += (across + 1) * (down + 1);
    if (columns > MAX_SPANNED_COLUMNS || merged > MAX_MERGED_CELLS) return false;
  }
  return true;
}

function absurd(name: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} holds what no spreadsheet needs and attacks use, so it was not read; answer without it.`,
  );
}
