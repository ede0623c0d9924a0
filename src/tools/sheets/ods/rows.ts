/**
 * Places of cells in an OpenDocument table, where rows and cells are repeated by a number: a million
 * empty rows cost nothing, what has a value is put in every place, and fills only where they matter.
 */
import type { Cell, CellStyle, SheetTail, Span } from '../book.ts';
import type { OdsLook } from './styles.ts';

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** Filled cells without a value are put into as many rows; beyond, a column of them is only paint. */
const MAX_FILLED_ROWS = 1024;

export interface OdsCell {
  /** Kind, text, formula and so on; null for a cell without a value. */
  content: Omit<Cell, 'row' | 'column' | 'style'> | null;
  /** Undefined for a plain look, null when that of the column counts. */
  style: CellStyle | undefined | null;
}

export interface OdsRows {
  /** `look`: of cells in these columns who name none. */
  addColumns(repeated: number, options: { hidden: boolean; look: OdsLook }): void;
  columnLook(column: number): OdsLook | undefined;
  startRow(repeated: number, options: { hidden: boolean }): void;
  /** The place of the next cell. */
  place(): { row: number; column: number };
  addCell(repeated: number, cell: OdsCell): void;
  /** False when `onCell` said so. */
  endRow(onCell: (cell: Cell) => boolean): boolean;
}

type Placed = Omit<Cell, 'row'>;

export function createOdsRows(tail: SheetTail): OdsRows {
  const columnLooks: (Span & { look: OdsLook })[] = [];
  let columns = 0;
  let row = 0;
  let rowsRepeated = 1;
  let column = 0;
  let cells: (OdsCell & Span)[] = [];
  /** Columns that hold something so far: fills that go on to the edge of the sheet end there. */
  let usedColumns = 1;

  const columnLook = (at: number) =>
    columnLooks.find(({ from, to }) => at >= from && at <= to)?.look;
  /** Where a cell without a value has a fill, by the cell itself or by its columns. */
  function fills({ from, to, style }: OdsCell & Span): (Span & { style: CellStyle })[] {
    const last = Math.min(to, usedColumns - 1);
    if (style !== null) return style?.fill === undefined ? [] : [{ from, to: last, style }];
    return columnLooks.flatMap((span) => {
      const painted = span.look.style;
      if (painted?.fill === undefined || span.from > last || span.to < from) return [];
      return [{ from: Math.max(from, span.from), to: Math.min(last, span.to), style: painted }];
    });
  }
  /** The cells of the row with their columns, worked out once for all its repetitions. */
  function placeRow(): Placed[] {
    const placed: Placed[] = [];
    for (const cell of cells) {
      if (cell.content === null) {
        for (const { from, to, style } of fills(cell)) {
          for (let at = from; at <= to; at++) {
            placed.push({ column: at, kind: 'empty', text: '', style });
          }
        }
        continue;
      }
      for (let at = cell.from; at <= cell.to; at++) {
        const style = cell.style === null ? columnLook(at)?.style : cell.style;
        placed.push({ column: at, ...cell.content, ...(style !== undefined && { style }) });
      }
    }
    return placed;
  }
  return {
    addColumns(repeated, { hidden, look }) {
      const span = { from: columns, to: Math.min(columns + repeated, MAX_COLUMNS) - 1 };
      columns += repeated;
      if (span.to < span.from) return;
      if (hidden) addSpan(tail.hiddenColumns, span);
      if (look.style !== undefined || look.boolean) columnLooks.push({ ...span, look });
    },
    columnLook,
    startRow(repeated, { hidden }) {
      rowsRepeated = repeated;
      column = 0;
      cells = [];
      const to = Math.min(row + repeated, MAX_ROWS) - 1;
      if (hidden && to >= row) addSpan(tail.hiddenRows, { from: row, to });
    },
    place: () => ({ row, column }),
    addCell(repeated, cell) {
      const span = { from: column, to: Math.min(column + repeated, MAX_COLUMNS) - 1 };
      column += repeated;
      if (span.to < span.from) return;
      const isFilled = cell.style !== null && cell.style?.fill !== undefined;
      if (cell.content === null && cell.style !== null && !isFilled) return;
      cells.push({ ...cell, ...span });
      // One filled cell is meant; thousands of them to the edge of the sheet are paint.
      if (cell.content !== null || (repeated === 1 && isFilled)) {
        usedColumns = Math.max(usedColumns, span.to + 1);
      }
    },
    endRow(onCell) {
      const hasContent = cells.some(({ content }) => content !== null);
      const from = row;
      row += rowsRepeated;
      if (cells.length === 0 || (!hasContent && rowsRepeated > MAX_FILLED_ROWS)) return true;
      const placed = placeRow();
      const end = placed.length === 0 ? from : Math.min(row, MAX_ROWS);
      for (let at = from; at < end; at++) {
        for (const cell of placed) if (!onCell({ row: at, ...cell })) return false;
      }
      return true;
    },
  };
}

function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last !== undefined && last.to + 1 === span.from) last.to = span.to;
  else spans.push(span);
}
