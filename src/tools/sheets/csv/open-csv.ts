/**
 * Delimited text (csv, tsv) as a book of one sheet, streamed from its bytes: what is in the file
 * stands in the cells character by character. CSV has no types: only a plain number counts as one,
 * and dates, percentages or numbers with separators stay text as written.
 */
import { StrideError } from '../../../errors.ts';
import { detectEncoding, ENCODING_NOTES, type Encoding } from '../../text-file.ts';
import { type Book, MAX_BOOK_BYTES, type SheetTail } from '../book.ts';
import { emptyTail } from '../scan-parts.ts';
import {
  type Delimiter,
  declaredDelimiter,
  detectDelimiter,
  MAX_BAD_ROWS,
  readRows,
} from './rows.ts';

const CHUNK_BYTES = 256 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** Rows of the largest sheets; a file of line ends alone has many more. */
const MAX_ROWS = 1_048_576;
/** As JSON writes numbers: no `+`, no leading zeros (those are codes), no separators. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DELIMITER_NAMES: Record<Delimiter, string> = {
  ',': 'commas',
  ';': 'semicolons (;)',
  '\t': 'tabs',
  '|': 'vertical bars (|)',
};

interface Table {
  bytes: Uint8Array;
  name: string;
  encoding: Encoding;
  delimiter: Delimiter;
  /** The first line is `sep=;` and no row of the table. */
  declared: boolean;
}

/** Opens delimited text. Throws StrideError invalid_input for an empty file. */
export async function openCsv(bytes: Uint8Array, name: string): Promise<Book> {
  if (bytes.length === 0) {
    throw new StrideError(
      'invalid_input',
      `${name} is empty (0 bytes): there is nothing to read; answer without it.`,
    );
  }
  const { encoding, note } = encodingOf(bytes);
  const sample = sampleOf(bytes, encoding);
  const declared = declaredDelimiter(sample);
  const found = declared ?? detectDelimiter(sample, bytes.length > SAMPLE_BYTES);
  const delimiter = found ?? ',';
  const notes = note === null ? [] : [sentence(note)];
  if (declared !== null)
    notes.push('The first line (sep=) only names the delimiter and is no row.');
  if (found !== null && found !== ',')
    notes.push(`Cells are separated by ${DELIMITER_NAMES[found]}.`);
  const table: Table = { bytes, name, encoding, delimiter, declared: declared !== null };
  return {
    format: delimiter === '\t' ? 'tsv' : 'csv',
    sheets: [{ name: sheetName(name), state: 'visible', kind: 'cells' }],
    names: [],
    notes,
    large: bytes.length > MAX_BOOK_BYTES ? largeText(bytes.length) : null,
    async scan(_sheet, onCell, { signal }) {
      return scanTable(table, onCell, signal);
    },
  };
}

function largeText(bytes: number): string {
  const megabytes = (value: number) => (value / 1024 / 1024).toFixed(1).replace(/\.0$/, '');
  return `it has ${megabytes(bytes)} MB, more than ${megabytes(MAX_BOOK_BYTES)} MB`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function sheetName(name: string): string {
  const file = name.slice(name.lastIndexOf('/') + 1);
  return file.replace(/(?<=.)\.[^.]*$/, '');
}

function scanTable(
  table: Table,
  onCell: Parameters<Book['scan']>[1],
  signal: AbortSignal,
): SheetTail {
  const badQuotes: number[] = [];
  const rows = readRows(textChunks(table, signal), {
    delimiter: table.delimiter,
    name: table.name,
    onBadQuotes: (row) => badQuotes.push(row),
  });
  let row = 0;
  let complete = true;
  const notes: string[] = [];
  reading: for (const fields of rows) {
    for (const [column, text] of fields.entries()) {
      if (text === '') continue;
      const kind = PLAIN_NUMBER.test(text) ? 'number' : 'text';
      if (!onCell({ row, column, kind, text })) {
        complete = false;
        break reading;
      }
    }
    row++;
    if (row >= MAX_ROWS) {
      complete = false;
      notes.push(`Only the first ${MAX_ROWS} rows were read; read the others with execute_python.`);
      break;
    }
  }
  if (badQuotes.length > 0) notes.push(badQuotesNote(badQuotes));
  return { ...emptyTail(), complete, notes };
}

function badQuotesNote(rows: number[]): string {
  if (rows.length >= MAX_BAD_ROWS) {
    return `Quotes (") are not used as in CSV: from row ${rows.at(-1)} on each line was read as a row.`;
  }
  const shown = rows.slice(0, 5).join(', ');
  const more = rows.length > 5 ? ` and ${rows.length - 5} more` : '';
  const which = rows.length === 1 ? `row ${shown}` : `rows ${shown}${more}`;
  return `Quotes (") in ${which} do not close; there the line was read as the row.`;
}

/** Decoded text with `\n` as the only line end. A byte order mark is left out. */
function* textChunks(table: Table, signal: AbortSignal): Generator<string> {
  const { bytes, encoding } = table;
  const decoder = new TextDecoder(encoding);
  let skip = table.declared;
  let carry = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    signal.throwIfAborted();
    const last = at + CHUNK_BYTES >= bytes.length;
    let text = carry + decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: !last });
    // A final CR may be half of CRLF and waits for the next chunk.
    carry = !last && text.endsWith('\r') ? '\r' : '';
    if (carry !== '') text = text.slice(0, -1);
    text = plainLineEnds(text);
    if (skip) {
      const end = text.indexOf('\n');
      text = end === -1 ? '' : text.slice(end + 1);
      skip = false;
    }
    yield text;
  }
}

function plainLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function sampleOf(bytes: Uint8Array, encoding: Encoding): string {
  const cut = bytes.length > SAMPLE_BYTES;
  const head = bytes.subarray(0, SAMPLE_BYTES);
  return plainLineEnds(new TextDecoder(encoding).decode(head, { stream: cut }));
}

/** Over all bytes: the first letter with an accent may stand megabytes after the head. */
function encodingOf(bytes: Uint8Array): { encoding: Encoding; note: string | null } {
  const encoding = detectEncoding(bytes, false);
  const head = bytes.subarray(0, SAMPLE_BYTES);
  const cut = bytes.length > SAMPLE_BYTES;
  const accents = head.some((byte) => byte >= 0x80);
  // A head with accents that is good UTF-8 is no accident: only some bytes further on are broken.
  if (encoding !== 'utf-8' && cut && accents && detectEncoding(head, true) === 'utf-8') {
    return {
      encoding: 'utf-8',
      note: 'some bytes are not valid UTF-8 and stand as U+FFFD',
    };
  }
  return { encoding, note: ENCODING_NOTES[encoding] };
}
