/**
 * Comments of an xls sheet: NOTE records say where they stand and who wrote them. In BIFF8 their
 * texts are in boxes of the drawing (OBJ, then TXO with its CONTINUE), in BIFF5 in the notes.
 */
import type { SheetTail } from '../book.ts';
import { type BiffRecord, RECORD } from './records.ts';
import { readCharacters, readShortText, type TextDecode } from './strings.ts';

type Comment = SheetTail['comments'][number];

const OBJ = 0x5d;
const TXO = 0x1b6;
const MAX_COMMENTS = 20_000;
const MAX_COMMENT_CHARS = 32_767;
/** Of all comments of a sheet. */
const MAX_CHARS = 4_000_000;

export interface CommentReader {
  add(record: BiffRecord): void;
  finish(): { comments: Comment[]; leftOut: number };
}

/** Takes the records of one sheet in their order; others than those of comments are passed over. */
export function createCommentReader(
  view: DataView,
  { biff, decode }: { biff: 5 | 8; decode: TextDecode },
): CommentReader {
  const texts = new Map<number, string>();
  const notes: (Comment & { object: number })[] = [];
  let object: number | null = null;
  let leftOut = 0;
  let chars = 0;

  function readNote({ at, data }: BiffRecord): void {
    const size = data.byteLength;
    if (size < 8) return;
    const place = { row: data.getUint16(0, true), column: data.getUint16(2, true) };
    if (biff === 5) readOldNote({ at, data }, place);
    else if (notes.length >= MAX_COMMENTS) leftOut++;
    else {
      const from = { view, at: at + 12, end: at + 4 + size };
      const author = readShortText(from, { biff, lengthBytes: 2, decode }).trim();
      const number = data.getUint16(6, true);
      notes.push({ ...place, author: author === '' ? null : author, text: '', object: number });
    }
  }
  /** Row 0xFFFF: the text of the note before goes on. */
  function readOldNote(
    { at, data }: Omit<BiffRecord, 'type'>,
    place: { row: number; column: number },
  ): void {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 10, data.byteLength - 6);
    chars += bytes.length;
    const last = notes.at(-1);
    if (chars > MAX_CHARS || notes.length >= MAX_COMMENTS) leftOut++;
    else if (place.row !== 0xffff) {
      notes.push({ ...place, author: null, text: decode(bytes), object: -1 });
    } else if (last !== undefined) last.text += decode(bytes);
  }
  function readBox({ at, data }: BiffRecord): void {
    if (object === null || data.byteLength < 12) return;
    const length = Math.min(data.getUint16(10, true), MAX_COMMENT_CHARS);
    const next = at + 4 + data.byteLength;
    const isContinued =
      next + 5 <= view.byteLength && view.getUint16(next, true) === RECORD.CONTINUE;
    chars += length;
    if (length === 0 || !isContinued || chars > MAX_CHARS || texts.size >= MAX_COMMENTS) return;
    const end = Math.min(view.byteLength, next + 4 + view.getUint16(next + 2, true));
    const wide = (view.getUint8(next + 4) & 1) !== 0;
    texts.set(object, readCharacters({ view, at: next + 5, end }, { length, wide }).text);
  }
  return {
    add(record) {
      if (record.type === RECORD.NOTE) readNote(record);
      else if (record.type === OBJ) object = objectNumber(record.data);
      else if (record.type === TXO) {
        readBox(record);
        object = null;
      }
    },
    finish() {
      const comments = notes.map(({ object: number, text, ...note }) => {
        const whole = biff === 8 ? (texts.get(number) ?? '') : text;
        return { ...note, text: whole.replace(/\r\n?/g, '\n') };
      });
      return { comments, leftOut };
    },
  };
}

/** The number by which a note names its box (ftCmo, MS-XLS 2.5.143). */
function objectNumber(data: DataView): number | null {
  return data.byteLength >= 8 && data.getUint16(0, true) === 0x15 ? data.getUint16(6, true) : null;
}
