/**
 * Cell addresses of a file (`B7`, `$A$1:C3`, `A:A`) as numbers from 0, and the formulas of cells
 * that share one with a master: the master's text with its relative references moved along. Pure.
 */
import { columnLetters, columnNumber } from '../addresses.ts';
import type { CellRange } from '../book.ts';

export const MAX_ROW = 1_048_575;
export const MAX_COLUMN = 16_383;

export interface Address {
  row: number;
  column: number;
}

/**
 * Null for anything but the address of one cell inside the grid. By character codes, since it runs
 * once a cell and a pattern takes three times as long.
 */
export function parseAddress(text: string): Address | null {
  let at = text[0] === '$' ? 1 : 0;
  let column = 0;
  for (; at < text.length; at += 1) {
    // Bit 32 apart, upper and lower case are the same letter.
    const letter = (text.charCodeAt(at) & ~32) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  if (text[at] === '$') at += 1;
  const digitsAt = at;
  let row = 0;
  for (; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return null;
    row = row * 10 + digit;
  }
  const inside = column > 0 && column <= MAX_COLUMN + 1 && row > 0 && row <= MAX_ROW + 1;
  return inside && at > digitsAt ? { row: row - 1, column: column - 1 } : null;
}

/** Also of one cell, whole columns (`A:C`) and whole rows (`2:5`); null for anything else. */
export function parseRange(text: string): CellRange | null {
  const [first = '', last] = text.trim().split(':');
  // `C` alone is a name; only a colon makes it a column.
  const from = last === undefined ? parseAddress(first) : rangeEnd(first, 0);
  const to = last === undefined ? from : rangeEnd(last, Number.POSITIVE_INFINITY);
  if (from === null || to === null) return null;
  return {
    rows: {
      from: Math.min(from.row, to.row),
      to: Math.min(MAX_ROW, Math.max(from.row, to.row)),
    },
    columns: {
      from: Math.min(from.column, to.column),
      to: Math.min(MAX_COLUMN, Math.max(from.column, to.column)),
    },
  };
}

function rangeEnd(text: string, open: number): Address | null {
  const cell = parseAddress(text);
  if (cell) return cell;
  if (/^\$?[A-Za-z]{1,3}$/.test(text)) {
    return { row: open, column: columnNumber(text.replace('$', '').toUpperCase()) };
  }
  return /^\$?[1-9]\d{0,6}$/.test(text)
    ? { row: Number(text.replace('$', '')) - 1, column: open }
    : null;
}

/** A reference to a column, a row or both; what is null stays out of the text. */
interface Reference {
  column: number | null;
  columnFixed: boolean;
  row: number | null;
  rowFixed: boolean;
}

/** A formula cut into text and the references that move. */
export type FormulaParts = readonly (string | Reference)[];

/**
 * In this order: a string, a quoted sheet, a range of columns, of rows, a cell, a name, a number.
 * Names and function names are taken whole, so `LOG10(` and `Q1!` hold no reference.
 */
const TOKEN = new RegExp(
  [
    `(?<literal>"(?:[^"]|"")*"|'(?:[^']|'')*')`,
    String.raw`(?<columns>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})(?![\p{L}\p{N}_.(!:])`,
    String.raw`(?<rows>\$?\d{1,7}:\$?\d{1,7})(?![\p{L}\p{N}_.(!:])`,
    String.raw`(?<cell>\$?[A-Za-z]{1,3}\$?\d{1,7})(?![\p{L}\p{N}_.(!])`,
    String.raw`(?<name>[\p{L}_\\][\p{L}\p{N}_.\\?]*|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)`,
  ].join('|'),
  'uy',
);

export function splitFormula(formula: string): FormulaParts {
  const parts: (string | Reference)[] = [];
  let text = '';
  let at = 0;
  while (at < formula.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(formula);
    const { columns, rows, cell } = token?.groups ?? {};
    const references = (columns ?? rows ?? cell)?.split(':').map(toReference) ?? [];
    const [first, second] = references;
    if (token && first && references.every((reference) => reference !== null)) {
      parts.push(text, first);
      if (second) parts.push(':', second);
      text = '';
      at = TOKEN.lastIndex;
      continue;
    }
    const length = token ? token[0].length : bracketLength(formula, at);
    text += formula.slice(at, at + length);
    at += length;
  }
  parts.push(text);
  return parts;
}

/** The formula `down` rows and `right` columns away from its master. */
export function moveFormula(
  parts: FormulaParts,
  { down, right }: { down: number; right: number },
): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const column = part.column === null || part.columnFixed ? part.column : part.column + right;
    const row = part.row === null || part.rowFixed ? part.row : part.row + down;
    const outside =
      (column !== null && (column < 0 || column > MAX_COLUMN)) ||
      (row !== null && (row < 0 || row > MAX_ROW));
    if (outside) {
      text += '#REF!';
      continue;
    }
    if (column !== null) text += (part.columnFixed ? '$' : '') + columnLetters(column);
    if (row !== null) text += (part.rowFixed ? '$' : '') + (row + 1);
  }
  return text;
}

function toReference(text: string): Reference | null {
  const found = /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(text);
  if (!found) return null;
  const [, dollar = '', letters = '', secondDollar = '', digits = ''] = found;
  const column = letters === '' ? null : columnNumber(letters.toUpperCase());
  const row = digits === '' ? null : Number(digits) - 1;
  if ((column ?? 0) > MAX_COLUMN || (row ?? 0) > MAX_ROW || (row ?? 0) < 0) return null;
  // Of `$1` the one dollar stands for the row.
  const rowFixed = secondDollar === '$' || (column === null && dollar === '$');
  return { column, columnFixed: dollar === '$', row, rowFixed };
}

/** A structured reference (`Sales[[#All],[Q1]]`) or a book number (`[1]`), else one character. */
function bracketLength(formula: string, start: number): number {
  if (formula[start] !== '[') return 1;
  let depth = 0;
  for (let at = start; at < formula.length; at += 1) {
    if (formula[at] === "'") at += 1;
    else if (formula[at] === '[') depth += 1;
    else if (formula[at] === ']') depth -= 1;
    if (depth === 0) return at - start + 1;
  }
  return formula.length - start;
}
