/**
 * What a call of parse_excel asks for: names of sheets, ranges and aspects as models write them,
 * made exact. Every refusal is one sentence that names what there is. No I/O.
 */
import { StrideError } from '../../../errors.ts';
import { nearestFirst } from '../../nearest.ts';
import { type ParsedRange, parseRange } from '../addresses.ts';
import type { Book, CellRange } from '../book.ts';
import { cutText, showLine } from './cell.ts';

export const ASPECTS = ['colors', 'formulas', 'comments', 'links', 'formats'] as const;
export type Aspect = (typeof ASPECTS)[number];

const OTHER_WORDS: Readonly<Record<string, Aspect>> = {
  colour: 'colors',
  style: 'colors',
  fill: 'colors',
  font: 'colors',
  background: 'colors',
  formatting: 'colors',
  strike: 'colors',
  note: 'comments',
  hyperlink: 'links',
  url: 'links',
  number_format: 'formats',
  numberformat: 'formats',
};

const LISTED_SHEETS = 12;

/** Always shown, so asking for them is no mistake. */
const ALWAYS_SHOWN = new Set(['value', 'merge', 'merged', 'hidden', 'date', 'type', 'name']);

/** Throws StrideError invalid_input for a word that names nothing. */
export function parseAspects(
  wanted: string | readonly string[] | undefined,
  path: string,
): Set<Aspect> {
  const aspects = new Set<Aspect>();
  const words = (typeof wanted === 'string' ? [wanted] : (wanted ?? []))
    .flatMap((word) => word.split(/[\s,;+|[\]"']+/))
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '');
  for (const word of words) {
    const singular = word.replace(/s$/, '').replaceAll('-', '_');
    const known =
      ASPECTS.find((aspect) => aspect === `${singular}s`) ??
      (Object.hasOwn(OTHER_WORDS, singular) ? OTHER_WORDS[singular] : undefined);
    if (word === 'all' || word === '*') for (const aspect of ASPECTS) aspects.add(aspect);
    else if (known !== undefined) aspects.add(known);
    else if (!ALWAYS_SHOWN.has(singular)) {
      throw new StrideError(
        'invalid_input',
        `${path}: with takes no ${quoted(word)}; use any of ${ASPECTS.join(', ')}.`,
      );
    }
  }
  return aspects;
}

export interface Target {
  /** From 0; null when the call names none. */
  sheet: number | null;
  /** Null for everything. */
  window: CellRange | null;
}

/** Throws StrideError invalid_input, its sentence starting with the file's name. */
export function resolveTarget(
  book: Book,
  request: { path: string; sheet?: string | number; range?: string },
): Target {
  const { path } = request;
  // Some models send every field, empty where they want nothing.
  const isGiven = (value: string | number | undefined) =>
    value !== undefined && String(value).trim() !== '';
  const sheet = isGiven(request.sheet) ? findSheet(book, request.sheet ?? '', path) : null;
  if (!isGiven(request.range)) return { sheet, window: null };
  const text = (request.range ?? '').trim();
  const named = findName(book, text);
  const refersTo = named?.refersTo ?? text;
  const range = parseRange(refersTo);
  if (range === null) {
    const byName = named === null ? sheetNamed(book, text) : -1;
    if (byName >= 0 && sheet === null) return { sheet: byName, window: null };
    throw new StrideError('invalid_input', badRange(path, text, named?.refersTo ?? null));
  }
  return { sheet: sheetOf(book, range, { path, sheet, named: named !== null }), window: range };
}

function findName(book: Book, text: string): Book['names'][number] | null {
  const lower = text.toLowerCase();
  return book.names.find(({ name }) => name.toLowerCase() === lower) ?? null;
}

function badRange(path: string, text: string, refersTo: string | null): string {
  if (refersTo !== null) {
    return `${path}: the name ${quoted(text)} is no single range, it stands for ${showLine(cutText(refersTo, 120))}.`;
  }
  if (/[A-Z]+\d*\s*[,;]\s*\$?[A-Z]/i.test(text)) {
    return `${path}: range ${quoted(text)} has several parts; ask for one at a time.`;
  }
  return `${path}: ${quoted(text)} is no range; write A1:D20, A:C, 5:40 or B2.`;
}

function sheetOf(
  book: Book,
  range: ParsedRange,
  { path, sheet, named }: { path: string; sheet: number | null; named: boolean },
): number | null {
  if (range.sheet === null) return sheet;
  const own = findSheet(book, range.sheet, path);
  if (sheet === null || sheet === own || named) return own;
  const [first, second] = [sheet, own].map((index) => quoted(book.sheets[index]?.name ?? ''));
  throw new StrideError(
    'invalid_input',
    `${path}: sheet names ${first} and range names ${second}; give one of them.`,
  );
}

/** By name (the very name, then without regard to case and outer blanks), then by number from 1. */
function findSheet(book: Book, wanted: string | number, path: string): number {
  const byName = sheetNamed(book, String(wanted));
  if (byName >= 0) return byName;
  const text = String(wanted).trim();
  if (/^#?\d{1,6}$/.test(text)) {
    const number = Number(text.replace('#', ''));
    if (number >= 1 && number <= book.sheets.length) return number - 1;
  }
  throw new StrideError('invalid_input', noSheet(book, text, path));
}

function sheetNamed(book: Book, wanted: string): number {
  const exact = book.sheets.findIndex(({ name }) => name === wanted);
  if (exact >= 0) return exact;
  const lower = wanted.trim().toLowerCase();
  return book.sheets.findIndex(({ name }) => name.trim().toLowerCase() === lower);
}

function noSheet(book: Book, wanted: string, path: string): string {
  const names = book.sheets.map(({ name }) => name);
  const isFew = names.length <= LISTED_SHEETS;
  const listed = isFew ? names : nearestFirst(wanted, names).slice(0, LISTED_SHEETS);
  const more = isFew ? '' : ` and ${names.length - LISTED_SHEETS} more`;
  const what = /^\d+$/.test(wanted) ? `no sheet ${wanted}` : `no sheet ${quoted(wanted)}`;
  return `${path} has ${what}; its sheets are ${listed.map(quoted).join(', ')}${more} (or a number from 1 to ${names.length}).`;
}

/** A name as it stands in sentences, headings and calls. */
export function quoted(name: string): string {
  return JSON.stringify(cutText(name, 100));
}
