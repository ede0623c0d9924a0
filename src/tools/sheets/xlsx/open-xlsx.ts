/**
 * Opens xlsx, xlsm and their templates (ECMA-376 transitional and strict): sheets and names at once,
 * shared strings and styles at the first scan, cells only while they are scanned. Media, drawings
 * and macros are never unpacked. What can still be reached of a damaged file is read, and said.
 */
import { StrideError } from '../../../errors.ts';
import { type Book, MAX_BOOK_BYTES, type SheetTail } from '../book.ts';
import { emptyTail } from '../scan-parts.ts';
import { parseXml } from '../xml.ts';
import { openZip, type Zip } from '../zip.ts';
import { OFFICE_THEME, readTheme } from './colors.ts';
import { readComments, readPersons } from './comments.ts';
import {
  findWorkbook,
  type ReadOptions,
  type Relation,
  readRelations,
  readTable,
  readWorkbook,
  relationsOf,
  type SheetRef,
  type Workbook,
} from './parts.ts';
import { parseRange } from './refs.ts';
import { readSheet } from './sheet.ts';
import { readSharedStrings } from './strings.ts';
import { readStyles } from './styles.ts';

/** Of the shared strings of a book of which only heads are shown. */
const LARGE_STRINGS_BYTES = 4 * 1024 * 1024;
/** Sheets whose tables are listed as names. */
const MAX_TABLE_SHEETS = 200;
/** `XFD1048576:XFD1048576`, with room. */
const MAX_REF_CHARS = 32;

/** The file, once its workbook is read. */
interface Opened {
  zip: Zip;
  name: string;
  workbook: Workbook;
  relations: Map<string, Relation>;
  large: string | null;
}

/**
 * `name` is the file's, for errors. Throws StrideError invalid_input when it is no zip, holds no
 * sheets, needs a password or is made to harm (see zip.ts and xml.ts).
 */
export async function openXlsx(bytes: Uint8Array, name: string): Promise<Book> {
  const zip = openZip(bytes, name);
  if (zip.encrypted) {
    throw new StrideError(
      'invalid_input',
      `${name} is protected by a password; ask for a copy without one, or answer without it.`,
    );
  }
  const options: ReadOptions = { what: name, signal: new AbortController().signal };
  const part = findWorkbook(zip, options);
  const relations = part === null ? new Map() : readRelations(zip, { part, ...options });
  const workbook = readWorkbook(zip, { part, relations, ...options });
  if (workbook.sheets.length === 0) {
    throw new StrideError(
      'invalid_input',
      `${name} holds no sheets that can be read${zip.repaired ? ', because it is cut off or damaged' : ''}; look at it with execute_python, or answer without it.`,
    );
  }
  const opened = { zip, name, workbook, relations, large: largeReason(zip, workbook) };
  const scan = createScan(opened);
  return {
    format: part === null ? 'xlsx' : formatOf(zip, { part, ...options }),
    sheets: workbook.sheets.map(({ name: title, state, kind }) => ({ name: title, state, kind })),
    names: [...workbook.names, ...tableNames(opened, options)],
    notes: bookNotes(opened, part),
    large: opened.large,
    scan,
  };
}

function bookNotes({ zip, workbook }: Opened, part: string | null): string[] {
  const notes: string[] = [];
  if (zip.repaired) {
    notes.push('The file is cut off or damaged at its end; what could still be reached is shown.');
  }
  if (part === null || workbook.damage !== null) {
    notes.push('The list of sheets is missing or damaged; names and order of sheets may be wrong.');
  }
  if (workbook.date1904) notes.push('Dates of this book count from 1904 and are shown converted.');
  return notes;
}

function createScan({ zip, name, workbook, relations, large }: Opened): Book['scan'] {
  let shared: ReturnType<typeof loadShared> | null = null;
  return async (index, onCell, { signal }) => {
    signal.throwIfAborted();
    const options: ReadOptions = { what: name, signal };
    const sheet = workbook.sheets[index];
    if (sheet === undefined) throw new RangeError(`no sheet ${index}`);
    if (sheet.kind === 'chart') return emptyTail();
    const { part } = sheet;
    if (part === null || !zip.has(part)) return lostSheet();
    shared ??= loadShared({ zip, relations, large, options });
    const { styles, strings, persons, notes } = shared;
    const own = readRelations(zip, { part, ...options });
    const tail = readSheet(zip.chunks(part), {
      ...options,
      styles,
      strings,
      date1904: workbook.date1904,
      relations: own,
      onCell,
    });
    tail.notes.push(...notes);
    const { palette } = styles;
    tail.comments = readComments(zip, {
      relations: own,
      persons,
      notes: tail.notes,
      palette,
      ...options,
    });
    for (const table of relationsOf(own, 'table')) {
      const filtered = readTable(zip, { part: table, ...options })?.filtered;
      if (filtered) tail.filter ??= parseRange(filtered);
    }
    return tail;
  };
}

