/**
 * What a file is by its bytes, never by its name: names are wrong often, and a failed download is an
 * HTML page whatever it is called. The one table of kinds, with the words for people and the tool
 * that fits. Parts: file-type-containers.ts (ZIP, CFB), file-type-text.ts. No I/O.
 */
import { cfbKind, zipKind } from './file-type-containers.ts';
import { textKind } from './file-type-text.ts';
import { mediaTypeOf } from './media-type.ts';

/** Bytes that decide about everything but archives, whose directory may stand at the end. */
export const SNIFFED_BYTES = 64 * 1024;

export interface FileType {
  kind: FileKind;
  mediaType: string;
  /** As a sentence says it: "an Excel workbook (xlsx)". */
  label: string;
}

type Family = 'sheet' | 'table' | 'pdf' | 'text' | 'locked' | 'cfb' | 'empty' | 'other';

/** Kinds are named by their usual ending where there is one: the media type goes by it. */
const KINDS = {
  pdf: ['a PDF', 'pdf'],
  xlsx: ['an Excel workbook (xlsx)', 'sheet'],
  xlsm: ['an Excel workbook with macros (xlsm)', 'sheet'],
  xlsb: ['a binary Excel workbook (xlsb)', 'sheet'],
  xls: ['an old Excel workbook (xls)', 'sheet'],
  ods: ['an OpenDocument spreadsheet (ods)', 'sheet'],
  docx: ['a Word document (docx)', 'other'],
  pptx: ['a PowerPoint presentation (pptx)', 'other'],
  odt: ['an OpenDocument text (odt)', 'other'],
  odp: ['an OpenDocument presentation (odp)', 'other'],
  epub: ['an e-book (EPUB)', 'other'],
  doc: ['an old Word document (doc)', 'other'],
  ppt: ['an old PowerPoint presentation (ppt)', 'other'],
  msg: ['an Outlook message (msg)', 'other'],
  cfb: ['an old Microsoft Office file (xls, doc or ppt)', 'cfb'],
  'encrypted-office': ['an Office file protected by a password', 'locked'],
  zip: ['a ZIP archive', 'other'],
  gzip: ['a gzip archive', 'other'],
  '7z': ['a 7z archive', 'other'],
  rar: ['a RAR archive', 'other'],
  tar: ['a tar archive', 'other'],
  png: ['a PNG image', 'other'],
  jpeg: ['a JPEG image', 'other'],
  gif: ['a GIF image', 'other'],
  webp: ['a WebP image', 'other'],
  bmp: ['a BMP image', 'other'],
  tiff: ['a TIFF image', 'other'],
  heic: ['a HEIC image', 'other'],
  avif: ['an AVIF image', 'other'],
  mp3: ['an MP3 recording', 'other'],
  wav: ['a WAV recording', 'other'],
  m4a: ['an M4A recording', 'other'],
  flac: ['a FLAC recording', 'other'],
  ogg: ['an Ogg recording', 'other'],
  mp4: ['an MP4 video', 'other'],
  mov: ['a QuickTime video', 'other'],
  webm: ['a WebM or Matroska video', 'other'],
  sqlite: ['an SQLite database', 'other'],
  parquet: ['a Parquet table', 'other'],
  svg: ['an SVG drawing', 'text'],
  html: ['an HTML page', 'text'],
  xml: ['XML', 'text'],
  json: ['JSON', 'text'],
  jsonl: ['JSON lines', 'text'],
  csv: ['a CSV table', 'table'],
  tsv: ['a tab-separated table', 'table'],
  pdb: ['a molecular structure (PDB)', 'text'],
  text: ['text', 'text'],
  empty: ['an empty file', 'empty'],
  binary: ['binary data', 'other'],
} as const satisfies Record<string, readonly [label: string, family: Family]>;

export type FileKind = keyof typeof KINDS;

/** Kinds that are no ending. */
const ENDINGS: Partial<Record<FileKind, string>> = { gzip: 'gz', text: 'txt' };
const MEDIA_TYPES: Partial<Record<FileKind, string>> = {
  cfb: 'application/x-cfb',
  'encrypted-office': 'application/x-cfb',
};

/**
 * The type of a whole file or of its first bytes (64 KB do). Of an archive alone the first bytes may
 * leave open which it is (`zip`, `cfb`): its directory stands at the end.
 */
export function detectFileType(bytes: Uint8Array): FileType {
  if (bytes.length === 0) return typeOf('empty');
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const start = latin1(head, 32);
  if (ZIP_STARTS.some((prefix) => start.startsWith(prefix))) {
    const { kind, names } = zipKind(bytes);
    const open = 'a ZIP archive (xlsx, docx and pptx files are such archives)';
    return names ? typeOf(kind) : { ...typeOf(kind), label: open };
  }
  if (start.startsWith('\xd0\xcf\x11\xe0')) return typeOf(cfbKind(bytes));
  const known = SIGNATURES.find(
    ([prefix, , at = 0, more = '']) => start.startsWith(prefix) && start.startsWith(more, at),
  );
  const kind = known?.[1] ?? mediaKind(head, start) ?? otherKind(head);
  if (kind !== null) return typeOf(kind);
  if (isBinary(head)) return typeOf('binary');
  return typeOf(
    textKind(textOf(head), head.length < bytes.length || head.length === SNIFFED_BYTES),
  );
}

function typeOf(kind: FileKind): FileType {
  const mediaType = MEDIA_TYPES[kind] ?? mediaTypeOf(`.${ENDINGS[kind] ?? kind}`);
  return { kind, mediaType, label: KINDS[kind][0] };
}

