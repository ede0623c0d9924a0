/**
 * A book as text for the model: what it holds, then cells as far as they fit, then what was left out
 * and the call that shows it. The tool pages itself: the text stays within `maxBytes`. The format of
 * the grid is described in view/grid.ts.
 */
import { count, utf8Length } from '../../truncate.ts';
import { rangeAddress } from '../addresses.ts';
import type { Book } from '../book.ts';
import { type Block, callFor, renderBlock } from './block.ts';
import { joinWithin } from './cell.ts';
import { codeFor } from './large.ts';
import { bookLines, overviewLines } from './overview.ts';
import { type Aspect, parseAspects, quoted, resolveTarget, type Target } from './request.ts';
import { type Reading, type Scan, scanBook, scanTarget } from './scan.ts';
import type { Survey } from './survey.ts';

export interface ViewOptions {
  /** The file's name, for sentences and calls. */
  path: string;
  /** UTF-8 bytes of the text. */
  maxBytes: number;
  signal: AbortSignal;
  sheet?: string | number;
  range?: string;
  with?: string | readonly string[];
}

export interface BookData {
  format: string;
  sheets: {
    name: string;
    state: string;
    /** Used range, null for an empty sheet; of a large book that of its head. */
    range: string | null;
    cells: number;
    formulas: number;
    uncomputed: number;
    /** Range whose cells are in the text, or null. */
    shown: string | null;
  }[];
  /** Why only the heads of sheets were read, or null. */
  large: string | null;
}

/** Sheets listed in `data`; pages show no more. */
const MAX_DATA_SHEETS = 200;
const OVERVIEW_SHARE = 0.35;
const NAMES_SHARE = 0.08;
/** Kept for the notes at the end beside paths, and the least that is worth a sheet. */
const NOTES_BYTES = 500;
const MIN_BLOCK_BYTES = 700;
/** The first sheet may take this much of the room when others have something to show too. */
const FIRST_SHARE = 0.6;

/**
 * Reads what the call asks for and renders it. Throws StrideError invalid_input or too_large, one
 * sentence that starts with the file's name.
 */
export async function renderBook(
  book: Book,
  options: ViewOptions,
): Promise<{ content: string; data: BookData }> {
  const aspects = parseAspects(options.with, options.path);
  const target = resolveTarget(book, options);
  const isWhole = target.sheet === null && target.window === null;
  const { path, maxBytes, signal } = options;
  const scanOptions = { path, maxBytes, signal, aspects };
  const scan = isWhole
    ? await scanBook(book, scanOptions)
    : await scanTarget(book, target, scanOptions);
  const view = { ...options, aspects, target, isWhole };
  const lines = introduction(book, scan, view);
  const blocks = renderBlocks(scan, {
    ...view,
    room: maxBytes - sizeOf(lines) - NOTES_BYTES - utf8Length(path),
  });
  for (const { lines: own } of blocks.list.values()) lines.push('', ...own);
  const notes = [...closingNotes(scan, blocks, view), ...unreadNotes(book, scan, view)];
  if (notes.length > 0) lines.push('', ...notes.map((note) => `[${note}]`));
  return { content: lines.join('\n'), data: toData(book, scan, blocks.list) };
}

interface View extends Omit<ViewOptions, 'with'> {
  aspects: ReadonlySet<Aspect>;
  target: Target;
  isWhole: boolean;
}

function introduction(book: Book, scan: Scan, view: View): string[] {
  const { path, maxBytes, isWhole } = view;
  const lines = bookLines(book, path, maxBytes * NAMES_SHARE);
  const surveys = scan.readings.map(({ survey }) => survey).sort((a, b) => a.index - b.index);
  lines.push(...overviewLines(surveys, maxBytes * OVERVIEW_SHARE));
  if (scan.large !== null) {
    const first = scan.readings[0]?.survey.head.name ?? '';
    const what = isWhole ? 'each sheet' : 'the sheet';
    lines.push(
      `Large: ${scan.large.replace(/\.$/, '')}. Only the first rows of ${what} are shown, and the counts are of these. Compute with execute_python: ${codeFor(book, { path, sheet: first })}`,
    );
  }
  return lines;
}

interface Blocks {
  list: Map<Survey, Block>;
  /** Sheets with something to show for which there was no room. */
  unshown: Survey[];
}

