/**
 * Cells of a sheet of a BIFF5 or BIFF8 stream, record by record and none kept: values, looks, parts of
 * rich texts. Formulas come from SheetJS through `formulaAt`, since their text is made from tokens.
 */
import { type Cell, type CellStyle, MAX_BOOK_CELLS } from '../book.ts';
import { BUILTIN_FORMATS, type DateFormat, parseDateFormat, serialToText } from '../dates.ts';
import { type BiffRecord, CELL_RECORDS, RECORD, sheetRecords, type XlsGlobals } from './records.ts';
import { readShortText, readText, type SharedTexts, type XlsText } from './strings.ts';

export const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
  43: '#GETTING_DATA',
};

export interface XlsBook {
  view: DataView;
  biff: 5 | 8;
  globals: XlsGlobals;
  texts: SharedTexts;
  /** What was made of texts that come again. */
  values: WeakMap<XlsText, Map<number, Value>>;
  /** Called for each record: throws when the book has taken more work than any real one. */
  step: () => void;
}

/** Fonts of cells under which a text that comes again is kept. */
const MAX_FONTS_KNOWN = 8;

type Value = Pick<Cell, 'kind' | 'text' | 'runs'>;

interface Format {
  style: CellStyle | undefined;
  date: DateFormat | null;
  font: number;
}

interface Place {
  row: number;
  column: number;
}

export interface SheetToRead {
  start: number;
  /** Cells stand by row and column in the file, as Excel writes them. */
  sorted: boolean;
  uncomputed: boolean;
  /** Text of a formula without `=`; null when it is not known. */
  formulaAt(place: Place): string | null;
}

/**
 * Cells by row and column, those left out that hold nothing and have no fill. Of cells that stand in
 * another order in the file, one more than a book that is read whole may have.
 */
export function readCells(book: XlsBook, sheet: SheetToRead): Iterable<Cell> {
  const cells = cellsInFileOrder(book, sheet);
  if (sheet.sorted) return cells;
  const kept: Cell[] = [];
  for (const cell of cells) if (kept.push(cell) > MAX_BOOK_CELLS) break;
  return kept.sort((a, b) => a.row - b.row || a.column - b.column);
}

function* cellsInFileOrder(book: XlsBook, sheet: SheetToRead): Generator<Cell, void, undefined> {
  const formatAt = formatReader(book.globals);
  /** A formula whose result is a text, which stands in a record of its own. */
  let waiting: Cell | null = null;
  for (const record of sheetRecords(book.view, sheet.start, book.step)) {
    if (record.type === RECORD.STRING && waiting !== null) {
      yield { ...waiting, text: resultText(book, record) };
      waiting = null;
    } else if (record.type === RECORD.FORMULA) {
      if (waiting !== null) yield waiting;
      waiting = formulaCell(book, record, { sheet, formatAt });
      if (waiting === null || hasTextRecord(record.data)) continue;
      yield waiting;
      waiting = null;
    } else if (CELL_RECORDS.has(record.type)) {
      if (waiting !== null) yield waiting;
      waiting = null;
      yield* plainCells(book, record, formatAt);
    }
  }
  if (waiting !== null) yield waiting;
}

function formatReader({ styles, codes }: XlsGlobals): (index: number) => Format {
  const known = new Map<number, Format>();
  return (index) => {
    const made = known.get(index);
    if (made !== undefined) return made;
    const number = styles.numberFormat(index);
    const code = codes.get(number) ?? BUILTIN_FORMATS.get(number);
    const format = {
      style: styles.style(index, code),
      date: code === undefined ? null : parseDateFormat(code),
      font: styles.fontOf(index),
    };
    known.set(index, format);
    return format;
  };
}

function* plainCells(
  book: XlsBook,
  record: BiffRecord,
  formatAt: (index: number) => Format,
): Generator<Cell, void, undefined> {
  const { type, data } = record;
  if (data.byteLength < 6) return;
  const row = data.getUint16(0, true);
  let column = data.getUint16(2, true);
  if (type === RECORD.MULRK || type === RECORD.MULBLANK) {
    const step = type === RECORD.MULRK ? 6 : 2;
    for (let at = 4; at + step <= data.byteLength - 2; at += step, column++) {
      const format = formatAt(data.getUint16(at, true));
      if (type === RECORD.MULBLANK) {
        if (format.style?.fill) yield toCell({ row, column }, EMPTY, format);
      } else {
        const value = numberValue(book, rkNumber(data.getInt32(at + 2, true)), format);
        yield toCell({ row, column }, value, format);
      }
    }
    return;
  }
  const format = formatAt(data.getUint16(4, true));
  const value = type === RECORD.BLANK ? EMPTY : readValue(book, record, format);
  if (value !== null && (value.kind !== 'empty' || format.style?.fill)) {
    yield toCell({ row, column }, value, format);
  }
}

const EMPTY: Value = { kind: 'empty', text: '' };

function toCell({ row, column }: Place, value: Value, { style }: Format): Cell {
  return { row, column, ...value, ...(style !== undefined && { style }) };
}