function lostSheet(): SheetTail {
  return {
    ...emptyTail(),
    complete: false,
    notes: ['The file no longer holds the cells of this sheet.'],
  };
}

/** What all sheets share: texts, styles, people. Each part may be missing. */
function loadShared({
  zip,
  relations,
  large,
  options,
}: {
  zip: Zip;
  relations: Map<string, Relation>;
  large: string | null;
  options: ReadOptions;
}) {
  const chunksOf = (kind: string, usual: RegExp) => {
    const related = relationsOf(relations, kind).find((target) => zip.has(target));
    const part = related ?? zip.names.find((name) => usual.test(name));
    return part === undefined ? null : zip.chunks(part);
  };
  const themePart = chunksOf('theme', /(?:^|\/)theme\/theme1?\.xml$/i);
  const theme = themePart === null ? OFFICE_THEME : readTheme(themePart, options);
  const styles = readStyles(chunksOf('styles', /(?:^|\/)styles\.xml$/i), { theme, ...options });
  const strings = readSharedStrings(chunksOf('sharedStrings', /(?:^|\/)sharedStrings\.xml$/i), {
    palette: styles.palette,
    maxBytes: large === null ? Number.POSITIVE_INFINITY : LARGE_STRINGS_BYTES,
    ...options,
  });
  const persons = readPersons(zip, { parts: relationsOf(relations, 'person'), ...options });
  const notes: string[] = [];
  if (styles.damage !== null) {
    notes.push(`The part with the styles ${styles.damage}; colours and dates may be missing.`);
  }
  if (strings.damage !== null) notes.push(`The part with the shared texts ${strings.damage}.`);
  return { styles, strings, persons, notes };
}

/** Counts what a reader unpacks: sheets, texts and styles. */
function largeReason(zip: Zip, { sheets }: Workbook): string | null {
  const parts = new Set(sheets.flatMap(({ part }) => (part === null ? [] : [part])));
  for (const name of zip.names) {
    if (/(?:^|\/)(?:sharedStrings|styles)\.xml$/i.test(name)) parts.add(name);
  }
  const total = [...parts].reduce((sum, part) => sum + zip.size(part), 0);
  if (total <= MAX_BOOK_BYTES) return null;
  const mb = (count: number) => Math.ceil(count / 1024 / 1024);
  return `Its XML is ${mb(total)} MB unzipped, more than the ${mb(MAX_BOOK_BYTES)} MB that are read whole.`;
}

/** Tables are names too: formulas and people say `Sales[Total]`. */
function tableNames({ zip, workbook }: Opened, options: ReadOptions): Book['names'] {
  const tablesOf = ({ name, part, kind }: SheetRef) => {
    if (part === null || kind === 'chart') return [];
    return relationsOf(readRelations(zip, { part, ...options }), 'table').flatMap((table) => {
      const found = readTable(zip, { part: table, ...options });
      if (found === null) return [];
      const range = found.ref.slice(0, MAX_REF_CHARS).replace(/([A-Z]+)(\d+)/g, '$$$1$$$2');
      return [{ name: found.name, refersTo: `${quoted(name)}!${range}` }];
    });
  };
  return workbook.sheets.slice(0, MAX_TABLE_SHEETS).flatMap(tablesOf);
}

function quoted(sheet: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
}

/** xlsx, xlsm, xltx or xltm, by the content type of the workbook. */
function formatOf(zip: Zip, { part, ...options }: { part: string } & ReadOptions): string {
  let type = '';
  if (zip.has('[Content_Types].xml')) {
    parseXml(
      zip.chunks('[Content_Types].xml'),
      {
        open(_tag, { PartName: of, ContentType: value }) {
          if (of?.replace(/^\//, '').toLowerCase() === part.toLowerCase()) type = value ?? '';
        },
      },
      options,
    );
  }
  return `xl${type.includes('template') ? 't' : 's'}${/macroEnabled/i.test(type) ? 'm' : 'x'}`;
}
