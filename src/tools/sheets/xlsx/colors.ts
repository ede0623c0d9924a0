/**
 * Colours of an xlsx: theme, indexed and RGB ones, with tints, resolved to `#RRGGBB`
 * (ECMA-376 part 1, 18.8.3, 18.8.19 and 18.8.27). Pure but for reading the theme part.
 */
import { parseXml, type XmlAttributes } from '../xml.ts';

/** A colour as a file names it; resolved once the theme and the palette are known. */
export interface ColorSpec {
  rgb?: string;
  theme?: number;
  indexed?: number;
  tint: number;
  auto: boolean;
}

export interface Palette {
  /** In the order of the theme part: dk1, lt1, dk2, lt2, accent1–6, hlink, folHlink. */
  theme: readonly string[];
  /** Replaces the standard 64 when the book brings its own. */
  indexed: readonly string[];
}

/** Office 2013–2022, which Excel gives to a book without a theme. */
export const OFFICE_THEME: readonly string[] =
  '000000 FFFFFF 44546A E7E6E6 4472C4 ED7D31 A5A5A5 FFC000 5B9BD5 70AD47 0563C1 954F72'.split(' ');

const FIRST_EIGHT = '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF';
export const STANDARD_INDEXED: readonly string[] = [
  FIRST_EIGHT,
  FIRST_EIGHT,
  '800000 008000 000080 808000 800080 008080 C0C0C0 808080',
  '9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF',
  '000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF',
  '00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99',
  '3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696',
  '003366 339966 003300 333300 993300 993366 333399 333333',
].flatMap((row) => row.split(' '));
/** Text and background of the system's windows. */
const SYSTEM_TEXT = 64;
const SYSTEM_BACKGROUND = 65;

export function parseColor(attributes: XmlAttributes): ColorSpec {
  const number = (text: string | undefined) => {
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isInteger(value) && value >= 0 ? value : undefined;
  };
  const tint = Number(attributes.tint ?? 0);
  return {
    rgb: attributes.rgb,
    theme: number(attributes.theme),
    indexed: number(attributes.indexed),
    tint: Number.isFinite(tint) ? Math.max(-1, Math.min(1, tint)) : 0,
    auto: attributes.auto === '1' || attributes.auto === 'true',
  };
}

/** Whether a text of this colour has the automatic one: none named, or the theme's own dark. */
export function isAutomatic(spec: ColorSpec): boolean {
  if (spec.rgb !== undefined) return false;
  if (spec.theme !== undefined) return spec.theme === 1 && spec.tint === 0;
  return spec.auto || spec.indexed === undefined || spec.indexed === SYSTEM_TEXT;
}

/** `#RRGGBB`, or null when the file names a colour that does not exist. */
export function resolveColor(spec: ColorSpec, palette: Palette): string | null {
  const base = baseColor(spec, palette);
  return base === null ? null : `#${spec.tint === 0 ? base : tinted(base, spec.tint)}`;
}

function baseColor(spec: ColorSpec, { theme, indexed }: Palette): string | null {
  if (spec.rgb !== undefined) return hexOf(spec.rgb);
  if (spec.theme !== undefined) {
    // Files count light before dark (0 is lt1), the theme part lists dark before light.
    const index = spec.theme < 4 ? spec.theme ^ 1 : spec.theme;
    return theme[index] ?? OFFICE_THEME[index] ?? null;
  }
  if (spec.indexed === SYSTEM_BACKGROUND) return 'FFFFFF';
  if (spec.indexed === SYSTEM_TEXT || (spec.auto && spec.indexed === undefined)) return '000000';
  if (spec.indexed === undefined) return null;
  return indexed[spec.indexed] ?? STANDARD_INDEXED[spec.indexed] ?? null;
}

/** `AARRGGBB` or `RRGGBB` without its alpha, which Excel ignores; null for anything else. */
export function hexOf(rgb: string): string | null {
  const found = /^#?(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(rgb.trim());
  return found?.[1]?.toUpperCase() ?? null;
}

/** Hue, lightness and saturation count from 0 to this, in whole steps, as in Windows itself. */
const HLS_MAX = 240;
const RGB_MAX = 255;

