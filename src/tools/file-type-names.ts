/**
 * Whether the name of a file and its content agree. Only endings that promise something are listed;
 * a name without one, or with a rare one, contradicts nothing. No I/O.
 */
import { type FileKind, type FileType, isTextKind } from './file-type.ts';

/** Kinds that an ending may hold. `cfb` and `zip`: which one they are could not be told. */
const PROMISES: ReadonlyMap<string, readonly FileKind[]> = new Map([
  ['xlsx', ['xlsx', 'xlsm', 'encrypted-office']],
  ['xlsm', ['xlsm', 'xlsx', 'encrypted-office']],
  ['xltx', ['xlsx']],
  ['xlsb', ['xlsb', 'encrypted-office']],
  ['xls', ['xls', 'cfb', 'encrypted-office']],
  ['ods', ['ods']],
  ['docx', ['docx', 'encrypted-office']],
  ['pptx', ['pptx', 'encrypted-office']],
  ['doc', ['doc', 'cfb', 'encrypted-office']],
  ['ppt', ['ppt', 'cfb', 'encrypted-office']],
  ['odt', ['odt', 'ods']],
  ['odp', ['odp', 'ods']],
  ['epub', ['epub']],
  ['msg', ['msg', 'cfb']],
  ['pdf', ['pdf']],
  ['png', ['png']],
  ['jpg', ['jpeg']],
  ['jpeg', ['jpeg']],
  ['gif', ['gif']],
  ['webp', ['webp']],
  ['bmp', ['bmp']],
  ['tif', ['tiff']],
  ['tiff', ['tiff']],
  ['heic', ['heic']],
  ['svg', ['svg', 'xml']],
  // The beginning of MP3 and raw AAC streams is not always told apart.
  ['mp3', ['mp3', 'binary']],
  ['wav', ['wav']],
  ['m4a', ['m4a', 'mp4']],
  ['mp4', ['mp4', 'm4a', 'mov']],
  ['mov', ['mov', 'mp4']],
  ['ogg', ['ogg']],
  ['flac', ['flac']],
  ['webm', ['webm']],
  ['gz', ['gzip']],
  ['tgz', ['gzip']],
  ['7z', ['7z']],
  ['rar', ['rar']],
  ['tar', ['tar']],
  ['parquet', ['parquet']],
  ['sqlite', ['sqlite']],
  ['html', ['html', 'xml', 'text']],
  ['htm', ['html', 'xml', 'text']],
]);

/** Text of some form. A table or JSON may begin like any text, but a web page is none of these. */
const TEXT_ENDINGS: ReadonlySet<string> = new Set(
  'csv tsv json jsonl ndjson jsonld ipynb xml yaml yml py pdb tex bib lean'.split(' '),
);
/** Here even a web page may be meant: its source, or text that begins with a tag. */
const ANY_TEXT_ENDINGS: ReadonlySet<string> = new Set('txt md log js ts css xhtml'.split(' '));

/**
 * "named .xlsx, but it is an HTML page: …" when `path` promises something else than `type`, else
 * null. `hasTable`: the page holds a table, as programs save under the name of a workbook.
 */
export function nameConflict(
  path: string,
  { type, hasTable }: { type: FileType; hasTable: boolean },
): string | null {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined || type.kind === 'empty' || agrees(ending, type.kind)) return null;
  const base = `named .${ending}, but it is ${type.label}`;
  if (type.kind !== 'html') return base;
  return hasTable
    ? `${base}: a table saved as a web page, or a failed download`
    : `${base}: a failed download, most likely`;
}

function agrees(ending: string, kind: FileKind): boolean {
  if (ANY_TEXT_ENDINGS.has(ending)) return isTextKind(kind);
  if (TEXT_ENDINGS.has(ending)) return isTextKind(kind) && kind !== 'html';
  // Countless formats are ZIP archives; their users know them as such.
  if (ending === 'zip') return ZIP_KINDS.has(kind);
  return PROMISES.get(ending)?.includes(kind) ?? true;
}

const ZIP_KINDS: ReadonlySet<FileKind> = new Set<FileKind>([
  'zip',
  'xlsx',
  'xlsm',
  'xlsb',
  'docx',
  'pptx',
  'ods',
  'odt',
  'odp',
  'epub',
]);
