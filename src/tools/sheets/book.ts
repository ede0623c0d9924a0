/**
 * What every spreadsheet reader gives, whatever the format: sheets, and a scan that hands out cells
 * one after another and keeps none, so that a book of any size costs the memory of one row.
 * Rows and columns count from 0 here; people and models see A1 addresses. Types only.
 */

/** How a cell looks; one instance per style of the book. Colours are `#RRGGBB`, resolved. */
export interface CellStyle {
  /** Colour of a solid fill (of a pattern its foreground); absent without a fill. */
  fill?: string;
  /** Colour of the text when it is not the automatic one. */
  color?: string;
  bold?: true;
  italic?: true;
  strike?: true;
  underline?: true;
  /** Number format code; absent for General. */
  format?: string;
}

export interface Cell {
  row: number;
  column: number;
  /** `date` also holds times and durations. `empty`: no value, but a style or a formula. */
  kind: 'number' | 'text' | 'boolean' | 'date' | 'error' | 'empty';
  /**
   * Text of the value: a number in its shortest exact form, TRUE or FALSE, an error code (`#N/A`),
   * a date as ISO 8601 (`2024-03-01`, `2024-03-01T14:30:00`, `14:30:00`; a duration `37:30:00`).
   */
  text: string;
  /** Without the leading `=`. */
  formula?: string;
  /** The formula has no stored result: nobody has computed it yet. */
  uncomputed?: true;
  style?: CellStyle;
  /** Parts of a rich text that look different from the cell, in order, plain parts too. */
  runs?: readonly { text: string; style?: CellStyle }[];
}

export interface SheetHead {
  name: string;
  state: 'visible' | 'hidden' | 'very hidden';
  /** A chart or dialog sheet holds no cells. */
  kind: 'cells' | 'chart';
}

/** Both ends inclusive. */
export interface Span {
  from: number;
  to: number;
}

export interface CellRange {
  rows: Span;
  columns: Span;
}

/** What stands around the cells of a sheet; complete only after the whole sheet was scanned. */
export interface SheetTail {
  /** False when the scan was stopped by `onCell` or ended where the file is cut off. */
  complete: boolean;
  merges: CellRange[];
  hiddenRows: Span[];
  hiddenColumns: Span[];
  comments: { row: number; column: number; author: string | null; text: string }[];
  links: { range: CellRange; target: string }[];
  /** Range of an active filter, whose rows may be hidden by it. */
  filter: CellRange | null;
  /** Conditional formats: they colour cells by value, and no cell's own style shows it. */
  rules: { range: string; rule: string }[];
  /** What floats above the cells, in words: `text box D2: "…"`, `chart "Sales"`, `picture B2 "logo"`. */
  drawings: string[];
  /** Sentences about what was damaged or left out here. */
  notes: string[];
}

export interface Book {
  /** For people: `xlsx`, `xls`, `ods`, `csv`, … */
  format: string;
  sheets: readonly SheetHead[];
  /** Names of ranges and constants: `Rate` → `Data!$B$1`. */
  names: readonly { name: string; refersTo: string }[];
  /** Sentences for the model: the date system when it is 1904, an encoding, a repair. */
  notes: readonly string[];
  /**
   * Why only the heads of sheets may be read (larger than 20 MB unzipped, say), or null. `scan`
   * still works, but the caller stops it early.
   */
  large: string | null;
  /**
   * Hands out the cells of a sheet in row order, empty ones without style or formula left out.
   * `onCell` returns false to stop. Throws StrideError invalid_input when the sheet is damaged
   * beyond reading, and whatever `signal` is aborted with.
   */
  scan(
    sheet: number,
    onCell: (cell: Cell) => boolean,
    options: { signal: AbortSignal },
  ): Promise<SheetTail>;
}

/** Cells of a whole book beyond which only heads are shown (sums belong in execute_python). */
export const MAX_BOOK_CELLS = 200_000;
/** Bytes of the XML of a book, unzipped, beyond which only heads are shown. */
export const MAX_BOOK_BYTES = 20 * 1024 * 1024;
