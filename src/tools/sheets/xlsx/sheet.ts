/**
 * Walks the XML of one xlsx sheet from its first byte to its last and hands out cells as they come.
 * Keeps one cell, the shared formulas and what goes into the tail; positions that the file leaves
 * out are counted on.
 */
import type { Cell, SheetTail, Span } from '../book.ts';
import { emptyTail } from '../scan-parts.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';
import { type CellContext, createCellReader, type RawCell } from './cells.ts';
import { isOn, type ReadOptions, type Relation } from './parts.ts';
import { MAX_COLUMN, MAX_ROW, parseAddress, parseRange } from './refs.ts';
import { createRuleReader } from './rules.ts';
import { createTextReader } from './strings.ts';

export interface SheetOptions extends ReadOptions, CellContext {
  relations: Map<string, Relation>;
  onCell: (cell: Cell) => boolean;
}

/** Of each kind of thing in a tail; more would only fill the memory. */
const MAX_TAIL_ITEMS = 100_000;

/** What stands in it is not read; that there is something must be said. */
const DRAWING = 'pictures, charts or text boxes, which are not shown here';

/** Everything but comments and the filters of tables, which stand in other parts. */
export function readSheet(chunks: Iterable<Uint8Array>, options: SheetOptions): SheetTail {
  const { tail, around, finish } = createTail(options.relations);
  const cells = createCellReader(options);
  const rows = createRowReader({ ...options, tail, read: cells.read });
  const rules = createRuleReader(tail);
  let depth = 0;
  let inData = false;
  const result = parseXml(
    chunks,
    {
      open(name, attributes) {
        depth += 1;
        if (inData) {
          rows.open(name, attributes);
          return;
        }
        rules.open(name, attributes);
        if (name === 'sheetData') inData = depth === 2;
        else if (depth === 2 || depth === 3) {
          if (name === 'sheetFormatPr') rows.hideUnlisted(isOn(attributes.zeroHeight));
          else around(name, attributes, depth);
        }
      },
      text(text) {
        if (inData) rows.text(text);
        else rules.text(text);
      },
      close(name) {
        depth -= 1;
        if (!inData) rules.close(name);
        else if (depth === 1) inData = false;
        else rows.close(name);
      },
    },
    options,
  );
  rows.finish();
  tail.complete = !result.stopped && depth === 0;
  if (result.damage !== null) tail.notes.push(`The XML of this sheet ${result.damage}.`);
  tail.notes.push(...cells.notes());
  finish();
  return tail;
}

/** Takes what stands before and behind the cells: columns, merges, links, the filter. */
function createTail(relations: Map<string, Relation>) {
  const tail = emptyTail();
  let left = 0;
  const add = <T>(list: T[], item: T) => {
    if (list.length < MAX_TAIL_ITEMS) list.push(item);
    else left += 1;
  };
  const around = (name: string, attributes: XmlAttributes, depth: number) => {
    // Saved views of a sheet hold filters of their own, deeper down.
    if (name === 'autoFilter' && depth === 2) tail.filter = parseRange(attributes.ref ?? '');
    else if (name === 'col') {
      const from = Number(attributes.min) - 1;
      const to = Math.min(Number(attributes.max) - 1, MAX_COLUMN);
      const hidden = isOn(attributes.hidden) || Number(attributes.width ?? 1) === 0;
      if (hidden && from >= 0 && to >= from) addSpan(tail.hiddenColumns, { from, to });
    } else if (name === 'mergeCell') {
      const range = parseRange(attributes.ref ?? '');
      if (range) add(tail.merges, range);
    } else if (name === 'hyperlink') {
      const range = parseRange(attributes.ref ?? '');
      const target = linkTarget(attributes, relations);
      if (range && target !== null) add(tail.links, { range, target });
    } else if (name === 'drawing' && depth === 2) tail.drawings.push(DRAWING);
  };
  const finish = () => {
    if (left > 0) tail.notes.push(`${left} more merged ranges or links are not listed.`);
  };
  return { tail, around, finish };
}

function linkTarget(attributes: XmlAttributes, relations: Map<string, Relation>): string | null {
  const { id, location } = attributes;
  const outside = id === undefined ? undefined : relations.get(id)?.target;
  if (outside === undefined) return location ?? null;
  return location === undefined ? outside : `${outside}#${location}`;
}

