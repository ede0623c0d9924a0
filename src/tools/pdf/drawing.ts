/**
 * What a page draws, from pdf.js' operator list: where each image lies, or that the page is more
 * than images. Matrices are PDF's: [a b c d e f], x right, y up. No decoding here.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { OpenPdf } from './document.ts';
import { readOperators } from './operators.ts';

export type Matrix = readonly [number, number, number, number, number, number];

/** An image in its unit square, placed by `matrix`. */
export interface Placement {
  /** Name among the page's objects, or the samples themselves. */
  source: string | Samples;
  matrix: Matrix;
  /** RGB that a one-bit mask is painted with; null for images. */
  paint: readonly [number, number, number] | null;
}

/** Samples as pdf.js gives them: kind 1 has one bit a pixel, 2 RGB, 3 RGBA; masks have no kind. */
export interface Samples {
  width: number;
  height: number;
  kind?: number;
  data?: Uint8Array | Uint8ClampedArray | null;
}

export interface Drawing {
  placements: Placement[];
  /** Lines, fills, shadings, or images in ways that only a full renderer shows. */
  otherThanImages: boolean;
  /** Length of the operator list. */
  operators: number;
}

interface State {
  matrix: Matrix;
  paint: readonly [number, number, number];
}

/** A scan in strips has thousands; a page with more is a drawing, whatever else it is. */
const MAX_OPERATORS = 60_000;
const MAX_PLACEMENTS = 5_000;

/** Walks the page's operators; in a document opened `strict` the list ends before what failed. */
export async function readDrawing(pdf: OpenPdf, page: PDFPageProxy): Promise<Drawing> {
  const list = await readOperators(page, MAX_OPERATORS);
  const names = new Map(Object.entries(pdf.operators).map(([name, id]) => [id, name]));
  const stack: State[] = [];
  const operators = list.fnArray.length;
  const drawing: Drawing = {
    placements: [],
    otherThanImages: operators > MAX_OPERATORS,
    operators,
  };
  let state: State = { matrix: [1, 0, 0, 1, 0, 0], paint: [0, 0, 0] };
  for (const [index, id] of list.fnArray.entries()) {
    if (drawing.otherThanImages) break;
    const values = list.argsArray[index] ?? [];
    const name = names.get(id) ?? '';
    if (name === 'save') stack.push(state);
    else if (name === 'restore' || name === 'paintFormXObjectEnd') state = stack.pop() ?? state;
    else if (name === 'transform') state = transformed(state, toMatrix(values));
    else if (name === 'setFillRGBColor') state = { ...state, paint: toColor(values[0]) };
    else if (name === 'paintFormXObjectBegin') {
      stack.push(state);
      if (values[0]) state = transformed(state, toMatrix(Array.from(values[0] as number[])));
    } else place(name, { values, state, drawing });
    if (drawing.placements.length > MAX_PLACEMENTS) drawing.otherThanImages = true;
  }
  return drawing;
}

function place(
  name: string,
  at: { values: readonly unknown[]; state: State; drawing: Drawing },
): void {
  const { values, state, drawing } = at;
  const put = (source: Placement['source'], own: Matrix, paint: Placement['paint']) => {
    drawing.placements.push({ source, matrix: product(state.matrix, own), paint });
  };
  const unit: Matrix = [1, 0, 0, 1, 0, 0];
  switch (name) {
    case 'paintImageXObject':
    case 'paintInlineImageXObject':
      put(values[0] as string | Samples, unit, null);
      break;
    case 'paintImageXObjectRepeat': {
      const [source, a, d, places] = values as [string, number, number, ArrayLike<number>];
      eachPlace(places, (x, y) => put(source, [a, 0, 0, d, x, y], null));
      break;
    }
    case 'paintImageMaskXObject':
      put(maskOf(values[0]), unit, state.paint);
      break;
    case 'paintImageMaskXObjectRepeat': {
      const [a, b, c, d] = values.slice(1, 5) as [number, number, number, number];
      const places = values[5] as ArrayLike<number>;
      eachPlace(places, (x, y) => put(maskOf(values[0]), [a, b, c, d, x, y], state.paint));
      break;
    }
    case 'paintImageMaskXObjectGroup':
      for (const mask of values[0] as { transform: number[] }[]) {
        put(maskOf(mask), toMatrix(mask.transform), state.paint);
      }
      break;
    case 'showText':
    case 'showSpacedText':
    case 'nextLineShowText':
    case 'nextLineSetSpacingShowText':
      // Asked of pages without readable text: letters of a font that cannot be decoded are no blank.
      drawing.otherThanImages ||= values.some(hasLetters);
      break;
    case 'constructPath':
      drawing.otherThanImages ||= isVisible(values, state);
      break;
    default:
      drawing.otherThanImages ||= OTHER_DRAWING.has(name);
  }
}

