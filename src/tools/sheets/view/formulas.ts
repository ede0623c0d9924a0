/**
 * `with: ["formulas"]`: each formula with its stored result. A column (or row) of the same formula,
 * moved along, is one line with its first and last formula; compressing is checked to lose nothing.
 */
import { count, utf8Length } from '../../truncate.ts';
import { cellAddress, columnLetters, columnNumber } from '../addresses.ts';
import type { Cell } from '../book.ts';
import { cutLine, showCell, showFormula } from './cell.ts';
import type { Section } from './colors.ts';

/** Lines kept for a sheet; more would not fit any answer. */
const MAX_RUNS = 5_000;
const MIN_RUN = 3;
const MAX_RESULT_CHARS = 80;

/** Formulas one below the other that are the same but for the moved references. */
interface Run {
  pattern: string;
  first: Cell;
  last: Cell;
  uncomputed: boolean;
}

export function createFormulaSection(): Section {
  const runs: Run[] = [];
  const openByColumn = new Map<number, Run>();
  let more = 0;

  function add(cell: Cell): void {
    if (cell.formula === undefined) return;
    const { row, column, kind, text, formula, uncomputed } = cell;
    const pattern = relativeFormula(formula, { row, column }) ?? formula;
    const above = openByColumn.get(column);
    const kept = { row, column, kind, text, formula, uncomputed };
    if (above !== undefined && continues(above, kept, pattern) && above.last.row === row - 1) {
      above.last = kept;
      return;
    }
    if (runs.length >= MAX_RUNS) {
      openByColumn.delete(column);
      more++;
      return;
    }
    const run = { pattern, first: kept, last: kept, uncomputed: uncomputed === true };
    runs.push(run);
    openByColumn.set(column, run);
  }

  function render(maxBytes: number, { sheet }: { sheet: string }): string[] {
    if (runs.length === 0) return [];
    const lines = [`formulas of ${sheet}:`];
    let free = maxBytes - 120;
    const joined = joinSideways(runs);
    // Two formulas make a line at most; a single one may fill the section.
    const maxFormulaBytes = Math.max(200, Math.floor(maxBytes * (joined.length === 1 ? 0.4 : 0.2)));
    for (const [index, run] of joined.entries()) {
      const shown = showRun(run, maxFormulaBytes);
      const bytes = shown.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
      if (bytes > free && index > 0) {
        const left = joined.slice(index).reduce((sum, each) => sum + sizeOf(each), more);
        const from = cellAddress(run.first.row, run.first.column);
        lines.push(`… and ${count(left)} more formulas from ${from} on: ask for a smaller range`);
        return lines;
      }
      lines.push(...shown);
      free -= bytes;
    }
    if (more > 0) lines.push(`… and ${count(more)} more formulas: ask for a smaller range`);
    return lines;
  }

  return { add, render };
}

function continues(run: Run, cell: Cell, pattern: string): boolean {
  return run.pattern === pattern && run.uncomputed === (cell.uncomputed === true);
}

/** A total row: single formulas side by side with the same pattern. */
function joinSideways(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const left = joined.at(-1);
    const isNext =
      left !== undefined &&
      left.first.row === left.last.row &&
      run.first === run.last &&
      run.first.row === left.last.row &&
      run.first.column === left.last.column + 1 &&
      continues(left, run.first, run.pattern);
    if (isNext) left.last = run.last;
    else joined.push({ ...run });
  }
  return joined;
}

function sizeOf({ first, last }: Run): number {
  return last.row - first.row + last.column - first.column + 1;
}

function showRun(run: Run, maxBytes: number): string[] {
  const { first, last, pattern } = run;
  if (first === last) return [showOne(first, maxBytes)];
  if (sizeOf(run) < MIN_RUN) return [showOne(first, maxBytes), showOne(last, maxBytes)];
  const range = `${cellAddress(first.row, first.column)}:${cellAddress(last.row, last.column)}`;
  const isSame = first.formula === last.formula && first.formula === pattern;
  // The formula is the same, its results need not be: ROW(), RAND() and tables' [@column].
  if (isSame) {
    const results = `first ${showResult(first)}, last ${showResult(last)}`;
    return [`${range} ${formulaOf(first, maxBytes)}, the same formula in each → ${results}`];
  }
  const end = `same pattern through ${showOne(last, maxBytes)}`;
  return [`${range} ${formulaOf(first, maxBytes)} → ${showResult(first)}, ${end}`];
}

function showOne(cell: Cell, maxBytes: number): string {
  const address = cellAddress(cell.row, cell.column);
  return `${address} ${formulaOf(cell, maxBytes)} → ${showResult(cell)}`;
}

function formulaOf({ formula = '' }: Cell, maxBytes: number): string {
  const shown = showFormula(formula);
  const cut = cutLine(shown, maxBytes);
  return cut === shown ? `=${shown}` : `=${cut} (${count(formula.length)} characters, cut here)`;
}

function showResult(cell: Cell): string {
  return cell.uncomputed === true ? '(no stored value)' : showCell(cell, MAX_RESULT_CHARS);
}

/** References outside texts and quoted names; a name before `(` or `!` is a function or a sheet. */
const REFERENCE =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![A-Za-z0-9_.$])(\$?)([A-Z]{1,3})(\$?)([1-9]\d{0,6})(?![A-Za-z0-9_.(!])/g;

/**
 * The formula with its references relative to the cell, or null when it cannot be brought back from
 * that letter by letter.
 */
export function relativeFormula(
  formula: string,
  { row, column }: { row: number; column: number },
): string | null {
  if (formula.includes('\u0001')) return null;
  const relative = formula.replace(
    REFERENCE,
    (whole: string, fixedColumn?: string, letters?: string, fixedRow?: string, digits?: string) => {
      if (letters === undefined) return whole;
      const columnPart = fixedColumn === '$' ? letters : `[${columnNumber(letters) - column}]`;
      const rowPart = fixedRow === '$' ? digits : `[${Number(digits) - 1 - row}]`;
      return `\u0001${fixedColumn ?? ''}${columnPart}${fixedRow ?? ''}${rowPart}\u0002`;
    },
  );
  return absoluteFormula(relative, { row, column }) === formula ? relative : null;
}

/** Undoes `relativeFormula` for any cell. */
export function absoluteFormula(
  relative: string,
  { row, column }: { row: number; column: number },
): string {
  return relative.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of relativeFormula
    /\u0001(\$?)(?:\[(-?\d+)\]|([A-Z]+))(\$?)(?:\[(-?\d+)\]|(\d+))\u0002/g,
    (...parts: (string | undefined)[]) => {
      const [, fixedColumn = '', across, letters, fixedRow = '', down, digits] = parts;
      const columnPart = letters ?? columnLetters(column + Number(across));
      const rowPart = digits ?? String(row + Number(down) + 1);
      return fixedColumn + columnPart + fixedRow + rowPart;
    },
  );
}