interface RowOptions extends SheetOptions {
  tail: SheetTail;
  read: (raw: RawCell) => Cell | null;
}

/** Takes the tags inside `sheetData`. */
function createRowReader({ tail, read, onCell, styles }: RowOptions) {
  const inline = createTextReader(styles.palette);
  const shownRows: Span[] = [];
  let hideUnlisted = false;
  let row = -1;
  let column = -1;
  let cell: RawCell | null = null;
  /** How many elements are open inside the cell, and which of its own it is in. */
  let inside = 0;
  let into: 'f' | 'v' | 'is' | null = null;

  const openRow = ({ r, hidden, ht }: XmlAttributes) => {
    const listed = Number(r) - 1;
    row = Number.isInteger(listed) && listed >= 0 && listed <= MAX_ROW ? listed : row + 1;
    column = -1;
    const isHidden = isOn(hidden) || (ht !== undefined && Number(ht) === 0);
    if (isHidden) addSpan(tail.hiddenRows, { from: row, to: row });
    else if (hideUnlisted) addSpan(shownRows, { from: row, to: row });
  };

  const openCell = ({ r, s, t }: XmlAttributes) => {
    const address = r === undefined ? null : parseAddress(r);
    // A row without a number takes that of its cells.
    if (address) row = address.row;
    column = address ? address.column : column + 1;
    inside = 0;
    const style = s === undefined ? 0 : Number(s);
    cell = { row, column, style, type: t ?? 'n', value: null, inline: null, formula: null };
  };

  const openInside = (
    raw: RawCell,
    { name, attributes }: { name: string; attributes: XmlAttributes },
  ) => {
    inside += 1;
    if (into === 'is') inline.open(name, attributes);
    // Extensions of a cell may hold a `v` of their own.
    else if (inside > 1) return;
    else if (name === 'v') {
      into = 'v';
      raw.value = '';
    } else if (name === 'is') into = 'is';
    else if (name === 'f') {
      into = 'f';
      const { t, si } = attributes;
      raw.formula = {
        text: '',
        type: t ?? 'normal',
        shared: si ?? null,
        inputs: tableInputs(attributes),
      };
    }
  };

  const closeInside = (raw: RawCell, name: string) => {
    inside -= 1;
    if (inside > 0) {
      if (into === 'is') inline.close(name);
      return;
    }
    if (into === 'is') raw.inline = inline.take();
    into = null;
    if (inside === 0) return;
    cell = null;
    const found = read(raw);
    if (found !== null && !onCell(found)) stopXml();
  };

  return {
    open(name: string, attributes: XmlAttributes) {
      if (cell !== null) openInside(cell, { name, attributes });
      else if (name === 'c') openCell(attributes);
      else if (name === 'row') openRow(attributes);
    },
    text(text: string) {
      if (cell === null || into === null) return;
      if (into === 'is') inline.text(text);
      else if (into === 'v') cell.value += text;
      else if (cell.formula !== null) cell.formula.text += text;
    },
    close(name: string) {
      if (cell !== null) closeInside(cell, name);
    },
    /** The sheet says that rows without an element of their own are hidden. */
    hideUnlisted(value: boolean) {
      hideUnlisted = value;
    },
    finish() {
      if (hideUnlisted) tail.hiddenRows = between(shownRows);
    },
  };
}

/** As Excel shows it: `TABLE(row input, column input)`; with one input `dtr` says which it is. */
function tableInputs({ r1 = '', r2 = '', dt2D, dtr }: XmlAttributes): string {
  if (isOn(dt2D)) return `${r1},${r2}`;
  return isOn(dtr) ? `${r1},` : `,${r1}`;
}

/** Appends to a list in order, joining what touches. */
function addSpan(spans: Span[], { from, to }: Span): void {
  const last = spans.at(-1);
  if (last && from <= last.to + 1 && from >= last.from) last.to = Math.max(last.to, to);
  else if (spans.length < MAX_TAIL_ITEMS) spans.push({ from, to });
}

/** The rows of the grid that are in none of the spans. */
function between(spans: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let next = 0;
  for (const { from, to } of spans) {
    if (from > next) gaps.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= MAX_ROW) gaps.push({ from: next, to: MAX_ROW });
  return gaps;
}
