/**
 * SheetJS behind one small door: how it is called, and what is taken from its books. It holds all
 * that it reads at once, so whoever calls it sees to it that this is little.
 */
import { type CellObject, read, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { columnNumber } from '../addresses.ts';
import type { SheetTail } from '../book.ts';

/** Rows of the largest sheets. */
const MAX_INDEX = 1_048_576;

export type Rows = readonly (readonly (CellObject | undefined)[] | undefined)[];

/**
 * Throws whatever SheetJS throws. `maxRows` of each sheet, 0 for all; `looks`: number formats, hidden
 * columns and, in some formats, fills; `blanks`: cells without a value.
 */
export function readWorkbook(
  bytes: Uint8Array,
  { maxRows, looks, blanks }: { maxRows: number; looks: boolean; blanks: boolean },
): WorkBook {
  return read(bytes, {
    // Of `array` it would make a list of numbers, eight times the size.
    type: 'buffer',
    dense: true,
    cellFormula: true,
    cellHTML: false,
    cellText: false,
    cellNF: looks,
    cellStyles: looks,
    sheetStubs: blanks,
    sheetRows: maxRows,
  });
}

export function rowsOf(sheet: WorkSheet | undefined): Rows {
  const data: unknown = sheet?.['!data'];
  return Array.isArray(data) ? data : [];
}

export function namesOf(workbook: WorkBook): { name: string; refersTo: string }[] {
  return (workbook.Workbook?.Names ?? [])
    .filter(({ Name, Ref }) => Name && Ref && !Name.startsWith('_xlnm.'))
    .map(({ Name, Ref }) => ({ name: Name, refersTo: formulaText(Ref) }));
}

/** Without `=`; SheetJS writes truth values in small letters. */
export function formulaText(formula: string): string {
  // Quoted texts and names of sheets are passed over by matching them first.
  return formula
    .replace(/^=/, '')
    .replace(/"[^"]*"|'[^']*'|(?<![\w.$\\])(?:true|false)(?![\w.(!])/g, (part) =>
      part === 'true' || part === 'false' ? part.toUpperCase() : part,
    );
}

/**
 * What an array holds, by index. SheetJS puts a cell wherever a file says, and a damaged one may say
 * row four billion: the holes before it must not be visited.
 */
export function* filled<T>(list: readonly (T | undefined)[]): Generator<[index: number, item: T]> {
  for (const key of Object.keys(list)) {
    const index = Number(key);
    const item = list[index];
    if (item !== undefined && index < MAX_INDEX) yield [index, item];
  }
}

/** Comments stand on the cells themselves. */
export function addComments(tail: SheetTail, rows: Rows): void {
  for (const [row, cells] of filled(rows)) {
    for (const [column, cell] of filled(cells)) {
      for (const comment of cell.c ?? []) {
        const text = String(comment.t ?? '').replace(/\r\n?/g, '\n');
        // SheetJS signs comments of files without authors with a name of its own.
        const signed = comment.a === 'SheetJ5' ? '' : (comment.a ?? '').trim();
        tail.comments.push({ row, column, author: signed === '' ? null : signed, text });
      }
    }
  }
}

/** `A1:C5` of SheetJS, which never has sheet names or `$` here. */
export function parseRange(text: string | undefined): SheetTail['filter'] {
  const found = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(text ?? '');
  if (found === null) return null;
  const [, left = '', top = '', right = left, bottom = top] = found;
  return {
    rows: { from: Number(top) - 1, to: Number(bottom) - 1 },
    columns: { from: columnNumber(left), to: columnNumber(right) },
  };
}
