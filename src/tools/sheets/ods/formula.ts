/**
 * Formulas and addresses of OpenDocument in the notation of Excel, which people and models read:
 * `of:=SUM([.A1:.B2];[$Data.C3])` → `SUM(A1:B2,Data!C3)`. Texts inside quotes stay as they are. One
 * pass over each, whatever is in it: files may be made to keep a reader busy.
 */

import { columnNumber } from '../addresses.ts';
import type { CellRange } from '../book.ts';

/** OpenFormula asks for 1,024 and Excel takes 8,192. */
export const MAX_FORMULA_CHARS = 16_384;
/** Two names of sheets and two cells. */
const MAX_ADDRESS_CHARS = 2_048;
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

/** Without the leading `=`. A formula that is too long is given as it stands in the file. */
export function formulaToA1(formula: string): string {
  if (formula.length > MAX_FORMULA_CHARS) return formula;
  const found = /^(?:([a-z]\w*):)?=?/i.exec(formula);
  const body = formula.slice(found?.[0].length ?? 0);
  const prefix = found?.[1]?.toLowerCase();
  // msoxl is Excel's own notation already; without a prefix there is none to translate from.
  return prefix === 'msoxl' ? body : toA1(body);
}

/** What a formula holds behind its prefix. */
export function toA1(body: string): string {
  const special = /["[{}|;~]/g;
  const parts: string[] = [];
  let braces = 0;
  let at = 0;
  for (let found = special.exec(body); found !== null; found = special.exec(body)) {
    parts.push(body.slice(at, found.index));
    const character = found[0];
    const isLong = character === '"' || character === '[';
    const end = isLong ? endOf(body, found.index, character) : found.index + 1;
    // Quotes or brackets that do not close: nobody knows what the rest means.
    if (end === null) return parts.join('') + body.slice(found.index);
    const part = body.slice(found.index, end);
    if (character === '{') braces++;
    else if (character === '}') braces--;
    if (character === '[') parts.push(addressToA1(part.slice(1, -1)));
    else if (character === ';' || character === '~') parts.push(',');
    // Inside an array `;` parts columns and `|` rows.
    else parts.push(character === '|' && braces > 0 ? ';' : part);
    at = end;
    special.lastIndex = end;
  }
  return parts.join('') + body.slice(at);
}

/** Behind the closing sign of the text or address that begins at `start`; null without one. */
function endOf(text: string, start: number, opening: '"' | '['): number | null {
  if (opening === '[') {
    let quoted = false;
    for (let at = start + 1; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === "'") quoted = !quoted;
      else if (character === ']' && !quoted) return at + 1;
    }
    return null;
  }
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charAt(at + 1) !== '"') return at + 1;
  }
  return null;
}

/** `.A1`, `$Sheet.$A$1:.$B$2`, `'My sheet'.A1:'My sheet'.B2` → `A1`, `Sheet!$A$1:$B$2`, `'My sheet'!A1:B2`. */
export function addressToA1(address: string): string {
  if (address.length > MAX_ADDRESS_CHARS) return address;
  const ends = splitOutsideQuotes(address.trim(), ':').map((end) => {
    const parts = splitOutsideQuotes(end, '.');
    const cell = parts.pop() ?? '';
    return { sheet: parts.join('.').replace(/^\$/, ''), cell };
  });
  const [first, last] = ends;
  if (first === undefined) return address;
  const cells = ends.map(({ cell }) => cell).join(':');
  if (first.sheet === '') return cells;
  const isRangeOfSheets = last !== undefined && last.sheet !== '' && last.sheet !== first.sheet;
  return `${isRangeOfSheets ? `${first.sheet}:${last.sheet}` : first.sheet}!${cells}`;
}

/** The sheet and range of an address such as `'My sheet'.A1:'My sheet'.B7`; null for others. */
export function addressRange(address: string): { sheet: string; range: CellRange } | null {
  if (address.length > MAX_ADDRESS_CHARS) return null;
  const text = addressToA1(address);
  const end = text.lastIndexOf('!');
  const found = /^!\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/.exec(
    text.slice(end),
  );
  if (end === -1 || found === null) return null;
  const name = text.slice(0, end);
  const [, left = '', top = '', right = left, bottom = top] = found;
  const sheet = name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
  const rows = { from: Number(top) - 1, to: Number(bottom) - 1 };
  const columns = { from: columnNumber(left), to: columnNumber(right) };
  const fits = rows.from >= 0 && rows.to < MAX_ROWS && columns.to < MAX_COLUMNS;
  if (!fits || rows.from > rows.to || columns.from > columns.to) return null;
  return { sheet, range: { rows, columns } };
}

/** Cut at each separator that stands in no quotes. */
export function splitOutsideQuotes(text: string, separator: ':' | '.' | ' ' | ','): string[] {
  const parts: string[] = [];
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "'") quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}
