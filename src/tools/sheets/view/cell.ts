/**
 * One cell as text for the model. Text that could be taken for another kind of value, or that would
 * break the grid, stands as a JSON string; everything else is plain. No I/O.
 */
import { count, cutUtf8 } from '../../truncate.ts';
import { cellAddress } from '../addresses.ts';
import type { Cell } from '../book.ts';

/** A longer text is cut in a grid that does not fit otherwise. */
export const LONG_TEXT_CHARS = 300;

/** What of a cell is kept until it is shown. */
export type ShownCell = Pick<Cell, 'row' | 'column' | 'kind' | 'text' | 'formula' | 'uncomputed'>;

/** Digits with signs, currency, separators, an exponent or a percent sign. */
const LIKE_NUMBER = /^[-+(]?\s?[$€£¥]?\s?[-+]?(\d[\d\s.,'’_]*|\.\d+)(e[-+]?\d+)?\s?[%$€£¥]?\)?$/i;
const LIKE_DATE = /^\d{1,4}([-/.:]\d{1,4}){1,2}([T\s].*)?$/;
const LIKE_CONSTANT = /^(true|false|#N\/A|#[A-Z0-9_/]+[!?])$/i;
/** Breaks lines or columns, for a program or for an eye. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be found
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const INVISIBLE = /^[\s\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0]*$/u;

/** The value as it stands in a grid. Nothing but a truly empty cell gives empty text. */
export function showCell(cell: ShownCell, maxChars = Number.POSITIVE_INFINITY): string {
  if (cell.uncomputed === true) {
    return `(no stored value: =${cutText(showFormula(cell.formula ?? ''), maxChars)})`;
  }
  if (cell.kind === 'text') {
    if (cell.text.length <= maxChars) return showText(cell.text);
    const cut = cutText(cell.text, maxChars);
    const shown = isAmbiguous(cell.text) ? quote(cut.slice(0, -1)) : cut.slice(0, -1);
    const where = `range="${cellAddress(cell.row, cell.column)}" shows all`;
    return `${shown}… (${count(cell.text.length)} characters; ${where})`;
  }
  // A formula whose stored result is nothing.
  if (cell.text === '' && cell.formula !== undefined) return '""';
  return cell.text;
}

/** A text value: plain, or quoted when plain text would mislead. */
export function showText(text: string): string {
  return isAmbiguous(text) ? quote(text) : text;
}

/** Text of a comment, a name, a link: one line, quoted only when it has several. */
export function showLine(text: string): string {
  return CONTROL.test(text) ? quote(text) : text;
}

/** On one line: line ends and tabs as they are written in JSON, all else as it is. */
export function showFormula(formula: string): string {
  if (!CONTROL.test(formula)) return formula;
  return [...formula]
    .map((each) => (CONTROL.test(each) ? quote(each).slice(1, -1) : each))
    .join('');
}

/** At most `maxChars`, with `…` when it was longer. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same by UTF-8 bytes, which is what room is counted in. */
export function cutLine(text: string, maxBytes: number): string {
  const cut = cutUtf8(text, maxBytes);
  return cut.length === text.length ? text : `${cut}…`;
}

/** A list within `maxBytes`, at least its first item; says how many did not fit. */
export function joinWithin(
  items: readonly string[],
  options: { maxBytes: number; separator: string; more: number },
): string {
  const { separator } = options;
  let text = '';
  let taken = 0;
  let bytes = 0;
  for (const item of items) {
    // Three bytes a character at most, so that nothing is encoded twice only to be measured.
    bytes += item.length * (/^[\x20-\x7e]*$/.test(item) ? 1 : 3) + separator.length;
    if (taken > 0 && bytes > options.maxBytes) break;
    text += taken === 0 ? cutLine(item, Math.max(40, options.maxBytes)) : separator + item;
    taken++;
  }
  const left = items.length - taken + options.more;
  return left === 0 ? text : `${text} … and ${count(left)} more`;
}

function isAmbiguous(text: string): boolean {
  return (
    text.startsWith('"') ||
    text.startsWith('(no stored value') ||
    text.trim().length !== text.length ||
    INVISIBLE.test(text) ||
    CONTROL.test(text) ||
    (text.length < 60 &&
      (LIKE_NUMBER.test(text) || LIKE_DATE.test(text) || LIKE_CONSTANT.test(text)))
  );
}

/** A JSON string in which what cannot be seen is escaped too. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\u3164\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
