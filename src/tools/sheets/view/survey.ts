/**
 * One pass over a sheet: counts of everything, the cells of a window as far as they may be shown,
 * and what the collectors of asked-for aspects gather. Memory is bounded by the room of the answer,
 * not by the sheet.
 */
import { include, isWithin } from '../addresses.ts';
import type { Book, Cell, CellRange, CellStyle, SheetHead, SheetTail } from '../book.ts';
import { emptyTail } from '../scan-parts.ts';
import { LONG_TEXT_CHARS, type ShownCell } from './cell.ts';

/** Gathers one aspect (colours, say) from the cells of the window while they stream by. */
export interface Collector {
  add(cell: Cell): void;
}

export interface SurveyOptions {
  signal: AbortSignal;
  /** Cells outside are counted, but neither kept nor collected; null for the whole sheet. */
  window: CellRange | null;
  /** Bytes of text after which no more cells are kept; never less than what can be shown of them. */
  keepBytes: number;
  /** Cells after which the scan stops. */
  maxCells: number;
  /** Rows with values after which the scan stops. */
  maxRows?: number;
  /** Row behind which the scan stops, for a window in a large book. */
  lastRow?: number;
  collectors?: readonly Collector[];
}

export interface Looks {
  /** Colour → cells, in order of first appearance. Text counts only where there is text. */
  fills: ReadonlyMap<string, number>;
  colors: ReadonlyMap<string, number>;
  strike: number;
  /** Cells whose text has parts that look different. */
  mixed: number;
}

export interface Survey {
  head: SheetHead;
  /** From 0. */
  index: number;
  /** Cells handed out, empty ones with a style too. */
  scanned: number;
  /** Why the scan ended early: `cells`, `rows` (head only), `window`; null when it did not. */
  stopped: 'cells' | 'rows' | 'window' | null;
  /** Last row seen, or −1. */
  lastRow: number;
  /** Range of values and fills, as far as scanned. */
  used: CellRange | null;
  /** Cells with a value or a formula, in the sheet and in the window. */
  cells: number;
  windowCells: number;
  /** Range of the values in the window. */
  values: CellRange | null;
  formulas: number;
  uncomputed: number;
  looks: Looks;
  /** Cells of the window with values, whole rows from its first on. */
  kept: ShownCell[];
  /** Rows are stored out of order, as some writers and damaged files have them. */
  disordered: boolean;
  /** Estimated bytes of `kept`, never more than what showing it takes. */
  keptBytes: number;
  tail: SheetTail;
}

/** Scans a sheet. Throws what the reader throws for a sheet beyond reading. */
export async function surveySheet(
  book: Book,
  index: number,
  options: SurveyOptions,
): Promise<Survey> {
  const head = book.sheets[index] ?? { name: '', state: 'visible', kind: 'cells' };
  const state = createState(options);
  const tail =
    head.kind === 'cells'
      ? await book.scan(index, state.onCell, { signal: options.signal })
      : emptyTail();
  return { head, index, ...state.result(), tail };
}

function createState(options: SurveyOptions) {
  const { window, collectors = [], maxRows = Number.POSITIVE_INFINITY } = options;
  const { lastRow: border = Number.POSITIVE_INFINITY } = options;
  const looks = createLooks();
  const kept: ShownCell[] = [];
  let keptBytes = 0;
  let full = false;
  let disordered = false;
  let rows = 0;
  let rowOfValues = -1;
  let stopped: Survey['stopped'] = null;
  const seen = { scanned: 0, lastRow: -1, cells: 0, windowCells: 0, formulas: 0, uncomputed: 0 };
  let used: CellRange | null = null;
  let values: CellRange | null = null;

  function keep(cell: Cell): void {
    if (full) return;
    // Whole rows only: of half a row nobody could tell that the other half is missing.
    if (keptBytes > options.keepBytes && cell.row !== kept.at(-1)?.row) {
      full = true;
      return;
    }
    const { row, column, kind, text, formula, uncomputed } = cell;
    kept.push({ row, column, kind, text, formula, uncomputed });
    keptBytes += 1 + Math.min(LONG_TEXT_CHARS, text.length);
  }

  function onCell(cell: Cell): boolean {
    const hasValue = cell.kind !== 'empty' || cell.formula !== undefined;
    if (cell.row > border) stopped = 'window';
    else if (seen.scanned >= options.maxCells) stopped = 'cells';
    else if (hasValue && cell.row !== rowOfValues && rows >= maxRows) stopped = 'rows';
    if (stopped !== null) return false;
    seen.scanned++;
    if (cell.row < seen.lastRow) disordered = true;
    else seen.lastRow = cell.row;
    if (hasValue || cell.style?.fill !== undefined) used = include(used, cell.row, cell.column);
    looks.add(cell, hasValue);
    if (hasValue) {
      if (cell.row !== rowOfValues) rows++;
      rowOfValues = cell.row;
      seen.cells++;
      if (cell.formula !== undefined) seen.formulas++;
      if (cell.uncomputed === true) seen.uncomputed++;
    }
    if (window !== null && !isWithin(window, cell.row, cell.column)) return true;
    for (const collector of collectors) collector.add(cell);
    if (hasValue) {
      seen.windowCells++;
      values = include(values, cell.row, cell.column);
      keep(cell);
    }
    return true;
  }

  return {
    onCell,
    result: () => {
      if (disordered) kept.sort((a, b) => a.row - b.row || a.column - b.column);
      return { ...seen, stopped, disordered, used, values, kept, keptBytes, looks: looks.sums() };
    },
  };
}

/** Counts by style first: a book has few styles, and each is one object. */
function createLooks() {
  const counts = new Map<CellStyle, { all: number; withValue: number }>();
  let mixed = 0;
  return {
    add(cell: Cell, hasValue: boolean): void {
      if (cell.runs !== undefined) mixed++;
      if (cell.style === undefined) return;
      let entry = counts.get(cell.style);
      if (entry === undefined) {
        entry = { all: 0, withValue: 0 };
        counts.set(cell.style, entry);
      }
      entry.all++;
      if (hasValue) entry.withValue++;
    },
    sums(): Looks {
      const fills = new Map<string, number>();
      const colors = new Map<string, number>();
      let strike = 0;
      for (const [style, { all, withValue }] of counts) {
        if (style.fill !== undefined) fills.set(style.fill, (fills.get(style.fill) ?? 0) + all);
        const color = visibleColor(style);
        if (color !== null && withValue > 0) {
          colors.set(color, (colors.get(color) ?? 0) + withValue);
        }
        if (style.strike === true) strike += withValue;
      }
      return { fills, colors, strike, mixed };
    },
  };
}

/** The text colour, unless it is black: that is how all text looks, and most books say so. */
export function visibleColor(style: CellStyle): string | null {
  return style.color === undefined || style.color === '#000000' ? null : style.color;
}
