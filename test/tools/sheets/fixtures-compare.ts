/**
 * Holds a sheet as our readers give it against the expectation beside its file, and says each
 * difference in words. Where an expectation lists several values, each of them is right.
 */
import { cellAddress, columnLetters, rangeAddress } from '../../../src/tools/sheets/addresses.ts';
import type { Cell, CellStyle, SheetTail, Span } from '../../../src/tools/sheets/book.ts';

type OneOf<T> = T | T[];

interface Looks {
  fill?: OneOf<string | null>;
  color?: OneOf<string | null>;
  bold?: true;
  italic?: true;
  strike?: true;
  underline?: true;
}

interface ExpectedCell extends Looks {
  kind: OneOf<string>;
  /** Null: any text. */
  text: OneOf<string> | null;
  /** False: there may be one. */
  formula?: OneOf<string> | false;
  uncomputed?: true;
  /** Null: General. Not compared when left out. */
  format?: string | null;
  runs?: ({ text: string } & Looks)[];
  /** The looks are not the point. */
  anyLook?: true;
}

export interface ExpectedSheet {
  name: string;
  state: string;
  kind?: string;
  cells: Record<string, ExpectedCell>;
  merges?: string[];
  hiddenRows?: number[];
  hiddenColumns?: string[];
  filter?: string;
  comments?: Record<string, { author: OneOf<string | null>; text: string }>;
  /** Texts that the comments of a cell must hold, authors included. */
  says?: Record<string, string[]>;
  links?: Record<string, OneOf<string>>;
  notes?: string[];
  /** Cells that may be given or left out. */
  optional?: string[];
  /** Only the first cells are read. */
  head?: true;
  /** The rows of the file are out of order. */
  anyOrder?: true;
  /** Default styles of columns may be given as filled cells. */
  extraFills?: true;
}

export interface ReadSheet {
  name: string;
  state: string;
  kind: string;
  cells: Cell[];
  tail: SheetTail;
}

const LOOKS = ['bold', 'italic', 'strike', 'underline'] as const;
/** Excel and the standard's arithmetic of tints differ by this much in each of red, green, blue. */
const COLOUR_TOLERANCE = 2;

export function matches<T>(value: T, expected: OneOf<T>): boolean {
  return Array.isArray(expected) ? expected.includes(value) : value === expected;
}

export function compareSheet(read: ReadSheet, expected: ExpectedSheet): string[] {
  const found: string[] = [];
  if (read.state !== expected.state) found.push(`the sheet is ${read.state}`);
  if (read.kind !== (expected.kind ?? 'cells')) found.push(`the sheet is of kind ${read.kind}`);
  found.push(...compareCells(read, expected), ...compareAround(read.tail, expected));
  if (expected.head === undefined && !read.tail.complete) found.push('the scan is not complete');
  return found;
}

function compareCells(read: ReadSheet, expected: ExpectedSheet): string[] {
  const found: string[] = [];
  const given = new Map<string, Cell>();
  let before: Cell | null = null;
  for (const cell of read.cells) {
    const address = addressOf(cell);
    if (given.has(address)) found.push(`${address} is given twice`);
    if (!expected.anyOrder && before !== null && !follows(cell, before)) {
      found.push(`${address} comes after ${addressOf(before)}`);
    }
    given.set(address, cell);
    before = cell;
  }
  for (const [address, want] of Object.entries(expected.cells)) {
    const cell = given.get(address);
    if (cell !== undefined) {
      found.push(...compareCell(cell, want).map((words) => `${address} ${words}`));
    } else if (!expected.optional?.includes(address) && !matches('empty', want.kind)) {
      found.push(`${address} is missing (${want.kind} ${JSON.stringify(want.text)})`);
    } else if (want.fill !== undefined && !expected.optional?.includes(address)) {
      found.push(`${address} is missing (filled ${want.fill})`);
    } else if (want.formula && !expected.optional?.includes(address)) {
      found.push(`${address} is missing (formula ${want.formula})`);
    }
  }
  if (expected.head) return found;
  for (const [address, cell] of given) {
    if (address in expected.cells || expected.optional?.includes(address)) continue;
    // Borders and number formats of empty cells are looks too, but nobody's answer hangs on them.
    const says = cell.kind !== 'empty' || cell.formula !== undefined;
    const filled = cell.style?.fill !== undefined && !expected.extraFills;
    if (says || filled) found.push(`${address} is given: ${JSON.stringify(cell)}`);
  }
  return found;
}

function follows(cell: Cell, before: Cell): boolean {
  return cell.row > before.row || (cell.row === before.row && cell.column > before.column);
}

function compareCell(cell: Cell, want: ExpectedCell): string[] {
  const found: string[] = [];
  const differ = (what: string, got: unknown, wanted: unknown) =>
    found.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
  if (!matches(cell.kind, want.kind)) differ('kind', cell.kind, want.kind);
  if (want.text !== null && !matches(cell.text, want.text)) differ('text', cell.text, want.text);
  if (want.formula !== false && !matches(cell.formula, want.formula as OneOf<string | undefined>)) {
    differ('formula', cell.formula, want.formula);
  }
  if (typeof want.kind === 'string' && cell.uncomputed !== want.uncomputed) {
    differ('uncomputed', cell.uncomputed, want.uncomputed);
  }
  if (want.format !== undefined && (cell.style?.format ?? null) !== want.format) {
    differ('format', cell.style?.format, want.format);
  }
  if (want.anyLook) return found;
  found.push(...compareLooks(cell.style ?? {}, want));
  // Runs that all look like their cell are no rich text; several readers give none then.
  if (want.runs !== undefined) found.push(...compareRuns(cell, want.runs));
  return found;
}

