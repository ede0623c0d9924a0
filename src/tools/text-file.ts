/**
 * Text of a workspace file, whatever its size: found to be text or binary from its first bytes,
 * decoded, and handed out as batches of lines so that 25 MB never stand in memory twice.
 * The encoding is detected, never silently guessed: `note` says what was not plain UTF-8.
 */
import type { FileRef } from '../loop/journal.ts';
import type { Workspace } from './define.ts';

/** Bytes of one object read: few round trips, far below the 128 MB of a Worker. */
const BATCH_BYTES = 4 * 1024 * 1024;
const SNIFFED_BYTES = 64 * 1024;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1252';

/** Whole lines, without their ends. */
export interface LineBatch {
  lines: string[];
  /** The batch as stored, for byte offsets; `start` is its place in the file. */
  bytes: Uint8Array;
  start: number;
}

export type TextFile =
  | { kind: 'binary'; what: string }
  | {
      kind: 'text';
      encoding: Encoding;
      /** Plain sentence about the encoding, or null for UTF-8. */
      note: string | null;
      batches(): AsyncGenerator<LineBatch>;
    };

/** Opens a file for reading as text. Throws StrideError not_found as `workspace.read` does. */
export async function openText(workspace: Workspace, file: FileRef): Promise<TextFile> {
  const head = await workspace.read(file.path, { maxBytes: SNIFFED_BYTES });
  const what = binaryKind(head);
  if (what !== null) return { kind: 'binary', what };
  const encoding = detectEncoding(head, head.length < file.bytes);
  return {
    kind: 'text',
    encoding,
    note: ENCODING_NOTES[encoding],
    batches: () => readBatches(workspace, file, encoding),
  };
}

/** Decodes bytes that start and end between characters. Invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(bytes);
}

const ENCODING_NOTES: Record<Encoding, string | null> = {
  'utf-8': null,
  'utf-16le': 'the file is UTF-16 (little-endian)',
  'utf-16be': 'the file is UTF-16 (big-endian)',
  gb18030: 'the file is not UTF-8 and was read as GB18030 (Chinese)',
  'windows-1252': 'the file is not UTF-8 and was read as Windows-1252 (Western European)',
};

async function* readBatches(
  workspace: Workspace,
  file: FileRef,
  encoding: Encoding,
): AsyncGenerator<LineBatch> {
  // UTF-16 is rare and has line ends that are not single bytes: read whole, at most 25 MB.
  const wide = encoding === 'utf-16le' || encoding === 'utf-16be';
  let carry: Uint8Array = new Uint8Array(0);
  let start = 0;
  for (let offset = 0; offset < file.bytes; ) {
    const maxBytes = wide ? file.bytes : BATCH_BYTES;
    const chunk = await workspace.read(file.path, { offset, maxBytes });
    if (chunk.length === 0) break;
    offset += chunk.length;
    const bytes = carry.length === 0 ? chunk : concat(carry, chunk);
    const last = offset >= file.bytes;
    // In UTF-8, GB18030 and Windows-1252 the bytes 0x0A and 0x0D only ever mean a line end.
    const end = last ? bytes.length : lastLineEnd(bytes);
    if (end > 0) {
      const batch = bytes.subarray(0, end);
      yield { lines: splitLines(decodeAt(batch, encoding, start)), bytes: batch, start };
    }
    carry = bytes.subarray(end);
    start += end;
  }
}

/** A byte order mark counts at the start of the file only. */
function decodeAt(bytes: Uint8Array, encoding: Encoding, start: number): string {
  return new TextDecoder(encoding, { ignoreBOM: start > 0 }).decode(bytes);
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Place after the last line end; a final CR may be half of CRLF and waits for the next chunk. */
function lastLineEnd(bytes: Uint8Array): number {
  const newline = bytes.lastIndexOf(0x0a);
  const carriage = bytes.lastIndexOf(0x0d, bytes.length - 2);
  return Math.max(newline, carriage) + 1;
}

/** Where line `index` (from 0) of a batch starts in the file, in bytes. */
export function lineOffset(batch: LineBatch, index: number): number {
  let at = 0;
  for (let line = 0; line < index; line++) {
    while (at < batch.bytes.length && batch.bytes[at] !== 0x0a && batch.bytes[at] !== 0x0d) at++;
    at += batch.bytes[at] === 0x0d && batch.bytes[at + 1] === 0x0a ? 2 : 1;
  }
  return batch.start + at;
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

const SIGNATURES: readonly [prefix: string, what: string][] = [
  ['%PDF-', 'a PDF'],
  ['PK\x03\x04', 'a ZIP archive (xlsx, docx and pptx files are such archives)'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\xd0\xcf\x11\xe0', 'an old Microsoft Office file (xls, doc or ppt)'],
  ['SQLite format 3', 'an SQLite database'],
  ['PAR1', 'a Parquet table'],
  ['ID3', 'an MP3 recording'],
];

function binaryKind(head: Uint8Array): string | null {
  const start = String.fromCharCode(...head.subarray(0, 16));
  const known = SIGNATURES.find(([prefix]) => start.startsWith(prefix));
  if (known !== undefined) return known[1];
  if (hasUtf16Mark(head)) return null;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return 'binary data';
    // Tab, line ends, form feed and escape (terminal colours) are usual in text.
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) {
      controls++;
    }
  }
  return controls > head.length / 20 ? 'binary data' : null;
}

function hasUtf16Mark(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function detectEncoding(head: Uint8Array, cut: boolean): Encoding {
  if (hasUtf16Mark(head)) return head[0] === 0xff ? 'utf-16le' : 'utf-16be';
  if (decodes(head, 'utf-8', cut)) return 'utf-8';
  return looksChinese(head) && decodes(head, 'gb18030', cut) ? 'gb18030' : 'windows-1252';
}

function decodes(bytes: Uint8Array, encoding: Encoding, cut: boolean): boolean {
  try {
    // `stream` forgives a character that the sniffed part cuts in two.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cut });
    return true;
  } catch {
    return false;
  }
}

/**
 * GB2312 text is pairs of bytes ≥ 0xA1; Western text has single high bytes between ASCII letters,
 * which GB18030 would take for rare characters without complaint.
 */
function looksChinese(bytes: Uint8Array): boolean {
  let paired = 0;
  let single = 0;
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    if ((bytes[at + 1] ?? 0) >= 0xa1) {
      paired++;
      at++;
    } else single++;
  }
  return paired > 4 * single;
}
