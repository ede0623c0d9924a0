/**
 * Reading order: a page is cut at the gutters between columns of running text, again and again,
 * until only blocks remain that are read line by line. Tables have gutters too and must not be cut:
 * their lines share baselines and do not fill their columns. Pure geometry.
 */
import { clusterLines, type Segment } from './segments.ts';

/** Blocks in reading order, each with its segments sorted by baseline. */
export function toBlocks(segments: readonly Segment[], depth = 0): Segment[][] {
  if (segments.length < 2 * MIN_LINES || depth >= MAX_DEPTH) return keep(segments);
  const cut = findGutter(segments);
  if (cut === null) return keep(segments);
  const { above, left, right, below } = cut;
  return [above, left, right, below].flatMap((part) => toBlocks(part, depth + 1));
}

const MIN_LINES = 4;
const MAX_DEPTH = 8;
/** Left edges tried as the start of a right column. */
const MAX_CANDIDATES = 16;
/** Width of a gutter in font sizes. */
const MIN_GUTTER = 0.6;

interface Cut {
  above: Segment[];
  left: Segment[];
  right: Segment[];
  below: Segment[];
  lines: number;
}

function keep(segments: readonly Segment[]): Segment[][] {
  return segments.length === 0 ? [] : [[...segments]];
}

/** The cut that parts most lines. */
function findGutter(segments: readonly Segment[]): Cut | null {
  let best: Cut | null = null;
  for (const edge of leftEdges(segments)) {
    for (const band of bandsAt(segments, edge)) {
      const cut = cutBand(segments, { ...band, edge });
      if (cut !== null && cut.lines > (best?.lines ?? 0)) best = cut;
    }
  }
  return best;
}

/** x where several segments start, most first. */
function leftEdges(segments: readonly Segment[]): number[] {
  const counts = new Map<number, { edge: number; count: number }>();
  for (const { x0 } of segments) {
    const bin = Math.round(x0 / 3);
    const entry = counts.get(bin);
    if (entry === undefined) counts.set(bin, { edge: x0, count: 1 });
    else {
      entry.count++;
      entry.edge = Math.min(entry.edge, x0);
    }
  }
  return [...counts.values()]
    .filter(({ count }) => count >= 2)
    .sort((left, right) => right.count - left.count)
    .slice(0, MAX_CANDIDATES)
    .map(({ edge }) => edge - 0.5);
}

/** Stretches of segments (by index) of which none crosses the edge. */
function bandsAt(segments: readonly Segment[], edge: number): { from: number; to: number }[] {
  const bands: { from: number; to: number }[] = [];
  let from = 0;
  segments.forEach(({ x0, x1 }, index) => {
    if (x0 >= edge || x1 <= edge + 1) return;
    if (index > from) bands.push({ from, to: index });
    from = index + 1;
  });
  if (segments.length > from) bands.push({ from, to: segments.length });
  return bands;
}

function cutBand(
  segments: readonly Segment[],
  band: { from: number; to: number; edge: number },
): Cut | null {
  let { from, to } = band;
  if (to - from < 2 * MIN_LINES) return null;
  const isRight = (segment: Segment) => segment.x0 >= band.edge;
  // Headings and page numbers on one side of the gutter belong to the page, not to a column.
  [from, to] = trimEnds(segments, { from, to, isRight });
  [from, to] = trimTables(segments, { from, to });
  const inside = segments.slice(from, to);
  const left = inside.filter((segment) => !isRight(segment));
  const right = inside.filter(isRight);
  if (!isColumnPair(left, right)) return null;
  return {
    above: segments.slice(0, from),
    left,
    right,
    below: segments.slice(to),
    lines: inside.length,
  };
}

/** Drops one-sided segments at both ends that a wide gap parts from the columns. */
function trimEnds(
  segments: readonly Segment[],
  band: { from: number; to: number; isRight(segment: Segment): boolean },
): [number, number] {
  let { from, to } = band;
  const gapAt = (index: number) => {
    const [upper, lower] = [segments[index - 1], segments[index]];
    if (upper === undefined || lower === undefined) return false;
    return lower.y - upper.y > 2.2 * Math.max(upper.size, lower.size);
  };
  const oneSided = (first: number, end: number) => {
    const part = segments.slice(first, end);
    return part.every(band.isRight) || !part.some(band.isRight);
  };
  for (let at = from + 1; at < to && at <= from + 3; at++) {
    if (gapAt(at) && oneSided(from, at)) from = at;
  }
  for (let at = to - 1; at > from && at >= to - 3; at--) {
    if (gapAt(at) && oneSided(at, to)) to = at;
  }
  return [from, to];
}

