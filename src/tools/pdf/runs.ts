/**
 * The text of a page as pdf.js finds it: pieces with their place, turned so that each lies level.
 * Coordinates are points from the top left of the page as it is shown (rotation applied), y down.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { cleanText } from './clean-text.ts';
import { breathe } from './document.ts';
import { takeStacked } from './stacked.ts';

export interface Run {
  text: string;
  x0: number;
  x1: number;
  /** Baseline. */
  y: number;
  /** Font size. */
  size: number;
  /** A blank stands between this run and the one before it in the file. */
  blank: boolean;
  rightToLeft: boolean;
  /** Set for superscripts, once their line is known. */
  raised?: boolean;
}

/** Runs of one direction, each turned to lie level. */
export interface RunGroup {
  /** Degrees clockwise from level; 'vertical' is upright signs from top to bottom. */
  direction: number | 'vertical';
  runs: Run[];
}

export interface PageRuns {
  groups: RunGroup[];
  /** Signs that are no text: replacement characters, private use, controls. */
  unreadable: number;
  /** All signs but blanks. */
  characters: number;
  /** The page goes on: it has more than is reasonable to read. */
  cut: boolean;
}

/** A page of a telephone book has 20,000 signs; a hostile one has no end. */
const MAX_CHARACTERS = 400_000;
const MAX_ITEMS = 80_000;
/** Where text is drawn a word at a time by forms within forms, a page takes minutes. */
const MAX_PAGE_MS = 12_000;
/** Slanted up to this many degrees, a page was scanned askew and not set that way. */
const LEVEL_DEGREES = 3;

interface TextItem {
  str: string;
  dir: string;
  width: number;
  height: number;
  transform: number[];
  fontName: string;
}

interface TextChunk {
  items: TextItem[];
  styles: Record<string, { vertical?: boolean }>;
}

export interface ReadLimits {
  signal: AbortSignal;
  /** Unix milliseconds. */
  now: () => number;
}

/** Reads a page's text, giving way to timers between chunks. Throws what `signal` holds. */
export async function readRuns(page: PDFPageProxy, limits: ReadLimits): Promise<PageRuns> {
  const deadline = limits.now() + MAX_PAGE_MS;
  const viewport = page.getViewport({ scale: 1 });
  const collected = collector(viewport.transform as number[]);
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<TextChunk>;
  let items = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return collected.end(false);
      for (const item of value.items) collected.add(item, value.styles);
      items += value.items.length;
      const full = items > MAX_ITEMS || collected.characters() > MAX_CHARACTERS;
      if (full || limits.now() > deadline) {
        await reader.cancel(new Error('enough text'));
        return collected.end(true);
      }
      await breathe(limits.signal);
    }
  } catch (error) {
    await reader.cancel(new Error('stopped')).catch(() => {});
    throw error;
  }
}

function collector(view: number[]) {
  const groups = new Map<number | 'vertical', Run[]>();
  const vertical = new Set<string>();
  let characters = 0;
  let unreadable = 0;
  let blank = false;

  function add(item: TextItem, styles: TextChunk['styles']): void {
    for (const [name, style] of Object.entries(styles)) if (style.vertical) vertical.add(name);
    if (item.str.trim() === '') {
      blank ||= item.str !== '';
      return;
    }
    for (const sign of item.str) {
      if (sign.trim() === '' && sign !== '\u0003') continue;
      characters++;
      if (isUnreadable(sign.codePointAt(0) ?? 0)) unreadable++;
    }
    const { direction, run } = place(item, { view, vertical: vertical.has(item.fontName) });
    if (run.text !== '') {
      const runs = groups.get(direction);
      if (runs === undefined) groups.set(direction, [{ ...run, blank }]);
      else runs.push({ ...run, blank });
    }
    blank = false;
  }

  function end(cut: boolean): PageRuns {
    const level = groups.get(0);
    if (level !== undefined) {
      const { stacked, others } = takeStacked(level);
      if (others.length > 0) groups.set(0, others);
      else groups.delete(0);
      if (stacked.length > 0)
        groups.set('vertical', [...(groups.get('vertical') ?? []), ...stacked]);
    }
    const all = [...groups].map(([direction, runs]) => ({ direction, runs: straighten(runs) }));
    return { groups: all, unreadable, characters, cut };
  }

  return { add, end, characters: () => characters };
}

/** Glyph numbers read as characters show as controls (3 is the usual blank) and private use. */
function isUnreadable(code: number): boolean {
  return code < 0x20 || code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
}

function place(
  item: TextItem,
  page: { view: number[]; vertical: boolean },
): { direction: number | 'vertical'; run: Run } {
  const [a, b, c, d, e, f] = multiply(page.view, item.transform);
  const scale = Math.hypot(page.view[0] ?? 1, page.view[1] ?? 0);
  const size = Math.max(Math.hypot(c, d), 0.1);
  const text = cleanText(item.str);
  const base = { text, size, blank: false, rightToLeft: item.dir === 'rtl' };
  if (page.vertical) {
    // Read downwards, the lines from right to left: level after a quarter turn.
    const run = { ...base, x0: f, x1: f + item.height * scale, y: -e };
    return { direction: 'vertical', run };
  }
  const degrees = (Math.atan2(b, a) * 180) / Math.PI;
  const level = Math.abs(degrees) <= LEVEL_DEGREES;
  const direction = level ? 0 : (Math.round(degrees) + 360) % 360;
  const turn = level ? 0 : (-direction * Math.PI) / 180;
  const x = e * Math.cos(turn) - f * Math.sin(turn);
  const y = e * Math.sin(turn) + f * Math.cos(turn);
  return { direction, run: { ...base, x0: x, x1: x + item.width * scale, y } };
}

function multiply(
  [a1 = 1, b1 = 0, c1 = 0, d1 = 1, e1 = 0, f1 = 0]: number[],
  [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0]: number[],
): [number, number, number, number, number, number] {
  return [
    a1 * a2 + c1 * b2,
    b1 * a2 + d1 * b2,
    a1 * c2 + c1 * d2,
    b1 * c2 + d1 * d2,
    a1 * e2 + c1 * f2 + e1,
    b1 * e2 + d1 * f2 + f1,
  ];
}

/** Each thing once (bold is often the same word printed twice). */
function straighten(runs: Run[]): Run[] {
  const seen = new Map<string, Run[]>();
  return runs.filter((run) => {
    const same = seen.get(run.text);
    if (same === undefined) {
      seen.set(run.text, [run]);
      return true;
    }
    const near = run.size * 0.15;
    const twice = same.some(
      (other) =>
        Math.abs(other.x0 - run.x0) < near &&
        Math.abs(other.y - run.y) < near &&
        Math.abs(other.size - run.size) < near,
    );
    if (!twice && same.length < 64) same.push(run);
    return !twice;
  });
}
