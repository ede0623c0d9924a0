/**
 * A1 addresses: letters and numbers of columns, ranges as people write them, and cells gathered
 * into rectangles. Rows and columns count from 0 inside, from 1 and A in text. No I/O.
 */
import type { CellRange, Span } from './book.ts';

/** XFD, the last column of a modern sheet. */
const MAX_COLUMN = 16_383;

/** 0 → A, 25 → Z, 26 → AA. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** A → 0, AA → 26; the letters in upper case. */
export function columnNumber(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** (1, 2) → C2. */
export function cellAddress(row: number, column: number): string {
  return `${columnLetters(column)}${row + 1}`;
}

/** `A1:C5`, one cell as `B2`; without an end of rows `A:C`, without an end of columns `5:40`. */
export function rangeAddress({ rows, columns }: CellRange): string {
  if (rows.to === Number.POSITIVE_INFINITY) {
    const from = rows.from === 0 ? '' : String(rows.from + 1);
    return `${columnLetters(columns.from)}${from}:${columnLetters(Math.min(columns.to, MAX_COLUMN))}`;
  }
  if (columns.to === Number.POSITIVE_INFINITY) return rowsAddress(rows);
  const first = cellAddress(rows.from, columns.from);
  const last = cellAddress(rows.to, columns.to);
  return first === last ? first : `${first}:${last}`;
}

/** `5:40`, one row as `5`. */
export function rowsAddress(rows: Span): string {
  return rows.from === rows.to ? String(rows.from + 1) : `${rows.from + 1}:${rows.to + 1}`;
}

/** `A:C`, one column as `A`. */
export function columnsAddress({ from, to }: Span): string {
  return from === to ? columnLetters(from) : `${columnLetters(from)}:${columnLetters(to)}`;
}

export function isWithin(range: CellRange, row: number, column: number): boolean {
  const { rows, columns } = range;
  return row >= rows.from && row <= rows.to && column >= columns.from && column <= columns.to;
}

export function overlaps(a: CellRange, b: CellRange): boolean {
  return meets(a.rows, b.rows) && meets(a.columns, b.columns);
}

function meets(a: Span, b: Span): boolean {
  return a.from <= b.to && b.from <= a.to;
}

/** The range grown so that it holds the cell too; a new one from null. */
export function include(range: CellRange | null, row: number, column: number): CellRange {
  if (range === null)
    return { rows: { from: row, to: row }, columns: { from: column, to: column } };
  const { rows, columns } = range;
  if (row < rows.from) rows.from = row;
  if (row > rows.to) rows.to = row;
  if (column < columns.from) columns.from = column;
  if (column > columns.to) columns.to = column;
  return range;
}

/** A range as written, perhaps with the name of its sheet; open ends are Infinity. */
export interface ParsedRange extends CellRange {
  sheet: string | null;
}

/**
 * Reads `A1:D20`, `A:C`, `5:40`, `B2`, `C`, `A2:C` (to the last row), with `$`, in any case, with
 * `Sheet!` or `'My sheet'!` before it, its ends in any order. Null when it is none of these.
 */
export function parseRange(text: string): ParsedRange | null {
  const parts = /^\s*=?\s*(?:'((?:[^']|'')+)'!|([^'!]+)!)?([^'!]+)$/.exec(text);
  if (parts === null) return null;
  const sheet = parts[1]?.replaceAll("''", "'") ?? parts[2]?.trim() ?? null;
  const ends = (parts[3] ?? '')
    .replace(/[$\s]/g, '')
    .toUpperCase()
    .split(/:|\.\.|[-–]/);
  const first = parseEnd(ends[0] ?? '');
  const last = ends.length === 1 ? first : parseEnd(ends[1] ?? '');
  if (ends.length > 2 || first === null || last === null) return null;
  // `A1:5` and `5:C9` could mean several things.
  if ((first.column === null) !== (last.column === null)) return null;
  return {
    sheet,
    rows: span(first.row ?? 0, last.row ?? Number.POSITIVE_INFINITY),
    columns: span(first.column ?? 0, last.column ?? Number.POSITIVE_INFINITY),
  };
}

function parseEnd(text: string): { row: number | null; column: number | null } | null {
  const parts = /^([A-Z]{1,3})?(\d{1,9})?$/.exec(text);
  if (parts === null || text === '') return null;
  const column = parts[1] === undefined ? null : columnNumber(parts[1]);
  const row = parts[2] === undefined ? null : Number(parts[2]) - 1;
  if ((column ?? 0) > MAX_COLUMN || (row ?? 0) < 0) return null;
  return { row, column };
}

function span(a: number, b: number): Span {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

/** Whether a number lies in one of the spans, in logarithmic time. */
export function createSpanLookup(spans: readonly Span[]): (value: number) => boolean {
  const merged: Span[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return (value) => {
    let low = 0;
    let high = merged.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((merged[middle]?.to ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    const found = merged[low];
    return found !== undefined && found.from <= value;
  };
}

export interface Rectangles {
  /** Cells in row order, columns ascending in a row; others are taken too, only less compressed. */
  add(row: number, column: number): void;
  /** In order of their first cell; nothing can be added any more. */
  close(): CellRange[];
  /** Cells that found no room any more. */
  left(): number;
}

/**
 * Gathers cells into rectangles while they stream by: cells side by side make a run, equal runs of
 * rows one under the other a rectangle. `room` is shared by gatherers, so that all together stay
 * small; what comes after it is used up is only counted.
 */
export function createRectangles(room: { rectangles: number }): Rectangles {
  const rectangles: CellRange[] = [];
  const open = new Map<number, CellRange>();
  let run: { row: number; from: number; to: number } | null = null;
  let left = 0;

  function closeRun(): void {
    if (run === null) return;
    const { row, from, to } = run;
    const key = from * (MAX_COLUMN + 1) + to;
    const above = open.get(key);
    if (above?.rows.to === row - 1) above.rows.to = row;
    else if (room.rectangles > 0) {
      room.rectangles--;
      const rectangle = { rows: { from: row, to: row }, columns: { from, to } };
      rectangles.push(rectangle);
      open.set(key, rectangle);
    } else left += to - from + 1;
    run = null;
  }

  return {
    add(row, column) {
      if (run !== null && run.row === row && run.to === column - 1) run.to = column;
      else {
        closeRun();
        run = { row, from: column, to: column };
      }
    },
    close() {
      closeRun();
      return rectangles;
    },
    left: () => left,
  };
}
