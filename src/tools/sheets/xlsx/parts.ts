/**
 * The parts of an xlsx around its sheets: relationships, the workbook, tables. Part names are only
 * keys into the zip, never paths; kinds are told by the last word of a relationship's type, which
 * transitional and strict files share.
 */
import type { SheetHead } from '../book.ts';
import { parseXml, type XmlAttributes } from '../xml.ts';
import type { Zip } from '../zip.ts';

export interface ReadOptions {
  /** Name of the file, for errors. */
  what: string;
  signal: AbortSignal;
}

export interface Relation {
  /** Last word of the type: `worksheet`, `sharedStrings`, `hyperlink`, … */
  kind: string;
  /** Name of a part, or the address of something outside. */
  target: string;
  external: boolean;
}

export interface SheetRef extends SheetHead {
  /** Null when the file does not say where the sheet is. */
  part: string | null;
}

export interface Workbook {
  sheets: SheetRef[];
  names: { name: string; refersTo: string }[];
  date1904: boolean;
  damage: string | null;
}

/** More than any real book has; a hostile one could list millions. */
const MAX_LISTED = 10_000;
/** Links of a sheet are relations too: Excel allows 65,530. */
const MAX_RELATIONS = 70_000;
/** Excel takes 2,079 characters. */
const MAX_TARGET_CHARS = 4_096;
/** Parts of one kind that one sheet may have. */
const MAX_RELATED = 200;

/** Relations of a part by their ids; empty when it has none. */
export function readRelations(
  zip: Zip,
  { part, ...options }: { part: string } & ReadOptions,
): Map<string, Relation> {
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const name = `${folder}_rels/${part.slice(slash)}.rels`;
  const relations = new Map<string, Relation>();
  if (!zip.has(name)) return relations;
  parseXml(
    zip.chunks(name),
    {
      open(tag, { Id: id, Type: type, Target: target, TargetMode: mode }) {
        if (tag !== 'Relationship' || id === undefined || target === undefined) return;
        if (relations.size >= MAX_RELATIONS || target.length > MAX_TARGET_CHARS) return;
        const external = mode === 'External';
        relations.set(id, {
          kind: (type ?? '').slice((type ?? '').lastIndexOf('/') + 1),
          target: external ? target : findPart(zip, { folder, target }),
          external,
        });
      },
    },
    options,
  );
  return relations;
}

export function relationsOf(relations: Map<string, Relation>, kind: string): string[] {
  const targets = new Set<string>();
  for (const relation of relations.values()) {
    if (relation.kind === kind && !relation.external) targets.add(relation.target);
    if (targets.size === MAX_RELATED) break;
  }
  return [...targets];
}

/** A target is relative to the part's folder, or absolute with a `/`; some writers escape it. */
function findPart(zip: Zip, { folder, target }: { folder: string; target: string }): string {
  const slashed = (target.split('#', 1)[0] ?? '').replaceAll('\\', '/');
  const absolute = slashed.startsWith('/') ? slashed : folder + slashed;
  const name = withoutDots(absolute);
  const candidates = [name, unescaped(name), withoutDots(slashed), `xl/${withoutDots(slashed)}`];
  return candidates.find((candidate) => zip.has(candidate)) ?? name;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  return kept.join('/');
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A stray % is part of the name.
    return name;
  }
}

/** Name of the workbook part, or null when the zip holds none. */
export function findWorkbook(zip: Zip, options: ReadOptions): string | null {
  const [main] = relationsOf(readRelations(zip, { part: '', ...options }), 'officeDocument');
  if (main !== undefined && zip.has(main)) return main;
  return zip.names.find((name) => /(?:^|\/)workbook\d*\.xml$/i.test(name)) ?? null;
}

