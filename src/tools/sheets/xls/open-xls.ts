/**
 * The old binary xls (Excel 5 to 2003), streamed from its own records, and what only SheetJS reads:
 * xlsb and the XML of Excel 2003. SheetJS holds all cells at once, so of larger files of those only
 * the first rows are read.
 */
import type { WorkBook } from '@e965/xlsx';
import { StrideError } from '../../../errors.ts';
import { type Book, MAX_BOOK_BYTES, type SheetTail } from '../book.ts';
import { createCheck, emptyTail } from '../scan-parts.ts';
import { readCells, type XlsBook } from './cells.ts';
import { type CfbStream, firstStream, isCfb, openCfb } from './cfb.ts';
import { readExtras, type XlsExtras } from './formulas.ts';
import { bookOfWorkbook } from './other.ts';
import {
  biffVersion,
  DATE_1904_NOTE,
  readGlobals,
  type SheetSurvey,
  surveySheet,
  viewOf,
} from './records.ts';
import { addComments, parseRange, readWorkbook } from './sheetjs.ts';
import { indexSharedTexts } from './strings.ts';

/** Above it only `HEAD_ROWS` of each sheet are read where SheetJS reads the cells. */
const MAX_SHEETJS_BYTES = { xml: 1024 * 1024, xlsb: 4 * 1024 * 1024 };
const HEAD_ROWS = 1000;
/** SheetJS takes about two kilobytes of memory for each formula, for a while. */
const MAX_FORMULAS = 25_000;

/** Opens an xls. Throws StrideError invalid_input, whatever the bytes. */
export async function openXls(bytes: Uint8Array, name: string): Promise<Book> {
  const stream = workbookStream(bytes, name);
  const view = viewOf(stream.bytes);
  const biff = biffVersion(view);
  if (biff === null) throw isBefore1993(view) ? beforeExcel5(name) : damagedError(name);
  const globals = readGlobals(view, biff);
  if (globals.encrypted) throw passwordError(name);
  if (globals.sheets.length === 0) throw damagedError(name);
  const surveys = globals.sheets.map(({ start }) => surveySheet(view, start));
  const formulas = surveys.reduce((sum, survey) => sum + survey.formulas, 0);
  const extras = readExtras(view, { sheets: globals.sheets, formulas: formulas <= MAX_FORMULAS });
  const notes: string[] = [];
  if (stream.cut) notes.push('The file is damaged or cut off; this is what is left of it.');
  if (extras === null) {
    notes.push('Formulas, comments, links and names could not be read; values are not affected.');
  } else if (formulas > MAX_FORMULAS) {
    notes.push(`The ${formulas} formulas are too many to be shown; their results are.`);
  }
  if (globals.date1904) notes.push(DATE_1904_NOTE);
  const book: XlsBook = { view, biff, globals, texts: indexSharedTexts(view, globals.sst) };
  return {
    format: 'xls',
    sheets: globals.sheets.map(({ name: title, state, kind }) => ({ name: title, state, kind })),
    names: extras?.names ?? [],
    notes,
    large: largeText(bytes.length, MAX_BOOK_BYTES),
    async scan(index, onCell, { signal }) {
      const survey = surveys[index];
      if (survey === undefined) return emptyTail();
      return scanSheet({ book, extras, survey, cut: stream.cut }, { index, onCell, signal });
    },
  };
}

/** xlsb and XML of Excel 2003: what SheetJS gives, values above all. */
export async function openBySheetJs(
  bytes: Uint8Array,
  name: string,
  {
    format,
    unpacked = bytes.length,
  }: { format: keyof typeof MAX_SHEETJS_BYTES; unpacked?: number },
): Promise<Book> {
  const large = largeText(unpacked, MAX_SHEETJS_BYTES[format]);
  const maxRows = large === null ? 0 : HEAD_ROWS;
  let workbook: WorkBook;
  try {
    workbook = readWorkbook(bytes, { maxRows, looks: true, blanks: false });
  } catch (error) {
    throw /password/i.test(String(error)) ? passwordError(name) : damagedError(name);
  }
  if (workbook.SheetNames.length === 0) throw damagedError(name);
  return bookOfWorkbook(workbook, { format, large, maxRows });
}

interface OpenedSheet {
  book: XlsBook;
  extras: XlsExtras | null;
  survey: SheetSurvey;
  cut: boolean;
}

function scanSheet(
  { book, extras, survey, cut }: OpenedSheet,
  {
    index,
    onCell,
    signal,
  }: { index: number; onCell: Parameters<Book['scan']>[1]; signal: AbortSignal },
): SheetTail {
  const tail = emptyTail();
  const sheet = book.globals.sheets[index];
  if (sheet === undefined || sheet.kind === 'chart') return tail;
  const rows = extras?.rows(sheet) ?? [];
  const check = createCheck(signal);
  const cells = readCells(book, {
    start: sheet.start,
    sorted: survey.sorted,
    uncomputed: survey.uncomputed,
    formulaAt({ row, column }) {
      const formula = rows[row]?.[column]?.f;
      return typeof formula === 'string' && formula !== '' ? formula.replace(/^=/, '') : null;
    },
  });
  for (const cell of cells) {
    check();
    if (!onCell(cell)) return { ...tail, complete: false };
  }
  const { merges, hiddenRows, hiddenColumns } = survey;
  Object.assign(tail, { merges, hiddenRows, hiddenColumns, complete: !cut });
  if (survey.filtered) tail.filter = parseRange(extras?.filter(sheet));
  for (const [link, range] of survey.links.entries()) {
    const target = extras?.linkTarget(sheet, link) ?? null;
    if (target !== null) tail.links.push({ range, target });
  }
  addComments(tail, rows);
  return tail;
}

function workbookStream(bytes: Uint8Array, name: string): CfbStream {
  if (!isCfb(bytes)) return { bytes, cut: false };
  const cfb = openCfb(bytes);
  if (cfb?.has('EncryptedPackage')) throw passwordError(name);
  const stream = cfb?.read('Workbook') ?? cfb?.read('Book');
  if (stream && stream.bytes.length >= 8) return stream;
  const first = firstStream(bytes);
  if (first === null || biffVersion(viewOf(first.bytes)) === null) throw damagedError(name);
  return first;
}

function largeText(bytes: number, limit: number): string | null {
  if (bytes <= limit) return null;
  const megabytes = (value: number) => (value / 1024 / 1024).toFixed(1).replace(/\.0$/, '');
  return `it has ${megabytes(bytes)} MB, more than ${megabytes(limit)} MB`;
}

/** First record of Excel 2, 3 and 4; SheetJS can be sent round in circles by damaged ones. */
function isBefore1993(view: DataView): boolean {
  return view.byteLength >= 8 && [0x009, 0x209, 0x409].includes(view.getUint16(0, true));
}

function beforeExcel5(name: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} is an xls of Excel 4 or older, which is not read here; read it with xlrd in execute_python.`,
  );
}

function passwordError(name: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} is protected by a password; ask for a copy without one, or answer without it.`,
  );
}

function damagedError(name: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} is damaged and no spreadsheet could be read from it; try execute_python, or answer without it.`,
  );
}
