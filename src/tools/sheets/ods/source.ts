/**
 * The content of an OpenDocument spreadsheet as a stream of bytes, and where its sheets begin in it:
 * found by a fast search rather than by parsing, so that each sheet is later parsed alone. Content
 * of ordinary size is unpacked once; of larger content the beginnings of the sheets are kept.
 */
import { MAX_BOOK_BYTES } from '../book.ts';
import { parseXml, type XmlAttributes } from '../xml.ts';
import { isDamage } from '../zip.ts';

interface Piece {
  start: number;
  bytes: Uint8Array;
}

/** An element that stands in the content, by its first byte. */
export interface OdsElement {
  kind: 'table' | 'named-expressions' | 'database-ranges' | 'null-date';
  start: number;
  attributes: XmlAttributes;
  /** Pieces of the content from the element on, where they were kept; they have no gaps. */
  head: Piece[];
}

export interface OdsContent {
  whole(): Iterable<Uint8Array>;
  /** A document of its own that begins with the element. */
  part(element: OdsElement): Iterable<Uint8Array>;
  /** Nothing has to be unpacked again for a part. */
  isKept: boolean;
}

/** A start tag longer than this is no table's. */
const MAX_TAG_CHARS = 64 * 1024;
/** Tables, and as many other elements: beyond them is no document. */
const MAX_ELEMENTS = 10_000;
/** Kept of each of the first sheets of content that is too large to be kept whole. */
const HEAD_BYTES = 64 * 1024;
const MAX_HEADS = 120;
/** What is parsed at least of a part: most are far shorter than a piece. */
const FIRST_BYTES = 4 * 1024;
const TAG =
  /<(?:[\w.-]{1,64}:)?(table|named-expressions|database-ranges|null-date|dde-links)(?=[\s/>])/g;
