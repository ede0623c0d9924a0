/**
 * A small picture drawn by cell fills (a maze, a board, a map), as one letter a cell: a list of
 * rectangles holds the same, but neighbours are hard to follow in it. No I/O.
 */

import { rangeAddress } from '../addresses.ts';
import type { CellRange } from '../book.ts';
import { type ShownCell, showCell } from './cell.ts';
import { colorName } from './color-names.ts';
import type { ClosedGroup, SectionContext } from './colors.ts';

const MAX_AREA = 2_500;
/** With so few rectangles the list says it as well. */
const MIN_RECTANGLES = 9;
/** Share of the area that is filled; below it the fills mark single cells, they draw nothing. */
const MIN_FILLED = 0.25;
const MAX_TEXT_CHARS = 20;

/** Lines of the map, or none when the fills make no small picture. */
export function renderFillMap(
  groups: readonly ClosedGroup[],
  { labels, kept }: Pick<SectionContext, 'labels' | 'kept'>,
): string[] {
  const fills = groups.filter((group) => group.fill !== null);
  const box = boundingBox(fills);
  if (box === null || !drawsPicture(fills, box)) return [];
  const letters = chooseLetters(fills.map(({ fill }) => fill ?? ''));
  const legend = fills.map(
    ({ fill }, index) => `${letters[index]} = ${fill} ${colorName(fill ?? '')}`,
  );
  const letterAt = paint(fills, letters);
  const textAt = new Map(kept.map((cell) => [placeKey(cell.row, cell.column), cell]));
  const { from, to } = box.columns;
  const columns = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const lines = [
    `map of the fills in ${rangeAddress(box)} (${legend.join(', ')}, . = no fill; a cell with a value as letter=value):`,
    ['row', ...columns.map(labels.column)].join('\t'),
  ];
  for (let row = box.rows.from; row <= box.rows.to; row++) {
    const fields = columns.map((column) => {
      const key = placeKey(row, column);
      return mapField(letterAt.get(key) ?? '.', textAt.get(key));
    });
    lines.push([labels.row(row), ...fields].join('\t'));
  }
  return lines;
}

function mapField(letter: string, cell: ShownCell | undefined): string {
  return cell === undefined ? letter : `${letter}=${showCell(cell, MAX_TEXT_CHARS)}`;
}

function drawsPicture(fills: readonly ClosedGroup[], box: CellRange): boolean {
  const area = (box.rows.to - box.rows.from + 1) * (box.columns.to - box.columns.from + 1);
  const rectangles = fills.reduce((sum, { ranges }) => sum + ranges.length, 0);
  const cells = fills.reduce((sum, group) => sum + group.cells, 0);
  const empty = fills.reduce((sum, group) => sum + group.empty, 0);
  return (
    area <= MAX_AREA &&
    rectangles >= MIN_RECTANGLES &&
    cells >= area * MIN_FILLED &&
    // In a table of values the fills mark rows, and the grid shows these already.
    empty * 2 > cells
  );
}

function boundingBox(groups: readonly ClosedGroup[]): CellRange | null {
  const ranges = groups.flatMap((group) => group.ranges);
  const [first] = ranges;
  if (first === undefined) return null;
  const box = { rows: { ...first.rows }, columns: { ...first.columns } };
  for (const { rows, columns } of ranges) {
    box.rows.from = Math.min(box.rows.from, rows.from);
    box.rows.to = Math.max(box.rows.to, rows.to);
    box.columns.from = Math.min(box.columns.from, columns.from);
    box.columns.to = Math.max(box.columns.to, columns.to);
  }
  return box;
}

function paint(fills: readonly ClosedGroup[], letters: readonly string[]): Map<number, string> {
  const letterAt = new Map<number, string>();
  for (const [index, { ranges }] of fills.entries()) {
    for (const { rows, columns } of ranges) {
      for (let row = rows.from; row <= rows.to; row++) {
        for (let column = columns.from; column <= columns.to; column++) {
          letterAt.set(placeKey(row, column), letters[index] ?? '?');
        }
      }
    }
  }
  return letterAt;
}

function placeKey(row: number, column: number): number {
  return row * 16_384 + column;
}

/** The initial of the colour's last word where it is free: green G, light blue B. */
function chooseLetters(fills: readonly string[]): string[] {
  const taken = new Set<string>();
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
  return fills.map((fill) => {
    const word = colorName(fill).split('/')[0]?.split(' ').at(-1) ?? '';
    const initial = word.charAt(0).toUpperCase();
    const letter = taken.has(initial) ? others.find((other) => !taken.has(other)) : initial;
    taken.add(letter ?? '');
    return letter ?? '?';
  });
}
