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
import { biffVersion, DATE_1904_NOTE, readGlobals, viewOf, type XlsGlobals } from './records.ts';
import { formulaText, parseRange, readWorkbook } from './sheetjs.ts';
import { indexSharedTexts } from './strings.ts';
import { type SheetSurvey, surveySheet } from './survey.ts';

/** Above it only `HEAD_ROWS` of each sheet are read where SheetJS reads the cells. */
const MAX_SHEETJS_BYTES = { xml: 1024 * 1024, xlsb: 4 * 1024 * 1024 };
const HEAD_ROWS = 1000;
/** SheetJS takes about two kilobytes of memory for each formula, for a while. */
const MAX_FORMULAS = 25_000;
/** SheetJS looks through all arrays for each formula in one of them. */
const MAX_ARRAYS = 2_000;
const MAX_FORMULA_BYTES = 2 * 1024 * 1024;
/** Records that one opened book may pass, each sheet being read a few times. */
const MAX_STEPS = 8_000_000;

/** Opens an xls. Throws StrideError invalid_input, whatever the bytes. */
export async function openXls(bytes: Uint8Array, name: string): Promise<Book> {
  const stream = workbookStream(bytes, name);
  const view = viewOf(stream.bytes);
  const biff = biffVersion(view);
  if (biff === null) throw isBefore1993(view) ? beforeExcel5(name) : damagedError(name);
  const globals = readGlobals(view, biff);
  if (globals.encrypted) throw passwordError(name);
  if (globals.sheets.length === 0) throw damagedError(name);
  const step = createSteps(name);
  const surveys = surveySheets(view, { biff, globals, step });
  const plan = planExtras(globals, surveys);
  const extras = readExtras(view, { sheets: globals.sheets, ...plan, step });
  const notes: string[] = [];
  if (stream.cut) notes.push('The file is damaged or cut off; this is what is left of it.');
  if (extras === null) {
    notes.push('Formulas, links and names could not be read; values are not affected.');
  } else if (!plan.formulas) {
    notes.push(`The ${plan.count} formulas are too many to be shown; their results are.`);
  }
  if (!plan.names) notes.push('The names are too many to be shown.');
  if (globals.date1904) notes.push(DATE_1904_NOTE);
  const texts = indexSharedTexts(view, globals.sst);
  const book: XlsBook = { view, biff, globals, texts, values: new WeakMap(), step };
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

/** Throws when more records are passed than those of any real book. */
function createSteps(name: string): () => void {
  let left = MAX_STEPS;
  return () => {
    if (left-- > 0) return;
    throw new StrideError(
      'too_large',
      `${name} takes more work to read than any real xls, so it was not read on; ask for one sheet, use execute_python, or answer without it.`,
    );
  };
}

/** Sheets that a file puts in one place are looked at once. */
function surveySheets(
  view: DataView,
  { biff, globals, step }: { biff: 5 | 8; globals: XlsGlobals; step: () => void },
): SheetSurvey[] {
  const known = new Map<number, SheetSurvey>();
  return globals.sheets.map(({ start }) => {
    const survey =
      known.get(start) ?? surveySheet(view, start, { biff, decode: globals.decode, step });
    known.set(start, survey);
    return survey;
  });
}

/** What SheetJS may be given: it takes seventy times the bytes of formulas and names. */
function planExtras(globals: XlsGlobals, surveys: readonly SheetSurvey[]) {
  const each = [...new Set(surveys)];
  const sum = (of: (survey: SheetSurvey) => number) =>
    each.reduce((total, survey) => total + of(survey), 0);
  const count = sum(({ formulas }) => formulas);
  const isSmall =
    count <= MAX_FORMULAS &&
    sum(({ arrays }) => arrays) <= MAX_ARRAYS &&
    sum(({ formulaBytes }) => formulaBytes) <= MAX_FORMULA_BYTES;
  const names = globals.nameBytes <= MAX_FORMULA_BYTES;
  return { count, names, formulas: names && isSmall };
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
      return typeof formula === 'string' && formula !== '' ? formulaText(formula) : null;
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
  tail.comments = survey.comments;
  if (survey.leftOut > 0) {
    tail.notes.push(`${survey.leftOut} more merges, comments and links are not listed.`);
  }
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
