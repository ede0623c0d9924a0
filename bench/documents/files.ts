// Large documents, made on the spot: as large as the readers take whole, and larger.
import * as xlsx from '@e965/xlsx';
import { strToU8, zipSync } from 'fflate';

export interface Sample {
  name: string;
  tool: 'parse_excel' | 'parse_pdf';
  input?: Record<string, unknown>;
  bytes: Uint8Array;
}

const COLUMNS = 'ABCDEFGHIJ';

/** Ten columns of numbers, texts and filled cells; shared strings as Excel writes them. */
function workbook(rows: number): Uint8Array {
  const strings: string[] = [];
  const lines: string[] = [];
  for (let row = 1; row <= rows; row += 1) {
    const cells = [...COLUMNS].map((column, at) => {
      if (at % 3 === 0) {
        strings.push(`<si><t>text ${row} of column ${column}</t></si>`);
        return `<c r="${column}${row}" t="s"><v>${strings.length - 1}</v></c>`;
      }
      return `<c r="${column}${row}" s="${at % 2}"><v>${row * at + 0.25}</v></c>`;
    });
    lines.push(`<row r="${row}">${cells.join('')}</row>`);
  }
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packaged = 'http://schemas.openxmlformats.org/package/2006/relationships';
  return zipSync({
    '[Content_Types].xml': strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    ),
    '_rels/.rels': strToU8(
      `<Relationships xmlns="${packaged}"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships xmlns="${packaged}"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/styles.xml': strToU8(
      `<styleSheet xmlns="${main}"><fonts><font/></fonts><fills><fill/><fill/><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill></fills><cellXfs><xf/><xf fillId="2"/></cellXfs></styleSheet>`,
    ),
    'xl/sharedStrings.xml': strToU8(`<sst xmlns="${main}">${strings.join('')}</sst>`),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
    ),
  });
}

function openDocument(rows: number): Uint8Array {
  const cell = (value: number) =>
    `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
  const lines = Array.from(
    { length: rows },
    (_, row) =>
      `<table:table-row>${[...COLUMNS].map((_, at) => cell(row * at + 0.5)).join('')}</table:table-row>`,
  );
  const names = ['office', 'table', 'text', 'style', 'fo'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return zipSync({
    mimetype: strToU8('application/vnd.oasis.opendocument.spreadsheet'),
    'content.xml': strToU8(
      `<office:document-content ${names.join(' ')}><office:body><office:spreadsheet><table:table table:name="Data">${lines.join('')}</table:table></office:spreadsheet></office:body></office:document-content>`,
    ),
  });
}

function oldWorkbook(rows: number, columns: number): Uint8Array {
  const data = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, at) => (at === 0 ? `text ${row}` : row * at + 0.25)),
  );
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(data), 'Data');
  return new Uint8Array(xlsx.write(book, { type: 'buffer', bookType: 'biff8' }) as Uint8Array);
}

function csv(bytes: number): Uint8Array {
  const lines = ['region,product,amount'];
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 0) {
    lines.push(`North ${lines.length % 7},"Bolt, ${lines.length} mm",${lines.length / 4}`);
  }
  return strToU8(`${lines.join('\n')}\n`).subarray(0, bytes);
}

/** A gigabyte of zeros in a megabyte. */
function bomb(): Uint8Array {
  const zeros = new Uint8Array(64 * 1024 * 1024);
  const parts = Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`xl/worksheets/sheet${at}.xml`, zeros]),
  );
  return zipSync({ 'xl/workbook.xml': strToU8('<workbook/>'), ...parts });
}

/** The name says what is in it; each is made when its turn comes. */
export const LARGE: readonly (() => Sample)[] = [
  () => ({ name: '200,000-cells.xlsx', tool: 'parse_excel', bytes: workbook(20_000) }),
  () => ({
    name: '200,000-cells-with-colors.xlsx',
    tool: 'parse_excel',
    input: { with: ['colors', 'formulas', 'comments'] },
    bytes: workbook(20_000),
  }),
  () => ({ name: '3,000,000-cells.xlsx', tool: 'parse_excel', bytes: workbook(300_000) }),
  () => ({ name: '200,000-cells.ods', tool: 'parse_excel', bytes: openDocument(20_000) }),
  () => ({ name: '200,000-cells.xls', tool: 'parse_excel', bytes: oldWorkbook(50_000, 4) }),
  () => ({ name: '800,000-cells.xls', tool: 'parse_excel', bytes: oldWorkbook(65_000, 12) }),
  () => ({ name: '25-MB.csv', tool: 'parse_excel', bytes: csv(25 * 1024 * 1024) }),
  () => ({ name: 'zip-bomb.xlsx', tool: 'parse_excel', bytes: bomb() }),
];
