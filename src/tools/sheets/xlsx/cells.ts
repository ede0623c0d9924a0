/**
 * One cell as an xlsx stores it, turned into what it means: its kind, exact text, formula and style.
 * No XML here. What the file refers to but does not hold is shown as an error in the cell's place.
 */
import type { Cell, CellStyle } from '../book.ts';
import { serialToText } from '../dates.ts';
import { type FormulaParts, moveFormula, splitFormula } from './refs.ts';
import { type RichText, type SharedStrings, unescapeText } from './strings.ts';
import type { ResolvedStyle, Styles } from './styles.ts';

export interface RawCell {
  row: number;
  column: number;
  style: number;
  /** `t`: n, s, str, inlineStr, b, e, d. */
  type: string;
  /** Text of `v`; null when there is none. */
  value: string | null;
  inline: RichText | null;
  formula: RawFormula | null;
}

export interface RawFormula {
  text: string;
  /** `t`: normal, shared, array, dataTable. */
  type: string;
  /** `si`: number of a shared formula. */
  shared: string | null;
  /** Of a data table: `row,column`, its input cells, either of which may be empty. */
  inputs: string;
}

export interface CellContext {
  styles: Styles;
  strings: SharedStrings;
  date1904: boolean;
}

/** Turns the cells of one sheet, in order, into cells; keeps the sheet's shared formulas. */
export function createCellReader({ styles, strings, date1904 }: CellContext) {
  const formulas = createFormulaReader();
  const texts = createTextLookup(strings);

  const readValue = (raw: RawCell, look: ResolvedStyle): Value | null => {
    const { value, type } = raw;
    if (raw.inline !== null && type !== 's') return textValue(raw.inline, look.font);
    if (value === null || (value === '' && type !== 'str')) return null;
    switch (type) {
      case 's': {
        const text = texts.find(value);
        return 'error' in text ? { kind: 'error', text: text.error } : textValue(text, look.font);
      }
      case 'n':
        return numberValue(value, { look, date1904 });
      case 'b':
        return { kind: 'boolean', text: isTrue(value) ? 'TRUE' : 'FALSE' };
      case 'e':
        return { kind: 'error', text: value.trim() };
      case 'd':
        return { kind: 'date', text: isoText(value.trim(), look) };
      default:
        return { kind: 'text', text: unescapeText(value) };
    }
  };

  return {
    /** Null for a cell that holds nothing and shows nothing. */
    read(raw: RawCell): Cell | null {
      const look = styles.at(raw.style);
      const formula = formulas.read(raw);
      const value = readValue(raw, look);
      const { row, column } = raw;
      if (formula === undefined && (value === null || value.text === '')) {
        const { style } = look;
        if (style?.fill === undefined && style?.color === undefined) return null;
        return { row, column, kind: 'empty', text: '', style };
      }
      const cell: Cell = { row, column, kind: value?.kind ?? 'empty', text: value?.text ?? '' };
      if (value?.runs !== undefined) cell.runs = value.runs;
      if (formula !== undefined) cell.formula = formula;
      if (formula !== undefined && value === null) cell.uncomputed = true;
      if (look.style !== undefined) cell.style = look.style;
      return cell;
    },
    /** Sentences about what the cells so far refer to and the file does not hold. */
    notes: () => [...texts.notes(), ...formulas.notes()],
  };
}

/** Digits of any number a program writes, with room. */
const MAX_NUMBER_CHARS = 400;
/** Excel's longest formula has half of them. */
const MAX_FORMULA_CHARS = 16_384;
/** Characters of shared formulas repeated for one sheet; a small master can stand for millions. */
const MAX_REPEATED_CHARS = 16 * 1024 * 1024;

