/**
 * What a ZIP archive or an old Microsoft Office file (CFB, MS-CFB specification) holds, by the names
 * in its directory. Works on whole files and on their first bytes; inflates nothing. No I/O.
 */
import type { FileKind } from './file-type.ts';

/** Names and bytes looked at; the parts that tell the kinds apart come early in real files. */
const MAX_NAMES = 5_000;
const MAX_LOCAL_BYTES = 1024 * 1024;
/** End record of a ZIP (22 bytes) and the longest comment behind it. */
const MAX_END_BYTES = 22 + 0xffff;

/** `names: false` when not one name could be read: any kind of archive may be meant. */
export function zipKind(bytes: Uint8Array): { kind: FileKind; names: boolean } {
  const stated = statedKind(bytes);
  if (stated !== null) return { kind: stated, names: true };
  const names = (centralNames(bytes) ?? localNames(bytes)).map((name) =>
    name.replaceAll('\\', '/').toLowerCase(),
  );
  return { kind: kindOfNames(names), names: names.length > 0 };
}

/** OpenDocument and EPUB state their type in a first entry that is never compressed. */
function statedKind(bytes: Uint8Array): FileKind | null {
  if (ascii(bytes, 30, 38) !== 'mimetype') return null;
  const start = 38 + view(bytes).getUint16(28, true);
  const type = ascii(bytes, start, start + 64);
  if (type.startsWith('application/epub+zip')) return 'epub';
  const part = /^application\/vnd\.oasis\.opendocument\.(spreadsheet|text|presentation)/.exec(type);
  if (part === null) return null;
  return part[1] === 'spreadsheet' ? 'ods' : part[1] === 'text' ? 'odt' : 'odp';
}

