/**
 * The text of one block: lines as they are, and where lines have cells, columns of spaces, so that
 * an empty cell stays empty and a number stays under its heading. Pure.
 */
import { median } from './columns.ts';
import { clusterLines, type Segment, segmentText } from './segments.ts';

interface Column {
  x0: number;
  x1: number;
}

/** One-cell lines in a row that may stand inside a table (wrapped cells, group headings). */
const MAX_LONE_LINES = 3;
/** A block with more cells is not aligned: the search for columns compares each with each. */
const MAX_CELLS = 6_000;
const MAX_COLUMN_CHARS = 60;

/** Lines of the block from top to bottom, an empty one where the page leaves room. */
export function blockLines(segments: readonly Segment[]): string[] {
  const rows = clusterLines([...segments], 0.4);
  const step = median(rows.slice(1).map((row, index) => yOf(row) - yOf(rows[index] ?? [])));
  const lines: string[] = [];
  for (let at = 0; at < rows.length; ) {
    const end = segments.length > MAX_CELLS ? at : tableEnd(rows, at);
    const part = rows.slice(at, Math.max(end, at + 1));
    const texts = end > at + 1 ? tableLines(part) : part.map(plainLine);
    texts.forEach((text, index) => {
      const row = part[index] ?? [];
      const before = rows[at + index - 1];
      const gap = before === undefined ? 0 : yOf(row) - yOf(before);
      const size = row[0]?.size ?? 1;
      if (gap > 1.5 * step && gap > 1.7 * size) lines.push('');
      if (text !== '') lines.push(text);
    });
    at += part.length;
  }
  return lines;
}

function yOf(row: readonly Segment[]): number {
  return row[0]?.y ?? 0;
}

function plainLine(row: readonly Segment[]): string {
  const texts = row.map(segmentText).filter((text) => text !== '');
  const rightToLeft = row.some(({ runs }) => runs.some((run) => run.rightToLeft));
  return (rightToLeft ? texts.reverse() : texts).join('  ');
}

/** Index after the last row of the table that starts at `at`, or `at` when none does. */
function tableEnd(rows: readonly Segment[][], at: number): number {
  if ((rows[at]?.length ?? 0) < 2) return at;
  let end = at + 1;
  let manyCells = 1;
  for (let next = at + 1; next < rows.length && next - end <= MAX_LONE_LINES; next++) {
    const row = rows[next] ?? [];
    const gap = yOf(row) - yOf(rows[next - 1] ?? []);
    // What stands far below is another table or the page's foot.
    if (gap > 4 * (row[0]?.size ?? 1)) break;
    if (row.length < 2) continue;
    end = next + 1;
    manyCells++;
  }
  return manyCells >= 2 ? wrappedEnd(rows, end) : at;
}

/** Lines below the last row that go on with one of its later cells. */
function wrappedEnd(rows: readonly Segment[][], end: number): number {
  const second = rows[end - 1]?.[1]?.x0 ?? Number.POSITIVE_INFINITY;
  let last = end;
  for (; last < rows.length; last++) {
    const row = rows[last] ?? [];
    const gap = yOf(row) - yOf(rows[last - 1] ?? []);
    const [cell] = row;
    if (cell === undefined || row.length > 1 || gap > 1.6 * cell.size || cell.x0 < second - 2)
      break;
  }
  return last;
}

function tableLines(rows: readonly Segment[][]): string[] {
  const columns = findColumns(rows);
  const cells = rows.map((row) => fill(row, columns));
  const widths = columns.map((_, index) =>
    Math.min(MAX_COLUMN_CHARS, Math.max(0, ...cells.map((row) => displayWidth(row[index] ?? '')))),
  );
  const numeric = columns.map((_, index) => isNumeric(cells.map((row) => row[index] ?? '')));
  return cells.map((row) =>
    row
      .map((text, index) => pad(text, { width: widths[index] ?? 0, left: numeric[index] === true }))
      .join('  ')
      .trimEnd(),
  );
}

/** Stretches of x that cells cover; what spans several of them does not count. */
function findColumns(rows: readonly Segment[][]): Column[] {
  const many = rows.filter((row) => row.length > 1);
  const cells = many.flatMap((row) => row.filter((cell) => !spans(cell, { row, rows: many })));
  const columns: Column[] = [];
  for (const { x0, x1 } of cells.sort((left, right) => left.x0 - right.x0)) {
    const last = columns.at(-1);
    if (last !== undefined && x0 < last.x1 - 0.5) last.x1 = Math.max(last.x1, x1);
    else columns.push({ x0, x1 });
  }
  return columns;
}

function spans(cell: Segment, among: { row: Segment[]; rows: readonly Segment[][] }): boolean {
  const others = among.rows.filter((row) => row !== among.row);
  const parted = others.filter(
    (row) => row.filter(({ x0, x1 }) => x0 < cell.x1 - 1 && x1 > cell.x0 + 1).length > 1,
  );
  return others.length > 0 && parted.length >= others.length / 2;
}

/** The row's texts by column; a cell over several columns stands in its first. */
function fill(row: readonly Segment[], columns: readonly Column[]): string[] {
  const texts = columns.map(() => '');
  for (const cell of row.flatMap((each) => splitCell(each, columns))) {
    const at = nearestColumn(cell, columns);
    const text = segmentText(cell);
    texts[at] = texts[at] === '' ? text : `${texts[at]} ${text}`;
  }
  return texts;
}

function nearestColumn({ x0, x1 }: Column, columns: readonly Column[]): number {
  let best = 0;
  let distance = Number.POSITIVE_INFINITY;
  columns.forEach((column, index) => {
    const apart = Math.max(column.x0 - x1, x0 - column.x1, 0);
    if (apart < distance - 0.5) {
      best = index;
      distance = apart;
    }
  });
  return best;
}

/** Headings close together look like one cell: parted where each word lies in a column of its own. */
function splitCell(cell: Segment, columns: readonly Column[]): Segment[] {
  const parts: Segment[] = [];
  let last = -1;
  for (const run of cell.runs) {
    const over = columns.filter(({ x0, x1 }) => x0 < run.x1 - 1 && x1 > run.x0 + 1);
    if (over.length > 1) return [cell];
    const column = nearestColumn(run, columns);
    const part = parts.at(-1);
    if (part !== undefined && column === last) {
      part.runs.push(run);
      part.x1 = Math.max(part.x1, run.x1);
    } else parts.push({ ...cell, runs: [run], x0: run.x0, x1: run.x1 });
    last = column;
  }
  return parts;
}

function isNumeric(texts: readonly string[]): boolean {
  const filled = texts.filter((text) => text !== '');
  const numbers = filled.filter((text) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(text));
  return numbers.length >= 0.6 * filled.length && numbers.length > 0;
}

function pad(text: string, { width, left }: { width: number; left: boolean }): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return left ? blanks + text : text + blanks;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

function displayWidth(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
