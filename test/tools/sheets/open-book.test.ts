import { readFileSync } from 'node:fs';
import { CFB, utils, type WorkBook, write } from '@e965/xlsx';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../src/errors.ts';
import { openBook } from '../../../src/tools/sheets/open-book.ts';
import { damaged, readWhole } from './book-cells.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const hostile = (name: string) =>
  new Uint8Array(
    readFileSync(new URL(`../../fixtures/documents/hostile/${name}`, import.meta.url)),
  );

/** A small book in a format that SheetJS writes. */
function written(bookType: 'xlsb' | 'xlml' | 'xlsx' | 'fods'): Uint8Array {
  const workbook: WorkBook = utils.book_new();
  const sheet = utils.aoa_to_sheet([['a', 'é'], [1, 2.5], [true]]);
  sheet.B3 = { t: 'n', v: 5, f: 'SUM(A2:B2)' };
  sheet['!ref'] = 'A1:B3';
  utils.book_append_sheet(workbook, sheet, 'One');
  utils.book_append_sheet(workbook, utils.aoa_to_sheet([['x']]), 'Two');
  workbook.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return new Uint8Array(write(workbook, { type: 'buffer', bookType }));
}

function compound(stream: string): Uint8Array {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, `/${stream}`, new Uint8Array(5000));
  return new Uint8Array(CFB.write(file, { type: 'buffer' }));
}

async function sentence(bytes: Uint8Array, name: string): Promise<string> {
  const failure: unknown = await openBook(bytes, name).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StrideError);
  return failure instanceof StrideError ? failure.message : '';
}

describe('openBook, what holds cells', () => {
  it.each(['xlsb', 'xlml', 'xlsx', 'fods'] as const)('opens %s by content', async (bookType) => {
    const book = await openBook(written(bookType), 'no-ending');
    expect(book.format).toBe(bookType === 'xlml' ? 'xml' : bookType);
    expect(book.sheets.map(({ name }) => name)).toEqual(['One', 'Two']);
    const { at } = await readWhole(book);
    expect(
      Object.entries(at).map(([address, cell]) => `${address} ${cell.kind} ${cell.text}`),
    ).toEqual([
      'A1 text a',
      'B1 text é',
      'A2 number 1',
      'B2 number 2.5',
      'A3 boolean TRUE',
      'B3 number 5',
    ]);
  });

  it.each(['xlsb', 'xlml', 'xlsx'] as const)(
    'tells that a sheet of %s is hidden',
    async (bookType) => {
      expect((await openBook(written(bookType), 'x')).sheets[1]?.state).toBe('hidden');
    },
  );

  const texts: [name: string, content: string, format: string][] = [
    ['data.bin', 'a,b\n1,2\n3,4\n', 'csv'],
    ['data.xls', 'a\tb\n1\t2\n3\t4\n', 'tsv'],
    ['one-column.csv', 'name\nAnn\nBo\n', 'csv'],
  ];
  it.each(texts)('opens %s as a table', async (name, content, format) => {
    expect((await openBook(encode(content), name)).format).toBe(format);
  });
});

describe('openBook, what does not', () => {
  const xml = (body: string) => encode(`<?xml version="1.0"?>${body}`);
  const workbook2003 = (body: string) =>
    xml(
      `<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">${body}</Workbook>`,
    );
  const others: [what: string, bytes: Uint8Array, words: RegExp][] = [
    ['an empty file', new Uint8Array(0), /empty \(0 bytes\)/],
    [
      'an HTML page',
      encode('<!DOCTYPE html><html><body>404</body></html>'),
      /HTML page, not a spreadsheet \(a failed download/,
    ],
    [
      'an HTML table',
      encode('<html><body><table><tr><td>1</td></tr></table></body></html>'),
      /HTML page with a table.*read_file/,
    ],
    ['a PDF', encode('%PDF-1.7\n1 0 obj\n'), /a PDF, not a spreadsheet; parse_pdf/],
    [
      'a picture',
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]),
      /PNG image/,
    ],
    [
      'plain text',
      encode('Dear Ann,\nthe report is late.\n'),
      /text, not a spreadsheet; read_file/,
    ],
    ['JSON', encode('{"a": [1, 2]}'), /JSON, not a spreadsheet; read_file/],
    ['other XML', xml('<note><to>Ann</to></note>'), /XML, not a spreadsheet; read_file/],
    [
      'a Word document',
      zipSync({ '[Content_Types].xml': encode('<Types/>'), 'word/document.xml': encode('<w/>') }),
      /Word document \(docx\)/,
    ],
    ['some archive', zipSync({ 'a.txt': encode('a') }), /ZIP archive, not a spreadsheet/],
    [
      'an archive that is cut off',
      zipSync({ 'a.txt': encode('a'.repeat(500)) }).slice(0, 44),
      /cut off or damaged/,
    ],
    ['an old Word document', compound('WordDocument'), /old Word document/],
    ['an encrypted book', compound('EncryptedPackage'), /protected by a password/],
    [
      'bytes without sense',
      Uint8Array.from({ length: 400 }, (_, at) => (at * 89) % 256),
      /binary data/,
    ],
    [
      'XML of Excel 2003 above what is read',
      workbook2003(' '.repeat(1024 * 1024)),
      /2 MB unpacked.*execute_python/,
    ],
    [
      'XML of Excel 2003 with columns beyond any sheet',
      workbook2003(
        '<Worksheet ss:Name="a"><Table><Column ss:Span="999999999"/></Table></Worksheet>',
      ),
      /attacks use/,
    ],
    ['an encrypted OpenDocument', hostile('password.ods'), /protected by a password/],
    ['an encrypted xls', hostile('password.xls'), /protected by a password/],
  ];
  it.each(others)('says what %s is, and what to do', async (_what, bytes, words) => {
    const message = await sentence(bytes, 'dir/f.xlsx');
    expect(message).toMatch(/^dir\/f\.xlsx (?:is|has|holds) [^\n]*\.$/);
    expect(message).toMatch(words);
  });

  it('does not give SheetJS an xlsb whose links cover a whole sheet', async () => {
    // BrtHLink (0x1EE), 16 bytes: rows 0 to 1,048,575, columns 0 to 16,383.
    const range = new Uint8Array(Uint32Array.from([0, 1_048_575, 0, 16_383]).buffer);
    const part = Uint8Array.from([0xee, 0x03, 16, ...range]);
    const bytes = zipSync({
      '[Content_Types].xml': encode('<Types/>'),
      'xl/workbook.bin': new Uint8Array(4),
      'xl/worksheets/sheet1.bin': part,
    });
    expect(await sentence(bytes, 'f.xlsb')).toContain('attacks use');
  });

  it('never fails but with a sentence, however a file is damaged', async () => {
    for (const bookType of ['xlsb', 'xlml', 'fods'] as const) {
      for (const bytes of damaged(written(bookType), 100)) {
        try {
          const book = await openBook(bytes, 'f');
          for (const index of book.sheets.keys()) await readWhole(book, index);
        } catch (error) {
          expect(error).toBeInstanceOf(StrideError);
        }
      }
    }
  });
});