/** `part` null: the workbook is lost, so the sheets are taken from the names of their parts. */
export function readWorkbook(
  zip: Zip,
  {
    part,
    relations,
    ...options
  }: { part: string | null; relations: Map<string, Relation> } & ReadOptions,
): Workbook {
  const book: Workbook = { sheets: [], names: [], date1904: false, damage: null };
  const found = part === null ? null : parseWorkbook(zip.chunks(part), options);
  if (found !== null) {
    book.date1904 = found.date1904;
    book.damage = found.damage;
    book.sheets = found.sheets.map((sheet, index) => toSheet(zip, { sheet, index, relations }));
    book.names = found.names.map(({ name, sheet, refersTo }) => {
      const owner = sheet === null ? undefined : book.sheets[sheet]?.name;
      return { name: owner === undefined ? name : `${owner}!${name}`, refersTo };
    });
  }
  if (book.sheets.length === 0) {
    for (const name of zip.names) {
      const stem = /(?:^|\/)worksheets\/([^/]+)\.xml$/i.exec(name)?.[1];
      if (stem === undefined || book.sheets.length >= MAX_LISTED) continue;
      book.sheets.push({ name: stem, state: 'visible', kind: 'cells', part: name });
    }
  }
  return book;
}

interface WorkbookXml {
  sheets: XmlAttributes[];
  names: { name: string; sheet: number | null; refersTo: string }[];
  date1904: boolean;
  damage: string | null;
}

function parseWorkbook(chunks: Iterable<Uint8Array>, options: ReadOptions): WorkbookXml {
  const found: WorkbookXml = { sheets: [], names: [], date1904: false, damage: null };
  let naming: { name: string; sheet: number | null; refersTo: string } | null = null;
  const result = parseXml(
    chunks,
    {
      open(tag, attributes) {
        if (tag === 'sheet' && found.sheets.length < MAX_LISTED) found.sheets.push(attributes);
        else if (tag === 'workbookPr') found.date1904 = isOn(attributes.date1904);
        else if (tag === 'definedName') {
          const sheet = attributes.localSheetId;
          naming = {
            name: attributes.name ?? '',
            sheet: sheet === undefined ? null : Number(sheet),
            refersTo: '',
          };
        }
      },
      text(text) {
        if (naming) naming.refersTo += text;
      },
      close(tag) {
        if (tag !== 'definedName' || naming === null) return;
        // The _xlnm. ones (print areas and titles, filters) are how Excel keeps its own settings.
        const wanted = !naming.name.startsWith('_xlnm.') && found.names.length < MAX_LISTED;
        if (wanted) found.names.push({ ...naming, refersTo: naming.refersTo.trim() });
        naming = null;
      },
    },
    options,
  );
  found.damage = result.damage;
  return found;
}

function toSheet(
  zip: Zip,
  {
    sheet,
    index,
    relations,
  }: { sheet: XmlAttributes; index: number; relations: Map<string, Relation> },
): SheetRef {
  const relation = relations.get(sheet.id ?? '');
  const usual = `xl/worksheets/sheet${index + 1}.xml`;
  const isCells = relation === undefined || !/^(?:chart|dialog)sheet$/.test(relation.kind);
  const state = sheet.state?.toLowerCase();
  return {
    name: sheet.name ?? `Sheet${index + 1}`,
    state: state === 'veryhidden' ? 'very hidden' : state === 'hidden' ? 'hidden' : 'visible',
    kind: isCells ? 'cells' : 'chart',
    part: relation?.target ?? (zip.has(usual) ? usual : null),
  };
}

/** Name and range (`A1:C9`) of a table part; null when it has none. */
export function readTable(
  zip: Zip,
  { part, ...options }: { part: string } & ReadOptions,
): { name: string; ref: string; filtered: string | null } | null {
  if (!zip.has(part)) return null;
  let table: { name: string; ref: string; filtered: string | null } | null = null;
  let filter: string | null = null;
  parseXml(
    zip.chunks(part),
    {
      open(tag, { displayName, name, ref }) {
        if (tag === 'table' && ref !== undefined) {
          table = { name: displayName ?? name ?? 'Table', ref, filtered: null };
        } else if (tag === 'autoFilter') filter = ref ?? null;
        // Every table has buttons to filter by; only a chosen condition hides rows.
        else if (tag === 'filterColumn' && table !== null) table.filtered = filter;
      },
    },
    options,
  );
  return table;
}

export function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}
