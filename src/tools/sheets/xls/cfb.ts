/**
 * Streams of a Compound File (MS-CFB): the container of xls, doc, ppt and of encrypted xlsx.
 * A file that is cut off is read as far as it goes: sectors whose table is lost are taken to lie
 * one after another, as writers lay them. No chain runs in circles.
 */

export interface Cfb {
  /** Names of all streams and storages, as written. */
  names: readonly string[];
  has(name: string): boolean;
  /** A stream by its name, whatever its case; null when there is none. */
  read(name: string): CfbStream | null;
}

export interface CfbStream {
  bytes: Uint8Array;
  /** The directory promised more, or the way through the sectors was lost. */
  cut: boolean;
}

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MAX_ENTRIES = 10_000;
/** Sector numbers from here up are marks (end of chain, free), not places. */
const FIRST_MARK = 0xfffffffa;
const STREAM = 2;
const ROOT = 5;

interface Entry {
  name: string;
  type: number;
  start: number;
  size: number;
}

interface Sectors {
  bytes: Uint8Array;
  view: DataView;
  size: number;
  /** Places of the sectors that hold the file allocation table. */
  table: number[];
}

export function isCfb(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => bytes[at] === byte);
}

/** Null when the bytes are no compound file or its header is unusable. */
export function openCfb(bytes: Uint8Array): Cfb | null {
  if (!isCfb(bytes) || bytes.length < HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = view.getUint16(30, true);
  if (shift !== 9 && shift !== 12) return null;
  const sectors: Sectors = { bytes, view, size: 1 << shift, table: [] };
  sectors.table = tableSectors(sectors);
  const entries = readEntries(sectors, view.getUint32(48, true));
  const root = entries.find(({ type }) => type === ROOT);
  const miniCutoff = view.getUint32(56, true);
  const find = (name: string) =>
    entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase() && entry.type !== ROOT);
  return {
    names: entries.filter(({ type }) => type !== ROOT).map(({ name }) => name),
    has: (name) => find(name) !== undefined,
    read(name) {
      const entry = find(name);
      if (entry === undefined || entry.type !== STREAM) return null;
      if (entry.size >= miniCutoff || root === undefined) return readChain(sectors, entry);
      return readMini(sectors, { entry, root, miniTable: view.getUint32(60, true) });
    },
  };
}

/**
 * What lies behind the header of a file whose directory is lost, up to the first sector that is known
 * to hold something else: most writers put the book's stream first.
 */
export function firstStream(bytes: Uint8Array): CfbStream | null {
  if (!isCfb(bytes) || bytes.length <= HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectors: Sectors = { bytes, view, size: HEADER_BYTES, table: [] };
  const starts = [...tableSectors(sectors), view.getUint32(48, true)].map((sector) =>
    sectorStart(sectors, sector),
  );
  const end = Math.min(bytes.length, ...starts.filter((start) => start > HEADER_BYTES));
  return { bytes: bytes.subarray(HEADER_BYTES, end), cut: true };
}

function sectorStart(sectors: Sectors, sector: number): number {
  return (sector + 1) * sectors.size;
}

/** The table's own sectors: 109 numbers in the header, the others in a chain of lists. */
function tableSectors(sectors: Sectors): number[] {
  const { view, size } = sectors;
  const most = Math.ceil(view.byteLength / size);
  const found: number[] = [];
  const take = (from: number, count: number) => {
    for (let at = from; at < from + count * 4 && at + 4 <= view.byteLength; at += 4) {
      const sector = view.getUint32(at, true);
      if (sector < FIRST_MARK && found.length < most) found.push(sector);
    }
  };
  take(76, 109);
  let list = view.getUint32(68, true);
  for (let count = 0; list < FIRST_MARK && count < most; count++) {
    const start = sectorStart(sectors, list);
    if (start + size > view.byteLength) break;
    take(start, size / 4 - 1);
    list = view.getUint32(start + size - 4, true);
  }
  return found;
}

function nextSector(sectors: Sectors, sector: number): number {
  const { view, size, table } = sectors;
  const perSector = size / 4;
  const tableSector = table[Math.floor(sector / perSector)];
  if (tableSector === undefined) return sector + 1;
  const at = sectorStart(sectors, tableSector) + (sector % perSector) * 4;
  return at + 4 <= view.byteLength ? view.getUint32(at, true) : sector + 1;
}

/**
 * The bytes of a chain of sectors, up to `size`, which a hostile file may set to anything. A chain
 * that comes back to where it was goes on with the next sector instead, and counts as cut.
 */
function readChain(sectors: Sectors, { start, size }: { start: number; size: number }): CfbStream {
  const { bytes } = sectors;
  const wanted = Math.min(size, bytes.length);
  const content = new Uint8Array(wanted);
  const seen = new Uint8Array(Math.ceil(bytes.length / sectors.size));
  let length = 0;
  let isLoop = false;
  for (let sector = start; length < wanted && sector < FIRST_MARK; ) {
    const from = sectorStart(sectors, sector);
    if (from >= bytes.length) break;
    const part = bytes.subarray(from, from + Math.min(sectors.size, wanted - length));
    content.set(part, length);
    length += part.length;
    seen[sector] = 1;
    const next = nextSector(sectors, sector);
    const isBack = seen[next] === 1;
    isLoop ||= isBack;
    sector = isBack ? sector + 1 : next;
  }
  return { bytes: content.subarray(0, length), cut: isLoop || length < size };
}

/** Small streams lie in sectors of 64 bytes inside the stream of the root. */
function readMini(
  sectors: Sectors,
  { entry, root, miniTable }: { entry: Entry; root: Entry; miniTable: number },
): CfbStream {
  const pool = readChain(sectors, root).bytes;
  const { bytes: table } = readChain(sectors, {
    start: miniTable,
    size: Math.ceil(pool.length / 16),
  });
  const next = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const content = new Uint8Array(Math.min(entry.size, pool.length));
  let length = 0;
  for (let sector = entry.start; length < content.length; ) {
    const from = sector * 64;
    if (from >= pool.length || sector * 4 + 4 > table.length) break;
    const most = Math.min(64, pool.length - from, content.length - length);
    content.set(pool.subarray(from, from + most), length);
    length += most;
    sector = next.getUint32(sector * 4, true);
  }
  return { bytes: content.subarray(0, length), cut: length < entry.size };
}

function readEntries(sectors: Sectors, start: number): Entry[] {
  const { bytes } = readChain(sectors, { start, size: MAX_ENTRIES * ENTRY_BYTES });
  const view = new DataView(bytes.buffer);
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const type = view.getUint8(at + 66);
    const nameBytes = view.getUint16(at + 64, true);
    if (type === 0 || nameBytes < 2 || nameBytes > 64) continue;
    entries.push({
      name: new TextDecoder('utf-16le').decode(bytes.subarray(at, at + nameBytes - 2)),
      type,
      start: view.getUint32(at + 116, true),
      size: view.getUint32(at + 120, true),
    });
  }
  return entries;
}
