/**
 * What a sheet of a BIFF5 or BIFF8 stream says of itself apart from its cells, of which nothing is
 * kept: merges, links, comments, what is hidden, and what its formulas would cost to be read.
 */
import type { CellRange, SheetTail, Span } from '../book.ts';
import { createCommentReader } from './comments.ts';
import { CELL_RECORDS, RECORD, sheetRecords } from './records.ts';

/** Merges, links and hidden rows beyond are left out, and it is said. */
export const MAX_TAIL_ITEMS = 20_000;

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
  /** Bytes of formulas, those that many cells share counted for each; records of arrays. */
  formulaBytes: number;
  arrays: number;
  comments: SheetTail['comments'];
  /** Merges, links and comments. */
  leftOut: number;
  /** Writers that do not calculate leave every result empty; one that does leaves some. */
  uncomputed: boolean;
}

export interface SurveyContext {
  biff: 5 | 8;
  decode: (bytes: Uint8Array) => string;
  step: () => void;
}

export function surveySheet(view: DataView, start: number, context: SurveyContext): SheetSurvey {
  const survey: SheetSurvey = {
    merges: [],
    hiddenRows: [],
    hiddenColumns: [],
    links: [],
    sorted: true,
    filtered: false,
    formulas: 0,
    formulaBytes: 0,
    arrays: 0,
    comments: [],
    leftOut: 0,
    uncomputed: false,
  };
  const comments = createCommentReader(view, context);
  const formulas = createFormulaCount(survey);
  let lastCell = -1;
  for (const record of sheetRecords(view, start, context.step)) {
    const { type, data } = record;
    if (CELL_RECORDS.has(type) && data.byteLength >= 6) {
      const cell = data.getUint16(0, true) * 65_536 + data.getUint16(2, true);
      if (cell <= lastCell) survey.sorted = false;
      lastCell = cell;
    } else takeLayout(survey, type, data);
    formulas.add(type, data);
    comments.add(record);
  }
  survey.uncomputed = survey.formulas > 0 && survey.formulas === formulas.withoutResult();
  const found = comments.finish();
  survey.comments = found.comments;
  survey.leftOut += found.leftOut;
  return survey;
}

function takeLayout(survey: SheetSurvey, type: number, data: DataView): void {
  const size = data.byteLength;
  const push = <T>(list: T[], item: T) => {
    if (list.length < MAX_TAIL_ITEMS) list.push(item);
    else survey.leftOut++;
  };
  if (type === 0x208 && size >= 16) {
    if ((data.getUint16(12, true) & 0x20) !== 0) {
      extend(survey.hiddenRows, data.getUint16(0, true));
    }
  } else if (type === 0x7d && size >= 10) {
    const [from, to] = [data.getUint16(0, true), Math.min(data.getUint16(2, true), 255)];
    const isHidden = (data.getUint16(8, true) & 1) !== 0;
    if (isHidden && survey.hiddenColumns.length < 256) survey.hiddenColumns.push({ from, to });
  } else if (type === 0xe5) {
    for (let at = 2; at + 8 <= size; at += 8) push(survey.merges, rangeAt(data, at));
  } else if (type === RECORD.HLINK && size >= 24) push(survey.links, rangeAt(data, 0));
  else if (type === 0x9b) survey.filtered = true;
}

/** Counts formulas, and what they would cost to be written out. */
function createFormulaCount(survey: SheetSurvey) {
  /** Bytes of a shared formula by the cell behind which it stands. */
  const shared = new Map<number, number>();
  let last = -1;
  let empty = 0;
  return {
    add(type: number, data: DataView): void {
      const size = data.byteLength;
      if (type === RECORD.FORMULA && size >= 16) {
        survey.formulas++;
        survey.formulaBytes += size;
        last = data.getUint16(0, true) * 65_536 + data.getUint16(2, true);
        if (hasNoResult(data)) empty++;
        // The formula is that of another cell (PtgExp, MS-XLS 2.5.198.58).
        if (size < 27 || data.getUint8(22) !== 1) return;
        const base = data.getUint16(23, true) * 65_536 + data.getUint16(25, true);
        survey.formulaBytes += shared.get(base) ?? 0;
      } else if (type === RECORD.SHARED_FORMULA || type === RECORD.ARRAY) {
        survey.arrays++;
        survey.formulaBytes += size;
        shared.set(last, size);
      } else if (type === RECORD.TABLE) survey.arrays++;
    },
    withoutResult: () => empty,
  };
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
  else if (spans.length < MAX_TAIL_ITEMS) spans.push({ from: row, to: row });
}

function rangeAt(data: DataView, at: number): CellRange {
  const rows = { from: data.getUint16(at, true), to: data.getUint16(at + 2, true) };
  return {
    rows,
    columns: { from: data.getUint16(at + 4, true), to: data.getUint16(at + 6, true) },
  };
}
