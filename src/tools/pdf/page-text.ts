/**
 * The text of a page in reading order: level text first, then what is turned, each marked; and what
 * a page without (readable) text is instead.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { toBlocks } from './columns.ts';
import { type PageRuns, type ReadLimits, type RunGroup, readRuns } from './runs.ts';
import { toSegments } from './segments.ts';
import { blockLines } from './table.ts';

export interface PageText {
  lines: string[];
  /** Most of its signs are not text: a font without a way to Unicode. */
  garbled: boolean;
  /** Signs of the page, blanks apart. */
  characters: number;
  cut: boolean;
  groups: readonly RunGroup[];
}

/** A shorter page says nothing about its fonts. */
const MIN_GARBLED = 12;
const GARBLED_SHARE = 0.2;

/** Reads one page. Throws what the signal was aborted with. */
export async function readPageText(page: PDFPageProxy, limits: ReadLimits): Promise<PageText> {
  const runs = await readRuns(page, limits);
  const { characters, unreadable, cut } = runs;
  return {
    lines: groupLines(runs),
    garbled: characters >= MIN_GARBLED && unreadable > GARBLED_SHARE * characters,
    characters,
    cut,
    groups: runs.groups,
  };
}

function groupLines({ groups }: PageRuns): string[] {
  const lines: string[] = [];
  for (const group of [...groups].sort(byDirection)) {
    if (lines.length > 0) lines.push('');
    // A page of vertical text is the usual thing in its language and needs no mark.
    const alone = groups.length === 1 && group.direction === 'vertical';
    if (group.direction !== 0 && !alone) lines.push(`[${directionName(group.direction)}]`);
    toBlocks(toSegments(group.runs)).forEach((block, index) => {
      if (index > 0) lines.push('');
      lines.push(...blockLines(block));
    });
  }
  return lines;
}

function byDirection(left: RunGroup, right: RunGroup): number {
  const rank = ({ direction }: RunGroup) =>
    direction === 0 ? -2 : direction === 'vertical' ? -1 : direction;
  return rank(left) - rank(right);
}

function directionName(direction: number | 'vertical'): string {
  if (direction === 'vertical') return 'vertical text';
  if (direction === 180) return 'upside-down text';
  if (direction === 270) return 'text turned 90° counterclockwise, reading upwards';
  if (direction === 90) return 'text turned 90° clockwise, reading downwards';
  return `text turned ${direction > 180 ? `${360 - direction}° counterclockwise` : `${direction}° clockwise`}`;
}
