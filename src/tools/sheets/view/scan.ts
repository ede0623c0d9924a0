/**
 * Which sheets are read, and how far: all of a small book once, the heads of a large one, or the
 * one sheet (and window) that was asked for. Nothing is read twice but the head of a large book.
 */
import { StrideError } from '../../../errors.ts';
import { count } from '../../truncate.ts';
import { overlaps, rangeAddress, rowsAddress } from '../addresses.ts';
import { type Book, type CellRange, MAX_BOOK_CELLS } from '../book.ts';
import { createColorSection, createFormatSection, type Section } from './colors.ts';
import { createFormulaSection } from './formulas.ts';
import { codeFor } from './large.ts';
import { type Aspect, quoted, type Target } from './request.ts';
import { type Survey, surveySheet } from './survey.ts';

/** Looked into by one call; of the sheets behind them only the number is said. */
export const MAX_SHEETS_READ = 100;
const HEAD_ROWS = 20;
/** Twenty rows of a few hundred columns; wider heads say little. */
const HEAD_CELLS = 10_000;

export interface Reading {
  survey: Survey;
  /** The aspects that gather while a sheet streams by. */
  sections: ReadonlyMap<Aspect, Section>;
}

export interface ScanOptions {
  path: string;
  aspects: ReadonlySet<Aspect>;
  maxBytes: number;
  signal: AbortSignal;
}

export interface Scan {
  /** In the order in which they are shown. */
  readings: Reading[];
  /** Why only heads were read, or null. */
  large: string | null;
}

const TOO_MANY_CELLS = `more than ${count(MAX_BOOK_CELLS)} cells, the most that are read whole`;

/** All sheets, visible ones first; only their heads when they are too large together. */
export async function scanBook(book: Book, options: ScanOptions): Promise<Scan> {
  const order = showOrder(book);
  if (book.large !== null) {
    return { readings: await scanHeads(book, order, options), large: book.large };
  }
  const readings: Reading[] = [];
  // Short sheets behind a long one are shown too, so each kind keeps cells of its own.
  const keep = { first: options.maxBytes, visible: options.maxBytes, hidden: options.maxBytes };
  let scanned = 0;
  for (const index of order) {
    const isFirst = readings.every(({ survey }) => survey.cells === 0);
    const isVisible = book.sheets[index]?.state === 'visible';
    const kind = isFirst ? 'first' : isVisible ? 'visible' : 'hidden';
    const maxCells = MAX_BOOK_CELLS - scanned;
    const limits = { window: null, keepBytes: keep[kind], maxCells };
    const reading = await readSheet(book, index, { ...options, ...limits });
    if (reading.survey.stopped !== null) {
      return { readings: await scanHeads(book, order, options), large: TOO_MANY_CELLS };
    }
    scanned += reading.survey.scanned;
    keep[kind] = Math.max(0, keep[kind] - reading.survey.keptBytes);
    readings.push(reading);
  }
  return { readings, large: null };
}

function showOrder(book: Book): number[] {
  const indexes = book.sheets.map((_, index) => index);
  const isVisible = (index: number) => book.sheets[index]?.state === 'visible';
  const order = [...indexes.filter(isVisible), ...indexes.filter((index) => !isVisible(index))];
  return order.slice(0, MAX_SHEETS_READ);
}

async function scanHeads(
  book: Book,
  order: readonly number[],
  options: ScanOptions,
): Promise<Reading[]> {
  const keepBytes = Math.max(1_000, Math.floor((options.maxBytes * 2) / order.length));
  const limits = { window: null, keepBytes, maxCells: HEAD_CELLS, maxRows: HEAD_ROWS };
  const readings: Reading[] = [];
  for (const index of order) readings.push(await readSheet(book, index, { ...options, ...limits }));
  return readings;
}

