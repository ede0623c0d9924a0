/**
 * Texts of BIFF5 and BIFF8 streams (MS-XLS 2.5.293, 2.5.294). The shared texts of a book are found
 * once and decoded only when a cell asks, so that they never stand in memory beside their bytes.
 */

/** Where a text is read: `end` is the end of the record, after which a CONTINUE may carry on. */
export interface TextPlace {
  view: DataView;
  at: number;
  end: number;
}

export interface XlsText {
  text: string;
  /** From which character on which font holds; empty for a plain text. */
  fonts: { from: number; font: number }[];
  /** Long or in many pieces: worth keeping what is made of it. */
  isCostly: boolean;
}

export interface SharedTexts {
  count: number;
  /** Null beyond the table, or where the file is cut off. */
  get(index: number): XlsText | null;
}

const CONTINUE = 0x3c;
/** Excel's own limit; what is cut says so. */
const MAX_TEXT_CHARS = 32_767;
const CUT_MARK = '… (cut: too long)';
/** Parts of one text; those that follow look like the last. */
const MAX_RUNS = 200;
/** Texts that take long to decode are kept: a small file can point to one from every cell. */
const MAX_KNOWN_TEXTS = 20_000;
const MAX_KNOWN_CHARS = 16_000_000;
const LONG_TEXT_CHARS = 1_000;
const MANY_RUNS = 8;

/** A text without formatting whose length stands before it in one or two bytes. */
export function readShortText(
  place: TextPlace,
  { biff, lengthBytes, decode }: { biff: 5 | 8; lengthBytes: 1 | 2; decode: TextDecode },
): string {
  const { view, at, end } = place;
  if (at + lengthBytes >= end) return '';
  const length = lengthBytes === 1 ? view.getUint8(at) : view.getUint16(at, true);
  if (biff === 5) {
    const from = at + lengthBytes;
    return decode(bytesOf(view, from, Math.min(end, from + length)));
  }
  const wide = (view.getUint8(at + lengthBytes) & 1) !== 0;
  return readCharacters({ ...place, at: at + lengthBytes + 1 }, { length, wide }).text;
}

export type TextDecode = (bytes: Uint8Array) => string;

function bytesOf(view: DataView, from: number, to: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + from, Math.max(0, to - from));
}

/** Moves to the data of the CONTINUE record after `place`; false when there is none. */
function goOn(place: TextPlace): boolean {
  const { view, end } = place;
  if (end + 4 > view.byteLength || view.getUint16(end, true) !== CONTINUE) return false;
  place.at = end + 4;
  place.end = Math.min(view.byteLength, end + 4 + view.getUint16(end + 2, true));
  return true;
}

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });

/** Characters from `place` on. Each CONTINUE says anew whether they are one byte wide or two. */
export function readCharacters(
  start: TextPlace,
  { length, wide }: { length: number; wide: boolean },
): { text: string; place: TextPlace; records: number } {
  const place = { ...start };
  let text = '';
  let records = 1;
  let isWide = wide;
  for (let left = length; left > 0; ) {
    const size = isWide ? 2 : 1;
    const count = Math.min(left, Math.floor((place.end - place.at) / size));
    const bytes = bytesOf(place.view, place.at, place.at + count * size);
    // One byte wide means U+0000 to U+00FF, which no named encoding is.
    text += isWide ? utf16.decode(bytes) : String.fromCharCode(...bytes);
    place.at += count * size;
    left -= count;
    if (left === 0) break;
    if (!goOn(place) || place.at >= place.end) break;
    records++;
    isWide = (place.view.getUint8(place.at) & 1) !== 0;
    place.at += 1;
  }
  return { text, place, records };
}

/** Passes over bytes that may run on into CONTINUE records; false at the end of the file. */
function skip(place: TextPlace, bytes: number): boolean {
  let left = bytes;
  while (left > place.end - place.at) {
    left -= place.end - place.at;
    if (!goOn(place)) return false;
  }
  place.at += left;
  return true;
}

interface TextHead {
  length: number;
  wide: boolean;
  runs: number;
  extra: number;
}

