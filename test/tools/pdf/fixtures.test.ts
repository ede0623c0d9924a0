/**
 * PDFs of other programs, line by line: every file under test/fixtures/documents/pdf has beside it
 * the lines a person reads on each page, written by the script that made the file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parsePdf } from '../../../src/tools/parse-pdf.ts';
import { createToolContext, runForOutput, textOf } from '../../helpers/tool-context.ts';

/** A line of text, or texts that stand on one line, apart from each other. */
type ExpectedLine = string | { cells: string[] };

interface ExpectedPdf {
  pages: number;
  /** By page number, in reading order. */
  lines: Record<string, ExpectedLine[]>;
  /** Pages that are only images, empty, only lines and shapes. */
  scanned?: number[];
  blank?: number[];
  drawn?: number[];
  links?: string[];
  outline?: { title: string; page: number }[];
  /** Form fields: a text, or whether it is ticked. */
  fields?: Record<string, string | boolean>;
  metadata?: Record<string, string>;
  /** Texts of comments. */
  says?: string[];
  /** A page may hold other lines between these. */
  more?: true;
  /** Turned text has no place in the reading order. */
  anyOrder?: true;
}

const FOLDER = new URL('../../fixtures/documents/pdf/', import.meta.url);
const files = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.expected.json'))
  .sort();

function expectationOf(name: string): ExpectedPdf {
  return JSON.parse(readFileSync(new URL(`${name}.expected.json`, FOLDER), 'utf8'));
}

async function contextOf(name: string) {
  return createToolContext({ [name]: new Uint8Array(readFileSync(new URL(name, FOLDER))) });
}

interface Page {
  lines: string[];
  /** What stands in brackets: marks, notes, links, fields. */
  notes: string;
}

/** The pages of the tool's text, and what stands before them. */
function pagesOf(text: string): { front: string; pages: Page[] } {
  const [front = '', ...parts] = text.split(/^--- page \d+ of \d+ ---$/m);
  const pages = parts.map((part) => {
    const lines = part.split('\n').filter((line) => line.trim() !== '');
    const isNote = (line: string) => line.startsWith('[');
    return {
      lines: lines.filter((line) => !isNote(line)).map((line) => line.trim()),
      notes: lines.filter(isNote).join('\n'),
    };
  });
  return { front, pages };
}

/** Cells of a line that stand apart by two blanks or a bar. */
function cellsOf(line: string): string {
  return line.split(/\s*\|\s*|\s{2,}/).join('|');
}

function comparable(line: string, expected: ExpectedLine | undefined): string {
  return typeof expected === 'object' ? cellsOf(line) : line;
}

function expectLines(page: Page, expected: ExpectedPdf, number: string): void {
  const want = expected.lines[number] ?? [];
  const wanted = want.map((line) => (typeof line === 'string' ? line : line.cells.join('|')));
  let given = page.lines;
  if (expected.more) {
    // Of the lines between, only their number is free: those that are wanted come in order.
    given = given.filter((line) => want.some((one) => wanted.includes(comparable(line, one))));
  }
  const lines = given.map((line, index) => comparable(line, want[index]));
  if (expected.anyOrder) expect(lines.toSorted()).toEqual(wanted.toSorted());
  else expect(lines).toEqual(wanted);
}

function pageKinds(pages: Page[], pattern: RegExp): number[] {
  return pages.flatMap(({ notes }, index) => (pattern.test(notes) ? [index + 1] : []));
}

