/**
 * Runs → segments: what stands together on one line without a gap (a line of a column, a cell of a
 * table), with superscripts put where they belong. Pure geometry, sizes in points.
 */
import type { Run } from './runs.ts';

export interface Segment {
  runs: Run[];
  x0: number;
  x1: number;
  y: number;
  size: number;
}

/** Wider than this many font sizes, a gap parts columns or cells; justified lines stay below it. */
const GAP = 0.9;
/** Baselines this many font sizes apart are one line. */
const SAME_LINE = 0.3;
const SMALL = 0.85;

/** Segments by baseline, then from left to right. */
export function toSegments(runs: readonly Run[]): Segment[] {
  const lines = clusterLines([...runs], SAME_LINE);
  const segments = lines.flatMap((line) => splitAtGaps(line));
  return sortSegments(attachSmall(segments));
}

/** Groups things of nearly the same baseline; each group from left to right, groups downwards. */
export function clusterLines<Item extends { x0: number; y: number; size: number }>(
  items: Item[],
  tolerance: number,
): Item[][] {
  const lines: Item[][] = [];
  let line: Item[] = [];
  let y = Number.NEGATIVE_INFINITY;
  for (const item of items.sort((left, right) => left.y - right.y)) {
    const size = Math.min(item.size, line[0]?.size ?? item.size);
    if (line.length > 0 && item.y - y <= size * tolerance) {
      line.push(item);
      continue;
    }
    if (line.length > 0) lines.push(line);
    line = [item];
    y = item.y;
  }
  if (line.length > 0) lines.push(line);
  for (const each of lines) each.sort((left, right) => left.x0 - right.x0);
  return lines;
}

function splitAtGaps(line: Run[]): Segment[] {
  const segments: Segment[] = [];
  for (const run of line) {
    const last = segments.at(-1);
    const gap = last === undefined ? 0 : run.x0 - last.x1;
    if (last !== undefined && gap <= GAP * Math.max(last.size, run.size)) extend(last, run);
    else segments.push({ runs: [run], x0: run.x0, x1: run.x1, y: run.y, size: run.size });
  }
  return segments;
}

/** Size and baseline of a segment are those of its largest run. */
function extend(segment: Segment, run: Run): void {
  segment.runs.push(run);
  segment.x0 = Math.min(segment.x0, run.x0);
  segment.x1 = Math.max(segment.x1, run.x1);
  if (run.size > segment.size) {
    segment.size = run.size;
    segment.y = run.y;
  }
}

function sortSegments(segments: Segment[]): Segment[] {
  return segments.sort((left, right) => left.y - right.y || left.x0 - right.x0);
}

/** Moves super- and subscripts into the segment they touch, and joins what they had parted. */
function attachSmall(segments: Segment[]): Segment[] {
  const sorted = sortSegments(segments);
  const gone = new Set<Segment>();
  sorted.forEach((small, index) => {
    const base = baseOf(small, { sorted, index, gone });
    if (base === null) return;
    const raised = base.y - small.y > 0.15 * base.size;
    for (const run of small.runs) extend(base, raised ? { ...run, raised } : run);
    base.runs.sort((left, right) => left.x0 - right.x0);
    gone.add(small);
  });
  if (gone.size === 0) return sorted;
  const kept = sorted.filter((segment) => !gone.has(segment));
  return clusterLines(kept, SAME_LINE).flatMap((line) => rejoin(line));
}

function baseOf(
  small: Segment,
  among: { sorted: Segment[]; index: number; gone: Set<Segment> },
): Segment | null {
  let best: Segment | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const step of [-1, 1]) {
    for (let at = among.index + step; ; at += step) {
      const base = among.sorted[at];
      // Twice its size is further than any superscript stands from its line.
      if (base === undefined || Math.abs(base.y - small.y) > 4 * small.size) break;
      if (among.gone.has(base) || small.size > SMALL * base.size) continue;
      const rise = base.y - small.y;
      if (rise > 0.75 * base.size || rise < -0.6 * base.size) continue;
      const apart = Math.max(small.x0 - base.x1, base.x0 - small.x1, 0);
      if (apart > 0.35 * base.size || overlapsText(small, base)) continue;
      if (apart < distance) {
        best = base;
        distance = apart;
      }
    }
  }
  return best;
}

function overlapsText(small: Segment, base: Segment): boolean {
  const slack = 0.15 * base.size;
  return base.runs.some(
    (run) => run.size > small.size && small.x0 < run.x1 - slack && small.x1 > run.x0 + slack,
  );
}

function rejoin(line: Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of line) {
    const last = joined.at(-1);
    const near =
      last !== undefined && segment.x0 - last.x1 <= GAP * Math.max(last.size, segment.size);
    if (last === undefined || !near) joined.push(segment);
    else for (const run of segment.runs) extend(last, run);
  }
  return joined;
}

const SUPERSCRIPTS: ReadonlyMap<string, string> = new Map(
  [...'0123456789+-−–=()'].map((sign, index) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾'][index] ?? sign]),
);
const IDEOGRAPH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;

/** The text of a segment: blanks by distance, none between ideographs, raised digits as such. */
export function segmentText(segment: Segment): string {
  const rightToLeft = isRightToLeft(segment.runs);
  const runs = rightToLeft ? [...segment.runs].reverse() : segment.runs;
  let text = '';
  let before: Run | null = null;
  for (const run of runs) {
    if (before !== null && needsBlank(text, { before, run, rightToLeft })) text += ' ';
    text += run.raised === true ? raisedText(run.text) : run.text;
    before = run;
  }
  return text.replace(/ {2,}/g, ' ').trim();
}

function isRightToLeft(runs: readonly Run[]): boolean {
  let weight = 0;
  for (const run of runs) weight += run.rightToLeft ? run.text.length : -run.text.length;
  return weight > 0;
}

function needsBlank(text: string, pair: { before: Run; run: Run; rightToLeft: boolean }): boolean {
  const { before, run, rightToLeft } = pair;
  if (/\s$/.test(text) || /^\s/.test(run.text)) return false;
  const gap = rightToLeft ? before.x0 - run.x1 : run.x0 - before.x1;
  const size = Math.min(before.size, run.size);
  const wide = IDEOGRAPH.test(text.slice(-1)) && IDEOGRAPH.test(run.text[0] ?? '');
  if (wide) return gap > 0.6 * size;
  const large = Math.max(before.size, run.size);
  // A superscript stands apart by a hair, in which pdf.js sees a blank already.
  if (run.raised === true) return gap > 0.3 * large;
  return gap > 0.15 * large || (run.blank && gap > -0.1 * size);
}

/** `2` → `²`; words stay as they are, so that 1st and Mᵐᵉ read on. */
function raisedText(text: string): string {
  if (!/^[\d+\-−–=(),\s]+$/.test(text) || !/\d/.test(text)) return text;
  return [...text].map((sign) => SUPERSCRIPTS.get(sign) ?? sign).join('');
}
