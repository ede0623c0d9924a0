/**
 * parse_pdf as images: each page as a picture of its scan, or cut out as a PDF that the model's
 * provider renders, with a line that says which and why.
 */
import type { FileRef } from '../../loop/journal.ts';
import type { ShownFile, ToolContext, ToolOutput } from '../define.ts';
import { breathe, loadPage, type OpenPdf, openPdf } from './document.ts';
import {
  cutPage,
  type DecodingBudget,
  decodingBudget,
  MAX_IMAGE_PIXELS,
  type PageImage,
  renderScan,
} from './page-image.ts';
import { formatPages, parsePages } from './page-range.ts';
import { readPageText } from './page-text.ts';

export const MAX_SHOWN_PAGES = 4;
/** A page sent as a PDF costs its text and its picture. */
const DOCUMENT_TOKENS = 3_000;
/** Of a request's 32 MB, shared by all its files. */
const MAX_CUT_BYTES = 6_000_000;
/** When no page can be cut out, a file of this size goes as a whole. */
const MAX_WHOLE_PAGES = 10;
const MAX_WHOLE_BYTES = 4_000_000;
const PIXELS_PER_TOKEN = 750;

export interface ShowRequest {
  file: FileRef;
  /** Taken over: empty afterwards. */
  bytes: Uint8Array;
  pages: string | number | (string | number)[] | undefined;
  /** False for a damaged file: sent as a whole it would be refused, and the request with it. */
  sound: boolean;
  context: ToolContext;
}

type Shown = { text: string; file: ShownFile | null; scanned: boolean };

/** Throws StrideError (page out of range, password, not a PDF) and what the signal holds. */
export async function showPdfPages(request: ShowRequest): Promise<ToolOutput> {
  const { file, bytes, context } = request;
  const pdf = await openPdf(bytes, { path: file.path, maxImagePixels: MAX_IMAGE_PIXELS });
  try {
    const total = pdf.document.numPages;
    const asked = parsePages(request.pages, { path: file.path, total });
    const pages = asked.slice(0, MAX_SHOWN_PAGES);
    const content: Exclude<ToolOutput['content'], string> = [];
    const scanned: number[] = [];
    const budget = decodingBudget();
    let whole = false;
    for (const page of pages) {
      await breathe(context.signal);
      const shown = await showPage(pdf, { request, page, whole, budget });
      content.push({ type: 'text', text: shown.text });
      if (shown.file !== null) content.push(shown.file);
      whole ||= shown.file?.path === file.path;
      if (shown.scanned) scanned.push(page);
    }
    const rest = formatPages(asked.slice(MAX_SHOWN_PAGES));
    if (rest !== '') {
      const text = `[${MAX_SHOWN_PAGES} pages a call; for the others: parse_pdf path="${file.path}" pages="${rest}" as="image"]`;
      content.push({ type: 'text', text });
    }
    return { content, data: { pages: total, shown: pages, scanned } };
  } finally {
    await pdf.close();
  }
}

interface PageRequest {
  request: ShowRequest;
  page: number;
  /** The whole file was shown for an earlier page. */
  whole: boolean;
  budget: DecodingBudget;
}

async function showPage(
  pdf: OpenPdf,
  { request, page, whole, budget }: PageRequest,
): Promise<Shown> {
  const { file, context } = request;
  const { signal } = context;
  const name = `page ${page} of ${pdf.document.numPages} of ${file.path}`;
  const proxy = await loadPage(pdf, page);
  if (proxy === null) {
    return { text: `[${name} is damaged and cannot be shown]`, file: null, scanned: false };
  }
  const cut = await cutPage(pdf, page);
  let why = 'it has text or drawings';
  if (cut !== null && (await isTextless(proxy, context))) {
    const image = await renderScan(cut, { path: file.path, signal, budget }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        return {
          reason: `its images cannot be read here (${error instanceof Error ? error.name : 'error'})`,
        };
      },
    );
    if (image === 'blank')
      return {
        text: `[${name} is blank, or nothing on it can be read]`,
        file: null,
        scanned: false,
      };
    if (image === 'bomb') return notShown(name, 'its image unpacks to more than can be shown');
    if ('png' in image) return asImage(image, { request, page, name });
    why = image.reason;
  }
  if (cut !== null && cut.length <= MAX_CUT_BYTES) {
    const path = `pdf_pages/${baseName(file.path)}-p${page}.pdf`;
    const written = await context.workspace.write(path, cut, 'application/pdf');
    const text = `[${name}, shown as a PDF of its own (${written.path}), since ${why}]`;
    return { text, file: asDocument(written.path, 1), scanned: false };
  }
  return asWhole(pdf, { request, name, whole });
}

/** True when pdf.js finds no letter: only then do the images alone say it all. */
async function isTextless(
  page: NonNullable<Awaited<ReturnType<typeof loadPage>>>,
  context: ToolContext,
): Promise<boolean> {
  try {
    return (await readPageText(page, context)).characters === 0;
  } catch {
    context.signal.throwIfAborted();
    return false;
  }
}

async function asImage(
  { png, width, height }: PageImage,
  { request, page, name }: { request: ShowRequest; page: number; name: string },
): Promise<Shown> {
  const path = `pdf_pages/${baseName(request.file.path)}-p${page}.png`;
  const written = await request.context.workspace.write(path, png, 'image/png');
  return {
    text: `[${name}, as an image of ${width} × ${height} pixels (${written.path})]`,
    file: {
      type: 'file',
      as: 'image',
      path: written.path,
      tokens: Math.ceil((width * height) / PIXELS_PER_TOKEN),
    },
    scanned: true,
  };
}

function asDocument(path: string, pages: number): ShownFile {
  return { type: 'file', as: 'document', path, tokens: DOCUMENT_TOKENS * pages };
}

function asWhole(
  pdf: OpenPdf,
  { request, name, whole }: { request: ShowRequest; name: string; whole: boolean },
): Shown {
  const { file } = request;
  const pages = pdf.document.numPages;
  if (whole) return { text: `[${name}: see the whole file above]`, file: null, scanned: false };
  if (request.sound && pages <= MAX_WHOLE_PAGES && file.bytes <= MAX_WHOLE_BYTES) {
    const text = `[${name}: the page cannot be cut out, so here is the whole file]`;
    return { text, file: asDocument(file.path, pages), scanned: false };
  }
  return notShown(name, 'it is too large or cannot be cut out');
}

function notShown(name: string, why: string): Shown {
  const text = `[${name} cannot be shown: ${why}; look into it with execute_python (PyMuPDF by requirements)]`;
  return { text, file: null, scanned: false };
}

/** `reports/2024 final.pdf` → `2024_final`; short, so that the path stays valid. */
function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.pdf$/i, '');
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, '_')
      .slice(0, 80)
      .replace(/^\.+/, '') || 'file'
  );
}