/** Null for a record too short to hold a value. */
function readValue(book: XlsBook, { type, at, data }: BiffRecord, format: Format): Value | null {
  const size = data.byteLength;
  const place = { view: book.view, at: at + 10, end: at + 4 + size };
  switch (type) {
    case RECORD.NUMBER:
      return size < 14 ? null : numberValue(book, data.getFloat64(6, true), format);
    case RECORD.RK:
      return size < 10 ? null : numberValue(book, rkNumber(data.getInt32(6, true)), format);
    case RECORD.BOOLERR:
      return size < 8 ? null : flagValue(data.getUint8(6), data.getUint8(7) !== 0);
    case RECORD.LABELSST: {
      const text = size < 10 ? null : book.texts.get(data.getUint32(6, true));
      return text === null ? null : textValue(book, text, format);
    }
    default: {
      if (book.biff === 8) {
        const text = readText(place);
        return text === null ? null : textValue(book, text, format);
      }
      const { decode } = book.globals;
      const text = readShortText(place, { biff: 5, lengthBytes: 2, decode });
      return textValue(book, { text, fonts: [], isCostly: false }, format);
    }
  }
}

/** Numbers packed in 30 bits: an integer or the upper half of a float, either in hundredths or not. */
function rkNumber(packed: number): number {
  const value = (packed & 2) !== 0 ? packed >> 2 : upperHalf(packed & ~3);
  return (packed & 1) !== 0 ? value / 100 : value;
}

const scratch = new DataView(new ArrayBuffer(8));

function upperHalf(bits: number): number {
  scratch.setInt32(4, bits, true);
  return scratch.getFloat64(0, true);
}

function numberValue({ globals }: XlsBook, value: number, { date }: Format): Value {
  const text =
    date === null ? null : serialToText(value, { format: date, date1904: globals.date1904 });
  // A spreadsheet has no -0.
  if (text === null) return { kind: 'number', text: String(value === 0 ? 0 : value) };
  return { kind: 'date', text };
}

function flagValue(value: number, isError: boolean): Value {
  if (isError) return { kind: 'error', text: ERRORS[value] ?? '#N/A' };
  return { kind: 'boolean', text: value === 0 ? 'FALSE' : 'TRUE' };
}

function textValue(book: XlsBook, text: XlsText, format: Format): Value {
  if (!text.isCostly) return makeTextValue(book, text, format);
  const known = book.values.get(text) ?? new Map<number, Value>();
  book.values.set(text, known);
  const value = known.get(format.font) ?? makeTextValue(book, text, format);
  if (known.size < MAX_FONTS_KNOWN) known.set(format.font, value);
  return value;
}

function makeTextValue(book: XlsBook, { text, fonts }: XlsText, format: Format): Value {
  if (text === '') return EMPTY;
  const value: Value = { kind: 'text', text: lineEnds(text) };
  const { styles } = book.globals;
  const starts = [{ from: 0, font: format.font }, ...fonts];
  const runs = starts.flatMap(({ from, font }, index) => {
    const part = lineEnds(text.slice(from, starts[index + 1]?.from ?? text.length));
    const style = styles.fontStyle(font);
    return part === '' ? [] : [{ text: part, ...(style !== undefined && { style }), font }];
  });
  if (runs.every(({ font }) => font === format.font)) return value;
  return { ...value, runs: runs.map(({ font: _font, ...run }) => run) };
}

function lineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function formulaCell(
  book: XlsBook,
  { data }: BiffRecord,
  { sheet, formatAt }: { sheet: SheetToRead; formatAt: (index: number) => Format },
): Cell | null {
  if (data.byteLength < 16) return null;
  const place = { row: data.getUint16(0, true), column: data.getUint16(2, true) };
  const format = formatAt(data.getUint16(4, true));
  const formula = sheet.formulaAt(place);
  if (sheet.uncomputed) {
    const cell = { ...toCell(place, EMPTY, format), uncomputed: true as const };
    return formula === null ? cell : { ...cell, formula };
  }
  const cell = toCell(place, resultValue(book, data, format), format);
  return formula === null ? cell : { ...cell, formula };
}

/** The stored result of a formula (MS-XLS 2.5.133); a text follows in a record of its own. */
function resultValue(book: XlsBook, data: DataView, format: Format): Value {
  if (data.getUint16(12, true) !== 0xffff) {
    return numberValue(book, data.getFloat64(6, true), format);
  }
  const kind = data.getUint8(6);
  if (kind === 1 || kind === 2) return flagValue(data.getUint8(8), kind === 2);
  return { kind: 'text', text: '' };
}

function hasTextRecord(data: DataView): boolean {
  return data.getUint16(12, true) === 0xffff && data.getUint8(6) === 0;
}

function resultText(book: XlsBook, { at, data }: BiffRecord): string {
  const place = { view: book.view, at: at + 4, end: at + 4 + data.byteLength };
  const { decode } = book.globals;
  return lineEnds(readShortText(place, { biff: book.biff, lengthBytes: 2, decode }));
}