/** The sheet of the call, or the first (visible) one with something in it. */
export async function scanTarget(book: Book, target: Target, options: ScanOptions): Promise<Scan> {
  const candidates = target.sheet === null ? showOrder(book) : [target.sheet];
  let last: Scan = { readings: [], large: null };
  for (const index of candidates) {
    last = await scanOne(book, { index, window: target.window }, options);
    const found = last.readings[0]?.survey;
    if (found !== undefined && (found.used !== null || found.stopped !== null)) break;
  }
  if (target.window !== null)
    checkWindow(last, { book, window: target.window, path: options.path });
  return last;
}

async function scanOne(
  book: Book,
  target: { index: number; window: CellRange | null },
  options: ScanOptions,
): Promise<Scan> {
  const { index, window } = target;
  if (window === null && book.large !== null) {
    return { readings: await scanHeads(book, [index], options), large: book.large };
  }
  // What stands behind the window of a large sheet is not worth the time.
  const lastRow = book.large !== null && window !== null ? window.rows.to : undefined;
  const limits = { window, keepBytes: options.maxBytes, maxCells: MAX_BOOK_CELLS, lastRow };
  const reading = await readSheet(book, index, { ...options, ...limits });
  const { stopped, lastRow: seenTo } = reading.survey;
  if (stopped === 'cells' && window === null) {
    return { readings: await scanHeads(book, [index], options), large: TOO_MANY_CELLS };
  }
  if (stopped === 'cells' && window !== null && window.rows.from >= seenTo) {
    throw new StrideError('too_large', tooFar(book, { index, window }, options.path));
  }
  return { readings: [reading], large: null };
}

function tooFar(book: Book, target: { index: number; window: CellRange }, path: string): string {
  const { rows } = target.window;
  const name = book.sheets[target.index]?.name ?? '';
  const code = codeFor(book, { path, sheet: name, rows });
  return `${path}: rows ${rowsAddress(rows)} of sheet ${quoted(name)} lie beyond its first ${count(MAX_BOOK_CELLS)} cells, which is as far as this tool reads; use execute_python: ${code}`;
}

function checkWindow(
  { readings }: Scan,
  { book, window, path }: { book: Book; window: CellRange; path: string },
): void {
  const survey = readings[0]?.survey;
  if (survey === undefined || survey.stopped !== null) return;
  const { used, head } = survey;
  const sheet = `${path}: sheet ${quoted(head.name)}`;
  if (head.kind === 'chart') {
    throw new StrideError('invalid_input', `${sheet} is a chart and has no cells.`);
  }
  if (used !== null && (overlaps(used, window) || overlapsTail(survey, window))) return;
  // Damage must not look like emptiness.
  const notes = [...book.notes, ...survey.tail.notes].join(' ');
  const damage = notes === '' ? '' : ` ${notes} Try execute_python.`;
  const what =
    used === null
      ? 'has no cells.'
      : `has cells in ${rangeAddress(used)} only; ${rangeAddress(window)} lies outside.`;
  throw new StrideError('invalid_input', `${sheet} ${what}${damage}`);
}

/** A comment or a link may stand at an empty cell. */
function overlapsTail({ tail }: Survey, window: CellRange): boolean {
  return (
    tail.links.some(({ range }) => overlaps(range, window)) ||
    tail.comments.some(({ row, column }) =>
      overlaps({ rows: { from: row, to: row }, columns: { from: column, to: column } }, window),
    )
  );
}

async function readSheet(
  book: Book,
  index: number,
  options: ScanOptions & {
    window: CellRange | null;
    keepBytes: number;
    maxCells: number;
    maxRows?: number;
    lastRow?: number;
  },
): Promise<Reading> {
  const sections = new Map<Aspect, Section>();
  if (options.aspects.has('colors')) sections.set('colors', createColorSection());
  if (options.aspects.has('formulas')) sections.set('formulas', createFormulaSection());
  if (options.aspects.has('formats')) sections.set('formats', createFormatSection());
  const survey = await surveySheet(book, index, { ...options, collectors: [...sections.values()] });
  return { survey, sections };
}
