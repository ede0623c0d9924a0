/**
 * Hand-made books for tests of the view: cells by address, values by their JavaScript type, and a
 * scan that behaves as the readers' do (row order, stops when told, honours its signal).
 */
import { columnNumber, parseRange } from '../../../../src/tools/sheets/addresses.ts';
import type {
  Book,
  Cell,
  CellRange,
  SheetHead,
  SheetTail,
} from '../../../../src/tools/sheets/book.ts';
import { emptyTail } from '../../../../src/tools/sheets/scan-parts.ts';
import { renderBook, type ViewOptions } from '../../../../src/tools/sheets/view/view.ts';

export type CellSpec = string | number | boolean | Partial<Cell>;

export interface SheetSpec extends Partial<SheetHead> {
  cells?: Record<string, CellSpec>;
  /** Cells made on the fly, for sheets too large to write down. */
  stream?: () => Iterable<Cell>;
  tail?: Partial<SheetTail>;
}

export interface BookSpec extends Partial<Omit<Book, 'sheets' | 'scan'>> {
  sheets: SheetSpec[];
}

export interface TestBook extends Book {
  /** How many cells were handed out by all scans. */
  handed(): number;
}

export function makeBook(spec: BookSpec): TestBook {
  let handed = 0;
  const sheets = spec.sheets.map(({ name, state, kind }, index) => ({
    name: name ?? `Sheet${index + 1}`,
    state: state ?? ('visible' as const),
    kind: kind ?? ('cells' as const),
  }));
  async function scan(
    index: number,
    onCell: (cell: Cell) => boolean,
    { signal }: { signal: AbortSignal },
  ): Promise<SheetTail> {
    const sheet = spec.sheets[index];
    const cells = sheet?.stream?.() ?? toCells(sheet?.cells ?? {});
    let complete = true;
    for (const cell of cells) {
      signal.throwIfAborted();
      handed++;
      if (!onCell(cell)) {
        complete = false;
        break;
      }
    }
    return { ...emptyTail(), complete, ...sheet?.tail };
  }
  return {
    format: 'xlsx',
    names: [],
    notes: [],
    large: null,
    ...spec,
    sheets,
    scan,
    handed: () => handed,
  };
}

export function range(address: string): CellRange {
  const parsed = parseRange(address);
  if (parsed === null) throw new Error(`not a range: ${address}`);
  return { rows: parsed.rows, columns: parsed.columns };
}

/** Renders and gives the text; `room` in bytes. */
export async function view(
  book: Book,
  options: Partial<ViewOptions> & { room?: number } = {},
): Promise<string> {
  return (await viewWithData(book, options)).content;
}

export async function viewWithData(
  book: Book,
  { room = 32_000, ...options }: Partial<ViewOptions> & { room?: number } = {},
) {
  const signal = new AbortController().signal;
  return renderBook(book, { path: 'a.xlsx', maxBytes: room, signal, ...options });
}

/** The lines between a heading and the next empty line. */
export function block(text: string, start: string): string[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith(start));
  if (first < 0) return [];
  const length = lines.slice(first).indexOf('');
  return lines.slice(first, length < 0 ? undefined : first + length);
}

export function toCell(address: string, spec: CellSpec): Cell {
  const parts = /^([A-Z]+)(\d+)$/.exec(address);
  const row = Number(parts?.[2]) - 1;
  const column = columnNumber(parts?.[1] ?? '');
  if (typeof spec === 'string') return { row, column, kind: 'text', text: spec };
  if (typeof spec === 'number') return { row, column, kind: 'number', text: String(spec) };
  if (typeof spec === 'boolean') {
    return { row, column, kind: 'boolean', text: spec ? 'TRUE' : 'FALSE' };
  }
  const kind = spec.kind ?? (spec.text === undefined ? 'empty' : 'text');
  return { row, column, text: '', ...spec, kind };
}

function toCells(cells: Record<string, CellSpec>): Cell[] {
  return Object.entries(cells)
    .map(([address, spec]) => toCell(address, spec))
    .sort((a, b) => a.row - b.row || a.column - b.column);
}
