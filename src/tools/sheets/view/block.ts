/**
 * A sheet's part of the answer: heading, cells, merged ranges, then the aspects that were asked for,
 * all within a given room; what did not fit comes back as the calls that show it. No I/O.
 */
import { count, cutUtf8, utf8Length } from '../../truncate.ts';
import { overlaps, rangeAddress } from '../addresses.ts';
import type { CellRange } from '../book.ts';
import { renderComments, renderLinks, renderRules } from './annotations.ts';
import { joinWithin, type ShownCell, showCell } from './cell.ts';
import { createLabels, type Grid, type Labels, renderGrid } from './grid.ts';
import { sheetTitle } from './overview.ts';
import { ASPECTS, type Aspect, quoted } from './request.ts';
import type { Reading } from './scan.ts';
import type { Survey } from './survey.ts';

export interface BlockOptions {
  path: string;
  window: CellRange | null;
  aspects: ReadonlySet<Aspect>;
  maxBytes: number;
}

export interface Block {
  lines: string[];
  /** Sentences about what was left out and how to see it. */
  notes: string[];
  shown: CellRange | null;
}

/** Room for the heading, and for a note beside the names in it. */
const HEADING_BYTES = 80;
const NOTE_BYTES = 110;
/** Share of the room that sections may take before the cells are cut for them, and merges. */
const SECTIONS_SHARE = 0.6;
const MERGES_SHARE = 0.15;
const DISORDER_NOTE =
  'the file stores its rows out of order, so rows may be missing above too: ask for a range to see it whole';
/** Rows that a call for the rest asks for where nobody knows how many there are. */
const NEXT_ROWS = 200;

export function renderBlock(reading: Reading, options: BlockOptions): Block {
  const { survey } = reading;
  const labels = createLabels(survey.tail);
  const merges = mergesLine(survey, options);
  const name = utf8Length(survey.head.name);
  // At most two notes: the rest of a row, and the rows after it.
  const around = HEADING_BYTES + name + 2 * (NOTE_BYTES + utf8Length(options.path) + 2 * name);
  const room = options.maxBytes - around - utf8Length(merges.join());
  const wanted = Math.floor(room * SECTIONS_SHARE);
  const measured = sectionLines(reading, { ...options, labels, maxBytes: wanted });
  const grid = renderCells(survey, { ...options, labels, maxBytes: room - sizeOf(measured) });
  // What the cells do not need goes to the sections.
  const left = room - grid.bytes;
  const sections =
    left > wanted ? sectionLines(reading, { ...options, labels, maxBytes: left }) : measured;
  const notes = [...grid.notes, ...grid.rest.map((range) => restNote(survey, range, options))];
  return {
    lines: [heading(survey, grid, options), ...grid.lines, ...merges, ...sections],
    notes,
    shown: grid.shown,
  };
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}

type Cells = Grid & { notes: string[] };

function renderCells(survey: Survey, options: BlockOptions & { labels: Labels }): Cells {
  const { kept, values, windowCells } = survey;
  if (values === null) return { lines: [], bytes: 0, shown: null, rest: [], notes: [] };
  const isOne = options.window !== null && isSingle(options.window);
  const grid = renderGrid(kept, {
    labels: options.labels,
    maxBytes: options.maxBytes,
    values,
    complete: kept.length === windowCells,
    whole: isOne,
  });
  const [only] = kept;
  if (isOne && grid.lines.length === 0 && only !== undefined) return cutCell(only, options);
  const rest = openEnd(survey, grid, options.window);
  return { ...grid, rest, notes: rest.length > 0 && survey.disordered ? [DISORDER_NOTE] : [] };
}

function isSingle({ rows, columns }: CellRange): boolean {
  return rows.from === rows.to && columns.from === columns.to;
}

