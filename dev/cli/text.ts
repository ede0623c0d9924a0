/**
 * Text for a terminal: harmless, short, in human units. Tool output and answers come from outside,
 * so no control character of theirs may reach the terminal (it could move the cursor, set the
 * title, or show a line in another order than it is written). No I/O.
 */

/** C0 without tab and line feed, DEL, C1. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Marks that reorder text or hide in it: bidirectional controls, zero-width, BOM, separators. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Same text with every control character shown instead of obeyed; line ends become `\n`. */
export function toHarmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (char) => {
      const code = char.charCodeAt(0);
      // Unicode's own pictures of the control characters: ␛ for ESC.
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? '␡' : `<${code.toString(16)}>`;
    })
    .replace(INVISIBLE, (char) => `<${char.charCodeAt(0).toString(16)}>`);
}

/** A file's name or path for a message, on one line: a line break in it is shown, too. */
export function toFileName(name: string): string {
  return toShortLine(
    name.replace(/[\t\n]/g, (char) => (char === '\n' ? '␊' : '␉')),
    400,
  );
}

/** JSON whose strings hold no raw control character either (JSON.stringify leaves C1 and DEL). */
export function toHarmlessJson(value: unknown): string {
  const toEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(CONTROLS, toEscape).replace(INVISIBLE, toEscape);
}

/** Columns that a terminal takes for the text: CJK and emoji take two. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += isWide(char.codePointAt(0) ?? 0) ? 2 : 1;
  return columns;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

/** One line of at most `columns`, blanks joined, cut with `…`. */
export function toShortLine(text: string, columns: number): string {
  // A tool may return megabytes: only what can possibly be shown is looked at.
  const line = toHarmless(text.slice(0, columns * 8))
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= columns * 8 && columnsOf(line) <= columns) return line;
  let kept = '';
  let used = 1;
  for (const char of line) {
    used += columnsOf(char);
    if (used > columns) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** `850 ms`, `4.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `0 USD`, `0.0042 USD`, `1.20 USD`: cents are too coarse for one call. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '0 USD';
  if (usd >= 0.1) return `${usd.toFixed(2)} USD`;
  return usd < 0.0001 ? 'under 0.0001 USD' : `${usd.toFixed(4)} USD`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 file`, `3 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
