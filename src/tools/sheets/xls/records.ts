/**
 * The records of a BIFF5 or BIFF8 workbook stream (MS-XLS 2.1.4): walking them, and what the globals
 * say of the book. A stream that is cut off just ends.
 */
import type { SheetHead } from '../book.ts';
import { readShortText, type TextPlace } from './strings.ts';
import { createStyleRecords, type StyleRecords } from './styles.ts';

export const RECORD = {
  BOF: 0x809,
  EOF: 0x0a,
  CONTINUE: 0x3c,
  FORMULA: 0x06,
  STRING: 0x207,
  NUMBER: 0x203,
  RK: 0x27e,
  MULRK: 0xbd,
  BLANK: 0x201,
  MULBLANK: 0xbe,
  BOOLERR: 0x205,
  LABEL: 0x204,
  RSTRING: 0xd6,
  LABELSST: 0xfd,
  SST: 0xfc,
  BOUNDSHEET: 0x85,
  HLINK: 0x1b8,
  NOTE: 0x1c,
  SHARED_FORMULA: 0x4bc,
  ARRAY: 0x221,
  TABLE: 0x236,
} as const;

export const CELL_RECORDS: ReadonlySet<number> = new Set([
  RECORD.FORMULA,
  RECORD.NUMBER,
  RECORD.RK,
  RECORD.MULRK,
  RECORD.BLANK,
  RECORD.MULBLANK,
  RECORD.BOOLERR,
  RECORD.LABEL,
  RECORD.RSTRING,
  RECORD.LABELSST,
]);

export interface BiffRecord {
  type: number;
  /** Byte of the type; the data begin four bytes later. */
  at: number;
  data: DataView;
}

export interface XlsSheet extends SheetHead {
  /** Byte of its BOF record. */
  start: number;
}

export interface XlsGlobals {
  date1904: boolean;
  encrypted: boolean;
  sheets: XlsSheet[];
  styles: StyleRecords;
  /** Codes of number formats that the file defines. */
  codes: Map<number, string>;
  /** Where the table of shared texts begins; null without one. */
  sst: number | null;
  /** Bytes of names and what else formulas refer to. */
  nameBytes: number;
  decode: (bytes: Uint8Array) => string;
}

/** Names, external names, sheets and books that formulas refer to. */
export const NAME_RECORDS: ReadonlySet<number> = new Set([
  ...[0x17, 0x1ae, 0x23, 0x223, 0x18, 0x218],
]);
/** What one of them costs beside its bytes. */
const NAME_BYTES = 100;

export const DATE_1904_NOTE = 'Dates of this book count from 1904 and are shown converted.';

/** What a cell's text is in files without Unicode, by the number in their CODEPAGE record. */
const CODE_PAGES: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
};

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whole records from `start`, until the stream ends. */
export function* records(view: DataView, start: number): Generator<BiffRecord, void, undefined> {
  for (let at = start; at + 4 <= view.byteLength; ) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > view.byteLength) return;
    const data = new DataView(view.buffer, view.byteOffset + at + 4, length);
    yield { type: view.getUint16(at, true), at, data };
    at += 4 + length;
  }
}

/**
 * The records of one sheet, without those of charts that stand inside it as streams of their own.
 * `step` is called for each record passed: a file may name one place as any number of sheets.
 */
export function* sheetRecords(
  view: DataView,
  start: number,
  step: () => void,
): Generator<BiffRecord, void, undefined> {
  let depth = 0;
  for (const record of records(view, start)) {
    step();
    if (record.type === RECORD.BOF) depth++;
    else if (record.type === RECORD.EOF && --depth <= 0) return;
    else if (depth === 1) yield record;
    if (depth === 0) return;
  }
}

/** BIFF version of a workbook stream: 5 also for 7, null for older ones and for other bytes. */
export function biffVersion(view: DataView): 5 | 8 | null {
  if (view.byteLength < 8 || view.getUint16(0, true) !== RECORD.BOF) return null;
  const version = view.getUint16(4, true);
  return version === 0x600 ? 8 : version === 0x500 ? 5 : null;
}

export function readGlobals(view: DataView, biff: 5 | 8): XlsGlobals {
  const styles = createStyleRecords(biff);
  const globals: XlsGlobals = {
    date1904: false,
    encrypted: false,
    sheets: [],
    styles,
    codes: new Map(),
    sst: null,
    nameBytes: 0,
    decode: decoderOf(1252),
  };
  for (const record of records(view, 0)) {
    if (record.type === RECORD.EOF) break;
    takeGlobal(globals, record, { view, biff });
  }
  return globals;
}

function takeGlobal(
  globals: XlsGlobals,
  { type, at, data }: BiffRecord,
  { view, biff }: { view: DataView; biff: 5 | 8 },
): void {
  const size = data.byteLength;
  const place = (from: number): TextPlace => ({ view, at: at + 4 + from, end: at + 4 + size });
  if (type === 0x2f) globals.encrypted = true;
  else if (type === 0x22 && size >= 2) globals.date1904 = data.getUint16(0, true) === 1;
  else if (type === 0x42 && size >= 2) globals.decode = decoderOf(data.getUint16(0, true));
  else if (type === RECORD.SST) globals.sst = at;
  else if (NAME_RECORDS.has(type)) globals.nameBytes += size + NAME_BYTES;
  else if (type === 0x41e && size >= 5) {
    const lengthBytes = biff === 8 ? 2 : 1;
    const code = readShortText(place(2), { biff, lengthBytes, decode: globals.decode });
    globals.codes.set(data.getUint16(0, true), code);
  } else if (type === RECORD.BOUNDSHEET && size >= 7) {
    const name = readShortText(place(6), { biff, lengthBytes: 1, decode: globals.decode });
    addSheet(globals.sheets, data, name);
  } else globals.styles.add(type, data);
}

function addSheet(sheets: XlsSheet[], data: DataView, name: string): void {
  const kind = data.getUint8(5);
  // 6 is a module of Visual Basic, which older Excel keeps as a sheet nobody sees.
  if (kind === 6) return;
  const hidden = data.getUint8(4) & 3;
  sheets.push({
    name,
    start: data.getUint32(0, true),
    state: hidden === 2 ? 'very hidden' : hidden === 1 ? 'hidden' : 'visible',
    kind: kind === 2 ? 'chart' : 'cells',
  });
}

function decoderOf(codepage: number): (bytes: Uint8Array) => string {
  const isWindows = codepage >= 1250 && codepage <= 1258;
  const label = isWindows ? `windows-${codepage}` : (CODE_PAGES[codepage] ?? 'windows-1252');
  const decoder = new TextDecoder(label);
  return (bytes) => decoder.decode(bytes);
}
