/**
 * Looks of the cells of an xls (BIFF5 and BIFF8): FONT, XF, PALETTE and the colours that newer
 * Excel adds behind them (XFEXT), as MS-XLS 2.4 has them. SheetJS reads fills only, and no fonts.
 */
import type { CellStyle } from '../book.ts';

/** Colours 8 to 63 of a workbook without a PALETTE record; 0 to 7 are the first eight again. */
const DEFAULT_PALETTE = (
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF 800000 008000 000080 808000 800080 008080 ' +
  'C0C0C0 808080 9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF 000080 FF00FF FFFF00 00FFFF ' +
  '800080 800000 008080 0000FF 00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 3366FF 33CCCC ' +
  '99CC00 FFCC00 FF9900 FF6600 666699 969696 003366 339966 003300 333300 993300 993366 333399 333333'
).split(' ');
const AUTOMATIC_TEXT = 0x40;
const AUTOMATIC_BACKGROUND = 0x41;
const BOLD_WEIGHT = 600;

interface Font {
  bold: boolean;
  italic: boolean;
  strike: boolean;
  underline: boolean;
  /** Index of a colour; 0x7fff is automatic. */
  color: number;
}

interface Format {
  font: number;
  numberFormat: number;
  pattern: number;
  foreground: number;
  extraFill?: string;
  extraColor?: string;
}

export interface StyleRecords {
  /** Takes in a record of the workbook's globals; others than those of styles are passed over. */
  add(type: number, record: DataView): void;
  /** Number of the number format of a cell format. */
  numberFormat(format: number): number;
  /** `code` is the format's number format; `General` says nothing. Undefined for a plain look. */
  style(format: number, code: string | undefined): CellStyle | undefined;
  /** Look of a part of a text by its font. */
  fontStyle(font: number): CellStyle | undefined;
  /** Font of a cell format. */
  fontOf(format: number): number;
}

export function createStyleRecords(biff: 5 | 8): StyleRecords {
  const fonts: Font[] = [];
  const formats: Format[] = [];
  let palette = DEFAULT_PALETTE;
  const made = new Map<number, CellStyle | undefined>();
  function colour(index: number): string | undefined {
    if (index === AUTOMATIC_TEXT) return '#000000';
    if (index === AUTOMATIC_BACKGROUND) return '#FFFFFF';
    const rgb = index < 8 ? DEFAULT_PALETTE[index] : palette[index - 8];
    return rgb === undefined ? undefined : `#${rgb}`;
  }
  function fontLook(index: number, trueColor?: string): CellStyle {
    // Font 4 does not exist: Excel counts on after it (MS-XLS 2.5.129).
    const font = fonts[index > 4 ? index - 1 : index];
    const isAutomatic = font === undefined || font.color >= AUTOMATIC_TEXT;
    const color = trueColor ?? (isAutomatic ? undefined : colour(font.color));
    return {
      // Newer Excel writes the automatic colour of text as black.
      ...(color !== undefined && color !== '#000000' && { color }),
      ...(font?.bold && { bold: true }),
      ...(font?.italic && { italic: true }),
      ...(font?.strike && { strike: true }),
      ...(font?.underline && { underline: true }),
    };
  }
  function build(format: Format, code: string | undefined): CellStyle | undefined {
    const fill = format.pattern === 0 ? undefined : (format.extraFill ?? colour(format.foreground));
    return orNothing({
      ...(fill !== undefined && { fill }),
      ...fontLook(format.font, format.extraColor),
      ...(code !== undefined && code !== 'General' && { format: code }),
    });
  }
  return {
    add(type, record) {
      if (type === 0x31 && record.byteLength >= 11) fonts.push(parseFont(record));
      else if (type === 0xe0 && record.byteLength >= 16) formats.push(parseFormat(record, biff));
      else if (type === 0x92) palette = parsePalette(record);
      else if (type === 0x87d) addExtras(record, formats);
    },
    numberFormat: (format) => formats[format]?.numberFormat ?? 0,
    style(index, code) {
      const format = formats[index];
      if (format === undefined) return undefined;
      if (!made.has(index)) made.set(index, build(format, code));
      return made.get(index);
    },
    fontStyle: (font) => orNothing(fontLook(font)),
    fontOf: (format) => formats[format]?.font ?? 0,
  };
}

function orNothing(style: CellStyle): CellStyle | undefined {
  return Object.keys(style).length === 0 ? undefined : style;
}

/** The same layout in BIFF5 and BIFF8 up to the name, which nobody needs here. */
function parseFont(record: DataView): Font {
  const flags = record.getUint16(2, true);
  return {
    italic: (flags & 0x02) !== 0,
    strike: (flags & 0x08) !== 0,
    color: record.getUint16(4, true),
    bold: record.getUint16(6, true) >= BOLD_WEIGHT,
    underline: record.getUint8(10) !== 0,
  };
}

function parseFormat(record: DataView, biff: 5 | 8): Format {
  const format = { font: record.getUint16(0, true), numberFormat: record.getUint16(2, true) };
  if (biff === 5) {
    const area = record.getUint32(8, true);
    return { ...format, pattern: (area >>> 16) & 0x3f, foreground: area & 0x7f };
  }
  if (record.byteLength < 20) return { ...format, pattern: 0, foreground: 0 };
  const pattern = record.getUint32(14, true) >>> 26;
  return { ...format, pattern, foreground: record.getUint16(18, true) & 0x7f };
}

function parsePalette(record: DataView): string[] {
  const palette = [...DEFAULT_PALETTE];
  const count = record.byteLength < 2 ? 0 : record.getUint16(0, true);
  for (let index = 0; index < count && 6 + index * 4 <= record.byteLength; index++) {
    palette[index] = rgbAt(record, 2 + index * 4);
  }
  return palette;
}

function rgbAt(record: DataView, at: number): string {
  const hex = (offset: number) =>
    record
      .getUint8(at + offset)
      .toString(16)
      .padStart(2, '0');
  return `${hex(0)}${hex(1)}${hex(2)}`.toUpperCase();
}

/** True colours of a format, of which the indexed one is only the nearest (MS-XLS 2.4.355). */
function addExtras(record: DataView, formats: Format[]): void {
  if (record.byteLength < 20) return;
  const format = formats[record.getUint16(14, true)];
  const count = record.getUint16(18, true);
  for (let index = 0, at = 20; index < count && at + 4 <= record.byteLength; index++) {
    const kind = record.getUint16(at, true);
    const size = record.getUint16(at + 2, true);
    const isRgb =
      size >= 12 && at + 12 <= record.byteLength && record.getUint16(at + 4, true) === 2;
    if (format !== undefined && isRgb) {
      const rgb = `#${rgbAt(record, at + 8)}`;
      if (kind === 4) format.extraFill = rgb;
      else if (kind === 13) format.extraColor = rgb;
    }
    at += Math.max(4, size);
  }
}
