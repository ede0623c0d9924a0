/**
 * The cells of a sheet as text: a header line `row`, A, B, … and one line a row, tab-separated, or
 * `B7 = value` lines where few cells are scattered widely. Hidden rows and columns are marked, never
 * dropped; rows without values have no line, their numbers are missing. Other programs parse this:
 * the header matches /^row(\t[A-Z]+( \(hidden\))?)+$/, a row /^\d+( \((hidden|filtered out)\))?\t/.
 */
import { utf8Length } from '../../truncate.ts';
import { cellAddress, columnLetters, createSpanLookup, rangeAddress } from '../addresses.ts';
import type { CellRange, SheetTail, Span } from '../book.ts';
import { LONG_TEXT_CHARS, type ShownCell, showCell } from './cell.ts';

export interface Grid {
  lines: string[];
  bytes: number;
  /** What is shown, up to the last row of the range when nothing is left out; null for nothing. */
  shown: CellRange | null;
  /** Ranges that were left out, in order, as they are asked for: the rest of a row, later rows. */
  rest: string[];
}

/** Names of rows and columns with what hides them. */
export interface Labels {
  row(row: number): string;
  column(column: number): string;
  /** Words for `B7 (hidden row) = …`, or nothing. */
  cell(row: number, column: number): string;
}

export function createLabels(tail: SheetTail): Labels {
  const isHiddenRow = createSpanLookup(tail.hiddenRows);
  const isHiddenColumn = createSpanLookup(tail.hiddenColumns);
  const { filter } = tail;
  const hides = (row: number) => {
    if (!isHiddenRow(row)) return '';
    const isFiltered = filter !== null && row > filter.rows.from && row <= filter.rows.to;
    return isFiltered ? ' (filtered out)' : ' (hidden)';
  };
  return {
    row: (row) => `${row + 1}${hides(row)}`,
    column: (column) => `${columnLetters(column)}${isHiddenColumn(column) ? ' (hidden)' : ''}`,
    cell: (row, column) => {
      const byRow = hides(row).replace('hidden', 'hidden row');
      return byRow === '' && isHiddenColumn(column) ? ' (hidden column)' : byRow;
    },
  };
}

export interface GridOptions {
  labels: Labels;
  maxBytes: number;
  /** Range of all values that were asked for; the cells may end before it does. */
  values: CellRange;
  /** True when the cells hold everything in `values`. */
  complete: boolean;
  /** True for a request of a single cell, whose text is shown whole. */
  whole: boolean;
}

/** Shows as many of the cells (whole rows, in row order) as fit. */
export function renderGrid(cells: readonly ShownCell[], options: GridOptions): Grid {
  const rows = byRow(cells);
  if (rows.length === 0) return { lines: [], bytes: 0, shown: null, rest: [] };
  const width = options.values.columns.to - options.values.columns.from + 1;
  const isSparse = width > 4 && rows.length * width > 8 * cells.length;
  const render = isSparse || cells.length === 1 ? renderList : renderRows;
  // Long texts are cut only when not everything fits otherwise.
  const uncut = render(rows, { ...options, maxChars: Number.POSITIVE_INFINITY });
  if (options.whole || (uncut.rest.length === 0 && options.complete)) return uncut;
  const cut = render(rows, { ...options, maxChars: LONG_TEXT_CHARS });
  // A single row that is wider than the answer: cell by cell, as far as it goes.
  if (cut.lines.length > 0) return cut;
  return renderList(rows, { ...options, maxChars: LONG_TEXT_CHARS });
}

type Row = { row: number; cells: ShownCell[] };
type RowOptions = GridOptions & { maxChars: number };

function byRow(cells: readonly ShownCell[]): Row[] {
  const rows: Row[] = [];
  for (const cell of cells) {
    const last = rows.at(-1);
    if (last?.row === cell.row) last.cells.push(cell);
    else rows.push({ row: cell.row, cells: [cell] });
  }
  return rows;
}

function renderRows(rows: readonly Row[], options: RowOptions): Grid {
  const { labels, maxChars, values } = options;
  const { from, to } = values.columns;
  const header = ['row'];
  for (let column = from; column <= to; column++) header.push(labels.column(column));
  const lines = [header.join('\t')];
  let bytes = utf8Length(lines[0] ?? '') + 1;
  let taken = 0;
  for (const { row, cells } of rows) {
    const fields = [labels.row(row)];
    for (const cell of cells) {
      const place = cell.column - from + 1;
      while (fields.length < place) fields.push('');
      fields[place] = showCell(cell, maxChars);
    }
    const line = fields.join('\t');
    const size = utf8Length(line) + 1;
    if (bytes + size > options.maxBytes) break;
    lines.push(line);
    bytes += size;
    taken++;
  }
  if (taken === 0) return { lines: [], bytes: 0, shown: null, rest: [rangeAddress(values)] };
  return { lines, bytes, ...restOf(rows, taken, options) };
}

function renderList(rows: readonly Row[], options: RowOptions): Grid {
  const { labels, maxChars, values } = options;
  const lines: string[] = [];
  let bytes = 0;
  for (const [index, { row, cells }] of rows.entries()) {
    const start = { lines: lines.length, bytes };
    for (const cell of cells) {
      const { column } = cell;
      const address = cellAddress(row, column);
      const line = `${address}${labels.cell(row, column)} = ${showCell(cell, maxChars)}`;
      const size = utf8Length(line) + 1;
      if (bytes + size > options.maxBytes) {
        if (index === 0 && lines.length > 0) return cutRow({ lines, bytes, rows, cell }, options);
        lines.length = start.lines;
        bytes = start.bytes;
        return index === 0
          ? { lines, bytes, shown: null, rest: [rangeAddress(values)] }
          : { lines, bytes, ...restOf(rows, index, options) };
      }
      lines.push(line);
      bytes += size;
    }
  }
  return { lines, bytes, ...restOf(rows, rows.length, options) };
}

/** A first row that does not fit as a whole: shown up to `cell`. */
function cutRow(
  list: { lines: string[]; bytes: number; rows: readonly Row[]; cell: ShownCell },
  options: RowOptions,
): Grid {
  const { row, column } = list.cell;
  const { columns, rows } = options.values;
  const one: Span = { from: row, to: row };
  const rest = [rangeAddress({ rows: one, columns: { from: column, to: columns.to } })];
  const next = list.rows[1]?.row ?? row + 1;
  if (next <= rows.to) rest.push(rangeAddress({ rows: { from: next, to: rows.to }, columns }));
  const shown = { rows: one, columns: { from: columns.from, to: column - 1 } };
  return { lines: list.lines, bytes: list.bytes, shown, rest };
}

/** What the first `taken` rows leave over. */
function restOf(
  rows: readonly Row[],
  taken: number,
  options: RowOptions,
): Pick<Grid, 'shown' | 'rest'> {
  const { values, complete } = options;
  const first = rows[0]?.row ?? 0;
  const last = rows[taken - 1]?.row ?? first;
  const next = rows[taken]?.row ?? last + 1;
  if (taken === rows.length && (complete || next > values.rows.to)) {
    return {
      shown: { rows: { from: first, to: values.rows.to }, columns: values.columns },
      rest: [],
    };
  }
  return {
    shown: { rows: { from: first, to: next - 1 }, columns: values.columns },
    rest: [rangeAddress({ rows: { from: next, to: values.rows.to }, columns: values.columns })],
  };
}