/** True when read_file and grep can show it. */
export function isTextKind(kind: FileKind): boolean {
  const family = KINDS[kind][1];
  return family === 'text' || family === 'table' || family === 'empty';
}

const PYTHON = 'execute_python, when available,';

const HINTS: Record<Family, string> = {
  sheet: `parse_excel shows cells, colours and formulas; ${PYTHON} is better for sums over large tables`,
  table: `${PYTHON} is best for computing, parse_excel shows it as a sheet, read_file as text`,
  pdf: 'parse_pdf shows its text page by page',
  text: 'read_file shows it, grep finds lines',
  locked: 'without the password no tool can read it',
  cfb: `parse_excel fits if it is a workbook; ${PYTHON} can look into it`,
  empty: 'there is nothing to read',
  other: `${PYTHON} can open it`,
};

/** Which tool fits, as a hint without a final stop. Only tools that every deployment knows. */
export function toolFor({ kind }: FileType): string {
  return HINTS[KINDS[kind][1]];
}

const ZIP_STARTS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** First bytes as Latin-1, and for containers of many kinds what stands at a later place. */
const SIGNATURES: readonly [prefix: string, kind: FileKind, at?: number, more?: string][] = [
  ['%PDF-', 'pdf'],
  ['\x89PNG', 'png'],
  ['\xff\xd8\xff', 'jpeg'],
  ['GIF8', 'gif'],
  ['RIFF', 'webp', 8, 'WEBP'],
  ['RIFF', 'wav', 8, 'WAVE'],
  ['II*\0', 'tiff'],
  ['II+\0', 'tiff'],
  ['MM\0*', 'tiff'],
  ['MM\0+', 'tiff'],
  ['ID3\x02', 'mp3'],
  ['ID3\x03', 'mp3'],
  ['ID3\x04', 'mp3'],
  ['OggS', 'ogg'],
  ['fLaC', 'flac'],
  ['\x1a\x45\xdf\xa3', 'webm'],
  ['\x1f\x8b', 'gzip'],
  ['7z\xbc\xaf\x27\x1c', '7z'],
  ['Rar!\x1a\x07', 'rar'],
  ['SQLite format 3', 'sqlite'],
  ['PAR1', 'parquet'],
];

/** Sound and pictures by the brands of ISO base media files (ISO 14496-12), or by computing. */
function mediaKind(head: Uint8Array, start: string): FileKind | null {
  const box = start.slice(4, 8);
  if (box === 'ftyp') {
    const brand = start.slice(8, 12);
    if (/^(?:hei[cxms]|hev[cx]|mif1|msf1)/.test(brand)) return 'heic';
    if (/^avi[fs]/.test(brand)) return 'avif';
    return /^M4[AB]/.test(brand) ? 'm4a' : brand === 'qt  ' ? 'mov' : 'mp4';
  }
  if (start.startsWith('\0') && /^(?:moov|mdat|wide|free|skip)$/.test(box)) return 'mov';
  if (isBitmap(head, start)) return 'bmp';
  return isMpegFrame(head) ? 'mp3' : null;
}

function otherKind(head: Uint8Array): FileKind | null {
  if (latin1(head.subarray(257), 5) === 'ustar') return 'tar';
  const [first = 0, version = 0, size = 0, high = 0] = head;
  // Excel 2 to 4 wrote their records without a container: a tab, then bytes that no text holds.
  if (first === 9 && high === 0 && [0, 2, 4, 8].includes(version) && [4, 6, 8, 16].includes(size)) {
    return 'xls';
  }
  return isPdf(head) ? 'pdf' : null;
}

/** `BM` alone starts sentences: two zero words and a header of a size that exists must follow. */
function isBitmap(head: Uint8Array, start: string): boolean {
  const sizes = [12, 40, 52, 56, 64, 108, 124];
  return (
    start.startsWith('BM') &&
    start.slice(6, 10) === '\0\0\0\0' &&
    start.slice(15, 18) === '\0\0\0' &&
    sizes.includes(head[14] ?? 0)
  );
}

/** Header of an MPEG layer III frame: sync, version, bit rate and sample rate that exist. */
function isMpegFrame([sync = 0, second = 0, third = 0]: Uint8Array): boolean {
  if (sync !== 0xff || (second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return false;
  const rate = third >> 4;
  return rate > 0 && rate < 15 && (third & 0x0c) !== 0x0c;
}

/** Readers accept a PDF behind up to 1 KB of something else; an object must follow its header. */
function isPdf(head: Uint8Array): boolean {
  const text = latin1(head, 4_096);
  const at = text.indexOf('%PDF-');
  if (at < 1 || at > 1_024) return false;
  return !/[ -~]/.test(text.charAt(at - 1)) && /[\r\n]\d+ \d+ obj\b/.test(text.slice(at));
}

function isBinary(head: Uint8Array): boolean {
  if (hasUtf16Mark(head)) return false;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    // Tab, line ends, form feed and escape (terminal colours) are usual in text.
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) {
      controls++;
    }
  }
  return controls > head.length / 20;
}

export function hasUtf16Mark(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

/** In another encoding than UTF-8 the ASCII characters that matter here are the same. */
function textOf(head: Uint8Array): string {
  const encoding = !hasUtf16Mark(head) ? 'utf-8' : head[0] === 0xff ? 'utf-16le' : 'utf-16be';
  return new TextDecoder(encoding).decode(head);
}

function latin1(bytes: Uint8Array, length: number): string {
  let text = '';
  for (const byte of bytes.subarray(0, length)) text += String.fromCharCode(byte);
  return text;
}
