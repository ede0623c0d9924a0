/**
 * The streams of a PDF found in its bytes, without pdf.js: their dictionaries always stand in the
 * open (only other objects may be packed). Tells before anything is unpacked how large an image is and
 * which decoder it needs. Pure.
 */
export interface PdfStream {
  /** Place of the packed bytes in the file. */
  start: number;
  end: number;
  /** Names of the filters in order, without the slash. */
  filters: string[];
  dictionary: string;
  image: { width: number; height: number; bits: number; grey: boolean } | null;
}

const STREAM = [0x73, 0x74, 0x72, 0x65, 0x61, 0x6d];
const END = [0x65, 0x6e, 0x64, 0x73, 0x74, 0x72, 0x65, 0x61, 0x6d];
/** A stream's dictionary is looked for in this many bytes before it. */
const MAX_DICTIONARY_BYTES = 8_192;

/** All streams, in file order. Bytes that only look like a stream may be among them. */
export function* findStreams(bytes: Uint8Array): Generator<PdfStream> {
  let from = 0;
  for (;;) {
    const at = indexOf(bytes, STREAM, from);
    if (at < 0) return;
    const start = bodyStart(bytes, at + STREAM.length);
    from = at + STREAM.length;
    // "endstream" holds the word too; a body starts on a new line.
    if (start === null || bytes[at - 1] === 0x64) continue;
    const dictionary = dictionaryBefore(bytes, at);
    if (dictionary === null) continue;
    const end = bodyEnd(bytes, { start, dictionary });
    yield { start, end, filters: filtersOf(dictionary), dictionary, image: imageOf(dictionary) };
    from = end;
  }
}

function bodyStart(bytes: Uint8Array, at: number): number | null {
  if (bytes[at] === 0x0a) return at + 1;
  if (bytes[at] === 0x0d) return bytes[at + 1] === 0x0a ? at + 2 : at + 1;
  return null;
}

function bodyEnd(bytes: Uint8Array, body: { start: number; dictionary: string }): number {
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(body.dictionary)?.[1] ?? -1);
  const told = body.start + length;
  if (length >= 0 && told < bytes.length) {
    const found = indexOf(bytes.subarray(told, told + 16), END, 0);
    if (found >= 0) return told;
  }
  const found = indexOf(bytes, END, body.start);
  return found < 0 ? bytes.length : found;
}

/** From the object's start to the word `stream`, with `#2f` escapes of names undone. */
function dictionaryBefore(bytes: Uint8Array, at: number): string | null {
  // Most words `stream` of a hostile file have no dictionary: found out without decoding 8 KB.
  if (!/>>\s*$/.test(latin1(bytes.subarray(Math.max(0, at - 40), at)))) return null;
  const part = bytes.subarray(Math.max(0, at - MAX_DICTIONARY_BYTES), at);
  const text = latin1(part);
  const start = text.lastIndexOf(' obj');
  const dictionary = text.slice(start < 0 ? text.lastIndexOf('<<') : start + 4);
  if (!/>>\s*$/.test(dictionary)) return null;
  return dictionary.replace(/#([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['Fl', 'FlateDecode'],
  ['LZW', 'LZWDecode'],
  ['RL', 'RunLengthDecode'],
  ['A85', 'ASCII85Decode'],
  ['AHx', 'ASCIIHexDecode'],
  ['DCT', 'DCTDecode'],
  ['CCF', 'CCITTFaxDecode'],
]);

function filtersOf(dictionary: string): string[] {
  const list = /\/Filter\s*(\[[^\]]*\]|\/[^\s/<>[\]()]+)/.exec(dictionary)?.[1] ?? '';
  return (list.match(/\/[^\s/<>[\]()]+/g) ?? []).map((name) => {
    return SHORT_NAMES.get(name.slice(1)) ?? name.slice(1);
  });
}

function imageOf(dictionary: string): PdfStream['image'] {
  if (!/\/Subtype\s*\/Image\b/.test(dictionary)) return null;
  const number = (name: string) =>
    Number(new RegExp(`/${name}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0);
  const mask = /\/ImageMask\s+true/.test(dictionary);
  const bits = number('BitsPerComponent') || (mask ? 1 : 8);
  const grey = mask || /\/(DeviceGray|CalGray|Indexed)\b/.test(dictionary);
  return { width: number('Width'), height: number('Height'), bits, grey };
}

function indexOf(bytes: Uint8Array, word: readonly number[], from: number): number {
  const [first = 0] = word;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (word.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4_096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4_096));
  }
  return text;
}