function compareRuns(cell: Cell, want: readonly ({ text: string } & Looks)[]): string[] {
  const runs = cell.runs ?? [];
  const texts = JSON.stringify(runs.map(({ text }) => text));
  if (texts !== JSON.stringify(want.map(({ text }) => text))) return [`has the runs ${texts}`];
  return want.flatMap((run, index) =>
    compareLooks(runs[index]?.style ?? {}, run).map((words) => `run ${index + 1} ${words}`),
  );
}

function compareLooks(style: CellStyle, want: Looks): string[] {
  const found: string[] = [];
  for (const look of LOOKS) {
    if ((style[look] ?? false) !== (want[look] ?? false)) found.push(`${look}: ${style[look]}`);
  }
  if (!isColour(style.fill, want.fill)) found.push(`fill: ${style.fill} not ${want.fill}`);
  // Black is what automatic text looks like; both ways to say it are right.
  const color = style.color === '#000000' ? undefined : style.color;
  const wanted = want.color === '#000000' ? undefined : want.color;
  if (!isColour(color, wanted)) found.push(`colour: ${style.color} not ${want.color}`);
  return found;
}

function isColour(given: string | undefined, want: OneOf<string | null> | undefined): boolean {
  const wanted = Array.isArray(want) ? want : [want ?? null];
  return wanted.some((colour) => {
    if (colour === null || given === undefined) return colour === null && given === undefined;
    return [1, 3, 5].every((at) => {
      const [a, b] = [given, colour].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
      return Math.abs((a ?? Number.NaN) - (b ?? Number.NaN)) <= COLOUR_TOLERANCE;
    });
  });
}

function compareAround(tail: SheetTail, expected: ExpectedSheet): string[] {
  const found: string[] = [];
  const same = (what: string, given: unknown[], want: unknown[] | undefined) => {
    if (want === undefined) return;
    const [left, right] = [given, want].map((list) => JSON.stringify(list.map(String).sort()));
    if (left !== right) found.push(`${what}: ${left} instead of ${right}`);
  };
  same('merges', tail.merges.map(rangeAddress), expected.merges);
  same('hidden rows', numbers(tail.hiddenRows), expected.hiddenRows);
  const columns = numbers(tail.hiddenColumns).map((column) => columnLetters(column - 1));
  same('hidden columns', columns, expected.hiddenColumns);
  if (expected.filter !== undefined) {
    same('filter', tail.filter === null ? [] : [rangeAddress(tail.filter)], [expected.filter]);
  }
  found.push(...compareNotes(tail, expected));
  for (const [address, want] of Object.entries(expected.links ?? {})) {
    const link = tail.links.find(({ range }) => rangeAddress(range) === address)?.target;
    if (link === undefined || !matches(link.replace(/^#/, ''), want)) {
      found.push(`the link of ${address}: ${link} not ${want}`);
    }
  }
  if (expected.links !== undefined && Object.keys(expected.links).length !== tail.links.length) {
    found.push(`links: ${JSON.stringify(tail.links)}`);
  }
  return found;
}

function compareNotes(tail: SheetTail, expected: ExpectedSheet): string[] {
  const found: string[] = [];
  const comments = new Map(tail.comments.map((comment) => [addressOf(comment), comment]));
  for (const [address, want] of Object.entries(expected.comments ?? {})) {
    const comment = comments.get(address);
    if (comment?.text !== want.text || !matches(comment.author, want.author)) {
      found.push(`the comment of ${address}: ${JSON.stringify(comment)}`);
    }
  }
  if (expected.comments !== undefined && comments.size !== Object.keys(expected.comments).length) {
    found.push(`comments: ${JSON.stringify(tail.comments)}`);
  }
  for (const [address, texts] of Object.entries(expected.says ?? {})) {
    const all = JSON.stringify(tail.comments.filter((one) => addressOf(one) === address));
    for (const text of texts) {
      if (all.split(text).length !== 2) found.push(`${address} says not once ${text}: ${all}`);
    }
  }
  for (const pattern of expected.notes ?? []) {
    if (!tail.notes.some((note) => new RegExp(pattern, 'i').test(note))) {
      found.push(`no note about ${pattern}: ${tail.notes.join('; ') || 'none at all'}`);
    }
  }
  return found;
}

/** Counted from 1. Spans to the end of a sheet are cut: no expectation lists a million rows. */
function numbers(spans: readonly Span[]): number[] {
  return spans.flatMap(({ from, to }) =>
    Array.from({ length: Math.min(to - from + 1, 100) }, (_, index) => from + index + 1),
  );
}

function addressOf({ row, column }: { row: number; column: number }): string {
  return cellAddress(row, column);
}
