/**
 * Texts of an xlsx: shared strings, inline strings and comments have one shape, plain (`t`) or in
 * runs (`r`) with their own fonts; the pronunciation aids of East Asian texts (`rPh`) are left out.
 */
import type { CellStyle } from '../book.ts';
import { parseXml, stopXml, type XmlAttributes } from '../xml.ts';
import type { Palette } from './colors.ts';
import { applyFontTag, type FontSpec, fontStyle, plainFont } from './styles.ts';

export interface RichText {
  text: string;
  /** Absent for a plain text. A run without `font` has that of its cell. */
  runs?: readonly TextRun[];
}

export interface TextRun {
  text: string;
  font?: CellStyle;
}

export interface SharedStrings {
  /** Null when the file has no such string. */
  at(index: number): RichText | null;
  /** False when reading ended at `maxBytes`: later strings are in the file but not here. */
  whole: boolean;
  damage: string | null;
}

/** Undoes the escapes of ST_Xstring (ECMA-376 part 1, 22.9.2.19): `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const MAX_RUNS = 1_000;

/**
 * Collects one text from the tags inside an `si`, `is` or comment `text`; give it every tag and text
 * in there. Fonts are shared between runs that look the same.
 */
export function createTextReader(palette: Palette) {
  const fonts = new Map<string, CellStyle>();
  let runs: TextRun[] = [];
  let text = '';
  let inRun = false;
  let font: FontSpec | null = null;
  let inText = false;
  let phonetic = false;
  const finishRun = () => {
    const last = runs.at(-1);
    // A text of very many parts keeps its words; the looks of the last parts are given up.
    if (text !== '' && runs.length >= MAX_RUNS && last !== undefined) last.text += text;
    else if (text !== '') runs.push(font === null ? { text } : { text, font: shared(font) });
    text = '';
    font = null;
  };
  const shared = (spec: FontSpec) => {
    const style = fontStyle(spec, palette);
    const key = JSON.stringify(style);
    const known = fonts.get(key);
    if (known === undefined) fonts.set(key, style);
    return known ?? style;
  };
  return {
    open(name: string, attributes: XmlAttributes) {
      if (name === 'rPh') phonetic = true;
      else if (name === 't') inText = !phonetic;
      else if (name === 'r') {
        finishRun();
        inRun = true;
      } else if (name === 'rPr') font = plainFont();
      else if (inRun && font !== null) applyFontTag(font, { name, attributes });
    },
    text(part: string) {
      if (inText) text += part;
    },
    close(name: string) {
      if (name === 't') inText = false;
      else if (name === 'rPh') phonetic = false;
      else if (name === 'r') {
        finishRun();
        inRun = false;
      }
    },
    /** The text so far; the reader starts afresh. */
    take(): RichText {
      finishRun();
      const parts = runs.map((run) => ({ ...run, text: unescapeText(run.text) }));
      runs = [];
      const whole = parts.map((run) => run.text).join('');
      return parts.some((run) => run.font !== undefined)
        ? { text: whole, runs: parts }
        : { text: whole };
    },
  };
}

/** Reads the shared strings until about `maxBytes` of their part; `chunks` null: there is no part. */
export function readSharedStrings(
  chunks: Iterable<Uint8Array> | null,
  options: { palette: Palette; maxBytes: number; what: string; signal: AbortSignal },
): SharedStrings {
  const plain: string[] = [];
  const rich = new Map<number, RichText>();
  if (chunks === null) return { at: () => null, whole: true, damage: null };
  const reader = createTextReader(options.palette);
  const budget = { left: options.maxBytes };
  let depth = 0;
  const result = parseXml(
    counted(chunks, budget),
    {
      open(name, attributes) {
        depth += 1;
        if (depth > 2) reader.open(name, attributes);
        else if (name === 'si' && budget.left < 0) stopXml();
      },
      text: reader.text,
      close(name) {
        depth -= 1;
        if (depth > 1) reader.close(name);
        else if (name === 'si') {
          const found = reader.take();
          if (found.runs) rich.set(plain.length, found);
          plain.push(found.text);
        }
      },
    },
    options,
  );
  return {
    at(index) {
      const text = plain[index];
      return text === undefined ? null : (rich.get(index) ?? { text });
    },
    whole: !result.stopped,
    damage: result.damage,
  };
}

function* counted(chunks: Iterable<Uint8Array>, budget: { left: number }) {
  for (const chunk of chunks) {
    budget.left -= chunk.length;
    yield chunk;
  }
}
