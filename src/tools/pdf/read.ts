/**
 * parse_pdf as text: head, outline, then page after page until the room for text is full. Each page
 * stands for itself: text, scanned, drawn, blank, damaged or in a font that cannot be read.
 */
import { StrideError } from '../../errors.ts';
import type { FileRef } from '../../loop/journal.ts';
import type { ToolContext, ToolOutput } from '../define.ts';
import { cutUtf8, utf8Length } from '../truncate.ts';
import { breathe, loadPage, type OpenPdf, openPdf } from './document.ts';
import { readExtras } from './extras.ts';
import { attachmentLines, headLine, outlineLines } from './front.ts';
import { kindOfPage, type PageKind } from './page-image.ts';
import { formatPages, parsePages } from './page-range.ts';
import { type PageText, readPageText } from './page-text.ts';

export interface ReadRequest {
  file: FileRef;
  /** Taken over: empty afterwards. */
  bytes: Uint8Array;
  pages: string | number | (string | number)[] | undefined;
  /** What is wrong with the file as a whole, or null. */
  damage: string | null;
  /** UTF-8 bytes for all text. */
  room: number;
  context: ToolContext;
}

/** Of the room; a long outline must not crowd out the pages. */
const OUTLINE_SHARE = 0.25;
/** Of the tool's time; what is read by then is worth more than a timeout. */
const TIME_SHARE = 0.6;
/** A page's text; the workspace keeps what the preview has no room for. */
const MAX_PAGE_BYTES = 400_000;

interface Reading {
  request: ReadRequest;
  pdf: OpenPdf;
  /** Opened for the first page without text, and never for files that have none. */
  probe(): Promise<OpenPdf | null>;
  scanned: number[];
  /** Pages that could not be read. */
  damaged: number;
}

const DAMAGED_PAGE = '[this page is damaged and cannot be read]';

function allDamaged(path: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${path} is a damaged PDF of which no page can be read; try execute_python (pypdf, PyMuPDF) or answer without it.`,
  );
}

/** Throws StrideError (page out of range, password, not a PDF) and what the signal holds. */
export async function readPdfText(request: ReadRequest): Promise<ToolOutput> {
  const { file, bytes, context, damage } = request;
  const pdf = await openPdf(new Uint8Array(bytes), { path: file.path, maxImagePixels: 0 });
  let probe: Promise<OpenPdf | null> | null = null;
  const open = () =>
    openPdf(bytes, { path: file.path, maxImagePixels: 0, strict: true }).catch(() => null);
  const reading: Reading = {
    request,
    pdf,
    probe: () => {
      probe ??= open();
      return probe;
    },
    scanned: [],
    damaged: 0,
  };
  try {
    const total = pdf.document.numPages;
    const asked = parsePages(request.pages, { path: file.path, total });
    const front = await frontLines(reading, { damage, whole: request.pages === undefined });
    const started = context.now();
    const parts = [front];
    const shown: number[] = [];
    let room = request.room - utf8Length(front);
    for (const page of asked) {
      await breathe(context.signal);
      if (shown.length > 0 && context.now() - started > TIME_SHARE * context.timeoutMs) break;
      const text = await pageSection(reading, page);
      room -= utf8Length(text) + 1;
      if (room < 0 && shown.length > 0) break;
      parts.push(text);
      shown.push(page);
    }
    if (shown.length === total && reading.damaged === total) throw allDamaged(file.path);
    parts.push(...restNotes(reading, { asked, shown }));
    const data = { pages: total, shown, scanned: reading.scanned };
    return { content: parts.join('\n'), data };
  } finally {
    await pdf.close();
    await (probe as Promise<OpenPdf | null> | null)?.then((opened) => opened?.close());
  }
}

async function frontLines(
  { pdf, request }: Reading,
  { damage, whole }: { damage: string | null; whole: boolean },
): Promise<string> {
  const { file, room } = request;
  const lines = [await headLine(pdf, file)];
  if (damage !== null) {
    const pages = pdf.document.numPages;
    lines.push(
      `[the file is damaged (${damage}); ${pages === 1 ? '1 page was' : `${pages} pages were`} recovered, others may be lost]`,
    );
  }
  // Asked for certain pages, a model has seen the outline or does not want it.
  if (whole) {
    lines.push(...(await attachmentLines(pdf)));
    const outline = (await outlineLines(pdf)).join('\n');
    if (outline !== '') lines.push(cutUtf8(outline, Math.max(400, room * OUTLINE_SHARE)));
  }
  return lines.join('\n');
}

async function pageSection(reading: Reading, number: number): Promise<string> {
  const { pdf, request } = reading;
  const { signal } = request.context;
  const head = `--- page ${number} of ${pdf.document.numPages} ---`;
  const page = await loadPage(pdf, number);
  if (page === null) {
    reading.damaged++;
    return `${head}\n${DAMAGED_PAGE}`;
  }
  const missing = pdf.missingEncodings.size;
  try {
    const text = await readPageText(page, request.context);
    const extras = await readExtras(page, { number, groups: text.groups });
    const unread =
      pdf.missingEncodings.size > missing ? [...pdf.missingEncodings].slice(missing) : [];
    const notes = await pageNotes(reading, { number, text, unread });
    const body = cutUtf8(text.lines.join('\n'), MAX_PAGE_BYTES);
    return [head, body, ...notes, ...extras].filter((part) => part !== '').join('\n');
  } catch {
    signal.throwIfAborted();
    reading.damaged++;
    return `${head}\n${DAMAGED_PAGE}`;
  } finally {
    page.cleanup();
  }
}

async function pageNotes(
  reading: Reading,
  page: { number: number; text: PageText; unread: string[] },
): Promise<string[]> {
  const { number, text, unread } = page;
  const look = `see it with parse_pdf path="${reading.request.file.path}" pages="${number}" as="image"`;
  const notes: string[] = [];
  if (text.cut) notes.push('[this page has more text than can be read here; its end is left out]');
  if (unread.length > 0) {
    const names = unread.slice(0, 3).join(', ');
    notes.push(`[text of this page in the encoding ${names} cannot be decoded; ${look}]`);
  }
  if (text.garbled) {
    notes.push(
      `[most of this text is garbled: its font does not say which letters it has; ${look}]`,
    );
  }
  if (text.characters > 0 || unread.length > 0) return notes;
  const probe = await reading.probe();
  const kind = probe === null ? 'unknown' : await kindOfPage(number, { pdf: reading.pdf, probe });
  if (kind === 'scanned') reading.scanned.push(number);
  notes.push(`[${KINDS[kind]}${kind === 'blank' ? '' : `; ${look}`}]`);
  return notes;
}

const KINDS: Readonly<Record<PageKind, string>> = {
  scanned: 'this page has no text, only images (it is scanned)',
  drawn: 'this page has no text, only drawn lines and shapes (or letters that cannot be decoded)',
  blank: 'this page is blank, or nothing on it can be read',
  unknown: 'this page has no text',
};

/** Which pages are left, and one call that shows all that are only images. */
function restNotes(
  { request, scanned }: Reading,
  { asked, shown }: { asked: number[]; shown: number[] },
): string[] {
  const rest = asked.slice(shown.length);
  if (rest.length === 0) return [];
  const pages = formatPages(rest);
  const many = scanned.length > 3 ? '; no text is to be expected where pages are scanned' : '';
  return [
    `[${rest.length === 1 ? `page ${pages} is` : `pages ${pages} are`} not shown yet${many}: parse_pdf path="${request.file.path}" pages="${pages}"]`,
  ];
}
