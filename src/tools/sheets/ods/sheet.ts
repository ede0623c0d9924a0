/**
 * One table of an OpenDocument spreadsheet, parsed as a stream: cells go out row by row, and what
 * stands around them (merges, comments, links, hidden rows) is gathered.
 */
import type { Cell, CellRange, SheetTail } from '../book.ts';
import { createCheck, emptyTail } from '../scan-parts.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';
import { createOdsCellReader, type OdsCellReader } from './cell.ts';
import { formulaToA1 } from './formula.ts';
import { createOdsRows, type OdsCell } from './rows.ts';
import type { OdsLook, OdsStyles } from './styles.ts';
import { odsValue } from './values.ts';

export interface OdsSheetOptions {
  styles: OdsStyles;
  onCell: (cell: Cell) => boolean;
  what: string;
  signal: AbortSignal;
}

/** Elements that only group rows and columns; `part` is the root that documentFrom puts around. */
const GROUPS = new Set([
  'part',
  'table-header-rows',
  'table-rows',
  'table-row-group',
  'table-header-columns',
  'table-columns',
  'table-column-group',
]);
/** Merges, comments and links beyond this number are left out, and it is said. */
const MAX_TAIL_ITEMS = 20_000;

interface OpenCell {
  attributes: XmlAttributes;
  isCovered: boolean;
  look: OdsLook;
  reader: OdsCellReader;
}

/** `chunks`: a document that begins with the table (see documentFrom). */
export function readOdsSheet(chunks: Iterable<Uint8Array>, options: OdsSheetOptions): SheetTail {
  const tail = emptyTail();
  const reader = createTableReader(tail, options);
  const result = parseXml(chunks, reader, options);
  tail.complete = reader.isDone();
  if (result.damage !== null && !reader.isDone()) {
    tail.notes.push(`This sheet ${result.damage}; what came before is shown.`);
  }
  if (reader.leftOut() > 0) {
    tail.notes.push(`${reader.leftOut()} more merges, comments and links are not listed.`);
  }
  return tail;
}

function createTableReader(tail: SheetTail, { styles, onCell, signal }: OdsSheetOptions) {
  const rows = createOdsRows(tail);
  const around = createCollector(tail);
  const check = createCheck(signal);
  let inTable = false;
  let skipping = 0;
  let isDone = false;
  let rowStyle: string | undefined;
  let cell: OpenCell | null = null;

  function startCell(attributes: XmlAttributes, isCovered: boolean): OpenCell {
    const name = attributes['style-name'] ?? rowStyle;
    const byColumn = name === undefined ? rows.columnLook(rows.place().column) : undefined;
    const look = byColumn ?? styles.cell(name);
    return { attributes, isCovered, look, reader: createOdsCellReader(look, styles) };
  }
  function endCell({ attributes, isCovered, look, reader }: OpenCell): void {
    const { text, links, comments } = reader.finish();
    const { row, column } = rows.place();
    around.add({ row, column, attributes, links, comments });
    const content = contentOf(attributes, odsValue(attributes, text, look));
    let style: OdsCell['style'] = look.style;
    // A cell that a merge covers has no look of its own.
    if (isCovered && content === null) style = undefined;
    else if (attributes['style-name'] === undefined && rowStyle === undefined) style = null;
    rows.addCell(count(attributes['number-columns-repeated']), { content, style });
  }
  function openOutside(name: string, attributes: XmlAttributes): void {
    const hidden = attributes.visibility === 'collapse' || attributes.visibility === 'filter';
    const defaultStyle = attributes['default-cell-style-name'];
    if (name === 'table' && !inTable) inTable = true;
    else if (name === 'table-column') {
      const look = styles.cell(defaultStyle);
      rows.addColumns(count(attributes['number-columns-repeated']), { hidden, look });
    } else if (name === 'table-row') {
      rowStyle = defaultStyle;
      rows.startRow(count(attributes['number-rows-repeated']), { hidden });
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      cell = startCell(attributes, name === 'covered-table-cell');
    } else if (!GROUPS.has(name)) skipping = 1;
  }
  function emit(made: Cell): boolean {
    check();
    return onCell(made);
  }
  return {
    isDone: () => isDone,
    leftOut: around.leftOut,
    open(name: string, attributes: XmlAttributes) {
      if (skipping > 0) skipping++;
      else if (cell !== null) cell.reader.open(name, attributes);
      else openOutside(name, attributes);
    },
    text(text: string) {
      if (skipping === 0) cell?.reader.text(text);
    },
    close(name: string) {
      if (skipping > 0) skipping--;
      else if (cell !== null) {
        if (!cell.reader.close(name)) return;
        endCell(cell);
        cell = null;
      } else if (name === 'table-row') {
        if (!rows.endRow(emit)) stopXml();
      } else if (name === 'table') {
        isDone = true;
        stopXml();
      }
    },
  };
}

function contentOf(
  attributes: XmlAttributes,
  value: ReturnType<typeof odsValue>,
): OdsCell['content'] {
  const formula = attributes.formula === undefined ? undefined : formulaToA1(attributes.formula);
  if (formula === undefined) return value === null || value.text === '' ? null : value;
  if (value === null) return { kind: 'empty', text: '', formula, uncomputed: true };
  return { ...value, formula };
}

interface Around {
  row: number;
  column: number;
  attributes: XmlAttributes;
  links: readonly string[];
  comments: readonly { author: string | null; text: string }[];
}

/** Takes up what a cell says beside its value. */
function createCollector(tail: SheetTail) {
  let leftOut = 0;
  function push<T>(list: T[], item: T): void {
    if (list.length < MAX_TAIL_ITEMS) list.push(item);
    else leftOut++;
  }
  const rangeAt = ({ row, column }: Around, height: number, width: number): CellRange => ({
    rows: { from: row, to: row + height - 1 },
    columns: { from: column, to: column + width - 1 },
  });
  return {
    leftOut: () => leftOut,
    add(cell: Around): void {
      const { row, column, attributes } = cell;
      for (const target of cell.links) push(tail.links, { range: rangeAt(cell, 1, 1), target });
      for (const comment of cell.comments) push(tail.comments, { row, column, ...comment });
      const height = count(attributes['number-rows-spanned']);
      const width = count(attributes['number-columns-spanned']);
      if (height > 1 || width > 1) push(tail.merges, rangeAt(cell, height, width));
    },
  };
}

/** A number of repetitions; 1 for what is none. */
function count(text: string | undefined): number {
  const value = text === undefined ? 1 : Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}
