/**
 * The styles part of an xlsx: what each cell format (`s` of a cell) looks like, one object each.
 * Only what a reader can see and act on: fill, text colour, bold and such, number format.
 */
import type { CellStyle } from '../book.ts';
import { BUILTIN_FORMATS, type DateFormat, parseDateFormat } from '../dates.ts';
import { parseXml, type XmlAttributes } from '../xml.ts';
import {
  type ColorSpec,
  hexOf,
  isAutomatic,
  type Palette,
  parseColor,
  resolveColor,
  STANDARD_INDEXED,
} from './colors.ts';

export interface Styles {
  /** Of cells without `s`, and of numbers that no format stands for, the plain one. */
  at(index: number): ResolvedStyle;
  palette: Palette;
  /** What was wrong with the part, or null. */
  damage: string | null;
}

export interface ResolvedStyle {
  /** Absent when there is nothing to say. */
  style: CellStyle | undefined;
  /** The part of it that a run of rich text may look different in. */
  font: CellStyle;
  /** Set when numbers of this format are dates. */
  date: DateFormat | null;
}

export interface FontSpec {
  bold: boolean;
  italic: boolean;
  strike: boolean;
  underline: boolean;
  color: ColorSpec | null;
}

interface FillSpec {
  pattern: string;
  foreground: ColorSpec | null;
  background: ColorSpec | null;
}

interface FormatSpec {
  font: number;
  fill: number;
  numberFormat: number;
}

/** Excel's own limit is 65,490 cell formats. */
const MAX_FORMATS = 100_000;
const PLAIN: ResolvedStyle = { style: undefined, font: {}, date: null };

/** `chunks` null: the book has no styles part. */
export function readStyles(
  chunks: Iterable<Uint8Array> | null,
  { theme, ...options }: { theme: readonly string[]; what: string; signal: AbortSignal },
): Styles {
  const found = collect(chunks ?? [], options, chunks === null);
  const palette = {
    theme,
    indexed: found.indexed.length > 0 ? found.indexed : STANDARD_INDEXED,
  };
  const resolved: (ResolvedStyle | undefined)[] = [];
  return {
    palette,
    damage: found.damage,
    at(index) {
      const format = found.formats[index];
      if (format === undefined) return PLAIN;
      const known = resolved[index];
      if (known !== undefined) return known;
      const style = resolve(format, { ...found, palette });
      resolved[index] = style;
      return style;
    },
  };
}

type Found = ReturnType<typeof emptyStyles>;

function emptyStyles() {
  return {
    fonts: [] as FontSpec[],
    fills: [] as FillSpec[],
    formats: [] as FormatSpec[],
    codes: new Map<number, string>(),
    indexed: [] as string[],
    damage: null as string | null,
  };
}

function collect(
  chunks: Iterable<Uint8Array>,
  options: { what: string; signal: AbortSignal },
  missing: boolean,
): Found {
  const found = emptyStyles();
  if (missing) return found;
  // dxfs hold fonts and fills too, so a list counts only below the element it belongs to.
  const path: string[] = [];
  const result = parseXml(
    chunks,
    {
      open(name, attributes) {
        path.push(name);
        readStyleTag(found, { name, attributes, list: path[1] ?? '', depth: path.length });
      },
      close() {
        path.pop();
      },
    },
    options,
  );
  found.damage = result.damage;
  return found;
}

interface StyleTag {
  name: string;
  attributes: XmlAttributes;
  /** The child of the root it stands in: `fonts`, `cellXfs`, … */
  list: string;
  depth: number;
}

