/**
 * The one helper that shortens tool output: by UTF-8 bytes, at line borders where there are any,
 * never inside a code point, and never silently: the note says what is shown and how to read on.
 */

const encoder = new TextEncoder();

export interface TruncateOptions {
  /** UTF-8 bytes of the result, its note included. */
  maxBytes: number;
  /** Of these, bytes kept for the end of the text (errors stand there). Default 0. */
  tailBytes?: number;
  /** Where the whole text can be read with read_file; null when it is kept nowhere. */
  path: string | null;
}

export interface Truncated {
  text: string;
  truncated: boolean;
}

/** Longest note, so that text and note together stay within `maxBytes` (paths ≤ 240 characters). */
const NOTE_BYTES = 1_100;

export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** The text as it is when it fits, else its head (and tail) with a note between or after them. */
export function truncateText(text: string, options: TruncateOptions): Truncated {
  const bytes = encoder.encode(text);
  if (bytes.length <= options.maxBytes) return { text, truncated: false };
  const noteBytes = Math.min(NOTE_BYTES, Math.floor(options.maxBytes / 2));
  // Two line ends join head, note and tail.
  const room = options.maxBytes - noteBytes - 2;
  const tailRoom = Math.min(options.tailBytes ?? 0, room);
  const headEnd = lineEndBefore(bytes, room - tailRoom);
  const tailStart = tailRoom === 0 ? bytes.length : lineStartAfter(bytes, bytes.length - tailRoom);
  const head = decode(bytes.subarray(0, headEnd));
  const tail = decode(bytes.subarray(tailStart));
  const note = describeCut(bytes, { headEnd, tailStart, path: options.path });
  // A path in long CJK folders could outgrow the room; the note then is cut like any text.
  const shortNote = utf8Length(note) <= noteBytes ? note : cutUtf8(note, noteBytes);
  const joint = head === '' || head.endsWith('\n') ? '' : '\n';
  return {
    text: tail === '' ? `${head}${joint}${shortNote}` : `${head}${joint}${shortNote}\n${tail}`,
    truncated: true,
  };
}

/** The longest beginning of `text` of at most `maxBytes` UTF-8 bytes that ends between code points. */
export function cutUtf8(text: string, maxBytes: number): string {
  // UTF-16 units never outnumber UTF-8 bytes, so the slice loses nothing that could fit.
  const bytes = encoder.encode(text.slice(0, Math.max(0, maxBytes)));
  return bytes.length <= maxBytes
    ? decode(bytes)
    : decode(bytes.subarray(0, codePointBorder(bytes, maxBytes)));
}

/** The nearest border between code points at or before `end`. */
export function codePointBorder(bytes: Uint8Array, end: number): number {
  let border = Math.max(0, Math.min(end, bytes.length));
  while (border > 0 && border < bytes.length && isContinuation(bytes[border])) border--;
  return border;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** End of the last whole line within `limit`; inside a line when that would waste over half. */
function lineEndBefore(bytes: Uint8Array, limit: number): number {
  if (limit <= 0) return 0;
  const newline = bytes.lastIndexOf(0x0a, limit - 1);
  return newline + 1 >= limit / 2 ? newline + 1 : codePointBorder(bytes, limit);
}

function lineStartAfter(bytes: Uint8Array, from: number): number {
  const newline = bytes.indexOf(0x0a, Math.max(0, from - 1));
  if (newline >= 0 && newline + 1 < from + (bytes.length - from) / 2) return newline + 1;
  let border = from;
  while (border < bytes.length && isContinuation(bytes[border])) border++;
  return border;
}

function describeCut(
  bytes: Uint8Array,
  cut: { headEnd: number; tailStart: number; path: string | null },
): string {
  const { headEnd, tailStart, path } = cut;
  const atLineEnd = headEnd > 0 && bytes[headEnd - 1] === 0x0a;
  const shown = `${count(headEnd)} of ${count(bytes.length)} bytes`;
  const tail = tailStart < bytes.length ? ` and the last ${count(bytes.length - tailStart)}` : '';
  const lines = countNewlines(bytes, headEnd);
  const total = countLines(bytes);
  const where = atLineEnd
    ? `lines 1–${count(lines)} of ${count(total)} (the first ${shown}${tail})`
    : `the first ${shown}${tail}`;
  if (path === null) return `[showing ${where}; the rest is not kept: ask for less at a time]`;
  const from = atLineEnd ? `from_line=${lines + 1}` : `from_byte=${headEnd}`;
  return `[showing ${where}; read on with read_file path="${path}" ${from}]`;
}

function countNewlines(bytes: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < end; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

function countLines(bytes: Uint8Array): number {
  return countNewlines(bytes, bytes.length) + (bytes.at(-1) === 0x0a ? 0 : 1);
}

/** 1234567 → 1,234,567. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
