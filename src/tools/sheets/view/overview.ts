/**
 * What a book and its sheets hold, one line each: also what nobody asked for yet (hidden sheets,
 * colours, comments), so that the model knows to ask. No I/O.
 */
import { count, utf8Length } from '../../truncate.ts';
import { columnsAddress, rangeAddress, rowsAddress } from '../addresses.ts';
import type { Book, SheetHead, SheetTail, Span } from '../book.ts';
import { cutText, joinWithin, showLine } from './cell.ts';
import { colorName } from './color-names.ts';
import { quoted } from './request.ts';
import type { Survey } from './survey.ts';

const MAX_COLORS = 8;
const MAX_SPANS = 8;
const MAX_NOTES = 8;
const MAX_NOTE_CHARS = 300;

/** `sales.xlsx: xlsx, 3 sheets (1 hidden)`, then notes and defined names, a line each. */
export function bookLines(book: Book, path: string, maxBytes: number): string[] {
  const lines = [`${path}: ${book.format}, ${sheetCount(book.sheets)}`, ...noteLines(book.notes)];
  if (book.names.length === 0) return lines;
  const names = book.names.map(({ name, refersTo }) => `${showLine(name)} → ${showLine(refersTo)}`);
  lines.push(`defined names: ${joinWithin(names, { maxBytes, separator: '; ', more: 0 })}`);
  return lines;
}

/** What a reader has to say; a badly damaged file could make it say it a thousand times. */
function noteLines(notes: readonly string[]): string[] {
  const lines = notes.slice(0, MAX_NOTES).map((note) => showLine(cutText(note, MAX_NOTE_CHARS)));
  const left = notes.length - lines.length;
  return left > 0 ? [...lines, `and ${count(left)} more such remarks`] : lines;
}

function sheetCount(sheets: readonly SheetHead[]): string {
  const hidden = sheets.filter(({ state }) => state === 'hidden').length;
  const veryHidden = sheets.filter(({ state }) => state === 'very hidden').length;
  const states = [
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
    ...(veryHidden > 0 ? [`${veryHidden} very hidden`] : []),
  ];
  const total = sheets.length === 1 ? '1 sheet' : `${count(sheets.length)} sheets`;
  return states.length === 0 ? total : `${total} (${states.join(', ')})`;
}

/** `"Data" (hidden)`. */
export function sheetTitle({ name, state }: SheetHead): string {
  return state === 'visible' ? quoted(name) : `${quoted(name)} (${state})`;
}

/** The line of a sheet, and below it what its reader has to say. */
export function sheetLines(survey: Survey): string[] {
  const { head, index, tail } = survey;
  const facts = head.kind === 'chart' ? ['a chart, no cells'] : sheetFacts(survey);
  return [
    `${index + 1}. ${sheetTitle(head)}: ${facts.join('; ')}`,
    ...noteLines(tail.notes).map((note) => `   ${note}`),
  ];
}

function sheetFacts(survey: Survey): string[] {
  const { used, cells, formulas, uncomputed, stopped } = survey;
  const around = aroundFacts(survey);
  if (used === null) return [stopped === null ? 'empty' : 'nothing in the part read', ...around];
  const part = stopped === null ? '' : ` in the part read (up to row ${count(survey.lastRow + 1)})`;
  const sizes = [rangeAddress(used), plural(cells, 'cell')];
  if (formulas > 0) {
    const open = uncomputed > 0 ? ` (${count(uncomputed)} without a stored value)` : '';
    sizes.push(plural(formulas, 'formula') + open);
  }
  return [sizes.join(', ') + part, ...lookFacts(survey), ...around];
}

function lookFacts({ looks }: Survey): string[] {
  return [
    ...colorFact('fills', looks.fills),
    ...colorFact('text colours', looks.colors),
    ...(looks.strike > 0 ? [`strike-through ×${count(looks.strike)}`] : []),
    ...(looks.mixed > 0 ? [`texts with differently formatted parts ×${count(looks.mixed)}`] : []),
  ];
}

function colorFact(what: string, colors: ReadonlyMap<string, number>): string[] {
  if (colors.size === 0) return [];
  const named = [...colors]
    .slice(0, MAX_COLORS)
    .map(([color, cells]) => `${colorName(color)} ${color} ×${count(cells)}`);
  const more = colors.size > named.length ? ` and ${colors.size - named.length} more colours` : '';
  return [`${what}: ${named.join(', ')}${more}`];
}

function aroundFacts({ tail }: Survey): string[] {
  const { comments, links, merges, hiddenRows, hiddenColumns, filter, rules, drawings } = tail;
  return [
    ...(comments.length > 0 ? [plural(comments.length, 'comment')] : []),
    ...(links.length > 0 ? [plural(links.length, 'link')] : []),
    ...(merges.length > 0 ? [plural(merges.length, 'merged range')] : []),
    ...spanFact('hidden rows', hiddenRows, rowsAddress),
    ...spanFact('hidden columns', hiddenColumns, columnsAddress),
    ...(filter === null ? [] : [`filter on ${rangeAddress(filter)}`]),
    ...(rules.length === 0 ? [] : [ruleFact(rules)]),
    ...drawings.slice(0, MAX_SPANS).map((drawing) => cutText(drawing, MAX_NOTE_CHARS)),
  ];
}

/** Colours by rule are no fills: whoever counts the red cells must not take the fills for all. */
function ruleFact(rules: SheetTail['rules']): string {
  const ranges = [...new Set(rules.map(({ range }) => range))];
  const shown = cutText(ranges.slice(0, MAX_SPANS).join(', '), MAX_NOTE_CHARS);
  const more = ranges.length > MAX_SPANS ? ' and more' : '';
  return `conditional formats on ${shown}${more} (they colour cells by value, not counted as fills)`;
}

function spanFact(what: string, spans: readonly Span[], show: (span: Span) => string): string[] {
  if (spans.length === 0) return [];
  const shown = spans.slice(0, MAX_SPANS).map(show);
  const left = spans.slice(MAX_SPANS).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return [`${what} ${shown.join(', ')}${left > 0 ? ` and ${count(left)} more` : ''}`];
}

function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}

/** Lines of all sheets within `maxBytes`; the names of those that find no room in the last. */
export function overviewLines(surveys: readonly Survey[], maxBytes: number): string[] {
  const lines: string[] = [];
  let free = maxBytes;
  for (const [index, survey] of surveys.entries()) {
    const own = sheetLines(survey);
    free -= own.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
    if (free < 0 && index > 0) {
      const names = surveys.slice(index).map(({ head }) => sheetTitle(head));
      const options = { maxBytes: Math.max(200, maxBytes / 4), separator: ', ', more: 0 };
      lines.push(`${count(names.length)} more sheets: ${joinWithin(names, options)}`);
      break;
    }
    lines.push(...own);
  }
  return lines;
}
