/**
 * `with: ["comments", "links"]`: what stands around the cells. Known only after the scan, from the
 * sheet's tail, so nothing gathers while it streams by. No I/O.
 */
import { count, utf8Length } from '../../truncate.ts';
import { cellAddress, isWithin, overlaps, rangeAddress } from '../addresses.ts';
import type { CellRange, SheetTail } from '../book.ts';
import { cutLine, showLine } from './cell.ts';

export interface AnnotationOptions {
  /** The sheet's name as it stands in headings. */
  sheet: string;
  /** Null for the whole sheet. */
  window: CellRange | null;
  maxBytes: number;
}

export function renderComments(tail: SheetTail, options: AnnotationOptions): string[] {
  const { window, sheet } = options;
  const lines = tail.comments
    .filter(({ row, column }) => window === null || isWithin(window, row, column))
    .sort((a, b) => a.row - b.row || a.column - b.column)
    .map(({ row, column, author, text }) => {
      const by = author === null || author === '' ? '' : ` (${showLine(author)})`;
      return `${cellAddress(row, column)}${by}: ${showLine(text)}`;
    });
  return listWithin(lines, { heading: `comments of ${sheet}`, what: 'comments', options });
}

export function renderLinks(tail: SheetTail, options: AnnotationOptions): string[] {
  const { window, sheet } = options;
  const lines = tail.links
    .filter(({ range }) => window === null || overlaps(window, range))
    .map(({ range, target }) => `${rangeAddress(range)} → ${showLine(target)}`);
  return listWithin(lines, { heading: `links of ${sheet}`, what: 'links', options });
}

function listWithin(
  lines: readonly string[],
  { heading, what, options }: { heading: string; what: string; options: AnnotationOptions },
): string[] {
  if (lines.length === 0) return [];
  const shown = [`${heading}:`];
  let free = options.maxBytes - utf8Length(heading) - 80;
  for (const [index, line] of lines.entries()) {
    free -= utf8Length(line) + 1;
    if (free < 0 && index > 0) {
      const left = count(lines.length - index);
      shown.push(`… and ${left} more ${what}: ask for a smaller range`);
      break;
    }
    shown.push(cutLine(line, Math.max(80, options.maxBytes - 80)));
  }
  return shown;
}

/** Conditional formats: what colours cells though no style of theirs does. */
export function renderRules(tail: SheetTail, options: AnnotationOptions): string[] {
  const lines = tail.rules.map(({ range, rule }) => showLine(`${range}: ${rule}`));
  const heading = `conditional formats of ${options.sheet}`;
  return listWithin(lines, { heading, what: 'conditional formats', options });
}