function renderBlocks(scan: Scan, view: View & { room: number }): Blocks {
  const { isWhole, aspects, path, target } = view;
  const list = new Map<Survey, Block>();
  const unshown: Survey[] = [];
  const wanted = scan.readings.filter((reading) => !isWhole || hasSomething(reading, aspects));
  let room = view.room;
  for (const [index, reading] of wanted.entries()) {
    const { survey } = reading;
    const later = wanted.slice(index + 1);
    const maxBytes = Math.floor(roomFor(room, later, scan.large !== null));
    const isKept = survey.kept.length > 0 || survey.windowCells === 0;
    if ((index > 0 && maxBytes < MIN_BLOCK_BYTES) || !isKept) {
      unshown.push(survey);
      continue;
    }
    const block = renderBlock(reading, { path, window: target.window, aspects, maxBytes });
    list.set(survey, block);
    room -= sizeOf(block.lines) + sizeOf(block.notes) + 3;
  }
  return { list, unshown };
}

/** A long sheet must not crowd out short ones behind it; heads are all short. */
function roomFor(room: number, later: readonly Reading[], isLarge: boolean): number {
  if (isLarge) return room / (later.length + 1);
  const wanted = later.reduce((sum, { survey }) => sum + MIN_BLOCK_BYTES + survey.keptBytes * 2, 0);
  return Math.max(room * FIRST_SHARE, room - wanted);
}

/** In the view of a whole book, sheets with nothing to show have only their line. */
function hasSomething({ survey }: Reading, aspects: ReadonlySet<Aspect>): boolean {
  if (survey.windowCells > 0) return true;
  const { looks, tail } = survey;
  return (
    (aspects.has('colors') && looks.fills.size > 0) ||
    (aspects.has('comments') && tail.comments.length > 0) ||
    (aspects.has('links') && tail.links.length > 0)
  );
}

/** Of a book of very many sheets. */
function unreadNotes(book: Book, scan: Scan, { isWhole, path }: View): string[] {
  const unread = book.sheets.length - scan.readings.length;
  if (!isWhole || unread <= 0) return [];
  const read = new Set(scan.readings.map(({ survey }) => survey.index));
  const next = book.sheets.findIndex((_, index) => !read.has(index));
  const call = callFor({ path, sheet: book.sheets[next]?.name ?? '' });
  return [`${count(unread)} more sheets were not looked into; one of them: ${call}`];
}

function closingNotes(scan: Scan, { list, unshown }: Blocks, view: View): string[] {
  const notes = [...list.values()].flatMap((block) => block.notes);
  const [first] = unshown;
  if (first !== undefined) {
    const names = unshown.map(({ head }) => quoted(head.name));
    const listed = joinWithin(names, { maxBytes: 200, separator: ', ', more: 0 });
    const call = callFor({ path: view.path, sheet: first.head.name });
    notes.push(`no room for ${listed}; ${call}`);
  }
  const surveys = scan.readings.map(({ survey }) => survey);
  if (surveys.some(({ stopped }) => stopped !== null)) {
    notes.push('merged ranges, comments, links and hidden rows may be missing: read in part only');
  }
  const more = unaskedAspects(surveys, view.aspects);
  if (more.length > 0) notes.push(`to see which cells, add with=${JSON.stringify(more)}`);
  return notes;
}

/** Aspects that are there, so that asking for them is worth a call. */
function unaskedAspects(surveys: readonly Survey[], asked: ReadonlySet<Aspect>): Aspect[] {
  const present: Aspect[] = [];
  const some = (has: (survey: Survey) => boolean) => surveys.some(has);
  if (some(({ looks }) => looks.fills.size + looks.colors.size + looks.strike + looks.mixed > 0)) {
    present.push('colors');
  }
  if (some(({ formulas }) => formulas > 0)) present.push('formulas');
  if (some(({ tail }) => tail.comments.length > 0)) present.push('comments');
  if (some(({ tail }) => tail.links.length > 0)) present.push('links');
  return present.filter((aspect) => !asked.has(aspect));
}

function toData(book: Book, scan: Scan, blocks: ReadonlyMap<Survey, Block>): BookData {
  const surveys = scan.readings.map(({ survey }) => survey).sort((a, b) => a.index - b.index);
  const sheets = surveys.slice(0, MAX_DATA_SHEETS).map((survey) => {
    const { head, used, cells, formulas, uncomputed } = survey;
    const shown = blocks.get(survey)?.shown ?? null;
    return {
      name: head.name,
      state: head.state,
      range: used === null ? null : rangeAddress(used),
      cells,
      formulas,
      uncomputed,
      shown: shown === null ? null : rangeAddress(shown),
    };
  });
  return { format: book.format, sheets, large: scan.large };
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}
