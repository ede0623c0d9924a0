/**
 * Places of cells in an OpenDocument table, where rows and cells are repeated by a number: a million
 * empty rows cost nothing, what has a value is put in every place, and fills only where they matter.
 */
import type { Cell, CellRange, CellStyle, SheetTail, Span } from '../book.ts';
import { type OdsLook, PLAIN_LOOK } from './styles.ts';

export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** Spans of hidden rows: more are no longer told apart, and nobody reads them. */
const MAX_HIDDEN_SPANS = 20_000;
/** Filled cells without a value are put into as many rows; beyond, a column of them is only paint. */
const MAX_FILLED_ROWS = 1024;

export interface OdsCell {
  /** Kind, text, formula and so on; null for a cell without a value. */
  content: Omit<Cell, 'row' | 'column' | 'style'> | null;
  /** Undefined for a plain look, null when that of the column counts. */
  style: CellStyle | undefined | null;
  /** What `style` comes from, for the conditions it holds. */
  look: OdsLook;
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

/** `onLook` is called for each run of cells, in row order, whose look holds conditions. */
export function createOdsRows(
  tail: SheetTail,
  onLook: (look: OdsLook, place: CellRange) => void,
): OdsRows {
  const columnLooks: (Span & { look: OdsLook })[] = [];
  /** Some column's look holds conditions. */
  let hasConditions = false;
  let columns = 0;
  let row = 0;
  let rowsRepeated = 1;
  let column = 0;
  let cells: (OdsCell & Span)[] = [];
  /** Columns that hold something so far: fills that go on to the edge of the sheet end there. */
  let usedColumns = 1;

  /** Index of the first of the columns' looks that ends at or behind a column. */
  function firstLook(column: number): number {
    let [low, high] = [0, columnLooks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((columnLooks[middle]?.to ?? 0) < column) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function columnLook(at: number): OdsLook | undefined {
    const found = columnLooks[firstLook(at)];
    return found !== undefined && found.from <= at ? found.look : undefined;
  }
  function* looksIn({ from, to }: Span): Generator<Span & { look: OdsLook }> {
    for (let index = firstLook(from); index < columnLooks.length; index++) {
      const span = columnLooks[index];
      if (span === undefined || span.from > to) return;
      yield { from: Math.max(from, span.from), to: Math.min(to, span.to), look: span.look };
    }
  }
  function tellLooks(span: Span, { style, look }: OdsCell): void {
    const rows = { from: row, to: Math.min(row + rowsRepeated, MAX_ROWS) - 1 };
    if (style !== null) {
      if (look.conditions.length > 0) onLook(look, { rows, columns: span });
      return;
    }
    if (!hasConditions) return;
    for (const { from, to, look: ofColumn } of looksIn(span)) {
      if (ofColumn.conditions.length > 0) onLook(ofColumn, { rows, columns: { from, to } });
    }
  }
  /** Where a cell without a value has a fill, by the cell itself or by its columns. */
  function fills({ from, to, style }: OdsCell & Span): (Span & { style: CellStyle })[] {
    const last = Math.min(to, usedColumns - 1);
    if (style !== null) return style?.fill === undefined ? [] : [{ from, to: last, style }];
    return [...looksIn({ from, to: last })].flatMap((span) => {
      const painted = span.look.style;
      return painted?.fill === undefined ? [] : [{ from: span.from, to: span.to, style: painted }];
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
      if (look === PLAIN_LOOK) return;
      const before = columnLooks.at(-1);
      if (before?.look === look && before.to + 1 === span.from) before.to = span.to;
      else columnLooks.push({ ...span, look });
      hasConditions ||= look.conditions.length > 0;
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
      if (span.to < span.from || row >= MAX_ROWS) return;
      tellLooks(span, cell);
      const isFilled = cell.style !== null && cell.style?.fill !== undefined;
      if (cell.content === null && cell.style !== null && !isFilled) return;
      const { content, style, look } = cell;
      // Only paint of the columns: whole rows of such cells are one.
      const before = cells.at(-1);
      const isMore = content === null && style === null && before?.content === null;
      if (isMore && before?.style === null && before.to + 1 === span.from) before.to = span.to;
      else cells.push({ content, style, look, ...span });
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
  else if (spans.length < MAX_HIDDEN_SPANS) spans.push(span);
}
