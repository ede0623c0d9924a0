/**
 * Formulas, targets of links and names of a BIFF5 or BIFF8 stream. Their texts are made
 * from tokens, which SheetJS knows to do; but it holds all it is given at once, so it is given a copy
 * of the stream with these records only. Where it fails, the values of the book are not affected.
 */
import type { WorkBook } from '@e965/xlsx';
import { NAME_RECORDS, RECORD, records, sheetRecords, type XlsSheet } from './records.ts';
import { namesOf, type Rows, readWorkbook, rowsOf } from './sheetjs.ts';
import { MAX_TAIL_ITEMS } from './survey.ts';

export interface XlsExtras {
  names: { name: string; refersTo: string }[];
  /** What SheetJS holds of a sheet: its formula cells. */
  rows(sheet: XlsSheet): Rows;
  /** Target of the i-th link of a sheet; null when it has none. */
  linkTarget(sheet: XlsSheet, index: number): string | null;
  /** Range of the filter of a sheet, as `A1:C5`. */
  filter(sheet: XlsSheet): string | undefined;
}

/**
 * Links lie on cells that are not in the copy, and SheetJS visits each cell they cover: there the
 * i-th link has a cell of its own, in row 1 this far to the right.
 */
const FIRST_LINK_COLUMN = 1000;

/** Code page, dates, sheets; and what formulas refer to: names, other books. */
const GLOBAL_RECORDS = [RECORD.BOF, RECORD.BOUNDSHEET, 0x42, 0x22, 0x13d];
/** Size of the sheet, links. */
const SHEET_RECORDS = [0x200, RECORD.HLINK];
/** Formulas with those they share or stand in as an array, and the results that are text. */
const FORMULA_RECORDS = [
  ...[RECORD.FORMULA, RECORD.STRING, 0x21, RECORD.ARRAY, RECORD.SHARED_FORMULA, RECORD.TABLE],
];
/** The longest record of Excel (MS-XLS 2.1.4): a longer one was made to keep a reader busy. */
const MAX_RECORD_BYTES = 8_224;
const MAX_LINK_BYTES = 8 * 1024 * 1024;

export interface ExtrasOptions {
  sheets: readonly XlsSheet[];
  /** False leaves the formulas out. */
  formulas: boolean;
  /** False leaves out names and what else formulas refer to. */
  names: boolean;
  step: () => void;
}

/** Null when SheetJS cannot read them. */
export function readExtras(view: DataView, options: ExtrasOptions): XlsExtras | null {
  // SheetJS lists sheets by their place in the stream, and each place once.
  const places = [...new Set(options.sheets.map(({ start }) => start))].sort((a, b) => a - b);
  const indexes = new Map(places.map((start, index) => [start, index]));
  let workbook: WorkBook;
  try {
    const bytes = extrasStream(view, places, options);
    workbook = readWorkbook(bytes, { maxRows: 0, looks: false, blanks: true });
  } catch {
    // SheetJS throws plain texts and TypeErrors of its own inside; all mean the same here.
    return null;
  }
  const find = (sheet: XlsSheet) => {
    const name = workbook.SheetNames[indexes.get(sheet.start) ?? -1];
    return name === undefined ? undefined : workbook.Sheets[name];
  };
  return {
    names: namesOf(workbook),
    rows: (sheet) => rowsOf(find(sheet)),
    linkTarget(sheet, index) {
      const target = rowsOf(find(sheet))[0]?.[FIRST_LINK_COLUMN + index]?.l?.Target;
      return typeof target === 'string' && target !== '' ? target : null;
    },
    filter: (sheet) => find(sheet)?.['!autofilter']?.ref,
  };
}

function extrasStream(
  view: DataView,
  starts: readonly number[],
  { formulas, names, step }: ExtrasOptions,
): Uint8Array {
  const out = createWriter(view);
  const wanted = new Set<number>([...SHEET_RECORDS, ...(formulas ? FORMULA_RECORDS : [])]);
  const globals = new Set<number>([...GLOBAL_RECORDS, ...(names ? NAME_RECORDS : [])]);
  let linkBytes = 0;
  const bounds: { at: number; start: number }[] = [];
  for (const record of kept(records(view, 0), globals)) {
    if (record.type === RECORD.EOF) break;
    const at = out.copy(record.at);
    if (record.type === RECORD.BOUNDSHEET && record.data.byteLength >= 4) {
      bounds.push({ at: at + 4, start: record.data.getUint32(0, true) });
    }
  }
  out.add(RECORD.EOF, []);
  const places = new Map<number, number>();
  for (const start of starts) {
    let links = 0;
    places.set(start, out.copy(start));
    for (const record of kept(sheetRecords(view, start, step), wanted)) {
      if (record.type !== RECORD.HLINK) out.copy(record.at);
      else if (record.data.byteLength >= 24) {
        linkBytes += record.data.byteLength;
        if (links >= MAX_TAIL_ITEMS || linkBytes > MAX_LINK_BYTES) continue;
        const column = FIRST_LINK_COLUMN + links++;
        out.add(RECORD.BLANK, [0, column, 0]);
        out.copy(record.at, [0, 0, column, column]);
      }
    }
    out.add(RECORD.EOF, []);
  }
  return out.finish(bounds, places);
}

/** Records of the wanted types with the CONTINUE records that carry them on, up to the first EOF. */
function* kept(all: ReturnType<typeof records>, wanted: ReadonlySet<number>) {
  let keeping = false;
  for (const record of all) {
    if (record.type === RECORD.EOF) return;
    if (record.type !== RECORD.CONTINUE) {
      keeping = wanted.has(record.type) && record.data.byteLength <= MAX_RECORD_BYTES;
    }
    if (keeping) yield record;
  }
}

/** Collects records into a stream; `copy` and `add` return the byte where the record begins. */
function createWriter(view: DataView) {
  const parts: Uint8Array[] = [];
  let length = 0;
  function append(bytes: Uint8Array): number {
    const at = length;
    parts.push(bytes);
    length += bytes.length;
    return at;
  }
  return {
    /** The record at byte `at` of the original; `words` replace the first numbers of its data. */
    copy(at: number, words: number[] = []): number {
      if (at + 4 > view.byteLength) return append(new Uint8Array(0));
      const size = 4 + view.getUint16(at + 2, true);
      const original = new Uint8Array(view.buffer, view.byteOffset + at, size);
      if (words.length === 0) return append(original);
      const changed = original.slice();
      changed.set(new Uint8Array(Uint16Array.from(words).buffer), 4);
      return append(changed);
    },
    add(type: number, words: number[]): number {
      return append(new Uint8Array(Uint16Array.from([type, words.length * 2, ...words]).buffer));
    },
    finish(bounds: { at: number; start: number }[], places: ReadonlyMap<number, number>) {
      // SheetJS looks for a CONTINUE behind the last record.
      const bytes = new Uint8Array(length + 16);
      let at = 0;
      for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
      }
      const out = new DataView(bytes.buffer);
      bounds.forEach((bound, index) => {
        // Sheets that are left out (modules of Visual Basic) come after all others.
        out.setUint32(bound.at, places.get(bound.start) ?? 0x70000000 + index, true);
      });
      return bytes;
    },
  };
}
