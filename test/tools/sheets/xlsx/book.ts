/** Builds small xlsx files from hand-written XML, and reads a sheet back as cells by address. */
import { strToU8, zipSync } from 'fflate';
import { cellAddress } from '../../../../src/tools/sheets/addresses.ts';
import type { Book, Cell, SheetTail } from '../../../../src/tools/sheets/book.ts';
import { openXlsx } from '../../../../src/tools/sheets/xlsx/open-xlsx.ts';

export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Parts by name; null leaves one of the usual ones out. */
export type Parts = Record<string, string | Uint8Array | null>;

export function relationships(rows: readonly [id: string, kind: string, target: string][]): string {
  const items = rows.map(([id, kind, target]) => {
    const mode = /^\w+:/.test(target) ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"${mode}/>`;
  });
  return `<Relationships xmlns="${PACKAGE}">${items.join('')}</Relationships>`;
}

export function worksheet(rows: string, { before = '', after = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`;
}

/** One row, number 1, of cells. */
export function row(cells: string): string {
  return `<row r="1">${cells}</row>`;
}

export function styleSheet(parts: string): string {
  return `<styleSheet xmlns="${MAIN}">${parts}</styleSheet>`;
}

export function strings(items: string): string {
  return `<sst xmlns="${MAIN}">${items}</sst>`;
}

export function xlsx(parts: Parts): Uint8Array<ArrayBuffer> {
  const all: Parts = {
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'sharedStrings', 'sharedStrings.xml'],
      ['rId3', 'styles', 'styles.xml'],
      ['rId4', 'theme', 'theme/theme1.xml'],
    ]),
    ...parts,
  };
  const files: Record<string, Uint8Array> = {};
  for (const [name, content] of Object.entries(all)) {
    if (content !== null) files[name] = typeof content === 'string' ? strToU8(content) : content;
  }
  return zipSync(files);
}

export interface ScannedSheet {
  book: Book;
  tail: SheetTail;
  /** By address. */
  cells: Record<string, Cell | undefined>;
  addresses: string[];
}

export async function scan(bytes: Uint8Array, sheet = 0): Promise<ScannedSheet> {
  const book = await openXlsx(bytes, 'book.xlsx');
  const cells: Record<string, Cell> = {};
  const onCell = (cell: Cell) => {
    cells[cellAddress(cell.row, cell.column)] = cell;
    return true;
  };
  const tail = await book.scan(sheet, onCell, { signal: new AbortController().signal });
  return { book, tail, cells, addresses: Object.keys(cells) };
}

/** A book of one sheet, scanned; `rows` is what stands in `sheetData`. */
export function scanRows(rows: string, parts: Parts = {}): Promise<ScannedSheet> {
  return scan(xlsx({ 'xl/worksheets/sheet1.xml': worksheet(rows), ...parts }));
}

/** Kind and text of each cell, by address. */
export function values({ cells }: ScannedSheet): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).map(([address, cell]) => [address, `${cell?.kind} ${cell?.text}`]),
  );
}
