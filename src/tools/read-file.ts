/**
 * read_file: a text file or a range of it. Lines carry no number prefix: numbers in the text would
 * be taken for data (a CSV's first column, evidence of an answer); the note names the range instead.
 */
import { z } from 'zod';
import { StrideError } from '../errors.ts';
import type { FileRef } from '../loop/journal.ts';
import { defineTool, type ToolContext, type Workspace } from './define.ts';
import { toolFor } from './file-type.ts';
import { decodeText, type LineBatch, lineOffset, openText, type TextFile } from './text-file.ts';
import { codePointBorder, count, cutUtf8, utf8Length } from './truncate.ts';
import { WRAPPER_BYTES } from './untrusted.ts';
import { findOrThrow } from './workspace.ts';

/** Room for the note and the wrapper, so that a full part fits the preview and is not stored again. */
const OVERHEAD_BYTES = 1_200 + WRAPPER_BYTES;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of this task, whole or from_line to to_line (from 1, inclusive). Long files come in parts; ' +
    'a note at the end says how to read on. Lines have no number prefix. For binary files use parse_excel ' +
    '(xlsx, xls, ods), parse_pdf or execute_python, which also suits computing over a table.',
  aliases: ['Read', 'open_file', 'view_file', 'cat'],
  fieldAliases: {
    file_path: 'path',
    file: 'path',
    filename: 'path',
    start_line: 'from_line',
    offset: 'from_line',
    end_line: 'to_line',
  },
  untrusted: true,
  input: z.object({
    path: z.string().describe('Path as list_files shows it'),
    from_line: z.int().min(1).optional().describe('First line to read, from 1'),
    to_line: z.int().min(1).optional().describe('Last line to read, inclusive'),
    from_byte: z
      .int()
      .min(0)
      .optional()
      .describe('Read from this byte instead, for files with very long lines'),
  }),
  async run(input, context) {
    const { workspace } = context;
    const file = findOrThrow(workspace, input.path);
    const notes = file.path === input.path ? [] : [`this is ${file.path}`];
    if (file.bytes === 0) return note(['the file is empty (0 bytes)', ...notes]);
    const text = await openText(workspace, file);
    if (text.kind === 'binary') {
      throw new StrideError(
        'invalid_input',
        `${file.path} is ${text.what} (${count(file.bytes)} bytes), not text; ${toolFor(text.type)}.`,
      );
    }
    if (text.note !== null) notes.push(text.note);
    const maxBytes = Math.max(256, context.previewBytes - OVERHEAD_BYTES);
    if (input.from_byte !== undefined) {
      return readBytes({ workspace, file, text, notes, maxBytes, from: input.from_byte });
    }
    const from = input.from_line ?? 1;
    const to = input.to_line ?? Number.POSITIVE_INFINITY;
    if (to < from) {
      throw new StrideError(
        'invalid_input',
        `to_line (${to}) is before from_line (${from}); swap them.`,
      );
    }
    return readLines({ file, text, notes, maxBytes, from, to, signal: context.signal });
  },
});

type OpenText = Extract<TextFile, { kind: 'text' }>;

function note(parts: string[]): string {
  return `[${parts.join('; ')}]`;
}

interface LineRead {
  file: FileRef;
  text: OpenText;
  notes: string[];
  maxBytes: number;
  from: number;
  to: number;
  signal: ToolContext['signal'];
}

/** Lines that fit, then the note; goes on to the end of the file to know how many lines there are. */
async function readLines(read: LineRead): Promise<string> {
  const { file, text, maxBytes, from, to } = read;
  const kept: string[] = [];
  let room = maxBytes;
  let total = 0;
  let long: { bytes: number; offset: number } | null = null;
  let full = false;
  for await (const batch of text.batches()) {
    read.signal.throwIfAborted();
    const first = Math.max(0, from - 1 - total);
    for (let index = first; index < batch.lines.length && total + index < to && !full; index++) {
      const line = batch.lines[index] ?? '';
      const bytes = utf8Length(line) + 1;
      if (bytes <= room) {
        kept.push(line);
        room -= bytes;
        continue;
      }
      full = true;
      if (kept.length === 0) {
        kept.push(cutUtf8(line, room));
        long = { bytes: bytes - 1, offset: longOffset(batch, index, { text, line, room }) };
      }
    }
    total += batch.lines.length;
  }
  if (kept.length === 0) {
    const lines = total === 1 ? '1 line' : `${count(total)} lines`;
    return note([`${file.path} has ${lines}; from_line=${from} is beyond its end`, ...read.notes]);
  }
  const last = from + kept.length - 1;
  const where = `lines ${count(from)}–${count(last)} of ${count(total)}`;
  const body = kept.join('\n');
  if (long !== null) return `${body}\n${note([longNote(long, { ...read, where }), ...read.notes])}`;
  if (full) {
    const next = `read on with read_file path="${file.path}" from_line=${last + 1}`;
    return `${body}\n${note([where, ...read.notes, next])}`;
  }
  const partial = from > 1 || last < total;
  const parts = [...(partial ? [where] : []), ...read.notes];
  return parts.length === 0 ? body : `${body}\n${note(parts)}`;
}

function longNote(
  long: { bytes: number; offset: number },
  read: { file: FileRef; where: string; maxBytes: number; from: number },
): string {
  const shown = `${read.where}; line ${read.from} has ${count(long.bytes)} bytes, its first ${count(read.maxBytes)} at most are shown`;
  return long.offset < 0
    ? `${shown}; use grep or execute_python for the rest`
    : `${shown}; read on with read_file path="${read.file.path}" from_byte=${long.offset}`;
}

/** Where in the file the shown part of a too long line ends; −1 where bytes cannot be addressed. */
function longOffset(
  batch: LineBatch,
  index: number,
  cut: { text: OpenText; line: string; room: number },
): number {
  if (cut.text.encoding !== 'utf-8') return -1;
  const mark = batch.start === 0 && index === 0 && batch.bytes[0] === 0xef ? 3 : 0;
  return lineOffset(batch, index) + mark + utf8Length(cutUtf8(cut.line, cut.room));
}

async function readBytes(read: {
  workspace: Workspace;
  file: FileRef;
  text: OpenText;
  notes: string[];
  maxBytes: number;
  from: number;
}): Promise<string> {
  const { file, text, from } = read;
  if (text.encoding !== 'utf-8') {
    throw new StrideError(
      'invalid_input',
      `${file.path} is ${text.encoding}; use from_line, grep or execute_python.`,
    );
  }
  if (from >= file.bytes) {
    return note([
      `${file.path} has ${count(file.bytes)} bytes; from_byte=${from} is beyond its end`,
    ]);
  }
  const bytes = await read.workspace.read(file.path, { offset: from, maxBytes: read.maxBytes });
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  const end = from + bytes.length < file.bytes ? lastWhole(bytes) : bytes.length;
  const body = decodeText(bytes.subarray(start, end), 'utf-8');
  const where = `bytes ${count(from + start)}–${count(from + end)} of ${count(file.bytes)}`;
  const rest = from + end < file.bytes;
  const next = rest ? [`read on with read_file path="${file.path}" from_byte=${from + end}`] : [];
  return `${body}\n${note([where, ...read.notes, ...next])}`;
}

/** End of the last whole code point of a part that may be cut anywhere. */
function lastWhole(bytes: Uint8Array): number {
  // With one byte more the border search sees whether the last character is complete.
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return size <= back ? bytes.length : codePointBorder(bytes, bytes.length - back);
  }
  return bytes.length;
}
