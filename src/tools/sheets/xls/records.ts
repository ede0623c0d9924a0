/**
 * The records of a BIFF5 or BIFF8 workbook stream (MS-XLS 2.1.4): walking them, what the globals say
 * of the book, and what a sheet says of itself apart from its cells. Nothing is kept of the cells,
 * and a stream that is cut off just ends.
 */
import type { CellRange, SheetHead, Span } from '../book.ts';
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
  decode: (bytes: Uint8Array) => string;
}

export interface SheetSurvey {
  merges: CellRange[];
  hiddenRows: Span[];
  hiddenColumns: Span[];
  /** In the order of the file. */
  links: CellRange[];
  /** Cells stand by row and column, as Excel writes them. */
  sorted: boolean;
  /** A filter is active, so that rows may be hidden by it. */
  filtered: boolean;
  formulas: number;
  /** Writers that do not calculate leave every result empty; one that does leaves some. */
  uncomputed: boolean;
}

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

/** The records of one sheet, without those of charts that stand inside it as streams of their own. */
export function* sheetRecords(
  view: DataView,
  start: number,
): Generator<BiffRecord, void, undefined> {
  let depth = 0;
  for (const record of records(view, start)) {
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

export function surveySheet(view: DataView, start: number): SheetSurvey {
  const survey: SheetSurvey = {
    merges: [],
    hiddenRows: [],
    hiddenColumns: [],
    links: [],
    sorted: true,
    filtered: false,
    formulas: 0,
    uncomputed: false,
  };
  let empty = 0;
  let lastCell = -1;
  for (const { type, data } of sheetRecords(view, start)) {
    const size = data.byteLength;
    if (CELL_RECORDS.has(type) && size >= 6) {
      const cell = data.getUint16(0, true) * 65_536 + data.getUint16(2, true);
      if (cell <= lastCell) survey.sorted = false;
      lastCell = cell;
    }
    if (type === RECORD.FORMULA && size >= 16) {
      survey.formulas++;
      if (hasNoResult(data)) empty++;
    } else if (type === 0x208 && size >= 16) {
      if ((data.getUint16(12, true) & 0x20) !== 0) {
        extend(survey.hiddenRows, data.getUint16(0, true));
      }
    } else if (type === 0x7d && size >= 10) {
      const [from, to] = [data.getUint16(0, true), Math.min(data.getUint16(2, true), 255)];
      if ((data.getUint16(8, true) & 1) !== 0) survey.hiddenColumns.push({ from, to });
    } else if (type === 0xe5) {
      for (let at = 2; at + 8 <= size; at += 8) survey.merges.push(rangeAt(data, at));
    } else if (type === RECORD.HLINK && size >= 24) survey.links.push(rangeAt(data, 0));
    else if (type === 0x9b) survey.filtered = true;
  }
  survey.uncomputed = survey.formulas > 0 && survey.formulas === empty;
  return survey;
}

/** An empty text, or a 0 with the order to calculate on opening (MS-XLS 2.4.127). */
function hasNoResult(data: DataView): boolean {
  const isText = data.getUint16(12, true) === 0xffff;
  if (isText) return data.getUint8(6) === 3;
  return data.getFloat64(6, true) === 0 && (data.getUint16(14, true) & 1) !== 0;
}

function extend(spans: Span[], row: number): void {
  const last = spans.at(-1);
  if (last !== undefined && row === last.to + 1) last.to = row;
  else spans.push({ from: row, to: row });
}

function rangeAt(data: DataView, at: number): CellRange {
  const rows = { from: data.getUint16(at, true), to: data.getUint16(at + 2, true) };
  return {
    rows,
    columns: { from: data.getUint16(at + 4, true), to: data.getUint16(at + 6, true) },
  };
}
