/**
 * The content of an OpenDocument spreadsheet as a stream of bytes, and where its sheets begin in it:
 * found by a fast search rather than by parsing, so that each sheet is later parsed alone.
 */
import { parseXml, type XmlAttributes } from '../xml.ts';
import { isDamage } from '../zip.ts';

/** An element that stands in the content, by its first byte. */
export interface OdsElement {
  kind: 'table' | 'named-expressions' | 'database-ranges';
  start: number;
  attributes: XmlAttributes;
}

/** A start tag longer than this is no table's. */
const MAX_TAG_CHARS = 64 * 1024;
const TAG = /<(?:[\w.-]+:)?(table|named-expressions|database-ranges|dde-links)(?=[\s/>])/g;
const WHOLE_TAG = /<(?:[^>"']|"[^"]*"|'[^']*')*>/y;

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

/**
 * Tables and what else is asked for, in the order of the file; tables inside of cells left out. Of
 * content that is cut off, what stands before the cut.
 */
export function findElements(
  chunks: Iterable<Uint8Array>,
  { what, signal }: { what: string; signal: AbortSignal },
): OdsElement[] {
  // One character a byte, so that places are bytes.
  const decoder = new TextDecoder('latin1');
  const found: OdsElement[] = [];
  let text = '';
  let start = 0;
  for (const chunk of untilDamage(chunks)) {
    signal.throwIfAborted();
    text += decoder.decode(chunk);
    let done = Math.max(0, text.length - 64);
    for (const match of text.matchAll(TAG)) {
      WHOLE_TAG.lastIndex = match.index;
      const tag = WHOLE_TAG.exec(text)?.[0];
      if (tag === undefined) {
        // The tag goes on in the next chunk, or the file ends here.
        if (text.length - match.index < MAX_TAG_CHARS) {
          done = match.index;
          break;
        }
        continue;
      }
      done = Math.max(done, match.index + tag.length);
      const kind = match[1];
      // Copies of the tables of other files stand behind all sheets.
      if (kind === 'dde-links') return found;
      const attributes = attributesOf(tag, { what, signal });
      if (attributes['is-sub-table'] === 'true') continue;
      if (kind === 'table' || kind === 'named-expressions' || kind === 'database-ranges') {
        found.push({ kind, start: start + match.index, attributes });
      }
    }
    text = text.slice(done);
    start += done;
  }
  return found;
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

/** A document of its own that begins with the element at byte `start`. */
export function* documentFrom(
  chunks: Iterable<Uint8Array>,
  start: number,
): Generator<Uint8Array, void, undefined> {
  yield new TextEncoder().encode('<part>');
  let at = 0;
  for (const chunk of chunks) {
    if (at + chunk.length > start) yield chunk.subarray(Math.max(0, start - at));
    at += chunk.length;
  }
}
