/**
 * Text of a workspace file, whatever its size: found to be text or binary from its first bytes,
 * decoded, and handed out as batches of lines so that 25 MB never stand in memory twice.
 * The encoding is detected, never silently guessed: `note` says what was not plain UTF-8.
 */
import type { FileRef } from '../loop/journal.ts';
import type { Workspace } from './define.ts';
import {
  detectFileType,
  type FileType,
  hasUtf16Mark,
  isTextKind,
  SNIFFED_BYTES,
} from './file-type.ts';

/** Bytes of one object read: few round trips, far below the 128 MB of a Worker. */
const BATCH_BYTES = 4 * 1024 * 1024;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1252';

/** Whole lines, without their ends. */
export interface LineBatch {
  lines: string[];
  /** The batch as stored, for byte offsets; `start` is its place in the file. */
  bytes: Uint8Array;
  start: number;
}

export type TextFile =
  | { kind: 'binary'; what: string; type: FileType }
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
  const type = detectFileType(head);
  if (!isTextKind(type.kind)) return { kind: 'binary', what: type.label, type };
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

/** Plain sentence about each encoding, or null for UTF-8. */
export const ENCODING_NOTES: Record<Encoding, string | null> = {
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

/** The encoding of a text by its bytes; `cut`: they are only the beginning of it. */
export function detectEncoding(head: Uint8Array, cut: boolean): Encoding {
  if (hasUtf16Mark(head)) return head[0] === 0xff ? 'utf-16le' : 'utf-16be';
  if (decodes(head, 'utf-8', cut)) return 'utf-8';
  return looksChinese(head) && decodes(head, 'gb18030', cut) ? 'gb18030' : 'windows-1252';
}

function decodes(bytes: Uint8Array, encoding: Encoding, cut: boolean): boolean {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    // In parts: the text of a whole file would stand in memory beside its bytes.
    for (let at = 0; at < bytes.length; at += SNIFFED_BYTES) {
      decoder.decode(bytes.subarray(at, at + SNIFFED_BYTES), { stream: true });
    }
    // A character cut in two at the end is forgiven when the sniffed part is not the whole.
    if (!cut) decoder.decode();
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