const OTHER_DRAWING: ReadonlySet<string> = new Set([
  'shadingFill',
  'rawFillPath',
  'beginGroup',
  'beginAnnotation',
  'paintSolidColorImageMask',
  'paintInlineImageXObjectGroup',
  // Optional content may be hidden; which of it shows is not worked out here.
  'beginMarkedContentProps',
]);
/** `n` in a content stream: a path that only clips. */
const END_PATH = 28;
const FILLS: ReadonlySet<unknown> = new Set([22, 23]);

/** A white area is paper; everything else that is stroked or filled is a drawing. */
function isVisible([operator]: readonly unknown[], { paint }: State): boolean {
  if (operator === END_PATH) return false;
  return !(FILLS.has(operator) && paint.every((value) => value >= 250));
}

function maskOf(mask: unknown): string | Samples {
  const { data } = mask as { data: unknown };
  return typeof data === 'string' ? data : (mask as Samples);
}

function eachPlace(places: ArrayLike<number>, put: (x: number, y: number) => void): void {
  for (let at = 0; at + 1 < places.length; at += 2) put(places[at] ?? 0, places[at + 1] ?? 0);
}

function transformed(state: State, own: Matrix): State {
  return { ...state, matrix: product(state.matrix, own) };
}

function toMatrix(values: readonly unknown[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values as number[];
  return [a, b, c, d, e, f];
}

/** `own` first, then `outer`. */
export function product(outer: Matrix, own: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [oa, ob, oc, od, oe, of] = own;
  return [
    a * oa + c * ob,
    b * oa + d * ob,
    a * oc + c * od,
    b * oc + d * od,
    a * oe + c * of + e,
    b * oe + d * of + f,
  ];
}

function toColor(value: unknown): [number, number, number] {
  const hex = typeof value === 'string' ? Number.parseInt(value.slice(1), 16) : 0;
  return [(hex >> 16) & 0xff, (hex >> 8) & 0xff, hex & 0xff];
}

/** The samples of a placement, or null when pdf.js could not decode them. */
export function loadSamples(
  page: PDFPageProxy,
  source: Placement['source'],
): Promise<Samples | null> {
  if (typeof source !== 'string') return Promise.resolve(source);
  const { objs, commonObjs } = page as unknown as Record<'objs' | 'commonObjs', ObjectStore>;
  const store = source.startsWith('g_') ? commonObjs : objs;
  return new Promise((resolve) => store.get(source, (samples) => resolve(samples ?? null)));
}

interface ObjectStore {
  get(name: string, found: (samples: Samples | null | undefined) => void): void;
}

/** Glyphs of pdf.js, with the numbers that space them; blanks alone show nothing. */
function hasLetters(glyphs: unknown): boolean {
  if (!Array.isArray(glyphs)) return false;
  return glyphs.some(
    (glyph: unknown) =>
      typeof glyph === 'object' &&
      glyph !== null &&
      !('isSpace' in glyph && glyph.isSpace === true) &&
      !('isInvisible' in glyph && glyph.isInvisible === true),
  );
}