const TAG_STOP = /["'<>]/g;

/** UTF-8 of content that is UTF-16; anything else as it is. */
export function* asUtf8(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let decoder: TextDecoder | null | undefined;
  for (const chunk of chunks) {
    if (decoder === undefined) {
      const mark = `${chunk[0]} ${chunk[1]}`;
      decoder =
        mark === '255 254' || mark === '60 0'
          ? new TextDecoder('utf-16le')
          : mark === '254 255' || mark === '0 60'
            ? new TextDecoder('utf-16be')
            : null;
    }
    yield decoder === null ? chunk : encoder.encode(decoder.decode(chunk, { stream: true }));
  }
}

/** `size`: bytes that the content declares to have. */
export function createOdsContent(
  chunks: () => Iterable<Uint8Array>,
  { size }: { size: number },
): OdsContent {
  const kept = size > MAX_BOOK_BYTES ? null : keep(chunks());
  function* from(start: number, head: readonly Piece[]): Generator<Uint8Array> {
    yield new TextEncoder().encode('<part>');
    const pieces = kept?.pieces ?? head;
    let at = start;
    for (const piece of pieces) {
      const bytes = piece.bytes.subarray(Math.max(0, at - piece.start));
      if (bytes.length === 0) continue;
      if (at === start) yield bytes.subarray(0, FIRST_BYTES);
      const rest = at === start ? bytes.subarray(FIRST_BYTES) : bytes;
      if (rest.length > 0) yield rest;
      at = piece.start + piece.bytes.length;
    }
    if (kept === null) yield* behind(chunks(), at);
    else if (kept.damage !== null) throw kept.damage;
  }
  return {
    isKept: kept !== null,
    whole: () => (kept === null ? chunks() : replay(kept)),
    part: ({ start, head }) => from(start, head),
  };
}

interface Kept {
  pieces: Piece[];
  /** What the content ends with when it is damaged. */
  damage: Error | null;
}

/** Null when it is more than is kept, whatever it declared. */
function keep(chunks: Iterable<Uint8Array>): Kept | null {
  const kept: Kept = { pieces: [], damage: null };
  let length = 0;
  try {
    for (const bytes of chunks) {
      kept.pieces.push({ start: length, bytes });
      length += bytes.length;
      if (length > MAX_BOOK_BYTES * 1.5) return null;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    kept.damage = error;
  }
  return kept;
}

function* replay({ pieces, damage }: Kept): Generator<Uint8Array> {
  for (const { bytes } of pieces) yield bytes;
  if (damage !== null) throw damage;
}

function* behind(chunks: Iterable<Uint8Array>, start: number): Generator<Uint8Array> {
  let at = 0;
  for (const chunk of chunks) {
    if (at + chunk.length > start) yield chunk.subarray(Math.max(0, start - at));
    at += chunk.length;
  }
}

export interface FoundElements {
  elements: OdsElement[];
  /** Tables beyond the number that is listed. */
  tablesLeftOut: number;
}

/**
 * Tables and what else is asked for, in the order of the file; tables inside of cells left out. Of
 * content that is cut off, what stands before the cut.
 */
export function findElements(
  content: OdsContent,
  { what, signal }: { what: string; signal: AbortSignal },
): FoundElements {
  // One character a byte, so that places are bytes.
  const decoder = new TextDecoder('latin1');
  const found = createFound();
  const heads = createHeads(content.isKept);
  let text = '';
  let start = 0;
  for (const chunk of untilDamage(content.whole())) {
    signal.throwIfAborted();
    heads.chunk(chunk, start + text.length);
    text += decoder.decode(chunk);
    let done = Math.max(0, text.length - 128);
    for (const match of text.matchAll(TAG)) {
      const end = tagEnd(text, match.index);
      if (end === null) continue;
      // The tag goes on in the next chunk, or the file ends here.
      if (end === 'open') {
        if (text.length - match.index < MAX_TAG_CHARS) done = match.index;
        break;
      }
      done = Math.max(done, end);
      const kind = match[1];
      // Copies of the tables of other files stand behind all sheets.
      if (kind === 'dde-links') return found.result;
      if (kind === undefined || !isKind(kind) || !found.hasRoom(kind)) continue;
      const attributes = attributesOf(text.slice(match.index, end), { what, signal });
      if (attributes['is-sub-table'] === 'true') continue;
      const place = start + match.index;
      found.result.elements.push({ kind, start: place, attributes, head: heads.from(place) });
    }
    text = text.slice(done);
    start += done;
  }
  return found.result;
}

function isKind(name: string): name is OdsElement['kind'] {
  return name !== 'dde-links';
}

function createFound() {
  const result: FoundElements = { elements: [], tablesLeftOut: 0 };
  let tables = 0;
  let others = 0;
  return {
    result,
    hasRoom(kind: OdsElement['kind']): boolean {
      const before = kind === 'table' ? tables++ : others++;
      if (before >= MAX_ELEMENTS && kind === 'table') result.tablesLeftOut++;
      return before < MAX_ELEMENTS;
    },
  };
}

/** Keeps pieces of the first elements while the content goes by. */
function createHeads(isKept: boolean) {
  let recent: Piece[] = [];
  let open: { start: number; pieces: Piece[] }[] = [];
  let made = 0;
  return {
    chunk(bytes: Uint8Array, start: number): void {
      if (isKept) return;
      // A copy: pieces are views of buffers that are far larger when they pack well.
      const piece = { start, bytes: bytes.slice() };
      for (const { pieces } of open) pieces.push(piece);
      open = open.filter((head) => start + bytes.length - head.start < HEAD_BYTES);
      // An element may have begun as far back as its tag may be long.
      recent.push(piece);
      recent = recent.filter((each) => each.start + each.bytes.length > start - MAX_TAG_CHARS);
    },
    from(start: number): Piece[] {
      if (isKept || made >= MAX_HEADS) return [];
      made++;
      const pieces = recent.filter((piece) => piece.start + piece.bytes.length > start);
      open.push({ start, pieces });
      return pieces;
    },
  };
}

/** Behind the `>` of the tag at `from`; `open` when the text ends before, null for what is no tag. */
function tagEnd(text: string, from: number): number | 'open' | null {
  TAG_STOP.lastIndex = from + 1;
  for (let stop = TAG_STOP.exec(text); stop !== null; stop = TAG_STOP.exec(text)) {
    const at = stop.index;
    if (stop[0] === '>') return at + 1;
    // XML has no `<` inside a tag, not even in quotes; so no text is looked at twice.
    if (stop[0] === '<') return null;
    const close = quoteEnd(text, at);
    if (close === null || close === 'open') return close;
    TAG_STOP.lastIndex = close + 1;
  }
  return 'open';
}

function quoteEnd(text: string, from: number): number | 'open' | null {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === quote) return at;
    if (character === '<') return null;
  }
  return 'open';
}

function* untilDamage(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function attributesOf(tag: string, options: { what: string; signal: AbortSignal }): XmlAttributes {
  const closed = tag.endsWith('/>') ? tag : `${tag.slice(0, -1)}/>`;
  const bytes = Uint8Array.from(closed, toByte);
  let attributes: XmlAttributes = {};
  parseXml([bytes], { open: (_name, given) => (attributes = given) }, options);
  return attributes;
}

/** What latin1 means in browsers is Windows-1252: back to the byte that was decoded. */
function toByte(character: string): number {
  const code = character.charCodeAt(0);
  return code <= 0xff ? code : WINDOWS_1252.indexOf(character) + 0x80;
}

const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
);
