/**
 * One table of an OpenDocument spreadsheet, parsed as a stream: cells go out row by row, and what
 * stands around them (merges, comments, links, hidden rows) is gathered.
 */
import type { Cell, CellRange, SheetTail } from '../book.ts';
import { createCheck, emptyTail } from '../scan-parts.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';
import { createOdsCellReader, type OdsCellReader } from './cell.ts';
import { formulaToA1, MAX_FORMULA_CHARS } from './formula.ts';
import { createOdsRows, MAX_COLUMNS, MAX_ROWS, type OdsCell } from './rows.ts';
import { createRuleReader, createStyleRules } from './rules.ts';
import type { OdsLook, OdsStyles } from './styles.ts';
import { odsValue } from './values.ts';

export interface OdsSheetOptions {
  styles: OdsStyles;
  onCell: (cell: Cell) => boolean;
  what: string;
  signal: AbortSignal;
  /** From 1899-12-30 to the day that the book counts from. */
  nullDay: number;
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
  'conditional-formats',
  'conditional-format',
]);
/** Elements of conditional formats that say what they are. */
const RULES = new Set([
  'conditional-format',
  'condition',
  'color-scale',
  'data-bar',
  'icon-set',
  'date-is',
]);
/** Merges, comments and links beyond this number are left out, and it is said. */
const MAX_TAIL_ITEMS = 20_000;
const MAX_TAIL_CHARS = 4_000_000;

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
  if (reader.longFormulas() > 0) {
    tail.notes.push(
      `${reader.longFormulas()} formulas of more than ${MAX_FORMULA_CHARS} characters stand as the file has them.`,
    );
  }
  return tail;
}

function createTableReader(tail: SheetTail, { styles, onCell, signal, nullDay }: OdsSheetOptions) {
  const styleRules = createStyleRules(styles);
  const rules = createRuleReader(tail, styles);
  const rows = createOdsRows(tail, styleRules.add);
  const around = createCollector(tail);
  const check = createCheck(signal);
  let inTable = false;
  let skipping = 0;
  let isDone = false;
  let longFormulas = 0;
  let rowStyle: string | undefined;
  let cell: OpenCell | null = null;

  function startCell(attributes: XmlAttributes, isCovered: boolean): OpenCell {
    const name = attributes['style-name'] ?? rowStyle;
    const byColumn = name === undefined ? rows.columnLook(rows.place().column) : undefined;
    const look = byColumn ?? styles.cell(name);
    return { attributes, isCovered, look, reader: createOdsCellReader(look, styles) };
  }
  function endCell({ attributes, isCovered, look, reader }: OpenCell): void {
    const { text, ...found } = reader.finish();
    around.add({ ...rows.place(), attributes, ...found });
    const { boolean, clock } = look;
    const content = contentOf(attributes, odsValue(attributes, text, { boolean, clock, nullDay }));
    if ((attributes.formula?.length ?? 0) > MAX_FORMULA_CHARS) longFormulas++;
    let style: OdsCell['style'] = look.style;
    // A cell that a merge covers has no look of its own.
    if (isCovered && content === null) style = undefined;
    else if (attributes['style-name'] === undefined && rowStyle === undefined) style = null;
    rows.addCell(count(attributes['number-columns-repeated']), { content, style, look });
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
    } else if (RULES.has(name)) {
      rules.open(name, attributes);
      if (!GROUPS.has(name)) skipping = 1;
    } else if (!GROUPS.has(name)) skipping = 1;
  }
  function emit(made: Cell): boolean {
    check();
    return onCell(made);
  }
  return {
    isDone: () => isDone,
    leftOut: around.leftOut,
    longFormulas: () => longFormulas,
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
        styleRules.finish(tail);
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
  leftOut: number;
}

/** Takes up what a cell says beside its value. */
function createCollector(tail: SheetTail) {
  let leftOut = 0;
  let chars = 0;
  function push<T>(list: T[], item: T, length: number): void {
    if (list.length >= MAX_TAIL_ITEMS || chars + length > MAX_TAIL_CHARS) leftOut++;
    else {
      chars += length;
      list.push(item);
    }
  }
  const rangeAt = ({ row, column }: Around, height: number, width: number): CellRange => ({
    rows: { from: row, to: Math.min(row + height, MAX_ROWS) - 1 },
    columns: { from: column, to: Math.min(column + width, MAX_COLUMNS) - 1 },
  });
  return {
    leftOut: () => leftOut,
    add(cell: Around): void {
      const { row, column, attributes } = cell;
      if (row >= MAX_ROWS || column >= MAX_COLUMNS) return;
      leftOut += cell.leftOut;
      for (const target of cell.links) {
        push(tail.links, { range: rangeAt(cell, 1, 1), target }, target.length);
      }
      for (const comment of cell.comments) {
        push(tail.comments, { row, column, ...comment }, comment.text.length);
      }
      const height = count(attributes['number-rows-spanned']);
      const width = count(attributes['number-columns-spanned']);
      if (height > 1 || width > 1) push(tail.merges, rangeAt(cell, height, width), 0);
    },
  };
}

/** A number of repetitions; 1 for what is none. */
function count(text: string | undefined): number {
  const value = text === undefined ? 1 : Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}
