/**
 * Styles of OpenDocument spreadsheets: named ones (styles.xml) and automatic ones (content.xml), each
 * with its chain of parents, as what a cell looks like. Number formats are not needed: values carry
 * their type, but for truth values, which some writers keep as numbers in a boolean format, and dates
 * that are stored as times because they are shown so.
 */
import type { CellStyle } from '../book.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';

export interface OdsLook {
  style: CellStyle | undefined;
  /** The part of it that a span of text may look different in. */
  font: CellStyle;
  /** Numbers are shown as TRUE and FALSE. */
  boolean: boolean;
  /** Times are shown as those of a day, not as durations. */
  clock: boolean;
  /** Styles that a cell takes by its value. */
  conditions: readonly OdsCondition[];
}

export interface OdsCondition {
  condition: string;
  /** Name of the style. */
  apply: string | undefined;
}

export interface OdsStyles {
  /** What a part of either file defines; stops behind the styles. */
  add(chunks: Iterable<Uint8Array>, options: { what: string; signal: AbortSignal }): void;
  /** Look of a cell by the name of its style. */
  cell(name: string | undefined): OdsLook;
  /** Font of a span inside text that looks like `around`. */
  span(name: string | undefined, around: CellStyle): CellStyle;
  /** Look of a named style, by its name or the one that people see; undefined for a plain one. */
  named(name: string | undefined): CellStyle | undefined;
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
  conditions: OdsCondition[];
}

const MAX_STYLES = 100_000;
const MAX_PARENTS = 20;
/** Longer names and conditions belong to no document; what bears them is passed over. */
const MAX_NAME_CHARS = 255;
const MAX_CONDITION_CHARS = 1_000;
const MAX_CONDITIONS = 20;
export const PLAIN_LOOK: OdsLook = {
  style: undefined,
  font: {},
  boolean: false,
  clock: false,
  conditions: [],
};

export function createOdsStyles(): OdsStyles {
  /** By family and name: `table-cell ce1`. */
  const entries = new Map<string, StyleEntry>();
  const formats: Formats = { boolean: new Set(), clock: new Set() };
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
  function cell(name: string | undefined): OdsLook {
    const key = name ?? 'Default';
    const known = cells.get(key);
    if (known !== undefined) return known;
    const looks = look(key, 'table-cell');
    const made = lookOf(looks, entries.get(`table-cell ${key}`)?.conditions ?? [], formats);
    if (cells.size < MAX_STYLES && key.length <= MAX_NAME_CHARS) cells.set(key, made);
    return made;
  }
  return {
    add(chunks, options) {
      collect(chunks, { entries, formats, ...options });
    },
    cell,
    named(name = '') {
      const isKnown = entries.has(`table-cell ${name}`);
      return cell(isKnown ? name : encodedName(name)).style;
    },
    span(name, around) {
      if (name === undefined) return around;
      const key = `${name} ${JSON.stringify(around)}`;
      const known = spans.get(key);
      if (known !== undefined) return known;
      const made = fontOver(look(name, 'text'), around);
      if (spans.size < MAX_STYLES && name.length <= MAX_NAME_CHARS) spans.set(key, made);
      return made;
    },
    isHiddenTable: (name) => entries.get(`table ${name}`)?.hidden === true,
  };
}

/** The name of a style as its XML writes the one that people see: `My style` is `My_20_style`. */
function encodedName(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARS)
    .replace(/[^\p{L}\p{N}.-]/gu, (sign) => `_${sign.codePointAt(0)?.toString(16)}_`);
}

function lookOf(looks: Looks, conditions: readonly OdsCondition[], formats: Formats): OdsLook {
  const font = fontOf(looks);
  const style = { ...(looks.fill && { fill: looks.fill }), ...font };
  const isPlain = Object.keys(style).length === 0;
  const { format = '' } = looks;
  const [boolean, clock] = [formats.boolean.has(format), formats.clock.has(format)];
  if (isPlain && !boolean && !clock && conditions.length === 0) return PLAIN_LOOK;
  return { style: isPlain ? undefined : style, font, boolean, clock, conditions };
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

/** Names of number formats. */
interface Formats {
  boolean: Set<string>;
  clock: Set<string>;
}

interface Collecting {
  entries: Map<string, StyleEntry>;
  formats: Formats;
  what: string;
  signal: AbortSignal;
}

function collect(chunks: Iterable<Uint8Array>, collecting: Collecting): void {
  const { entries, formats, what, signal } = collecting;
  let current: StyleEntry | null = null;
  const open = (name: string, attributes: XmlAttributes) => {
    if (name === 'body' || name === 'master-styles') stopXml();
    if (name === 'style' || name === 'default-style') {
      const { family, 'parent-style-name': parent, 'data-style-name': format } = attributes;
      current = { parent, flags: {}, conditions: [] };
      if (format !== undefined) current.format = format;
      const key = `${family} ${attributes.name ?? ''}`;
      if (entries.size < MAX_STYLES && key.length <= MAX_NAME_CHARS) entries.set(key, current);
    } else if (name === 'boolean-style') addName(formats.boolean, attributes.name);
    else if (name === 'time-style') {
      // Formats that do not cut hours at 24 show durations.
      if (attributes['truncate-on-overflow'] !== 'false') addName(formats.clock, attributes.name);
    } else if (name === 'map') addCondition(current, attributes);
    else if (current !== null) readProperties(current, name, attributes);
  };
  const close = (name: string) => {
    if (name === 'style' || name === 'default-style') current = null;
  };
  parseXml(chunks, { open, close }, { what, signal });
}

function addName(names: Set<string>, name = ''): void {
  if (names.size < MAX_STYLES && name.length <= MAX_NAME_CHARS) names.add(name);
}

/** Number formats have such elements too, which choose among formats. */
function addCondition(style: StyleEntry | null, attributes: XmlAttributes): void {
  const { condition = '' } = attributes;
  const isSane = condition !== '' && condition.length <= MAX_CONDITION_CHARS;
  if (style === null || !isSane || style.conditions.length >= MAX_CONDITIONS) return;
  style.conditions.push({ condition, apply: attributes['apply-style-name'] });
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
