/**
 * `with: ["colors"]`: cells grouped by fill, text colour and bold, italic, strike, underline, as
 * rectangles; texts whose parts look different; and a map of letters for pictures drawn by fills.
 * `with: ["formats"]`: cells grouped by number format. Groups gather while the sheet streams by.
 */
import { count, utf8Length } from '../../truncate.ts';
import { cellAddress, createRectangles, type Rectangles, rangeAddress } from '../addresses.ts';
import type { Cell, CellRange, CellStyle } from '../book.ts';
import { cutText, joinWithin, type ShownCell, showCell } from './cell.ts';
import { colorName } from './color-names.ts';
import { renderFillMap } from './fill-map.ts';
import type { Labels } from './grid.ts';
import { type Collector, visibleColor } from './survey.ts';

/** Rectangles of all groups of a sheet; more would not fit any answer. */
const MAX_RECTANGLES = 20_000;
/** A group of at most so many values shows them beside their addresses. */
const MAX_VALUES = 60;
const MAX_VALUE_CHARS = 40;
const MAX_MIXED = 500;
const MAX_FORMAT_CHARS = 200;

/** What `with` adds below a grid. */
export interface Section extends Collector {
  /** Lines of at most about `maxBytes`, the heading included; none when there is nothing to say. */
  render(maxBytes: number, context: SectionContext): string[];
}

export interface SectionContext {
  /** The sheet's name as it stands in headings. */
  sheet: string;
  labels: Labels;
  kept: readonly ShownCell[];
}

export interface Group {
  label: string;
  /** The colour of a fill; null for every other group. */
  fill: string | null;
  rectangles: Rectangles;
  cells: number;
  empty: number;
  /** Null when they are too many to list. */
  values: string[] | null;
}

export function createColorSection(): Section {
  const groups = createGroups();
  const mixed: string[] = [];
  let moreMixed = 0;

  function add(cell: Cell): void {
    const { style, runs } = cell;
    const hasValue = cell.kind !== 'empty' || cell.formula !== undefined;
    if (style !== undefined) groups.add(cell, { style, hasValue });
    if (runs === undefined) return;
    if (mixed.length < MAX_MIXED) mixed.push(showRuns(cell, runs));
    else moreMixed++;
  }

  function render(maxBytes: number, context: SectionContext): string[] {
    const closed = groups.close();
    if (closed.length === 0 && mixed.length === 0) return [];
    const lines = [`colors of ${context.sheet}:`];
    const map = renderFillMap(closed, context);
    const mapBytes = map.length === 0 ? 0 : utf8Length(map.join('\n'));
    const showsMap = mapBytes > 0 && mapBytes <= maxBytes / 2;
    let room = maxBytes - 60 - (showsMap ? mapBytes : 0);
    room -= pushShared(lines, mixed.length > 0 ? room * 0.8 : room, closed);
    if (mixed.length > 0) {
      const options = { maxBytes: room, separator: '\n  ', more: moreMixed };
      lines.push(`parts of texts:\n  ${joinWithin(mixed, options)}`);
    }
    return showsMap ? [...lines, ...map] : lines;
  }

  return { add, render };
}

export function createFormatSection(): Section {
  const groups = new Map<string, Rectangles>();
  const room = { rectangles: MAX_RECTANGLES };
  return {
    add(cell) {
      const format = cell.style?.format;
      if (format === undefined || cell.kind === 'empty') return;
      let rectangles = groups.get(format);
      if (rectangles === undefined) {
        rectangles = createRectangles(room);
        groups.set(format, rectangles);
      }
      rectangles.add(cell.row, cell.column);
    },
    render(maxBytes, { sheet }) {
      if (groups.size === 0) return [];
      const lines = [`formats of ${sheet} (number format: cells):`];
      let left = groups.size;
      let free = maxBytes - 60;
      for (const [format, rectangles] of groups) {
        const ranges = rectangles.close().map(rangeAddress);
        const options = { maxBytes: free / left, separator: ', ', more: rectangles.left() };
        const line = `${JSON.stringify(cutText(format, MAX_FORMAT_CHARS))}: ${joinWithin(ranges, options)}`;
        lines.push(line);
        free -= utf8Length(line) + 1;
        left--;
        if (left > 0 && free < 80) {
          lines.push(`… and ${count(left)} more formats: ask for a smaller range`);
          break;
        }
      }
      return lines;
    },
  };
}

export type ClosedGroup = Group & { ranges: CellRange[] };