/** Reads what stands before the characters and moves behind it; null at the end of the file. */
function readHead(place: TextPlace): TextHead | null {
  const { view } = place;
  if (place.at >= place.end && !goOn(place)) return null;
  if (place.at + 3 > place.end) return null;
  const length = view.getUint16(place.at, true);
  const flags = view.getUint8(place.at + 2);
  place.at += 3;
  const head: TextHead = { length, wide: (flags & 1) !== 0, runs: 0, extra: 0 };
  if (flags & 8) {
    if (place.at + 2 > place.end) return null;
    head.runs = view.getUint16(place.at, true);
    place.at += 2;
  }
  if (flags & 4) {
    if (place.at + 4 > place.end) return null;
    head.extra = view.getUint32(place.at, true);
    place.at += 4;
  }
  return head;
}

/** Passes over the characters of a text without decoding them. */
function skipCharacters(place: TextPlace, { length, wide }: TextHead): boolean {
  let isWide = wide;
  for (let left = length; ; ) {
    const size = isWide ? 2 : 1;
    const count = Math.min(left, Math.floor((place.end - place.at) / size));
    place.at += count * size;
    left -= count;
    if (left === 0) return true;
    if (!goOn(place) || place.at >= place.end) return false;
    isWide = (place.view.getUint8(place.at) & 1) !== 0;
    place.at += 1;
  }
}

/** Finds the texts of the SST record at byte `at`; null for a book without one. */
export function indexSharedTexts(view: DataView, at: number | null): SharedTexts {
  if (at === null || at + 12 > view.byteLength) return { count: 0, get: () => null };
  const place: TextPlace = {
    view,
    at: at + 12,
    end: Math.min(view.byteLength, at + 4 + view.getUint16(at + 2, true)),
  };
  // A text takes at least three bytes, whatever the number in the record claims.
  const most = Math.min(view.getUint32(at + 8, true), Math.ceil((view.byteLength - at) / 3));
  const places = new Uint32Array(most);
  const ends = new Uint32Array(most);
  let count = 0;
  while (count < most) {
    if (place.at >= place.end && !goOn(place)) break;
    const start = { at: place.at, end: place.end };
    const head = readHead(place);
    if (head === null || !skipCharacters(place, head)) break;
    if (!skip(place, head.runs * 4) || !skip(place, head.extra)) break;
    places[count] = start.at;
    ends[count] = start.end;
    count++;
  }
  const known = new Map<number, XlsText>();
  let knownChars = 0;
  return {
    count,
    get(index) {
      if (index >= count) return null;
      const before = known.get(index);
      if (before !== undefined) return before;
      const text = readText({ view, at: places[index] ?? 0, end: ends[index] ?? 0 });
      const chars = text?.text.length ?? 0;
      const hasRoom = known.size < MAX_KNOWN_TEXTS && knownChars + chars <= MAX_KNOWN_CHARS;
      if (text?.isCostly && hasRoom) {
        knownChars += chars;
        known.set(index, text);
      }
      return text;
    },
  };
}

/** A text with its formatting, as the SST and LABEL records of BIFF8 hold it. */
export function readText(start: TextPlace): XlsText | null {
  const from = { ...start };
  const head = readHead(from);
  if (head === null) return null;
  const isCut = head.length > MAX_TEXT_CHARS;
  const length = Math.min(head.length, MAX_TEXT_CHARS);
  const { text, place, records } = readCharacters(from, { length, wide: head.wide });
  if (isCut) return { text: text + CUT_MARK, fonts: [], isCostly: true };
  const fonts: XlsText['fonts'] = [];
  for (let run = 0; run < Math.min(head.runs, MAX_RUNS); run++) {
    if (place.at >= place.end && !goOn(place)) break;
    if (place.at + 4 > place.end) break;
    const { view, at } = place;
    fonts.push({ from: view.getUint16(at, true), font: view.getUint16(at + 2, true) });
    place.at += 4;
  }
  const isLong = length > LONG_TEXT_CHARS || records > MANY_RUNS || fonts.length > MANY_RUNS;
  return { text, fonts, isCostly: isLong };
}