/** A single cell that is longer than a whole answer. */
function cutCell(cell: ShownCell, options: BlockOptions & { labels: Labels }): Cells {
  const { row, column } = cell;
  const one = { rows: { from: row, to: row }, columns: { from: column, to: column } };
  const text = cutUtf8(showCell(cell), Math.max(100, options.maxBytes - 50));
  const line = `${rangeAddress(one)}${options.labels.cell(row, column)} = ${text}…`;
  const notes = [
    `${rangeAddress(one)} has ${count(cell.text.length)} characters, of which the beginning is shown; read the rest with execute_python`,
  ];
  return { lines: [line], bytes: utf8Length(line) + 1, shown: one, rest: [], notes };
}

/** Rows behind the part that was read are left out too, and nobody has counted them. */
function openEnd(survey: Survey, grid: Grid, window: CellRange | null): string[] {
  const { stopped, values, lastRow } = survey;
  if (values === null || (stopped !== 'rows' && stopped !== 'cells')) return grid.rest;
  if (window !== null && window.rows.to < lastRow) return grid.rest;
  const from = (grid.shown?.rows.to ?? values.rows.from - 1) + 1;
  // The row at which counting cells ended may be read in part.
  const next = stopped === 'cells' ? Math.min(from, lastRow) : from;
  const rows = { from: next, to: next + NEXT_ROWS - 1 };
  // Of two ranges left out, the first is the rest of a row.
  return [...grid.rest.slice(0, -1), rangeAddress({ rows, columns: values.columns })];
}

function heading(survey: Survey, grid: Cells, options: BlockOptions): string {
  const title = `Sheet ${sheetTitle(survey.head)}`;
  if (grid.shown !== null) return `${title}, ${rangeAddress(grid.shown)}:`;
  const asked = options.window ?? survey.used;
  const range = asked === null ? '' : `, ${rangeAddress(asked)}`;
  return survey.values === null ? `${title}${range}: no values here` : `${title}${range}: no room`;
}

function restNote({ head }: Survey, range: string, options: BlockOptions): string {
  return `left out: ${range} of ${quoted(head.name)}; ${callFor({ ...options, sheet: head.name, range })}`;
}

/** The call as the model writes it. */
export function callFor(call: { path: string; sheet: string; range?: string }): string {
  const range = call.range === undefined ? '' : ` range="${call.range}"`;
  return `parse_excel path=${JSON.stringify(call.path)} sheet=${JSON.stringify(call.sheet)}${range}`;
}

function mergesLine({ tail }: Survey, { window, maxBytes }: BlockOptions): string[] {
  const merges = tail.merges.filter((merge) => window === null || overlaps(merge, window));
  if (merges.length === 0) return [];
  const options = { maxBytes: maxBytes * MERGES_SHARE, separator: ', ', more: 0 };
  return [`merged: ${joinWithin(merges.map(rangeAddress), options)}`];
}

/** The asked-for sections in a fixed order, each with a fair part of the room. */
function sectionLines(
  { survey, sections }: Reading,
  options: BlockOptions & { labels: Labels },
): string[] {
  const { head, tail, kept } = survey;
  const { labels, window } = options;
  const sheet = quoted(head.name);
  const wanted = ASPECTS.filter((aspect) => options.aspects.has(aspect));
  const lines: string[] = [];
  const none: Aspect[] = [];
  // The line that says what there is not of.
  let free = options.maxBytes - 60 - utf8Length(sheet);
  for (const [index, aspect] of wanted.entries()) {
    const maxBytes = Math.floor(free / (wanted.length - index));
    const own =
      aspect === 'comments'
        ? renderComments(tail, { sheet, window, maxBytes })
        : aspect === 'links'
          ? renderLinks(tail, { sheet, window, maxBytes })
          : [
              ...(sections.get(aspect)?.render(maxBytes, { sheet, labels, kept }) ?? []),
              ...(aspect === 'colors'
                ? renderRules(tail, { sheet, window, maxBytes: maxBytes / 4 })
                : []),
            ];
    free -= sizeOf(own);
    lines.push(...own);
    if (own.length === 0) none.push(aspect);
  }
  return none.length === 0 ? lines : [...lines, `none in ${sheet}: ${none.join(', ')}`];
}