/** Groups in the order fills, text colours, marks. */
function createGroups() {
  const byLabel = new Map<string, Group>();
  const byStyle = new Map<CellStyle, { always: Group[]; withValue: Group[] }>();
  const room = { rectangles: MAX_RECTANGLES };
  let closed: ClosedGroup[] | null = null;

  function groupOf(label: string, fill: string | null): Group {
    let group = byLabel.get(label);
    if (group === undefined) {
      const rectangles = createRectangles(room);
      group = { label, fill, rectangles, cells: 0, empty: 0, values: [] };
      byLabel.set(label, group);
    }
    return group;
  }

  /** An empty cell shows its fill, but neither the colour nor the weight of text it has not. */
  function groupsOf(style: CellStyle): { always: Group[]; withValue: Group[] } {
    let groups = byStyle.get(style);
    if (groups === undefined) {
      const { fill } = style;
      const always = fill === undefined ? [] : [groupOf(`fill ${colorWords(fill)}`, fill)];
      const withValue = textLooks(style).map((label) => groupOf(label, null));
      groups = { always, withValue };
      byStyle.set(style, groups);
    }
    return groups;
  }

  return {
    add(cell: Cell, { style, hasValue }: { style: CellStyle; hasValue: boolean }): void {
      const { always, withValue } = groupsOf(style);
      for (const group of always) addTo(group, cell, hasValue);
      if (hasValue) for (const group of withValue) addTo(group, cell, true);
    },
    /** The same list each time: sections are measured before they are written. */
    close(): ClosedGroup[] {
      closed ??= [...byLabel.values()]
        .map((group) => ({ ...group, ranges: group.rectangles.close() }))
        .filter((group) => group.cells > 0)
        .sort((a, b) => rank(a.label) - rank(b.label));
      return closed;
    },
  };
}

function addTo(group: Group, cell: Cell, hasValue: boolean): void {
  group.rectangles.add(cell.row, cell.column);
  group.cells++;
  if (!hasValue) group.empty++;
  else if (group.values !== null) {
    if (group.values.length >= MAX_VALUES) group.values = null;
    else {
      const address = cellAddress(cell.row, cell.column);
      group.values.push(`${address} ${showCell(cell, MAX_VALUE_CHARS)}`);
    }
  }
}

const MARKS = ['bold', 'italic', 'strike', 'underline'] as const;

function textLooks(style: CellStyle): string[] {
  const color = visibleColor(style);
  const marks: string[] = MARKS.filter((mark) => style[mark] === true);
  return color === null ? marks : [`text ${colorWords(color)}`, ...marks];
}

function rank(label: string): number {
  if (label.startsWith('fill ')) return 0;
  return label.startsWith('text ') ? 1 : 2;
}

/** The values of bold cells (headings) say little; text struck through is left out of sums. */
function isPlainMark(label: string): boolean {
  return rank(label) === 2 && label !== 'strike';
}

function colorWords(color: string): string {
  return `${color} (${colorName(color)})`;
}

/** Pushes the groups, each with its share of the room, and gives the bytes they took. */
function pushShared(lines: string[], maxBytes: number, groups: readonly ClosedGroup[]): number {
  let free = maxBytes;
  for (const [index, group] of groups.entries()) {
    const left = groups.length - index;
    if (free < 80 && index > 0) {
      lines.push(`… and ${count(left)} more groups: ask for a smaller range`);
      break;
    }
    const share = free / left;
    const { label, cells, empty, ranges, rectangles, values } = group;
    const size = `${count(cells)} ${cells === 1 ? 'cell' : 'cells'}`;
    const blank =
      empty === 0 ? '' : empty === cells ? ' (all empty)' : ` (${count(empty)} of them empty)`;
    const options = { maxBytes: share - 60, separator: ', ', more: rectangles.left() };
    const line = `${label}, ${size}${blank}: ${joinWithin(ranges.map(rangeAddress), options)}`;
    lines.push(line);
    free -= utf8Length(line) + 1;
    const listed = values === null || isPlainMark(label) ? [] : values;
    const valuesLine = `  values: ${listed.join('; ')}`;
    const bytes = utf8Length(valuesLine) + 1;
    if (listed.length > 0 && bytes + utf8Length(line) < share) {
      lines.push(valuesLine);
      free -= bytes;
    }
  }
  return maxBytes - free;
}

/** `B7: Total plain; "12" text #FF0000 (red), strike`. */
function showRuns(cell: Cell, runs: NonNullable<Cell['runs']>): string {
  const parts = runs.map(({ text, style }) => {
    const looks = style === undefined ? [] : textLooks(style);
    return `${JSON.stringify(text)} ${looks.length === 0 ? 'plain' : looks.join(', ')}`;
  });
  return `${cellAddress(cell.row, cell.column)}: ${parts.join('; ')}`;
}
