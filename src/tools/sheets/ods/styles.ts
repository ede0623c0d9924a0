/**
 * Styles of OpenDocument spreadsheets: named ones (styles.xml) and automatic ones (content.xml), each
 * with its chain of parents, as what a cell looks like. Number formats are not needed: values carry
 * their type, but for truth values, which some writers keep as numbers in a boolean format.
 */
import type { CellStyle } from '../book.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';

export interface OdsLook {
  style: CellStyle | undefined;
  /** The part of it that a span of text may look different in. */
  font: CellStyle;
  /** Numbers are shown as TRUE and FALSE. */
  boolean: boolean;
}

export interface OdsStyles {
  /** What a part of either file defines; stops behind the styles. */
  add(chunks: Iterable<Uint8Array>, options: { what: string; signal: AbortSignal }): void;
  /** Look of a cell by the name of its style. */
  cell(name: string | undefined): OdsLook;
  /** Font of a span inside text that looks like `around`. */
  span(name: string | undefined, around: CellStyle): CellStyle;
  isHiddenTable(name: string | undefined): boolean;
}

type Flag = 'bold' | 'italic' | 'strike' | 'underline';
/** `null` and `false`: said to have none, which overrides a parent. */
interface Looks {
  fill?: string | null;
  color?: string | null;
  flags: Partial<Record<Flag, boolean>>;
  format?: string;
  hidden?: boolean;
}
interface StyleEntry extends Looks {
  parent: string | undefined;
}

const MAX_STYLES = 100_000;
const MAX_PARENTS = 20;
const PLAIN: OdsLook = { style: undefined, font: {}, boolean: false };

export function createOdsStyles(): OdsStyles {
  /** By family and name: `table-cell ce1`. */
  const entries = new Map<string, StyleEntry>();
  const booleanFormats = new Set<string>();
  const cells = new Map<string, OdsLook>();
  const spans = new Map<string, CellStyle>();
  function look(key: string, family: string): Looks {
    const merged: Looks = { flags: {} };
    let at: string | undefined = key;
    for (let depth = 0; at !== undefined && depth < MAX_PARENTS; depth++) {
      const entry: StyleEntry | undefined = entries.get(`${family} ${at}`);
      if (entry === undefined) break;
      inherit(merged, entry);
      at = entry.parent;
    }
    const defaults = entries.get(`${family} `);
    if (defaults !== undefined) inherit(merged, defaults);
    return merged;
  }
  return {
    add(chunks, options) {
      collect(chunks, { entries, booleanFormats, ...options });
    },
    cell(name) {
      const key = name ?? 'Default';
      const known = cells.get(key);
      if (known !== undefined) return known;
      const looks = look(key, 'table-cell');
      const font = fontOf(looks);
      const style = { ...(looks.fill && { fill: looks.fill }), ...font };
      const isPlain = Object.keys(style).length === 0;
      const boolean = looks.format !== undefined && booleanFormats.has(looks.format);
      const made =
        isPlain && !boolean ? PLAIN : { style: isPlain ? undefined : style, font, boolean };
      cells.set(key, made);
      return made;
    },
    span(name, around) {
      if (name === undefined) return around;
      const key = `${name} ${JSON.stringify(around)}`;
      const known = spans.get(key);
      if (known !== undefined) return known;
      const made = fontOver(look(name, 'text'), around);
      if (spans.size < MAX_STYLES) spans.set(key, made);
      return made;
    },
    isHiddenTable: (name) => entries.get(`table ${name}`)?.hidden === true,
  };
}

function inherit(merged: Looks, entry: Looks): void {
  if (merged.fill === undefined) merged.fill = entry.fill;
  if (merged.color === undefined) merged.color = entry.color;
  merged.format ??= entry.format;
  merged.flags = { ...entry.flags, ...merged.flags };
}

function fontOf(looks: Looks): CellStyle {
  return fontOver(looks, {});
}

function fontOver({ color, flags }: Looks, around: CellStyle): CellStyle {
  const font: CellStyle = {};
  const ink = color === undefined ? around.color : color;
  if (ink) font.color = ink;
  for (const flag of ['bold', 'italic', 'strike', 'underline'] as const) {
    if (flags[flag] ?? around[flag]) font[flag] = true;
  }
  return font;
}

interface Collecting {
  entries: Map<string, StyleEntry>;
  booleanFormats: Set<string>;
  what: string;
  signal: AbortSignal;
}

function collect(chunks: Iterable<Uint8Array>, collecting: Collecting): void {
  const { entries, booleanFormats, what, signal } = collecting;
  let current: StyleEntry | null = null;
  const open = (name: string, attributes: XmlAttributes) => {
    if (name === 'body' || name === 'master-styles') stopXml();
    if (name === 'style' || name === 'default-style') {
      current = { parent: attributes['parent-style-name'], flags: {} };
      const format = attributes['data-style-name'];
      if (format !== undefined) current.format = format;
      if (entries.size < MAX_STYLES) {
        entries.set(`${attributes.family} ${attributes.name ?? ''}`, current);
      }
    } else if (name === 'boolean-style') booleanFormats.add(attributes.name ?? '');
    else if (current !== null) readProperties(current, name, attributes);
  };
  const close = (name: string) => {
    if (name === 'style' || name === 'default-style') current = null;
  };
  parseXml(chunks, { open, close }, { what, signal });
}

function readProperties(entry: StyleEntry, name: string, attributes: XmlAttributes): void {
  if (name === 'table-cell-properties') {
    const color = attributes['background-color'];
    if (color !== undefined) entry.fill = hexColor(color);
  } else if (name === 'table-properties') {
    if (attributes.display === 'false') entry.hidden = true;
  } else if (name === 'text-properties') {
    const { color } = attributes;
    // Black is left out like the automatic colour, which it looks like.
    if (color !== undefined) entry.color = color === '#000000' ? null : hexColor(color);
    const weight = attributes['font-weight'];
    if (weight !== undefined) entry.flags.bold = weight === 'bold' || Number(weight) >= 600;
    const slope = attributes['font-style'];
    if (slope !== undefined) entry.flags.italic = slope === 'italic' || slope === 'oblique';
    setLine(
      entry,
      'strike',
      attributes['text-line-through-style'] ?? attributes['text-line-through-type'],
    );
    setLine(
      entry,
      'underline',
      attributes['text-underline-style'] ?? attributes['text-underline-type'],
    );
  }
}

function setLine(entry: StyleEntry, flag: Flag, value: string | undefined): void {
  if (value !== undefined) entry.flags[flag] = value !== 'none';
}

/** Null for `transparent` and other words. */
function hexColor(color: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(color) ? color.toUpperCase() : null;
}
