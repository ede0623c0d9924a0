import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../../src/errors.ts';
import { openXlsx } from '../../../../src/tools/sheets/xlsx/open-xlsx.ts';
import { relationships, row, scan, strings, values, worksheet, xlsx } from './book.ts';

const one = (text: string) => worksheet(row(`<c t="inlineStr"><is><t>${text}</t></is></c>`));

function workbook(sheets: string, rest = ''): string {
  return `<workbook xmlns:r="r"><sheets>${sheets}</sheets>${rest}</workbook>`;
}

async function errorOf(bytes: Uint8Array): Promise<string> {
  const error = await openXlsx(bytes, 'book.xlsx').catch((thrown: unknown) => thrown);
  if (!(error instanceof StrideError)) throw new Error(`no StrideError: ${String(error)}`);
  expect(error.code).toBe('invalid_input');
  return error.message;
}

describe('openXlsx', () => {
  it('lists sheets in the order of the workbook, with hidden ones and chart sheets', async () => {
    const bytes = xlsx({
      'xl/workbook.xml': workbook(
        '<sheet name="B" r:id="b"/><sheet name="A &amp; C" state="hidden" r:id="a"/><sheet name="V" state="veryHidden" r:id="b"/><sheet name="Plot" r:id="c"/>',
      ),
      'xl/_rels/workbook.xml.rels': relationships([
        ['a', 'worksheet', 'worksheets/first.xml'],
        ['b', 'worksheet', 'worksheets/other.xml'],
        ['c', 'chartsheet', 'chartsheets/sheet1.xml'],
      ]),
      'xl/worksheets/first.xml': one('a'),
      'xl/worksheets/other.xml': one('b'),
    });
    const first = await scan(bytes, 1);
    expect(first.book.sheets).toEqual([
      { name: 'B', state: 'visible', kind: 'cells' },
      { name: 'A & C', state: 'hidden', kind: 'cells' },
      { name: 'V', state: 'very hidden', kind: 'cells' },
      { name: 'Plot', state: 'visible', kind: 'chart' },
    ]);
    expect([first.cells.A1?.text, (await scan(bytes, 0)).cells.A1?.text]).toEqual(['a', 'b']);
    expect((await scan(bytes, 3)).tail.complete).toBe(true);
  });

  it.each([
    ['worksheets/sheet1.xml', 'xl/worksheets/sheet1.xml'],
    ['/xl/worksheets/sheet1.xml', 'xl/worksheets/sheet1.xml'],
    ['../elsewhere/s.xml', 'elsewhere/s.xml'],
    ['./worksheets/Sheet1.XML', 'xl/worksheets/sheet1.xml'],
    ['worksheets\\sheet1.xml', 'xl\\worksheets\\sheet1.xml'],
    ['worksheets/my%20sheet.xml', 'xl/worksheets/my sheet.xml'],
    ['xl/worksheets/sheet1.xml', 'xl/worksheets/sheet1.xml'],
    ['../../../../etc/passwd', 'etc/passwd'],
  ])('finds the part that %s means', async (target, name) => {
    const sheet = await scan(
      xlsx({
        'xl/_rels/workbook.xml.rels': relationships([['rId1', 'worksheet', target]]),
        [name]: one('here'),
      }),
    );
    expect(values(sheet)).toEqual({ A1: 'text here' });
  });

  it('reads strict files, other prefixes, a workbook elsewhere and no relations at all', async () => {
    const strict = (text: string) =>
      text
        .replaceAll(
          'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
          'http://purl.oclc.org/ooxml/spreadsheetml/main',
        )
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006',
          'http://purl.oclc.org/ooxml/officeDocument',
        );
    const moved = await scan(
      xlsx({
        '_rels/.rels': strict(relationships([['x', 'officeDocument', '/book/main.xml']])),
        'xl/workbook.xml': null,
        'book/main.xml':
          '<ns0:workbook xmlns:ns0="m" xmlns:ns1="r"><ns0:sheets><ns0:sheet name="S" sheetId="4" ns1:id="q"/></ns0:sheets></ns0:workbook>',
        'book/_rels/main.xml.rels': strict(relationships([['q', 'worksheet', 's.xml']])),
        'book/s.xml':
          '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>',
      }),
    );
    expect([moved.book.sheets[0]?.name, moved.cells.A1?.text]).toEqual(['S', '5']);
    const bare = await scan(
      xlsx({
        '_rels/.rels': null,
        'xl/_rels/workbook.xml.rels': null,
        'xl/worksheets/sheet1.xml': one('x'),
      }),
    );
    expect([bare.book.sheets[0]?.name, bare.cells.A1?.text]).toEqual(['One', 'x']);
  });

  it('lists the names of ranges and constants, but not those Excel keeps for itself', async () => {
    const names = `<definedNames><definedName name="Rate">One!$B$1</definedName><definedName name="Tax" localSheetId="0"> 0.19 </definedName>
      <definedName name="_xlnm.Print_Area" localSheetId="0">One!$A$1</definedName></definedNames>`;
    const bytes = xlsx({
      'xl/workbook.xml': workbook('<sheet name="One" r:id="rId1"/>', names),
      'xl/worksheets/sheet1.xml': one('x'),
    });
    expect((await openXlsx(bytes, 'book.xlsx')).names).toEqual([
      { name: 'Rate', refersTo: 'One!$B$1' },
      { name: 'One!Tax', refersTo: '0.19' },
    ]);
  });

  it.each([
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml', 'xlsx'],
    ['application/vnd.ms-excel.sheet.macroEnabled.main+xml', 'xlsm'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml', 'xltx'],
    ['application/vnd.ms-excel.template.macroEnabled.main+xml', 'xltm'],
  ])('knows %s as %s', async (type, format) => {
    const types = `<Types><Override PartName="/xl/workbook.xml" ContentType="${type}"/><Override PartName="/x.xml" ContentType="x"/></Types>`;
    const bytes = xlsx({ '[Content_Types].xml': types, 'xl/worksheets/sheet1.xml': one('x') });
    expect((await openXlsx(bytes, 'book.xlsx')).format).toBe(format);
  });

  it('never unpacks media, and counts only what it reads as large', async () => {
    const noise = new Uint8Array(30_000_000);
    for (let at = 0; at < noise.length; at += 1) noise[at] = (at * at) >> 7;
    const bytes = xlsx({ 'xl/worksheets/sheet1.xml': one('x'), 'xl/media/image1.png': noise });
    const sheet = await scan(bytes);
    expect([sheet.book.large, sheet.cells.A1?.text]).toEqual([null, 'x']);
  });

  it('reads the sheets of a cut file that can still be reached, and says so', async () => {
    const rows = Array.from(
      { length: 3_000 },
      (_, at) => `<row r="${at + 1}"><c t="s"><v>${at}</v></c><c><v>${Math.sin(at)}</v></c></row>`,
    );
    const whole = zipSync({
      'xl/worksheets/sheet1.xml': strToU8(one('first')),
      'xl/sharedStrings.xml': strToU8(strings('<si><t>shared</t></si>')),
      'xl/worksheets/sheet2.xml': strToU8(worksheet(rows.join(''))),
      'xl/workbook.xml': strToU8(workbook('<sheet name="Lost" r:id="rId1"/>')),
    });
    const bytes = whole.subarray(0, whole.length - 9_000);
    const first = await scan(bytes, 0);
    expect(first.book.sheets.map(({ name }) => name)).toEqual(['sheet1', 'sheet2']);
    expect(first.book.notes).toEqual([
      'The file is cut off or damaged at its end; what could still be reached is shown.',
      'The list of sheets is missing or damaged; names and order of sheets may be wrong.',
    ]);
    expect([first.cells.A1?.text, first.tail.complete]).toEqual(['first', true]);
    const second = await scan(bytes, 1);
    expect([second.cells.A1?.text, second.cells.B2?.text]).toEqual(['shared', String(Math.sin(1))]);
    expect(second.tail.complete).toBe(false);
    expect(second.tail.notes).toContain('The XML of this sheet is damaged or cut off.');
  });

  it('says of a sheet whose part is missing that its cells are lost', async () => {
    const { tail, addresses } = await scan(xlsx({}));
    expect([addresses, tail.complete, tail.notes]).toEqual([
      [],
      false,
      ['The file no longer holds the cells of this sheet.'],
    ]);
  });

  it('gives one clear error for what is no book', async () => {
    const letter = zipSync({
      '_rels/.rels': strToU8(relationships([['rId1', 'officeDocument', 'word/document.xml']])),
      'word/document.xml': strToU8('<w:document xmlns:w="w"><w:body/></w:document>'),
    });
    expect(await errorOf(letter)).toBe(
      'book.xlsx holds no sheets that can be read; look at it with execute_python, or answer without it.',
    );
    expect(await errorOf(strToU8('<html></html>'))).toMatch(/^book\.xlsx is not a whole zip file/);
    const bytes = xlsx({});
    expect(await errorOf(bytes.subarray(0, 200))).toMatch(
      /^book\.xlsx holds no sheets that can be read, because it is cut off or damaged;/,
    );
  });

  it('asks for a copy without a password', async () => {
    const bytes = xlsx({ 'xl/worksheets/sheet1.xml': one('x') });
    const view = new DataView(bytes.buffer);
    for (let at = 0; at + 46 < bytes.length; at += 1) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true);
    }
    expect(await errorOf(bytes)).toMatch(
      /^book\.xlsx is protected by a password; ask for a copy without one/,
    );
  });

  it('refuses a DOCTYPE wherever it stands', async () => {
    const laughs = '<!DOCTYPE x [<!ENTITY a "ha">]>';
    expect(await errorOf(xlsx({ 'xl/workbook.xml': `${laughs}<workbook/>` }))).toContain('DOCTYPE');
    for (const part of [
      'xl/worksheets/sheet1.xml',
      'xl/sharedStrings.xml',
      'xl/styles.xml',
      'xl/theme/theme1.xml',
    ]) {
      const bytes = xlsx({ 'xl/worksheets/sheet1.xml': one('x'), [part]: `${laughs}<a>&a;</a>` });
      await expect(scan(bytes)).rejects.toThrow(/^book\.xlsx holds XML with a DOCTYPE/);
    }
  });
});
