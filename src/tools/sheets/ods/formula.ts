/**
 * Formulas and addresses of OpenDocument in the notation of Excel, which people and models read:
 * `of:=SUM([.A1:.B2];[$Data.C3])` → `SUM(A1:B2,Data!C3)`. Texts inside quotes stay as they are.
 */

import { columnNumber } from '../addresses.ts';
import type { CellRange } from '../book.ts';

/** Without the leading `=`. */
export function formulaToA1(formula: string): string {
  const found = /^(?:([a-z]\w*):)?=?/i.exec(formula);
  const body = formula.slice(found?.[0].length ?? 0);
  const prefix = found?.[1]?.toLowerCase();
  // msoxl is Excel's own notation already; without a prefix there is none to translate from.
  if (prefix === 'msoxl') return body;
  let braces = 0;
  return body.replace(/"(?:[^"]|"")*"|\[(?:'(?:[^']|'')*'|[^\]'])*\]|[{}|;~]/g, (part) => {
    if (part.startsWith('"')) return part;
    if (part.startsWith('[')) return addressToA1(part.slice(1, -1));
    if (part === '{') braces++;
    else if (part === '}') braces--;
    // Inside an array `;` parts columns and `|` rows.
    else if (part === '|') return braces > 0 ? ';' : part;
    else return ',';
    return part;
  });
}

/** `.A1`, `$Sheet.$A$1:.$B$2`, `'My sheet'.A1:'My sheet'.B2` → `A1`, `Sheet!$A$1:$B$2`, `'My sheet'!A1:B2`. */
export function addressToA1(address: string): string {
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
  const text = addressToA1(address);
  const found = /^(.*)!\$?([A-Z]+)\$?(\d+)(?::\$?([A-Z]+)\$?(\d+))?$/.exec(text);
  if (found === null) return null;
  const [, name = '', left = '', top = '', right = left, bottom = top] = found;
  const sheet = name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
  const rows = { from: Number(top) - 1, to: Number(bottom) - 1 };
  return { sheet, range: { rows, columns: { from: columnNumber(left), to: columnNumber(right) } } };
}

function splitOutsideQuotes(text: string, separator: ':' | '.'): string[] {
  const parts: string[] = [''];
  let quoted = false;
  for (const character of text) {
    if (character === "'") quoted = !quoted;
    if (character === separator && !quoted) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}