/** Drops lines at both ends that have more cells than the columns have lines side by side. */
function trimTables(
  segments: readonly Segment[],
  band: { from: number; to: number },
): [number, number] {
  const counts = clusterLines(segments.slice(band.from, band.to), 0.3).map(({ length }) => length);
  const sorted = [...counts].sort((left, right) => left - right);
  const usual = Math.max(2, sorted[Math.floor(sorted.length * 0.8)] ?? 0);
  let { from, to } = band;
  while (counts.length > 0 && (counts.at(-1) ?? 0) > usual) to -= counts.pop() ?? 0;
  while (counts.length > 0 && (counts[0] ?? 0) > usual) from += counts.shift() ?? 0;
  return [from, to];
}

function isColumnPair(left: readonly Segment[], right: readonly Segment[]): boolean {
  if (left.length < MIN_LINES || right.length < MIN_LINES) return false;
  const top = Math.max(firstY(left), firstY(right)) - 1;
  const bottom = Math.min(lastY(left), lastY(right)) + 1;
  const within = (side: readonly Segment[]) => side.filter(({ y }) => y >= top && y <= bottom);
  const [leftLines, rightLines] = [toSide(within(left)), toSide(within(right))];
  if (leftLines.length < MIN_LINES || rightLines.length < MIN_LINES) return false;
  const gutter = Math.min(...right.map(({ x0 }) => x0)) - Math.max(...left.map(({ x1 }) => x1));
  if (gutter < MIN_GUTTER * median([...left, ...right].map(({ size }) => size))) return false;
  if (isProse(leftLines) && isProse(rightLines)) return true;
  return isDense(leftLines) && isDense(rightLines) && !sharesBaselines(leftLines, rightLines);
}

interface SideLine {
  y: number;
  size: number;
  /** Share of the column's width that has text. */
  filled: number;
  /** Signs of its longest segment, ideographs counted twice. */
  longest: number;
}

function toSide(segments: readonly Segment[]): SideLine[] {
  if (segments.length === 0) return [];
  const x0 = Math.min(...segments.map((segment) => segment.x0));
  const width = Math.max(...segments.map((segment) => segment.x1)) - x0 || 1;
  return clusterLines([...segments], 0.3).map((line) => ({
    y: line[0]?.y ?? 0,
    size: line[0]?.size ?? 1,
    filled: line.reduce((sum, segment) => sum + segment.x1 - segment.x0, 0) / width,
    // A sign is about half as wide as it is high.
    longest: Math.max(...line.map((segment) => ((segment.x1 - segment.x0) / segment.size) * 2)),
  }));
}

/** Most lines go on to the next one, so they fill their column. */
function isProse(lines: readonly SideLine[]): boolean {
  const full = lines.filter(({ filled }) => filled >= 0.75).length;
  return full >= lines.length / 2 && median(lines.map(({ longest }) => longest)) >= 14;
}

function isDense(lines: readonly SideLine[]): boolean {
  const steps = lines.slice(1).map((line, index) => (line.y - (lines[index]?.y ?? 0)) / line.size);
  return median(steps) <= 1.7;
}

/** More than half the lines of one side stand level with a line of the other: a table's rows. */
function sharesBaselines(left: readonly SideLine[], right: readonly SideLine[]): boolean {
  const share = (some: readonly SideLine[], others: readonly SideLine[]) =>
    some.filter(({ y, size }) => others.some((other) => Math.abs(other.y - y) <= 0.12 * size))
      .length / some.length;
  return Math.max(share(left, right), share(right, left)) > 0.5;
}

function firstY(segments: readonly Segment[]): number {
  return segments[0]?.y ?? 0;
}

function lastY(segments: readonly Segment[]): number {
  return segments.at(-1)?.y ?? 0;
}

/** The middle value; 0 of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
