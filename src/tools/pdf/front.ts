/** What stands before the pages: what the file says of itself, its outline, its attached files. */
import { count } from '../truncate.ts';
import type { OpenPdf } from './document.ts';
import { oneLine } from './extras.ts';

const MAX_OUTLINE_LINES = 80;
const MAX_OUTLINE_DEPTH = 4;
const MAX_ATTACHMENTS = 30;
/** What producers write when nobody set a title. */
const NO_NAME = /^\(?(untitled|anonymous|unspecified|unknown|none)\)?$/i;

/** `report.pdf: 12 pages, 34,567 bytes, title "…", author …, created 2026-01-31T10:00:00+01:00`. */
export async function headLine(
  pdf: OpenPdf,
  file: { path: string; bytes: number },
): Promise<string> {
  const { numPages } = pdf.document;
  const parts = [
    numPages === 1 ? '1 page' : `${count(numPages)} pages`,
    `${count(file.bytes)} bytes`,
  ];
  const metadata = await pdf.document.getMetadata().catch(() => null);
  const info = (metadata?.info ?? {}) as Record<string, unknown>;
  const text = (name: string) => {
    const value = info[name];
    const line = typeof value === 'string' ? oneLine(value, 200) : '';
    return NO_NAME.test(line) ? '' : line;
  };
  if (text('Title') !== '') parts.push(`title "${text('Title')}"`);
  if (text('Author') !== '') parts.push(`author ${text('Author')}`);
  if (text('Subject') !== '') parts.push(`subject "${text('Subject')}"`);
  const created = toIsoDate(text('CreationDate'));
  const modified = toIsoDate(text('ModDate'));
  if (created !== '') parts.push(`created ${created}`);
  if (modified !== '' && modified !== created) parts.push(`modified ${modified}`);
  return `${file.path}: ${parts.join(', ')}`;
}

/** PDF's `D:20260131100000+01'00'` (ISO 32000-2, 7.9.4) as ISO 8601; other text as it is. */
export function toIsoDate(text: string): string {
  const match =
    /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?)?/.exec(text);
  if (match === null) return text;
  const [, year, month, day, hour, minute = '00', second = '00', utc, sign, hours, minutes] = match;
  const date = [year, month, day].filter((part) => part !== undefined).join('-');
  if (hour === undefined) return date;
  const offset = sign === undefined ? (utc ?? '') : `${sign}${hours}:${minutes ?? '00'}`;
  return `${date}T${hour}:${minute}:${second}${/^[+-]00:00$/.test(offset) ? 'Z' : offset}`;
}

interface OutlineNode {
  title: string;
  dest: string | unknown[] | null;
  url?: string | null;
  items: OutlineNode[];
}

/** Bookmarks with page numbers, deeper ones indented; empty when there are none. */
export async function outlineLines(pdf: OpenPdf): Promise<string[]> {
  const nodes = (await pdf.document.getOutline().catch(() => null)) as OutlineNode[] | null;
  if (nodes === null || nodes.length === 0) return [];
  const lines: string[] = [];
  let left = 0;
  const walk = async (level: OutlineNode[], depth: number): Promise<void> => {
    for (const node of level) {
      if (lines.length >= MAX_OUTLINE_LINES || depth >= MAX_OUTLINE_DEPTH) left++;
      else
        lines.push(`${'  '.repeat(depth)}- ${oneLine(node.title, 160)}${await target(pdf, node)}`);
      await walk(node.items ?? [], depth + 1);
    }
  };
  await walk(nodes, 0);
  if (left > 0) lines.push(`[${count(left)} more entries of the outline are left out]`);
  return ['outline:', ...lines];
}

async function target(pdf: OpenPdf, { dest, url }: OutlineNode): Promise<string> {
  try {
    const place = typeof dest === 'string' ? await pdf.document.getDestination(dest) : dest;
    const [page] = (place ?? []) as [unknown];
    if (typeof page === 'number') return ` (p. ${page + 1})`;
    if (typeof page !== 'object' || page === null) return url ? ` (${oneLine(url, 200)})` : '';
    const index = await pdf.document.getPageIndex(page as { num: number; gen: number });
    return ` (p. ${index + 1})`;
  } catch {
    // A bookmark to a page that is gone keeps its title.
    return '';
  }
}

/** `attached files: a.csv, b.xml`, or nothing. */
export async function attachmentLines(pdf: OpenPdf): Promise<string[]> {
  const attached = (await pdf.document.getAttachments().catch(() => null)) as unknown;
  const entries = attached instanceof Map ? [...attached.values()] : Object.values(attached ?? {});
  const names = entries.map((entry) => {
    const { filename, rawFilename } = entry as { filename?: string; rawFilename?: string };
    return oneLine(filename ?? rawFilename ?? 'without a name', 120);
  });
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_ATTACHMENTS).join(', ');
  const more = names.length > MAX_ATTACHMENTS ? ` and ${names.length - MAX_ATTACHMENTS} more` : '';
  return [`attached files: ${shown}${more} (execute_python can take them out with pypdf)`];
}
