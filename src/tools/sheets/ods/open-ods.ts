/**
 * Opens OpenDocument spreadsheets, zipped (ods, ots) and flat (fods): the list of sheets at once, each
 * sheet parsed alone when it is scanned, never more than a row in memory.
 */
import { StrideError } from '../../../errors.ts';
import { type Book, MAX_BOOK_BYTES, type SheetTail } from '../book.ts';
import { parseXml, stopXml } from '../xml.ts';
import { isDamage, openZip, type Zip } from '../zip.ts';
import { addressRange, addressToA1, formulaToA1 } from './formula.ts';
import { readOdsSheet } from './sheet.ts';
import {
  asUtf8,
  createOdsContent,
  findElements,
  type OdsContent,
  type OdsElement,
} from './source.ts';
import { createOdsStyles } from './styles.ts';

/** Content that is too large to be kept is unpacked once more for each sheet that is read far. */
const MAX_WORK_BYTES = 160 * 1024 * 1024;
const MANIFEST = 'META-INF/manifest.xml';
const MAX_MANIFEST_BYTES = 1024 * 1024;
const FLAT_CHUNK_BYTES = 64 * 1024;
const MAX_NAMES = 10_000;
/** Of all names and what they refer to. */
const MAX_NAMES_CHARS = 2_000_000;

/** What a zipped and a flat file have in common. */
interface Source {
  name: string;
  format: 'ods' | 'fods';
  /** Bytes of the XML that holds the cells. */
  size: number;
  repaired: boolean;
  content(): Iterable<Uint8Array>;
  /** Parts that define styles, apart from the content itself. */
  styles(): Iterable<Uint8Array> | null;
}

/** Throws StrideError invalid_input when it holds no sheets, needs a password or is made to harm. */
export async function openOds(bytes: Uint8Array, name: string): Promise<Book> {
  const zip = openZip(bytes, name, { maxWorkBytes: MAX_WORK_BYTES });
  if (zip.encrypted || isEncrypted(zip)) throw passwordError(name);
  return openSource({
    name,
    format: 'ods',
    size: zip.size('content.xml'),
    repaired: zip.repaired,
    content: () => (zip.has('content.xml') ? asUtf8(zip.chunks('content.xml')) : []),
    styles: () => (zip.has('styles.xml') ? asUtf8(zip.chunks('styles.xml')) : null),
  });
}

/** A flat OpenDocument file: all parts in one XML. */
export async function openFods(bytes: Uint8Array, name: string): Promise<Book> {
  function* content() {
    for (let at = 0; at < bytes.length; at += FLAT_CHUNK_BYTES) {
      yield bytes.subarray(at, at + FLAT_CHUNK_BYTES);
    }
  }
  const source = { name, format: 'fods', size: bytes.length, repaired: false } as const;
  return openSource({ ...source, content: () => asUtf8(content()), styles: () => null });
}

function openSource(source: Source): Book {
  const options = { what: source.name, signal: new AbortController().signal };
  const styles = createOdsStyles();
  const named = source.styles();
  if (named !== null) styles.add(named, options);
  const content = createOdsContent(() => source.content(), { size: source.size });
  styles.add(content.whole(), options);
  const { elements, tablesLeftOut } = findElements(content, options);
  const tables = elements.filter(({ kind }) => kind === 'table');
  if (tables.length === 0) throw noSheets(source);
  // What a sheet names for itself stands inside it; what the book names stands behind all sheets.
  const around = readAround(content, elements, options);
  const sheets = tables.map(({ attributes }, index) => ({
    name: attributes.name ?? `Sheet${index + 1}`,
    state: styles.isHiddenTable(attributes['style-name'])
      ? ('hidden' as const)
      : ('visible' as const),
    kind: 'cells' as const,
  }));
  return {
    format: source.format,
    sheets,
    names: around.names,
    notes: [
      ...(source.repaired
        ? ['The file is cut off or damaged at its end; what could still be reached is shown.']
        : []),
      ...(tablesLeftOut > 0 ? [`${tablesLeftOut} more sheets are not listed.`] : []),
      ...(around.leftOut > 0 ? [`${around.leftOut} more names are not listed.`] : []),
    ],
    large: largeReason(source.size),
    async scan(index, onCell, { signal }) {
      signal.throwIfAborted();
      const table = tables[index];
      if (table === undefined) throw new RangeError(`no sheet ${index}`);
      const tail = readOdsSheet(content.part(table), {
        styles,
        nullDay: around.nullDay,
        onCell,
        what: source.name,
        signal,
      });
      tail.filter = around.filters.get(sheets[index]?.name ?? '') ?? null;
      return tail;
    },
  };
}

interface Around {
  names: { name: string; refersTo: string }[];
  leftOut: number;
  filters: Map<string, SheetTail['filter']>;
  nullDay: number;
}

function readAround(
  content: OdsContent,
  elements: readonly OdsElement[],
  options: { what: string; signal: AbortSignal },
): Around {
  const around: Around = { names: [], leftOut: 0, filters: new Map(), nullDay: 0 };
  let chars = 0;
  const addName = (name: string, refersTo: string) => {
    chars += name.length + refersTo.length;
    if (around.names.length >= MAX_NAMES || chars > MAX_NAMES_CHARS) around.leftOut++;
    else around.names.push({ name, refersTo });
  };
  for (const element of elements) {
    const { kind, attributes: own } = element;
    if (kind === 'table') continue;
    if (kind === 'null-date') {
      around.nullDay = daysSince1899(own['date-value'] ?? '');
      continue;
    }
    let target = '';
    parseXml(
      content.part(element),
      {
        open(name, attributes) {
          if (name === 'named-range' && attributes.name) {
            addName(attributes.name, addressToA1(attributes['cell-range-address'] ?? ''));
          } else if (name === 'named-expression' && attributes.name) {
            addName(attributes.name, formulaToA1(attributes.expression ?? ''));
          } else if (name === 'database-range') target = attributes['target-range-address'] ?? '';
          else if (name === 'filter') {
            const found = addressRange(target);
            if (found !== null && around.filters.size < MAX_NAMES) {
              around.filters.set(found.sheet, found.range);
            }
          }
        },
        close(name) {
          if (name === kind) stopXml();
        },
      },
      options,
    );
  }
  return around;
}

/** Whole days from 1899-12-30, which books count from that say nothing else. */
function daysSince1899(date: string): number {
  const days = (Date.parse(date.slice(0, 10)) - Date.UTC(1899, 11, 30)) / 86_400_000;
  return Number.isSafeInteger(days) ? days : 0;
}

/** An encrypted part looks like noise; only the manifest says so. */
function isEncrypted(zip: Zip): boolean {
  if (!zip.has(MANIFEST)) return false;
  try {
    const manifest = zip.read(MANIFEST, { maxBytes: MAX_MANIFEST_BYTES });
    return new TextDecoder().decode(manifest).includes('encryption-data');
  } catch (error) {
    // Cells may be whole where the list of parts is not.
    if (isDamage(error)) return false;
    throw error;
  }
}

function largeReason(bytes: number): string | null {
  if (bytes <= MAX_BOOK_BYTES) return null;
  const mb = (count: number) => Math.ceil(count / 1024 / 1024);
  return `Its XML is ${mb(bytes)} MB unzipped, more than the ${mb(MAX_BOOK_BYTES)} MB that are read whole.`;
}

function passwordError(name: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} is protected by a password; ask for a copy without one, or answer without it.`,
  );
}

function noSheets({ name, repaired }: Source): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} holds no sheets that can be read${repaired ? ', because it is cut off or damaged' : ''}; look at it with execute_python, or answer without it.`,
  );
}
