/**
 * Page numbers as models write them: 3, "2-5", "1,4,7-9", "last", "8-", arrays of these. Pure.
 */
import { StrideError } from '../../errors.ts';

/**
 * The pages asked for, rising and without repeats; all pages when nothing is asked for.
 * Throws StrideError with a sentence that starts with `path`.
 */
export function parsePages(
  asked: string | number | readonly (string | number)[] | undefined,
  file: { path: string; total: number },
): number[] {
  const { total } = file;
  const parts = (Array.isArray(asked) ? asked : [asked ?? ''])
    .flatMap((part) => {
      const dashed = String(part)
        .toLowerCase()
        .replace(/\s*(?:-|–|—|\.\.|\bto\b)\s*/g, '-');
      return dashed.split(/[,;\s]+/);
    })
    .map((part) => part.replace(/^(?:pages?|pp?\.?|and)(?![a-z])/, ''))
    .filter((part) => part !== '');
  if (parts.length === 0 || parts.includes('all')) return pagesBetween(1, total);
  const pages = new Set<number>();
  for (const part of parts) {
    const [first, last] = borders(part, file);
    for (const page of pagesBetween(first, last)) pages.add(page);
  }
  return [...pages].sort((left, right) => left - right);
}

function borders(part: string, file: { path: string; total: number }): [number, number] {
  const { path, total } = file;
  const match = /^(\d+|first|last)?(?:(-)(\d+|last|end)?)?$/.exec(part);
  if (match === null || (match[1] === undefined && match[3] === undefined)) {
    throw new StrideError(
      'invalid_input',
      `${path}: pages="${part.slice(0, 40)}" is not a page list; write it like "3", "2-5", "1,4,7-9" or "last".`,
    );
  }
  const first = match[1] === undefined ? 1 : toPage(match[1], total);
  const open = match[2] !== undefined && match[3] === undefined;
  const last = open ? total : match[3] === undefined ? first : toPage(match[3], total);
  const [low, high] = first <= last ? [first, last] : [last, first];
  if (low < 1 || low > total) {
    throw new StrideError(
      'invalid_input',
      `${path} has ${total === 1 ? '1 page' : `${total} pages`}, so there is no page ${low}; ask for pages="1${total > 1 ? `-${total}` : ''}" or a part of it.`,
    );
  }
  return [low, Math.min(high, total)];
}

function toPage(word: string, total: number): number {
  if (word === 'first') return 1;
  return word === 'last' || word === 'end' ? total : Number(word);
}

function pagesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** [1, 2, 3, 7] → "1-3,7", as `pages` takes it. */
export function formatPages(pages: readonly number[]): string {
  const parts: string[] = [];
  let first: number | null = null;
  pages.forEach((page, index) => {
    first ??= page;
    if (pages[index + 1] === page + 1) return;
    parts.push(first === page ? String(page) : `${first}-${page}`);
    first = null;
  });
  return parts.join(',');
}
