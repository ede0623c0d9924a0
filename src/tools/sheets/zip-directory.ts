/**
 * Finds the entries of a zip: by its central directory, or, when that is missing (a file cut off in
 * transfer), by walking the local headers. Reads numbers only; inflates nothing and trusts no name.
 * Layout: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.9, 4.3.12, 4.3.14–16 and 4.5.3.
 */

export interface ZipEntry {
  /** Forward slashes, none in front; otherwise as written. */
  name: string;
  method: number;
  encrypted: boolean;
  /** Bytes as stored in the file. */
  packed: number;
  /** Bytes it says it has unpacked; of an entry that does not say, an estimate. */
  size: number;
  /** More than this is never unpacked. */
  maxSize: number;
  /** CRC-32 of the unpacked bytes; null when the entry does not say. */
  crc: number | null;
  /** Where the packed bytes start; null when its local header cannot be found. */
  start: number | null;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const DESCRIPTOR = 0x08074b50;
const IN_EXTRA = 0xffffffff;
/** The record at the end is 22 bytes and a comment of at most 65,535. */
const END_WINDOW_BYTES = 65_535 + 22;
const MAX_TRIES = 8;
/** Part names of documents have tens of bytes; of longer ones the beginning is kept. */
const MAX_NAME_BYTES = 512;
const MAX_ENTRIES = 20_000;
/** Ceiling of an entry that does not say its size, and how well XML usually packs. */
const UNKNOWN_MAX_BYTES = 20 * 1024 * 1024;
const UNKNOWN_RATIO = 8;

/** The entries of the central directory, or null when there is none that can be read. */
export function centralEntries(bytes: Uint8Array): ZipEntry[] | null {
  const view = viewOf(bytes);
  const lowest = Math.max(0, bytes.length - END_WINDOW_BYTES);
  let tries = 0;
  for (let end = bytes.length - 22; end >= lowest; end -= 1) {
    if (bytes[end] !== 0x50 || view.getUint32(end, true) !== END) continue;
    // A hostile file holds thousands of them, each the end of thousands of entries.
    tries += 1;
    if (tries > MAX_TRIES) return null;
    const directory = locate(view, end);
    const entries = directory && readDirectory(bytes, directory);
    if (entries) return entries;
  }
  return null;
}

/** `shift`: bytes that stand before the zip (a self-extractor, a stray header). */
interface Directory {
  at: number;
  count: number;
  shift: number;
}

function locate(view: DataView, end: number): Directory | null {
  let count = view.getUint16(end + 10, true);
  let size = view.getUint32(end + 12, true);
  let offset = view.getUint32(end + 16, true);
  let after = end;
  const locator = end - 20;
  if (locator >= 0 && view.getUint32(locator, true) === LOCATOR64) {
    const end64 = Number(view.getBigUint64(locator + 8, true));
    if (end64 + 56 <= end && view.getUint32(end64, true) === END64) {
      count = Number(view.getBigUint64(end64 + 32, true));
      size = Number(view.getBigUint64(end64 + 40, true));
      offset = Number(view.getBigUint64(end64 + 48, true));
      after = end64;
    }
  }
  for (const at of [after - size, offset]) {
    const inside = at >= 0 && at + 4 <= view.byteLength;
    if (inside && (count === 0 || view.getUint32(at, true) === CENTRAL)) {
      return { at, count, shift: Math.max(0, at - offset) };
    }
  }
  return null;
}

function readDirectory(bytes: Uint8Array, directory: Directory): ZipEntry[] | null {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = directory.at;
  // The count wraps at 65,536 entries, so the signatures say where the directory ends.
  while (
    at + 46 <= bytes.length &&
    view.getUint32(at, true) === CENTRAL &&
    entries.length < MAX_ENTRIES
  ) {
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const extraAt = at + 46 + nameLength;
    if (extraAt + extraLength > bytes.length) return null;
    const size = view.getUint32(at + 24, true);
    const packed = view.getUint32(at + 20, true);
    const offset = view.getUint32(at + 42, true);
    const wide = wideNumbers(view, { at: extraAt, length: extraLength }, [size, packed, offset]);
    const flags = view.getUint16(at + 8, true);
    const entry = {
      name: nameOf(bytes.subarray(at + 46, extraAt), flags),
      method: view.getUint16(at + 10, true),
      encrypted: (flags & 1) !== 0,
      packed: wide[1] ?? packed,
      size: wide[0] ?? size,
      maxSize: wide[0] ?? size,
      crc: view.getUint32(at + 16, true),
      start: dataStart(view, (wide[2] ?? offset) + directory.shift),
    };
    if (!entry.name.endsWith('/')) entries.push(entry);
    at = extraAt + extraLength + view.getUint16(at + 32, true);
  }
  return entries.length < Math.min(directory.count, 1) ? null : entries;
}

/** The entries reached by walking from the first local header; [] when there is none. */
export function localEntries(bytes: Uint8Array): ZipEntry[] {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = nextHeader(bytes, 0);
  while (at + 30 <= bytes.length && view.getUint32(at, true) === LOCAL) {
    const start = dataStart(view, at);
    if (start === null) break;
    const { entry, end } = readLocal(bytes, { at, start });
    if (!entry.name.endsWith('/')) entries.push(entry);
    at = nextHeader(bytes, end);
  }
  return entries;
}

function readLocal(bytes: Uint8Array, { at, start }: { at: number; start: number }) {
  const view = viewOf(bytes);
  const flags = view.getUint16(at + 6, true);
  const nameLength = view.getUint16(at + 26, true);
  const extra = { at: at + 30 + nameLength, length: start - at - 30 - nameLength };
  let crc: number | null = view.getUint32(at + 14, true);
  let packed = view.getUint32(at + 18, true);
  let size = view.getUint32(at + 22, true);
  const wide = wideNumbers(view, extra, [size, packed]);
  size = wide[0] ?? size;
  packed = wide[1] ?? packed;
  let maxSize = size;
  if ((flags & 8) !== 0 && packed === 0) {
    // Written as a stream: the sizes stand behind the data, if the file still has them.
    const end = nextHeader(bytes, start);
    packed = end - start;
    const tail = descriptor(view, { start, end });
    crc = tail?.crc ?? null;
    packed = tail?.packed ?? packed;
    size = tail?.size ?? packed * UNKNOWN_RATIO;
    maxSize = tail?.size ?? Math.max(UNKNOWN_MAX_BYTES, packed * UNKNOWN_RATIO);
  }
  packed = Math.min(packed, bytes.length - start);
  const name = nameOf(bytes.subarray(at + 30, at + 30 + nameLength), flags);
  const method = view.getUint16(at + 8, true);
  const encrypted = (flags & 1) !== 0;
  const entry: ZipEntry = { name, method, encrypted, packed, size, maxSize, crc, start };
  return { entry, end: start + packed };
}

function descriptor(view: DataView, { start, end }: { start: number; end: number }) {
  if (end - start < 12) return null;
  const packed = view.getUint32(end - 8, true);
  const signed = end - start >= 16 && view.getUint32(end - 16, true) === DESCRIPTOR;
  if (packed !== end - start - (signed ? 16 : 12)) return null;
  return { crc: view.getUint32(end - 12, true), packed, size: view.getUint32(end - 4, true) };
}

/** Where the next plausible header starts; packed data may hold a signature by chance. */
function nextHeader(bytes: Uint8Array, from: number): number {
  const view = viewOf(bytes);
  for (let at = bytes.indexOf(0x50, from); at !== -1; at = bytes.indexOf(0x50, at + 1)) {
    if (at + 30 > bytes.length) break;
    const signature = view.getUint32(at, true);
    if (signature === CENTRAL) return at;
    const method = signature === LOCAL ? view.getUint16(at + 8, true) : -1;
    const nameLength = signature === LOCAL ? view.getUint16(at + 26, true) : 0;
    if ((method === 0 || method === 8) && nameLength > 0 && nameLength < 1_024) return at;
  }
  return bytes.length;
}

function dataStart(view: DataView, at: number): number | null {
  if (at + 30 > view.byteLength || view.getUint32(at, true) !== LOCAL) return null;
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  return start <= view.byteLength ? start : null;
}

/** The 64-bit numbers of those fields that are too large for their own 32 bits (4.5.3). */
function wideNumbers(view: DataView, extra: { at: number; length: number }, fields: number[]) {
  const wide: (number | undefined)[] = [];
  const end = extra.at + extra.length;
  for (let at = extra.at; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let valueAt = at + 4;
    for (const field of fields) {
      const present = field === IN_EXTRA && valueAt + 8 <= end;
      wide.push(present ? Number(view.getBigUint64(valueAt, true)) : undefined);
      if (present) valueAt += 8;
    }
    break;
  }
  return wide;
}

function nameOf(whole: Uint8Array, flags: number): string {
  const raw = whole.subarray(0, MAX_NAME_BYTES);
  // Bit 11: UTF-8. Older ones are code page 437; part names are ASCII, so Latin-1 is near enough.
  const isUtf8 = (flags & 0x800) !== 0 || raw.every((byte) => byte < 0x80);
  const text = new TextDecoder(isUtf8 ? 'utf-8' : 'windows-1252').decode(raw);
  return text.replaceAll('\\', '/').replace(/^\/+/, '');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
