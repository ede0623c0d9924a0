/**
 * Files made to exhaust memory or time, found before pdf.js sees them: it unpacks whole streams at
 * once, on this thread, and nothing outside can stop it.
 */
import { breathe } from './document.ts';
import { inflateParts } from './inflate-parts.ts';
import { joinBytes } from './png.ts';
import { findStreams, type PdfStream } from './streams.ts';

/** Fonts, object streams, tables: more than a book has, less than an isolate. */
const MAX_STREAM_BYTES = 32 * 1024 * 1024;
/** Drawing operators of a page: pdf.js takes several times as much for them. */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024;
const MAX_IMAGE_BYTES = 48 * 1024 * 1024;
const MAX_ALL_BYTES = 160 * 1024 * 1024;
/** DEFLATE packs at most 1,032 to 1: one round of what is smaller cannot pass the limit. */
const HARMLESS_BYTES = Math.floor(MAX_CONTENT_BYTES / 1_032);
/** LZW is not unpacked here; files of its time have small streams. */
const MAX_LZW_BYTES = 256 * 1024;
/** Each saved state makes every later look-up in pdf.js one step longer; PDF itself allows 28. */
const MAX_NESTING = 4_000;
const MAX_WATCHED_BYTES = 64 * 1024 * 1024;
const BREATHE_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * What makes a file too large to be read here, as the middle of a sentence, or null. Images count
 * only with `images`: text is read without unpacking them.
 */
export async function findBomb(
  bytes: Uint8Array,
  options: { images: boolean; signal: AbortSignal },
): Promise<string | null> {
  let all = 0;
  let rested = 0;
  if (hasEndlessWidths(bytes)) return 'a font of it lists widths of millions of letters';
  for (const stream of findStreams(bytes)) {
    if (stream.image !== null && !options.images) continue;
    const content = isContent(stream);
    const other = stream.image === null ? MAX_STREAM_BYTES : MAX_IMAGE_BYTES;
    const max = content ? MAX_CONTENT_BYTES : other;
    const depth = nesting();
    const watch = content && all <= MAX_WATCHED_BYTES ? depth.add : null;
    const size = unpackedBytes(bytes, { stream, max, watch });
    all += size;
    if (all - rested > BREATHE_EVERY_BYTES) {
      rested = all;
      await breathe(options.signal);
    }
    if (size > max || all > MAX_ALL_BYTES) {
      return `a part of it unpacks to more than ${max / 1024 / 1024} MB`;
    }
    if (depth.deepest() > MAX_NESTING) return 'its drawing states are nested thousands deep';
  }
  return null;
}

/** Codes of a font: CIDs end at 65,535. pdf.js makes an entry for each code of a range. */
const MAX_CODE = 0x1ffff;

/** `/W [0 2000000000 500]`, `/W2`, `/LastChar`: a few bytes that fill the memory. */
function hasEndlessWidths(bytes: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(bytes);
  for (const [, last = ''] of text.matchAll(/\/LastChar\s+(\d{1,20})/g)) {
    if (Number(last) > MAX_CODE) return true;
  }
  for (const found of text.matchAll(/\/W2?\s*\[/g)) {
    const list = text.slice(found.index, found.index + 2_000);
    if (/^\/W2?\s*\[(?:[\s\d.[\]-]*[\s[])?\d{7,}/.test(list)) return true;
  }
  return false;
}

/** What has neither a type nor a length of its own font file may be a page's content; forms are. */
function isContent({ dictionary, image }: PdfStream): boolean {
  if (image !== null || /\/Length1\b/.test(dictionary)) return false;
  return !/\/(Type|Subtype)\b/.test(dictionary) || /\/Subtype\s*\/Form\b/.test(dictionary);
}

/** How deep `q` … `Q` nest in a content stream that comes in parts. */
function nesting() {
  let [depth, deepest, token, length] = [0, 0, 0, 0];
  const add = (part: Uint8Array) => {
    for (const byte of part) {
      if (byte > 0x20) {
        token = byte;
        length++;
        continue;
      }
      if (length === 1 && token === 0x71) deepest = Math.max(deepest, ++depth);
      else if (length === 1 && token === 0x51) depth = Math.max(0, depth - 1);
      length = 0;
    }
  };
  return { add, deepest: () => deepest };
}

interface Unpacking {
  stream: PdfStream;
  max: number;
  /** Gets the unpacked bytes, part by part. */
  watch: ((part: Uint8Array) => void) | null;
}

/** Bytes of a stream after its filters, counted no further than just above `max`. */
function unpackedBytes(bytes: Uint8Array, { stream, max, watch }: Unpacking): number {
  let data = bytes.subarray(stream.start, stream.end);
  let rounds = stream.filters.filter((name) => name === 'FlateDecode').length;
  if (rounds <= 1 && data.length <= HARMLESS_BYTES && watch === null) return data.length;
  for (const filter of stream.filters) {
    if (filter === 'LZWDecode' && data.length > MAX_LZW_BYTES) return max + 1;
    if (filter === 'ASCII85Decode') data = fromAscii85(data);
    else if (filter === 'ASCIIHexDecode') data = fromHex(data);
    else if (filter === 'FlateDecode') {
      rounds--;
      // The last round only counts; what an earlier one gives is the next one's input.
      const kept: Uint8Array[] = [];
      const take = rounds > 0 ? (part: Uint8Array) => kept.push(part.slice()) : watch;
      const size = inflatedBytes(data, { take, max });
      if (rounds === 0 || size > max) return size;
      data = joinBytes(kept);
    } else break;
  }
  watch?.(data);
  return data.length;
}

/** Size after DEFLATE, and the parts for `take` (each valid during its call only). */
function inflatedBytes(
  packed: Uint8Array,
  { take, max }: { take: ((part: Uint8Array) => void) | null; max: number },
): number {
  let size = 0;
  inflateParts(packed, (part) => {
    size += part.length;
    take?.(part);
    return size <= max;
  });
  return size;
}

function fromHex(text: Uint8Array): Uint8Array {
  const digits = new TextDecoder('latin1').decode(text).replace(/>[\s\S]*|[^\da-f]/gi, '');
  const out = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < out.length; at++)
    out[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  return out;
}

function fromAscii85(text: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil((text.length * 4) / 5) + 4);
  let [length, group, value] = [0, 0, 0];
  for (const sign of text) {
    // `~` ends the data, `z` is four zero bytes.
    if (sign === 0x7e) break;
    if (sign === 0x7a && group === 0) length += 4;
    if (sign < 0x21 || sign > 0x75) continue;
    value = value * 85 + (sign - 0x21);
    group++;
    if (group < 5) continue;
    for (let shift = 24; shift >= 0; shift -= 8) out[length++] = Math.floor(value / 2 ** shift);
    [group, value] = [0, 0];
  }
  return out.subarray(0, length);
}