/**
 * Moves the lightness towards 0 (negative) or its most, as 18.8.19 says. In whole numbers, since
 * that is how Excel gets the very colours it shows (accent 1 at 0.6: B8CCE4, where fractions give
 * B9CDE5).
 */
function tinted(hex: string, tint: number): string {
  const { hue, lightness, saturation } = toHls(hex);
  const moved =
    tint < 0 ? lightness * (1 + tint) : lightness * (1 - tint) + HLS_MAX - HLS_MAX * (1 - tint);
  // Files store 0.7999816889 for 0.8, so what is just below a whole number stands for it.
  return toHex({ hue, lightness: Math.floor(moved + 0.1), saturation });
}

interface Hls {
  hue: number;
  lightness: number;
  saturation: number;
}

/** ColorRGBToHLS of the Windows shell. */
function toHls(hex: string): Hls {
  const channels = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [red = 0, green = 0, blue = 0] = channels;
  const highest = Math.max(red, green, blue);
  const lowest = Math.min(red, green, blue);
  const lightness = rounded((highest + lowest) * HLS_MAX, 2 * RGB_MAX);
  const spread = highest - lowest;
  if (spread === 0) return { hue: 0, lightness, saturation: 0 };
  const sum = highest + lowest;
  const saturation = rounded(spread * HLS_MAX, lightness <= HLS_MAX / 2 ? sum : 2 * RGB_MAX - sum);
  const [toRed = 0, toGreen = 0, toBlue = 0] = channels.map((channel) =>
    rounded((highest - channel) * (HLS_MAX / 6), spread),
  );
  let hue = (HLS_MAX * 2) / 3 + toGreen - toRed;
  if (red === highest) hue = toBlue - toGreen;
  else if (green === highest) hue = HLS_MAX / 3 + toRed - toBlue;
  return { hue, lightness, saturation };
}

/** ColorHLSToRGB of the Windows shell. */
function toHex({ hue, lightness, saturation }: Hls): string {
  const high =
    lightness <= HLS_MAX / 2
      ? rounded(lightness * (HLS_MAX + saturation), HLS_MAX)
      : lightness + saturation - rounded(lightness * saturation, HLS_MAX);
  const low = 2 * lightness - high;
  const part = (at: number) => {
    const angle = (at + HLS_MAX) % HLS_MAX;
    if (angle < HLS_MAX / 6) return low + rounded((high - low) * angle, HLS_MAX / 6);
    if (angle < HLS_MAX / 2) return high;
    if (angle >= (HLS_MAX * 2) / 3) return low;
    return low + rounded((high - low) * ((HLS_MAX * 2) / 3 - angle), HLS_MAX / 6);
  };
  return [hue + HLS_MAX / 3, hue, hue - HLS_MAX / 3]
    .map((at) => Math.max(0, Math.min(RGB_MAX, rounded(part(at) * RGB_MAX, HLS_MAX))))
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

function rounded(numerator: number, denominator: number): number {
  return Math.floor((numerator + Math.floor(denominator / 2)) / denominator);
}

const THEME_SLOTS =
  'dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink'.split(' ');

/** The colours of a theme part; where it names none, those of Office. */
export function readTheme(
  chunks: Iterable<Uint8Array>,
  options: { what: string; signal: AbortSignal },
): string[] {
  const colors = [...OFFICE_THEME];
  let inScheme = false;
  let slot = -1;
  parseXml(
    chunks,
    {
      open(name, attributes) {
        if (name === 'clrScheme') inScheme = true;
        else if (inScheme && THEME_SLOTS.includes(name)) slot = THEME_SLOTS.indexOf(name);
        else if (slot !== -1 && (name === 'srgbClr' || name === 'sysClr')) {
          const hex = hexOf((name === 'sysClr' ? attributes.lastClr : attributes.val) ?? '');
          if (hex !== null) colors[slot] = hex;
        }
      },
      close(name) {
        if (name === 'clrScheme') inScheme = false;
        if (THEME_SLOTS[slot] === name) slot = -1;
      },
    },
    options,
  );
  return colors;
}