function kindOfNames(names: readonly string[]): FileKind {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  // The main part may have another name or folder; then the list of content types is needed too.
  const packaged = names.includes('[content_types].xml');
  if (has(/^xl\//) || (packaged && has(/(^|\/)workbook\d*\.(xml|bin)$/))) {
    if (has(/(^|\/)workbook\d*\.bin$/)) return 'xlsb';
    return has(/^xl\/vbaproject\.bin$/) ? 'xlsm' : 'xlsx';
  }
  if (has(/^word\//) || (packaged && has(/(^|\/)document\d*\.xml$/))) return 'docx';
  if (has(/^ppt\//) || (packaged && has(/(^|\/)presentation\d*\.xml$/))) return 'pptx';
  // An OpenDocument file that was zipped again: which one, only its compressed text tells.
  return has(/^content\.xml$/) && has(/^meta-inf\/manifest\.xml$/) ? 'ods' : 'zip';
}

/** Names from the central directory at the end; null when there is none, as in a cut-off file. */
function centralNames(bytes: Uint8Array): string[] | null {
  const data = view(bytes);
  const lowest = Math.max(0, bytes.length - MAX_END_BYTES);
  let end = bytes.length - 22;
  while (end >= lowest && data.getUint32(end, true) !== 0x06054b50) end--;
  if (end < lowest) return null;
  // Counted back from the end record, so that bytes put before the archive do not matter.
  let at = end - data.getUint32(end + 12, true);
  const names: string[] = [];
  while (at >= 0 && at + 46 <= end && data.getUint32(at, true) === 0x02014b50) {
    const nameLength = data.getUint16(at + 28, true);
    names.push(ascii(bytes, at + 46, at + 46 + nameLength));
    if (names.length === MAX_NAMES) break;
    at += 46 + nameLength + data.getUint16(at + 30, true) + data.getUint16(at + 32, true);
  }
  return names.length > 0 ? names : null;
}

function localNames(bytes: Uint8Array): string[] {
  const part = bytes.subarray(0, MAX_LOCAL_BYTES);
  const data = view(part);
  const names: string[] = [];
  let at = 0;
  while (at + 30 <= part.length && names.length < MAX_NAMES) {
    if (data.getUint32(at, true) !== 0x04034b50) {
      // Sizes may follow the data (flag bit 3) or be wrong: look for the next entry instead.
      at = part.indexOf(0x50, at + 1);
      if (at < 0) break;
      continue;
    }
    const nameEnd = at + 30 + data.getUint16(at + 26, true);
    if (nameEnd > part.length) break;
    if (nameEnd > at + 30) names.push(ascii(part, at + 30, nameEnd));
    const size = (data.getUint16(at + 6, true) & 8) === 0 ? data.getUint32(at + 18, true) : 0;
    at = nameEnd + data.getUint16(at + 28, true) + size;
  }
  return names;
}

const CFB_NAMES: readonly [name: string, kind: FileKind][] = [
  ['EncryptedPackage', 'encrypted-office'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['__properties_version1.0', 'msg'],
];

/** The kind of a CFB file by the streams in its root; `cfb` when its directory is not in `bytes`. */
export function cfbKind(bytes: Uint8Array): FileKind {
  const names = new Set(rootNames(bytes));
  return CFB_NAMES.find(([name]) => names.has(name))?.[1] ?? 'cfb';
}

interface DirectoryEntry {
  name: string;
  left: number;
  right: number;
  child: number;
}

/** Names directly in the root: what an embedded object holds says nothing about the file. */
function rootNames(bytes: Uint8Array): string[] {
  const entries = directoryEntries(bytes);
  const names: string[] = [];
  const open = [entries[0]?.child ?? -1];
  const seen = new Set<number>();
  // Siblings form a tree; a damaged one may have cycles.
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const entry = entries[id];
    if (entry === undefined || seen.has(id)) continue;
    seen.add(id);
    names.push(entry.name);
    open.push(entry.left, entry.right);
  }
  return names;
}

function directoryEntries(bytes: Uint8Array): DirectoryEntry[] {
  const data = view(bytes);
  const entries: DirectoryEntry[] = [];
  if (bytes.length < 512) return entries;
  const shift = data.getUint16(30, true);
  if (shift < 7 || shift > 16) return entries;
  const size = 2 ** shift;
  let sector = data.getUint32(48, true);
  // 64 sectors hold hundreds of names; a chain that runs in a circle ends here too.
  for (let step = 0; step < 64; step++) {
    const start = (sector + 1) * size;
    if (start + size > bytes.length) break;
    for (let at = start; at < start + size; at += 128) entries.push(directoryEntry(bytes, at));
    const next = nextSector(data, { sector, size });
    if (next === null) break;
    sector = next;
  }
  return entries;
}

function directoryEntry(bytes: Uint8Array, at: number): DirectoryEntry {
  const data = view(bytes);
  const nameBytes = Math.min(64, data.getUint16(at + 64, true));
  const name = bytes.subarray(at, at + Math.max(0, nameBytes - 2));
  return {
    name: new TextDecoder('utf-16le').decode(name),
    left: data.getUint32(at + 68, true),
    right: data.getUint32(at + 72, true),
    child: data.getUint32(at + 76, true),
  };
}

/** The sector after `sector` by the allocation table; only the table's part listed in the header. */
function nextSector(data: DataView, place: { sector: number; size: number }): number | null {
  const perTable = place.size / 4;
  const table = Math.floor(place.sector / perTable);
  if (table >= 109 || 76 + table * 4 + 4 > data.byteLength) return null;
  const at = (data.getUint32(76 + table * 4, true) + 1) * place.size;
  const entry = at + (place.sector % perTable) * 4;
  if (entry + 4 > data.byteLength) return null;
  const next = data.getUint32(entry, true);
  // Above 0xfffffffa stand the marks for the end of a chain and for free sectors.
  return next > 0xfffffffa ? null : next;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes as Latin-1: enough for names that are compared with ASCII ones. */
function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (const byte of bytes.subarray(from, to)) text += String.fromCharCode(byte);
  return text;
}
