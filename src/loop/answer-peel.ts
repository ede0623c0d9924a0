/**
 * Takes off what stands round an answer: markdown, one quote pair, math delimiters, a sentence's
 * period. Never touches what is inside, and takes nothing off that may belong to the answer
 * (`__init__`, `"Hello" and "Bye"`, `6"`, `*.txt`, `U.S.`). Pure, no I/O, linear in its input.
 */

const BLANK = /[\s\u200b-\u200f\u2060\ufeff]/u;

/** trim() that also knows zero-width characters; a multi-line text keeps the indent of its first line. */
export function trimAnswer(text: string): string {
  let end = text.length;
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end--;
  let start = 0;
  let lineStart = 0;
  while (start < end && BLANK.test(text.charAt(start))) {
    start++;
    if (text.charAt(start - 1) === '\n') lineStart = start;
  }
  const multiLine = text.slice(start, end).includes('\n');
  return text.slice(multiLine ? lineStart : start, end);
}

export function isBlank(text: string): boolean {
  for (const character of text) if (!BLANK.test(character)) return false;
  return true;
}

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
  '「': '」',
  '『': '』',
  '＂': '＂',
};

function peelQuotes(text: string): string | null {
  const close = QUOTES[text.charAt(0)];
  if (close === undefined || text.length < 2 || !text.endsWith(close)) return null;
  const inner = text.slice(1, -1);
  // An apostrophe between letters is no quote: 'Don't stop'.
  const judged =
    close === "'" || close === '’' ? inner.replace(/(?<=\p{L})['’](?=\p{L})/gu, '') : inner;
  return judged.includes(close) || judged.includes(text.charAt(0)) ? null : inner;
}

/** Names such as `__init__`, `_private_`, `__FILE__`: underscores that are not emphasis. */
const IDENTIFIER = /^(?:[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*)$/;

function peelEmphasis(text: string): string | null {
  const mark = /^(?:\*{1,3}|_{1,3}|~~)/.exec(text)?.[0];
  if (mark === undefined || text.length <= 2 * mark.length || !text.endsWith(mark)) return null;
  const inner = text.slice(mark.length, -mark.length);
  if (inner.includes(mark) || inner.endsWith(mark.charAt(0))) return null;
  if (mark.startsWith('_') && IDENTIFIER.test(inner)) return null;
  // A glob or a pattern (`*.txt*`, `*/*`), not emphasis.
  if (/^\s*[.,/|?)]/.test(inner) || /[/|]\s*$/.test(inner.slice(-3))) return null;
  return /[\p{L}\p{N}]/u.test(inner) ? inner : null;
}

function peelCode(text: string): string | null {
  const fence = /^(`{3,}|~{3,})[ \t]{0,3}[\w+#.-]{0,20}[ \t]{0,3}\r?\n/.exec(text);
  if (fence !== null) {
    const mark = fence[1] ?? '';
    const end = text.lastIndexOf('\n');
    if (end < fence[0].length - 1 || text.slice(end + 1).trim() !== mark) return null;
    const inner = text.slice(fence[0].length, Math.max(end, fence[0].length));
    return inner.includes(`\n${mark}`) ? null : inner;
  }
  const ticks = /^`{1,3}/.exec(text)?.[0];
  if (ticks === undefined || text.length <= 2 * ticks.length || !text.endsWith(ticks)) return null;
  const inner = text.slice(ticks.length, -ticks.length);
  return inner.includes('`') && (ticks.length === 1 || inner.includes(ticks)) ? null : inner;
}

function peelMath(text: string): string | null {
  for (const [open, close] of [
    ['$$', '$$'],
    ['\\(', '\\)'],
    ['\\[', '\\]'],
    ['$', '$'],
  ] as const) {
    if (text.length <= open.length + close.length) continue;
    if (!text.startsWith(open) || !text.endsWith(close)) continue;
    const inner = text.slice(open.length, -close.length);
    return inner.includes(open) || inner.includes(close) || inner.includes('$') ? null : inner;
  }
  const styled = /^\\(?:text|textbf|textit|mathrm|mathbf|mathit|emph)\{([^{}]*)\}$/.exec(text);
  return styled?.[1] ?? null;
}

const HTML = /^<(b|strong|i|em|code|p|span|u|mark|big|kbd|div|center)>([\s\S]*)<\/\1>$/i;

function peelHtml(text: string): string | null {
  const wrapped = HTML.exec(text);
  if (wrapped === null) return null;
  const inner = wrapped[2] ?? '';
  return inner.toLowerCase().includes(`<${(wrapped[1] ?? '').toLowerCase()}>`) ? null : inner;
}

export interface PeelOptions {
  /** HTML tags are the answer itself. */
  markup: boolean;
  /** A quote pair may go: false once one has gone. */
  quotes: boolean;
}

/** One layer of markdown, math or HTML off, or null when none surrounds the text. */
function peelMarkup(text: string, markup: boolean): string | null {
  return peelCode(text) ?? peelEmphasis(text) ?? peelMath(text) ?? (markup ? null : peelHtml(text));
}

/**
 * Without the period of the sentence that the answer stood in, where it surely is one: after a
 * digit, a closing mark, yes/no/true/false, or a Chinese full stop. After a word it stays: nothing
 * tells `Good Luck.` the film title from a sentence, and the scorer forgives it.
 */
function withoutPeriod(text: string, options: PeelOptions): string {
  if (text.includes('\n')) return text;
  if (text.endsWith('。')) {
    const rest = text.slice(0, -1);
    return /[。！？]/u.test(rest) || rest === '' ? text : rest;
  }
  if (!text.endsWith('.') || text.endsWith('..')) return text;
  const rest = text.slice(0, -1);
  if (/(?:\d|\d ?%)$/.test(rest) || /^(?:yes|no|true|false)$/i.test(rest)) return rest;
  const closed =
    peelMarkup(rest, options.markup) !== null || (options.quotes && peelQuotes(rest) !== null);
  return closed ? rest : text;
}

/** One layer off; the caller repeats it until nothing changes. `unquoted`: it was a quote pair. */
export function peel(text: string, options: PeelOptions): { text: string; unquoted: boolean } {
  const trimmed = withoutPeriod(trimAnswer(text), options);
  const inner = peelMarkup(trimmed, options.markup);
  if (inner !== null) return { text: inner, unquoted: false };
  const said = options.quotes ? peelQuotes(trimmed) : null;
  return { text: said ?? trimmed, unquoted: said !== null };
}

const LIST_MARK = /^\s{0,8}([-*+•·◦▪●‣])[ \t]+(\S.*)$/u;
const HEADING = /^\s{0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#{1,6})?[ \t]*$/u;
const QUOTED_LINE = /^[ \t]{0,3}>(?:[ \t]|$)/;
/** `- x + 1` and `> 5` are a term and a comparison. */
const TERM = /^\p{Ll}(?:[^\p{L}]|$)|[=^+]|\s[-*/]\s/u;
const COMPARED = /^[-+−.$€£¥~≈]?\s?\d/u;

function withoutBlockMark(block: string): string {
  const lines = block.split('\n');
  if (lines.every((line) => QUOTED_LINE.test(line))) {
    const inner = lines.map((line) => line.replace(QUOTED_LINE, '')).join('\n');
    return COMPARED.test(inner.trim()) ? block : inner;
  }
  if (lines.length > 1) return block;
  const [, mark, item] = LIST_MARK.exec(block) ?? [];
  const value = item ?? HEADING.exec(block)?.[1];
  if (value === undefined || !/[\p{L}\p{N}]/u.test(value)) return block;
  if (mark === '+' && /^\d/.test(value)) return block;
  return (mark === '-' || mark === '+') && TERM.test(value) ? block : value;
}

/** Marks of one block that can stand on each other: a quoted list item of a heading. */
const MAX_BLOCK_MARKS = 4;

/**
 * A block that is ONE value, without the bullet, heading mark or block quote marks before it. A list
 * of several items keeps its marks, and so does what only looks like one (`-5`, `1. FC Köln`, `*.log`).
 */
export function withoutBlockMarks(block: string): string {
  let text = block.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  for (let layer = 0; layer < MAX_BLOCK_MARKS; layer++) {
    const inner = withoutBlockMark(text);
    if (inner === text) break;
    text = inner;
  }
  return text;
}