function readStyleTag(found: Found, { name, attributes, list, depth }: StyleTag): void {
  if (list === 'numFmts' && name === 'numFmt') {
    if (found.codes.size >= MAX_FORMATS) return;
    found.codes.set(Number(attributes.numFmtId), (attributes.formatCode ?? '').slice(0, 255));
  } else if (list === 'fonts') {
    if (name === 'font' && depth === 3) push(found.fonts, plainFont());
    const font = found.fonts.at(-1);
    if (font && depth === 4) applyFontTag(font, { name, attributes });
  } else if (list === 'fills') {
    if (name === 'fill') push(found.fills, { pattern: '', foreground: null, background: null });
    const fill = found.fills.at(-1);
    if (fill) applyFillTag(fill, { name, attributes });
  } else if (list === 'cellXfs' && name === 'xf') {
    push(found.formats, {
      font: Number(attributes.fontId ?? 0),
      fill: Number(attributes.fillId ?? 0),
      numberFormat: Number(attributes.numFmtId ?? 0),
    });
  } else if (list === 'colors' && name === 'rgbColor') {
    push(found.indexed, hexOf(attributes.rgb ?? '') ?? '000000');
  }
}

function push<T>(list: T[], item: T): void {
  if (list.length < MAX_FORMATS) list.push(item);
}

export function plainFont(): FontSpec {
  return { bold: false, italic: false, strike: false, underline: false, color: null };
}

/** Takes up one child of a `font` or of the properties of a run of rich text. */
export function applyFontTag(
  font: FontSpec,
  { name, attributes }: { name: string; attributes: XmlAttributes },
): void {
  const { val } = attributes;
  const on = val !== '0' && val !== 'false' && val !== 'off';
  if (name === 'b') font.bold = on;
  else if (name === 'i') font.italic = on;
  else if (name === 'strike') font.strike = on;
  else if (name === 'u') font.underline = val !== 'none';
  else if (name === 'color') font.color = parseColor(attributes);
}

/** The font's part of a style. Black is left out like the automatic colour, which it looks like. */
export function fontStyle(font: FontSpec, palette: Palette): CellStyle {
  const style: CellStyle = {};
  if (font.color !== null && !isAutomatic(font.color)) {
    const color = resolveColor(font.color, palette);
    if (color !== null && color !== '#000000') style.color = color;
  }
  if (font.bold) style.bold = true;
  if (font.italic) style.italic = true;
  if (font.strike) style.strike = true;
  if (font.underline) style.underline = true;
  return style;
}

function applyFillTag(
  fill: FillSpec,
  { name, attributes }: { name: string; attributes: XmlAttributes },
): void {
  if (name === 'patternFill') fill.pattern = attributes.patternType ?? 'none';
  else if (name === 'gradientFill') fill.pattern = 'gradient';
  else if (name === 'fgColor') fill.foreground = parseColor(attributes);
  else if (name === 'bgColor') fill.background = parseColor(attributes);
  // Of a gradient the first stop stands for the whole.
  else if (name === 'color') fill.foreground ??= parseColor(attributes);
}

function fillColor(fill: FillSpec, palette: Palette): string | null {
  const { pattern, foreground, background } = fill;
  if (pattern === '' || pattern === 'none') return null;
  // The second built-in fill, which every file carries and no one sees.
  if (pattern === 'gray125' && foreground === null && background === null) return null;
  const spec = foreground ?? background;
  return spec === null ? '#000000' : resolveColor(spec, palette);
}

function resolve(format: FormatSpec, found: Found & { palette: Palette }): ResolvedStyle {
  const { palette } = found;
  const fontSpec = found.fonts[format.font];
  const fillSpec = found.fills[format.fill];
  const font = fontSpec === undefined ? {} : fontStyle(fontSpec, palette);
  const style: CellStyle = {};
  const fill = fillSpec === undefined ? null : fillColor(fillSpec, palette);
  if (fill !== null) style.fill = fill;
  Object.assign(style, font);
  const code = found.codes.get(format.numberFormat) ?? BUILTIN_FORMATS.get(format.numberFormat);
  if (code !== undefined && code !== '' && !/^general$/i.test(code)) style.format = code;
  return {
    style: Object.keys(style).length > 0 ? style : undefined,
    font,
    date: code === undefined ? null : parseDateFormat(code),
  };
}
