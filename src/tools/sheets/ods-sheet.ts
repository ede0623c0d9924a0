/**
 * One table of an OpenDocument spreadsheet, parsed as a stream: cells go out row by row, and what
 * stands around them (merges, comments, links, hidden rows) is gathered. Drawings are passed over.
 */
import type { Cell, CellStyle, SheetTail } from './book.ts';
import { formulaToA1 } from './ods-formula.ts';
import { createOdsRows, type OdsCell } from './ods-rows.ts';
import type { OdsStyles } from './ods-styles.ts';
import { createOdsText, type OdsTextBuilder, spaces } from './ods-text.ts';
import { odsValue } from './ods-values.ts';
import { createCheck, emptyTail } from './scan-parts.ts';
import { parseXml, stopXml, type XmlAttributes } from './xml.ts';

export interface OdsSheetOptions {
  styles: OdsStyles;
  onCell: (cell: Cell) => boolean;
  what: string;
  signal: AbortSignal;
}

/** Elements that only group rows and columns. */
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
  covered: boolean;
  repeated: number;
  text: OdsTextBuilder;
  font: CellStyle;
  links: string[];
  comment: { author: string; text: OdsTextBuilder } | null;
}

/** `chunks`: a document that begins with the table (see documentFrom). */
export function readOdsSheet(chunks: Iterable<Uint8Array>, options: OdsSheetOptions): SheetTail {
  const tail = emptyTail();
  const reader = createReader(tail, options);
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

function createReader(tail: SheetTail, { styles, onCell, signal }: OdsSheetOptions) {
  const rows = createOdsRows(tail);
  const check = createCheck(signal);
  let tables = 0;
  let skipping = 0;
  let done = false;
  let leftOut = 0;
  let rowStyle: string | undefined;
  let cell: OpenCell | null = null;
  let inParagraph = false;
  let inAuthor = false;
  /** Fonts of the spans that are open, the innermost last. */
  let fonts: CellStyle[] = [];

  function add<T>(list: T[], item: T): void {
    if (list.length < MAX_TAIL_ITEMS) list.push(item);
    else leftOut++;
  }
  const styleNameAt = (attributes: XmlAttributes, column: number) =>
    attributes['style-name'] ?? rowStyle ?? rows.columnStyle(column);
  const textOf = (open: OpenCell) => open.comment?.text ?? open.text;
  const fontNow = (open: OpenCell) => fonts.at(-1) ?? (open.comment ? {} : open.font);

  function startCell(attributes: XmlAttributes, covered: boolean): void {
    const look = styles.cell(styleNameAt(attributes, rows.place().column));
    cell = {
      attributes,
      covered,
      repeated: count(attributes['number-columns-repeated']),
      text: createOdsText(),
      font: look.font,
      links: [],
      comment: null,
    };
    fonts = [];
  }
  function endCell(open: OpenCell): void {
    const { attributes, repeated } = open;
    const { row, column } = rows.place();
    const text = open.text.finish(open.font);
    const look = styles.cell(styleNameAt(attributes, column));
    const value = odsValue(attributes, text, look);
    const formula = attributes.formula === undefined ? undefined : formulaToA1(attributes.formula);
    const hasValue = value !== null && (value.text !== '' || formula !== undefined);
    let content: OdsCell['content'] = null;
    if (hasValue) content = formula === undefined ? value : { ...value, formula };
    else if (formula !== undefined)
      content = { kind: 'empty', text: '', formula, uncomputed: true };
    const one = { rows: { from: row, to: row }, columns: { from: column, to: column } };
    for (const target of open.links) add(tail.links, { range: one, target });
    addMerge(attributes, one);
    rows.addCell(repeated, {
      content,
      // A cell that a merge covers has no look of its own.
      styleAt: (at) =>
        open.covered && content === null
          ? undefined
          : styles.cell(styleNameAt(attributes, at)).style,
    });
    cell = null;
  }
  function addMerge(
    attributes: XmlAttributes,
    { rows: { from: row }, columns: { from: column } }: SheetTail['merges'][number],
  ): void {
    const height = count(attributes['number-rows-spanned']);
    const width = count(attributes['number-columns-spanned']);
    if (height === 1 && width === 1) return;
    const range = { from: row, to: row + height - 1 };
    add(tail.merges, { rows: range, columns: { from: column, to: column + width - 1 } });
  }
  function endComment(open: OpenCell): void {
    if (open.comment === null) return;
    const { row, column } = rows.place();
    const author = open.comment.author.trim();
    const { text } = open.comment.text.finish({});
    add(tail.comments, { row, column, author: author === '' ? null : author, text });
    open.comment = null;
  }

  function openInCell(open: OpenCell, name: string, attributes: XmlAttributes): void {
    if (name === 'annotation' && !inParagraph && open.comment === null) {
      open.comment = { author: '', text: createOdsText() };
    } else if (name === 'p' || name === 'h') {
      textOf(open).startParagraph();
      inParagraph = true;
    } else if (name === 'creator' && open.comment !== null) inAuthor = true;
    else if (!inParagraph || name === 'ruby-text' || name === 'annotation') skipping = 1;
    else if (name === 's') textOf(open).addExactly(spaces(attributes.c), fontNow(open));
    else if (name === 'tab') textOf(open).addExactly('\t', fontNow(open));
    else if (name === 'line-break') textOf(open).addExactly('\n', fontNow(open));
    else {
      if (name === 'a' && attributes.href && !open.comment) open.links.push(attributes.href);
      const style = name === 'span' && !open.comment ? attributes['style-name'] : undefined;
      fonts.push(style === undefined ? fontNow(open) : styles.span(style, fontNow(open)));
    }
  }
  function openOutside(name: string, attributes: XmlAttributes): void {
    const hidden = attributes.visibility === 'collapse' || attributes.visibility === 'filter';
    if (name === 'table' && tables === 0) tables = 1;
    else if (name === 'table-column') {
      const style = attributes['default-cell-style-name'];
      rows.addColumns(count(attributes['number-columns-repeated']), { hidden, style });
    } else if (name === 'table-row') {
      rowStyle = attributes['default-cell-style-name'];
      rows.startRow(count(attributes['number-rows-repeated']), { hidden });
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      startCell(attributes, name === 'covered-table-cell');
    } else if (!GROUPS.has(name)) skipping = 1;
  }
  function closeInCell(open: OpenCell, name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell') endCell(open);
    else if (name === 'annotation') endComment(open);
    else if (name === 'creator') inAuthor = false;
    else if (name === 'p' || name === 'h') {
      inParagraph = false;
      fonts = [];
    } else if (name !== 's' && name !== 'tab' && name !== 'line-break') fonts.pop();
  }

  return {
    isDone: () => done,
    leftOut: () => leftOut,
    open(name: string, attributes: XmlAttributes) {
      if (skipping > 0) skipping++;
      else if (cell !== null) openInCell(cell, name, attributes);
      else openOutside(name, attributes);
    },
    text(text: string) {
      if (skipping > 0 || cell === null) return;
      if (inAuthor && cell.comment !== null) cell.comment.author += text;
      else if (inParagraph) textOf(cell).add(text, fontNow(cell));
    },
    close(name: string) {
      if (skipping > 0) skipping--;
      else if (cell !== null) closeInCell(cell, name);
      else if (name === 'table-row') {
        const goesOn = rows.endRow((made) => {
          check();
          return onCell(made);
        });
        if (!goesOn) stopXml();
      } else if (name === 'table') {
        done = true;
        stopXml();
      }
    },
  };
}

/** A number of repetitions; 1 for what is none. */
function count(text: string | undefined): number {
  const value = text === undefined ? 1 : Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}
