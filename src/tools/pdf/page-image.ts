/**
 * A page to look at: scanned pages become a PNG of their images, every other page is cut out as a
 * PDF of its own, which the model's provider renders. Before anything is decoded, the cut page tells
 * how large its images are and which decoders they need.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { findBomb } from './bombs.ts';
import { breathe, type OpenPdf, openPdf } from './document.ts';
import { type Drawing, loadSamples, type Matrix, readDrawing } from './drawing.ts';
import { type Bitmap, encodePng } from './png.ts';
import { blankBitmap, type PlacedSamples, paintImage, toGrey } from './raster.ts';
import { findStreams, type PdfStream } from './streams.ts';

/** Beyond this long edge the API scales images down itself. */
const MAX_EDGE_PIXELS = 1_568;
const MAX_PNG_BYTES = 3_500_000;
/**
 * What decoding may take, in bytes, of a Worker's 128 MB, of which pdf.js itself has some 40. All
 * pages of a call share it: what one leaves behind is not collected before the next.
 */
const MAX_DECODING_BYTES = 60_000_000;
export const MAX_IMAGE_PIXELS = 50_000_000;
/** pdf.js decodes these with WebAssembly that a Worker may not compile. */
const UNDECODABLE = ['JPXDecode', 'JBIG2Decode', 'CCITTFaxDecode'];

/** From here on a renderer elsewhere would give up too. */
const MAX_SHOWN_PIXELS = 200_000_000;

/** Bytes that the pages of one call may still take to decode. */
export interface DecodingBudget {
  left: number;
}

export function decodingBudget(): DecodingBudget {
  return { left: MAX_DECODING_BYTES };
}

export interface PageImage {
  png: Uint8Array;
  width: number;
  height: number;
}

/** The page alone as a PDF; null when pdf.js cannot cut it out. */
export async function cutPage(pdf: OpenPdf, page: number): Promise<Uint8Array | null> {
  try {
    const pages = [{ document: null, includePages: [page - 1] }];
    const bytes = await pdf.document.extractPages(pages);
    return bytes instanceof Uint8Array && bytes.length > 0 ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * The images of a cut page as one picture, `blank` when it draws nothing, `bomb` when unpacking it
 * would fill any memory, or why there is none: it has more than images, or images that cannot be
 * decoded here. Call it for pages without text.
 */
export async function renderScan(
  cut: Uint8Array,
  options: { path: string; signal: AbortSignal; budget: DecodingBudget },
): Promise<PageImage | { reason: string } | 'blank' | 'bomb'> {
  const images = [...findStreams(cut)].filter(({ image }) => image !== null);
  if (images.some(({ image }) => pixelsOf(image) > MAX_SHOWN_PIXELS)) return 'bomb';
  const reason = undecodable(images, options.budget);
  if (reason !== null) return { reason };
  if ((await findBomb(cut, { images: true, ...options })) !== null) return 'bomb';
  const pdf = await openPdf(cut.slice(), { ...options, maxImagePixels: MAX_IMAGE_PIXELS });
  try {
    const page = await pdf.document.getPage(1);
    const drawing = await readDrawing(pdf, page);
    if (drawing.otherThanImages) return { reason: 'it has drawings besides images' };
    if (drawing.placements.length === 0) {
      return images.length === 0 ? 'blank' : { reason: 'its image cannot be decoded here' };
    }
    await breathe(options.signal);
    return await compose(page, { drawing, signal: options.signal });
  } finally {
    await pdf.close();
  }
}

/** Why the images cannot be decoded, or null, their cost then taken from the budget. */
function undecodable(images: readonly PdfStream[], budget: DecodingBudget): string | null {
  let bytes = 0;
  for (const { image, filters } of images) {
    const codec = filters.find((name) => UNDECODABLE.includes(name));
    if (codec !== undefined) return `its image is in a format (${codec}) that is not decoded here`;
    const pixels = pixelsOf(image);
    if (pixels > MAX_IMAGE_PIXELS) return 'its image is too large to be unpacked here';
    bytes += pixels * bytesPerPixel(image, filters);
  }
  if (bytes > MAX_DECODING_BYTES) return 'its images are too large to be unpacked here';
  if (bytes > budget.left) return 'its images and those before it are too large for one call';
  budget.left -= bytes;
  return null;
}

/** Growth of workerd while pdf.js decodes and the page is put together, measured. */
function bytesPerPixel(image: PdfStream['image'], filters: readonly string[]): number {
  if (image === null || image.bits === 1) return 0.25;
  if (filters.includes('DCTDecode')) return image.grey ? 6.7 : 8.5;
  return image.grey ? 6 : 18;
}

function pixelsOf(image: PdfStream['image']): number {
  return image === null ? 0 : image.width * image.height;
}

async function compose(
  page: PDFPageProxy,
  { drawing, signal }: { drawing: Drawing; signal: AbortSignal },
): Promise<PageImage | { reason: string }> {
  const placed: PlacedSamples[] = [];
  for (const { source, matrix, paint } of drawing.placements) {
    const samples = await loadSamples(page, source);
    if (!samples?.data) return { reason: 'its image cannot be decoded here' };
    placed.push({ samples, matrix, paint });
  }
  const { width, height, transform } = page.getViewport({ scale: 1 });
  let scale = bestScale(placed, { width, height });
  for (;;) {
    const bitmap = blankBitmap(
      Math.max(1, Math.round(width * scale)),
      Math.max(1, Math.round(height * scale)),
    );
    const toPixels = (transform as number[]).map((value) => value * scale) as unknown as Matrix;
    for (const each of placed) {
      paintImage(bitmap, each, toPixels);
      signal.throwIfAborted();
    }
    await breathe(signal);
    const png = await encode(bitmap);
    if (png.length <= MAX_PNG_BYTES) return { png, width: bitmap.width, height: bitmap.height };
    // Size goes with the area; a little below, so that one more turn is enough.
    scale *= Math.sqrt(MAX_PNG_BYTES / png.length) * 0.95;
  }
}

function encode(bitmap: Bitmap): Promise<Uint8Array> {
  return encodePng(toGrey(bitmap));
}

/** Pixels a point: as fine as the finest image, the long edge within the limit. */
function bestScale(
  placed: readonly PlacedSamples[],
  page: { width: number; height: number },
): number {
  const finest = Math.max(
    ...placed.map(({ samples, matrix: [a, b, c, d] }) =>
      Math.max(
        samples.width / Math.max(Math.hypot(a, b), 1),
        samples.height / Math.max(Math.hypot(c, d), 1),
      ),
    ),
  );
  return Math.min(finest, MAX_EDGE_PIXELS / Math.max(page.width, page.height));
}

export type PageKind = 'scanned' | 'drawn' | 'blank' | 'unknown';

/**
 * What a page without text is, decoding nothing. Both documents leave out all images: `pdf` goes on
 * after one, `probe` (opened strict) stops there, so a shorter list means that there was an image.
 */
export async function kindOfPage(
  page: number,
  { pdf, probe }: { pdf: OpenPdf; probe: OpenPdf },
): Promise<PageKind> {
  try {
    const all = await readDrawing(pdf, await pdf.document.getPage(page));
    const some = await readDrawing(probe, await probe.document.getPage(page));
    if (some.operators < all.operators) return 'scanned';
    return all.otherThanImages ? 'drawn' : 'blank';
  } catch {
    return 'unknown';
  }
}