function createFormulaReader() {
  const masters = new Map<
    string,
    { parts: FormulaParts; length: number; row: number; column: number }
  >();
  let lost = 0;
  let unrepeated = 0;
  let room = MAX_REPEATED_CHARS;
  return {
    read({ formula, row, column }: RawCell): string | undefined {
      if (formula === null) return undefined;
      const text = formulaText(formula.text);
      if (formula.type === 'dataTable') return `TABLE(${formula.inputs})`;
      if (formula.shared === null || formula.type !== 'shared') return text || undefined;
      if (text !== '') {
        masters.set(formula.shared, {
          parts: splitFormula(text),
          length: text.length,
          row,
          column,
        });
        return text;
      }
      const master = masters.get(formula.shared);
      if (master === undefined) {
        lost += 1;
        return `(shared formula ${formula.shared} is missing)`;
      }
      // Even the work of a long formula counts, whatever comes of it.
      room -= master.length;
      if (room < 0) {
        unrepeated += 1;
        return `(shared formula ${formula.shared})`;
      }
      const move = { down: row - master.row, right: column - master.column };
      return moveFormula(master.parts, move);
    },
    notes() {
      const notes: string[] = [];
      if (lost > 0) notes.push(`In ${cellCount(lost)} the formula is missing from the file.`);
      if (unrepeated > 0) {
        notes.push(`In ${cellCount(unrepeated)} a shared formula is too long to be repeated.`);
      }
      return notes;
    },
  };
}

function formulaText(raw: string): string {
  const text = unescapeText(raw).trim().replace(/^=/, '');
  return text.length > MAX_FORMULA_CHARS
    ? `${text.slice(0, 1_000)}… (cut: ${text.length} characters)`
    : text;
}

function createTextLookup(strings: SharedStrings) {
  let missing = 0;
  let unloaded = 0;
  return {
    find(value: string): RichText | { error: string } {
      const found = /^\s*\d+\s*$/.test(value) ? strings.at(Number(value)) : null;
      if (found !== null) return found;
      if (!strings.whole) {
        unloaded += 1;
        return { text: '(text not loaded)' };
      }
      missing += 1;
      return { error: `(shared text ${value.trim()} is missing)` };
    },
    notes() {
      const notes: string[] = [];
      if (missing > 0) {
        notes.push(
          `In ${cellCount(missing)} the text is missing from the file; "(shared text N is missing)" stands there.`,
        );
      }
      if (unloaded > 0) {
        notes.push(
          `In ${cellCount(unloaded)} the text was not loaded because the book is large; use execute_python for it.`,
        );
      }
      return notes;
    },
  };
}

function cellCount(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}

type Value = Pick<Cell, 'kind' | 'text' | 'runs'>;

function textValue({ text, runs }: RichText, font: CellStyle): Value {
  const differs = (style: CellStyle | undefined) => style !== undefined && !sameFont(style, font);
  if (!runs?.some((run) => differs(run.font))) return { kind: 'text', text };
  const shown = runs.map((run) =>
    differs(run.font) ? { text: run.text, style: run.font } : { text: run.text },
  );
  return { kind: 'text', text, runs: shown };
}

function sameFont(a: CellStyle, b: CellStyle): boolean {
  return (
    a.color === b.color &&
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.strike === b.strike &&
    a.underline === b.underline
  );
}

function numberValue(
  value: string,
  { look, date1904 }: { look: ResolvedStyle; date1904: boolean },
): Value {
  const text = exactNumber(value);
  // Not a number at all: shown as it stands rather than lost.
  if (text === null) return { kind: 'text', text: value };
  const date = look.date && serialToText(Number(text), { format: look.date, date1904 });
  return date === null ? { kind: 'number', text } : { kind: 'date', text: date };
}

/**
 * The shortest text of the same number: files hold 17 digits (`0.10000000000000001` for 0.1). More
 * digits than a double has, and whole numbers, stay as they are. Null when it is no number.
 */
export function exactNumber(value: string): string | null {
  const number = Number(value);
  // Nearly all numbers: already in their shortest form, and the check is the cheapest one.
  if (Number.isFinite(number) && String(number) === value) return value;
  if (value.length > MAX_NUMBER_CHARS) return null;
  const trimmed = value.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return null;
  if (/^(?:0|-?[1-9]\d*)$/.test(trimmed)) return trimmed;
  const digits = trimmed
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  if (digits.length > 17 || !Number.isFinite(number)) return trimmed;
  return String(number);
}

function isTrue(value: string): boolean {
  return /^\s*(?:true|on|[1-9]\d*)\s*$/i.test(value);
}

/** Strict files store dates as ISO texts; midnight is left out when the format shows no time. */
function isoText(value: string, { date }: ResolvedStyle): string {
  const local = value.replace(/Z$/, '').replace(/\.0+$/, '');
  return date !== null && !date.time ? local.replace(/T00:00(?::00)?$/, '') : local;
}