describe('parse_pdf as text', () => {
  it.each(files)('gives every line of %s', async (name) => {
    const expected = expectationOf(name);
    const { context } = await contextOf(name);
    const output = await runForOutput(parsePdf, { path: name }, context);
    const { front, pages } = pagesOf(textOf(output));
    expect(pages.length).toBe(expected.pages);
    for (const number of Object.keys(expected.lines)) {
      const page = pages[Number(number) - 1];
      if (page !== undefined) expectLines(page, expected, number);
    }
    expect(pageKinds(pages, /only images/)).toEqual(expected.scanned ?? []);
    expect(pageKinds(pages, /page is blank/)).toEqual(expected.blank ?? []);
    expect(pageKinds(pages, /only drawn/)).toEqual(expected.drawn ?? []);
    const notes = pages.map((page) => page.notes).join('\n');
    for (const link of expected.links ?? []) expect(notes).toContain(link);
    for (const text of expected.says ?? []) expect(notes).toContain(text);
    for (const [field, value] of Object.entries(expected.fields ?? {})) {
      const shown = typeof value === 'string' ? value : value ? 'on' : 'off';
      expect(notes).toContain(`field: ${field} = ${shown}`);
    }
    for (const text of Object.values(expected.metadata ?? {})) expect(front).toContain(text);
    for (const { title, page } of expected.outline ?? []) {
      expect(front).toContain(`- ${title} (p. ${page})`);
    }
  });

  it('is tried on at least thirty files of other programs', () => {
    expect(files.length).toBeGreaterThanOrEqual(30);
  });

  it('gives only the pages that are asked for', async () => {
    const { context } = await contextOf('reportlab-sixty-pages.pdf');
    const input = { path: 'reportlab-sixty-pages.pdf', pages: '7,59-60' };
    const text = textOf(await runForOutput(parsePdf, input, context));
    expect(text.match(/^Chapter \d+$/gm)).toEqual(['Chapter 7', 'Chapter 59', 'Chapter 60']);
  });

  it('says how far a file of more text than fits was shown, and goes on from there', async () => {
    const name = 'reportlab-sixty-pages.pdf';
    const { context } = await contextOf(name);
    const small = { ...context, previewBytes: 3000 };
    const first = textOf(await runForOutput(parsePdf, { path: name }, small));
    const last = Number(
      first
        .match(/^Chapter (\d+)$/gm)
        ?.at(-1)
        ?.slice(8),
    );
    const pages = /pages="([^"]+)"\]$/.exec(first)?.[1];
    expect(pages).toBe(`${last + 1}-60`);
    const { context: next } = await contextOf(name);
    const second = textOf(await runForOutput(parsePdf, { path: name, pages }, next));
    expect(second).toContain(`Chapter ${last + 1}\n`);
    expect(second).toContain('Chapter 60\n');
  });
});

interface Ink {
  /** Of all pixels. */
  share: number;
  /** Centre of the dark pixels, 0 to 1 from the left and from the top. */
  x: number;
  y: number;
}

/** Where the dark pixels of an 8-bit PNG without interlacing are. */
function inkOf(png: Uint8Array): Ink {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = bytes[25] === 2 ? 3 : 1;
  const packed: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') packed.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(packed));
  const stride = width * channels;
  const ink = { count: 0, x: 0, y: 0 };
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const row = new Uint8Array(rows.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    const filter = rows[y * (stride + 1)] ?? 0;
    expect(filter).toBeLessThanOrEqual(2);
    for (let at = 0; at < stride; at++) {
      const left = at >= channels ? (row[at - channels] ?? 0) : 0;
      const before = filter === 0 ? 0 : filter === 1 ? left : (above[at] ?? 0);
      row[at] = (row[at] ?? 0) + before;
      if (at % channels !== 0 || (row[at] ?? 0) > 128) continue;
      ink.count++;
      ink.x += at / stride;
      ink.y += y / height;
    }
    above = row;
  }
  return { share: ink.count / (width * height), x: ink.x / ink.count, y: ink.y / ink.count };
}

describe('parse_pdf as image', () => {
  const scans = files.flatMap((name) =>
    (expectationOf(name).scanned ?? []).map((page) => ({ name, page })),
  );

  it.each(scans)('shows page $page of $name upright, dark on light', async ({ name, page }) => {
    const { context, workspace } = await contextOf(name);
    const input = { path: name, pages: page, as: 'image' };
    const { content } = await runForOutput(parsePdf, input, context);
    const shown = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'file');
    expect(shown).toHaveLength(1);
    const path = (shown[0] as unknown as { path: string }).path;
    const bytes = await workspace.read(path);
    const head = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
    // What cannot be decoded here goes to the model as a PDF of one page.
    if (head === '%PDF-') return;
    expect(head).toBe('\x89PNG\r');
    const ink = inkOf(bytes);
    // Words at the top left of a white sheet.
    expect(ink.share).toBeGreaterThan(0.002);
    expect(ink.share).toBeLessThan(0.2);
    expect(ink.x).toBeLessThan(0.5);
    expect(ink.y).toBeLessThan(0.5);
  });
});
