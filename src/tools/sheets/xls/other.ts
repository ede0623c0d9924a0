/**
 * Books of which SheetJS is all we know: xlsb and the XML of Excel 2003. Values, formulas and layout;
 * of looks only what it gives, which is a fill at best.
 */
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import type { Book, Cell, CellStyle, SheetHead, SheetTail, Span } from '../book.ts';
import { type DateFormat, parseDateFormat, serialToText } from '../dates.ts';
import { createCheck, emptyTail } from '../scan-parts.ts';
import { ERRORS } from './cells.ts';
import { DATE_1904_NOTE } from './records.ts';
import {
  addComments,
  filled,
  formulaText,
  namesOf,
  parseRange,
  type Rows,
  rowsOf,
} from './sheetjs.ts';

/** Number formats come a hundred thousand times, so what they mean is kept: constants, no state. */
const dateFormats = new Map<string, DateFormat | null>();
const MAX_KNOWN_FORMATS = 500;

export function bookOfWorkbook(
  workbook: WorkBook,
  { format, large, maxRows }: { format: string; large: string | null; maxRows: number },
): Book {
  const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
  const heads = workbook.SheetNames.map((name, index): SheetHead => {
    const hidden = workbook.Workbook?.Sheets?.[index]?.Hidden;
    return {
      name,
      state: hidden === 2 ? 'very hidden' : hidden === 1 ? 'hidden' : 'visible',
      kind: workbook.Sheets[name]?.['!type'] === 'chart' ? 'chart' : 'cells',
    };
  });
  return {
    format,
    sheets: heads,
    names: namesOf(workbook),
    notes: [
      'Of this format fonts and most colours are not read.',
      ...(date1904 ? [DATE_1904_NOTE] : []),
    ],
    large,
    async scan(index, onCell, { signal }) {
      const head = heads[index];
      const tail = emptyTail();
      const sheet = head === undefined ? undefined : workbook.Sheets[head.name];
      if (sheet === undefined || head?.kind === 'chart') return tail;
      const rows = rowsOf(sheet);
      const check = createCheck(signal);
      const styles = new Map<string, CellStyle | undefined>();
      for (const [row, cells] of filled(rows)) {
        for (const [column, cell] of filled(cells)) {
          check();
          const style = styleOf(cell, styles);
          const made = toCell(cell, { row, column, style, date1904 });
          if (made !== null && !onCell(made)) return { ...tail, complete: false };
        }
      }
      addLayout(tail, sheet);
      addLinks(tail, rows);
      addComments(tail, rows);
      if (isCutOff(sheet, maxRows)) cutTail(tail, maxRows);
      return tail;
    },
  };
}

/** SheetJS keeps the whole range beside the shorter one that it read. */
function isCutOff(sheet: WorkSheet, maxRows: number): boolean {
  return maxRows > 0 && sheet['!fullref'] !== undefined;
}

function cutTail(tail: SheetTail, maxRows: number): void {
  tail.complete = false;
  tail.notes.push(`Only the first ${maxRows} rows of this sheet were read.`);
}

/** SheetJS gives fills as `{ patternType, fgColor: { rgb } }`, in the formats where it reads them. */
function styleOf(
  cell: CellObject,
  styles: Map<string, CellStyle | undefined>,
): CellStyle | undefined {
  const look: { patternType?: string; fgColor?: { rgb?: string } } = cell.s ?? {};
  const rgb = look.patternType && look.patternType !== 'none' ? look.fgColor?.rgb : undefined;
  const format = typeof cell.z === 'string' && cell.z !== 'General' ? cell.z : undefined;
  const key = `${rgb} ${format}`;
  if (!styles.has(key)) {
    const isRgb = rgb !== undefined && /^[0-9a-f]{6}$/i.test(rgb);
    const fill = isRgb ? { fill: `#${rgb.toUpperCase()}` } : {};
    const style = { ...fill, ...(format !== undefined && { format }) };
    styles.set(key, Object.keys(style).length === 0 ? undefined : style);
  }
  return styles.get(key);
}

function addLayout(tail: SheetTail, sheet: WorkSheet): void {
  for (const { s, e } of sheet['!merges'] ?? []) {
    tail.merges.push({ rows: { from: s.r, to: e.r }, columns: { from: s.c, to: e.c } });
  }
  tail.hiddenRows = hiddenSpans(sheet['!rows'] ?? []);
  tail.hiddenColumns = hiddenSpans(sheet['!cols'] ?? []);
  tail.filter = parseRange(sheet['!autofilter']?.ref);
}

function hiddenSpans(lines: readonly ({ hidden?: boolean } | undefined)[]): Span[] {
  const spans: Span[] = [];
  for (const [index, line] of filled(lines)) {
    if (line.hidden !== true) continue;
    const last = spans.at(-1);
    if (last !== undefined && last.to === index - 1) last.to = index;
    else spans.push({ from: index, to: index });
  }
  return spans;
}

function addLinks(tail: SheetTail, rows: Rows): void {
  for (const [row, cells] of filled(rows)) {
    for (const [column, cell] of filled(cells)) {
      const target = cell.l?.Target;
      if (typeof target !== 'string' || target === '') continue;
      const range = { rows: { from: row, to: row }, columns: { from: column, to: column } };
      tail.links.push({ range, target });
    }
  }
}

interface CellContext {
  row: number;
  column: number;
  style: CellStyle | undefined;
  date1904: boolean;
}

/** Null for a cell that holds nothing and looks like nothing. */
function toCell(source: CellObject | undefined, context: CellContext): Cell | null {
  const { row, column, style } = context;
  const formula = typeof source?.f === 'string' ? formulaText(source.f) : undefined;
  const value = readValue(source, context);
  if (value === null && formula === undefined && !isVisible(style)) return null;
  return {
    row,
    column,
    ...(value ?? { kind: 'empty', text: '' }),
    ...(formula !== undefined && { formula }),
    ...(style !== undefined && { style }),
  };
}

/** A cell without a value shows its fill and nothing else. */
function isVisible(style: CellStyle | undefined): boolean {
  return style?.fill !== undefined;
}

function readValue(
  source: CellObject | undefined,
  { style, date1904 }: CellContext,
): Pick<Cell, 'kind' | 'text'> | null {
  const value = source?.v;
  switch (source?.t) {
    case 'n': {
      if (typeof value !== 'number') return null;
      const format = dateFormat(style?.format);
      const date = format === null ? null : serialToText(value, { format, date1904 });
      return date === null
        ? { kind: 'number', text: numberText(value) }
        : { kind: 'date', text: date };
    }
    case 'b':
      return { kind: 'boolean', text: value ? 'TRUE' : 'FALSE' };
    case 'e':
      return { kind: 'error', text: ERRORS[Number(value)] ?? '#N/A' };
    case 's':
    case 'd':
      return value === undefined || (value === '' && source.f === undefined)
        ? null
        : { kind: 'text', text: lineEnds(String(value)) };
    default:
      return null;
  }
}

/** The shortest exact form; a spreadsheet has no -0. */
function numberText(value: number): string {
  return String(value === 0 ? 0 : value);
}

function dateFormat(code: string | undefined): DateFormat | null {
  if (code === undefined) return null;
  const known = dateFormats.get(code);
  if (known !== undefined) return known;
  const format = parseDateFormat(code);
  if (dateFormats.size < MAX_KNOWN_FORMATS) dateFormats.set(code, format);
  return format;
}

function lineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
