/**
 * Text of a cell or a comment, put together from paragraphs, spans and the elements that stand for
 * white space. White space of the XML itself counts once and not at the start of a paragraph (ODF 1.3
 * part 3, 6.1.2).
 */
import type { CellStyle } from '../book.ts';
import type { OdsText } from './values.ts';

/** Excel holds 32,767 characters in a cell; what is cut says so. */
const MAX_CELL_CHARS = 65_536;
const CUT_MARK = '… (cut: too long)';
/** Parts of one text that look different; in those that follow the look is not told. */
const MAX_PARTS = 1_000;
/** Of one element, which may claim any number of them. */
const MAX_SPACES = 1_024;

export interface OdsTextBuilder {
  startParagraph(): void;
  /** Text as the XML has it. */
  add(text: string, style: CellStyle): void;
  /** Characters as they are: a tab, a line end, spaces that count. */
  addExactly(text: string, style: CellStyle): void;
  /** `around`: what text looks like outside of spans. */
  finish(around: CellStyle): OdsText;
}

export function createOdsText(): OdsTextBuilder {
  let parts: { text: string; style: CellStyle }[] = [];
  let length = 0;
  let paragraphs = 0;
  let afterSpace = true;
  function append(text: string, style: CellStyle): void {
    if (text === '' || length > MAX_CELL_CHARS) return;
    const last = parts.at(-1);
    length += text.length;
    const kept = length > MAX_CELL_CHARS ? text.slice(0, MAX_CELL_CHARS - length) + CUT_MARK : text;
    if (last !== undefined && (last.style === style || parts.length >= MAX_PARTS))
      last.text += kept;
    else parts.push({ text: kept, style });
  }
  return {
    startParagraph() {
      if (paragraphs > 0) append('\n', parts.at(-1)?.style ?? {});
      paragraphs++;
      afterSpace = true;
    },
    add(text, style) {
      let collapsed = text.replace(/[ \t\r\n]+/g, ' ');
      if (afterSpace && collapsed.startsWith(' ')) collapsed = collapsed.slice(1);
      if (collapsed === '') return;
      afterSpace = collapsed.endsWith(' ');
      append(collapsed, style);
    },
    addExactly(text, style) {
      afterSpace = false;
      append(text, style);
    },
    finish(around) {
      const text = parts.map((part) => part.text).join('');
      const done: OdsText = { text, present: paragraphs > 0 };
      if (parts.some(({ style }) => !isSame(style, around))) {
        done.runs = parts.map((part) =>
          Object.keys(part.style).length === 0 ? { text: part.text } : part,
        );
      }
      parts = [];
      return done;
    },
  };
}

function isSame(a: CellStyle, b: CellStyle): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The spaces of `<text:s text:c="3"/>`. */
export function spaces(count: string | undefined): string {
  const wanted = count === undefined ? 1 : Number(count);
  return ' '.repeat(Math.max(0, Math.min(MAX_SPACES, Number.isFinite(wanted) ? wanted : 1)));
}
