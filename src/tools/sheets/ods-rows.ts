/**
 * Places of cells in an OpenDocument table, where rows and cells are repeated by a number: a million
 * empty rows cost nothing, what has a value is put in every place, and fills only where they matter.
 */
import type { Cell, CellStyle, SheetTail, Span } from './book.ts';

export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** Filled cells without a value are put into as many rows; a whole column of them is only paint. */
const MAX_FILLED_ROWS = 1024;

/** A cell of the row being read, still without a place. */
export interface OdsCell {
  column: number;
  repeated: number;
  /** Kind, text, formula and so on; null for a cell without a value. */
  content: Omit<Cell, 'row' | 'column' | 'style'> | null;
  styleAt(column: number): CellStyle | undefined;
}

export interface OdsRows {
  addColumns(repeated: number, options: { hidden: boolean; style: string | undefined }): void;
  /** Name of the style that cells of a column have who name none. */
  columnStyle(column: number): string | undefined;
  startRow(repeated: number, options: { hidden: boolean }): void;
  /** The place of the next cell. */
  place(): { row: number; column: number };
  addCell(repeated: number, cell: Pick<OdsCell, 'content' | 'styleAt'>): void;
  /** False when `onCell` said so. */
  endRow(onCell: (cell: Cell) => boolean): boolean;
}

export function createOdsRows(tail: SheetTail): OdsRows {
  const columnStyles: (Span & { style: string })[] = [];
  let columns = 0;
  let row = 0;
  let rowsRepeated = 1;
  let column = 0;
  let cells: OdsCell[] = [];
  /** Columns that hold something so far: trailing fills end there. */
  let usedColumns = 1;
  function emitRow(at: number, onCell: (cell: Cell) => boolean): boolean {
    for (const cell of cells) {
      const end = Math.min(cell.column + cell.repeated, MAX_COLUMNS);
      const last = cell.content === null ? Math.min(end, usedColumns) : end;
      for (let place = cell.column; place < last; place++) {
        const style = cell.styleAt(place);
        if (cell.content === null && style?.fill === undefined) continue;
        const look = style === undefined ? {} : { style };
        const content = cell.content ?? { kind: 'empty' as const, text: '' };
        if (!onCell({ row: at, column: place, ...content, ...look })) return false;
      }
    }
    return true;
  }
  return {
    addColumns(repeated, { hidden, style }) {
      const span = { from: columns, to: Math.min(columns + repeated, MAX_COLUMNS) - 1 };
      columns += repeated;
      if (span.to < span.from) return;
      if (hidden) addSpan(tail.hiddenColumns, span);
      if (style !== undefined) columnStyles.push({ ...span, style });
    },
    columnStyle: (at) => columnStyles.find(({ from, to }) => at >= from && at <= to)?.style,
    startRow(repeated, { hidden }) {
      rowsRepeated = repeated;
      column = 0;
      cells = [];
      const to = Math.min(row + repeated, MAX_ROWS) - 1;
      if (hidden && to >= row) addSpan(tail.hiddenRows, { from: row, to });
    },
    place: () => ({ row, column }),
    addCell(repeated, { content, styleAt }) {
      if (column < MAX_COLUMNS) cells.push({ column, repeated, content, styleAt });
      if (content !== null)
        usedColumns = Math.max(usedColumns, Math.min(column + repeated, MAX_COLUMNS));
      // One filled cell is meant; thousands of them to the edge of the sheet are paint.
      else if (repeated === 1 && styleAt(column)?.fill)
        usedColumns = Math.max(usedColumns, column + 1);
      column += repeated;
    },
    endRow(onCell) {
      const hasContent = cells.some(({ content }) => content !== null);
      const isPaint = !hasContent && rowsRepeated > MAX_FILLED_ROWS;
      const end = isPaint ? row : Math.min(row + rowsRepeated, MAX_ROWS);
      const isEmpty =
        !hasContent &&
        cells.every(({ column: at, repeated, styleAt }) => {
          return repeated > MAX_COLUMNS || (styleAt(at)?.fill === undefined && repeated === 1);
        });
      for (let at = row; at < end && !isEmpty; at++) {
        if (!emitRow(at, onCell)) return false;
      }
      row += rowsRepeated;
      return true;
    },
  };
}

function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last !== undefined && last.to + 1 === span.from) last.to = span.to;
  else spans.push(span);
}
