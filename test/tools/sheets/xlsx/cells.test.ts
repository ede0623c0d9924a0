import { describe, expect, it } from 'vitest';
import { exactNumber } from '../../../../src/tools/sheets/xlsx/cells.ts';
import { row, scan, scanRows, strings, styleSheet, values, worksheet, xlsx } from './book.ts';

describe('exactNumber', () => {
  it.each([
    ['0.10000000000000001', '0.1'],
    ['99.989999999999995', '99.99'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1E-9', '1e-9'],
    ['1E+20', '100000000000000000000'],
    ['12.00', '12'],
    ['-0', '0'],
    ['+5', '5'],
    ['.5', '0.5'],
    [' 7 ', '7'],
    ['007', '7'],
    ['12345678901234567', '12345678901234567'],
    ['3.14159265358979323846', '3.14159265358979323846'],
    ['1e400', '1e400'],
  ])('shows %j as %s', (value, text) => {
    expect(exactNumber(value)).toBe(text);
  });

  it.each(['', ' ', 'abc', '1,5', 'NaN', 'Infinity', '0x10', '1e'])(
    'takes %j for no number',
    (value) => {
      expect(exactNumber(value)).toBeNull();
    },
  );
});

describe('cells of an xlsx', () => {
  it('have their kind and exact text', async () => {
    const sheet = await scanRows(
      row(`<c r="A1"><v>1.5</v></c><c r="B1" t="n"><v>2</v></c><c r="C1" t="s"><v>1</v></c>
        <c r="D1" t="str"><v>formula text</v></c><c r="E1" t="inlineStr"><is><t>in &amp; line</t></is></c>
        <c r="F1" t="b"><v>1</v></c><c r="G1" t="b"><v>0</v></c><c r="H1" t="e"><v>#N/A</v></c>
        <c r="I1" t="d"><v>2024-03-01T09:30:00</v></c><c r="J1"><v>oops</v></c><c r="K1" t="odd"><v>kept</v></c>`),
      { 'xl/sharedStrings.xml': strings('<si><t>zero</t></si><si><t>one</t></si>') },
    );
    expect(values(sheet)).toEqual({
      A1: 'number 1.5',
      B1: 'number 2',
      C1: 'text one',
      D1: 'text formula text',
      E1: 'text in & line',
      F1: 'boolean TRUE',
      G1: 'boolean FALSE',
      H1: 'error #N/A',
      I1: 'date 2024-03-01T09:30:00',
      J1: 'text oops',
      K1: 'text kept',
    });
    expect(sheet.tail).toMatchObject({ complete: true, notes: [] });
  });

  it('are counted on where rows and cells have no address', async () => {
    const sheet = await scanRows(
      `<row><c><v>1</v></c><c r="D1"><v>2</v></c><c><v>3</v></c></row><row><c><v>4</v></c></row>
       <row r="9"><c><v>5</v></c></row><row><c r="bad"><v>6</v></c><c r="B20"><v>7</v></c></row>`,
    );
    expect(values(sheet)).toEqual({
      A1: 'number 1',
      D1: 'number 2',
      E1: 'number 3',
      A2: 'number 4',
      A9: 'number 5',
      A10: 'number 6',
      B20: 'number 7',
    });
  });

  it('are left out when empty, but not when they have a fill, a text colour or a formula', async () => {
    const styles = styleSheet(
      `<fonts><font/><font><color rgb="FFFF0000"/></font><font><b/></font></fonts>
       <fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>
       <fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill></fills>
       <cellXfs><xf/><xf fillId="2"/><xf fontId="1"/><xf fontId="2"/></cellXfs>`,
    );
    const sheet = await scanRows(
      `<row r="1" s="1" customFormat="1"><c r="A1"/><c r="B1" s="1"/><c r="C1" s="2"/><c r="D1" s="3"/>
       <c r="E1"><v/></c><c r="F1" t="s"><v></v></c><c r="G1" t="inlineStr"><is><t/></is></c><c r="H1"><f>NOW()</f></c></row>`,
      { 'xl/styles.xml': styles },
    );
    expect(sheet.cells).toEqual({
      B1: { row: 0, column: 1, kind: 'empty', text: '', style: { fill: '#FFFF00' } },
      C1: { row: 0, column: 2, kind: 'empty', text: '', style: { color: '#FF0000' } },
      H1: { row: 0, column: 7, kind: 'empty', text: '', formula: 'NOW()', uncomputed: true },
    });
  });

  it('keep a formula beside its result, and say when there is no result', async () => {
    const sheet = await scanRows(
      row(`<c r="A1"><f>SUM(B1:B3)</f><v>6</v></c><c r="B1" t="str"><f>"a"&amp;1</f><v>a1</v></c>
        <c r="C1" t="b"><f>1&gt;2</f><v>0</v></c><c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c>
        <c r="E1" t="str"><f>""</f><v></v></c><c r="F1"><f>=A1</f><v></v></c>
        <c r="G1"><f t="array" ref="G1:G2">A1:A2*2</f><v>12</v></c>
        <c r="H1"><f t="dataTable" ref="H1:H2" dt2D="1" dtr="1" r1="B1" r2="B2"/><v>7</v></c>
        <c r="I1"><f t="dataTable" ref="I1:I2" r1="B1"/><v>8</v></c>`),
    );
    const shown = Object.values(sheet.cells).map((cell) => [
      cell?.kind,
      cell?.text,
      cell?.formula,
      cell?.uncomputed,
    ]);
    expect(shown).toEqual([
      ['number', '6', 'SUM(B1:B3)', undefined],
      ['text', 'a1', '"a"&1', undefined],
      ['boolean', 'FALSE', '1>2', undefined],
      ['error', '#DIV/0!', '1/0', undefined],
      ['text', '', '""', undefined],
      ['empty', '', 'A1', true],
      ['number', '12', 'A1:A2*2', undefined],
      ['number', '7', 'TABLE(B1,B2)', undefined],
      ['number', '8', 'TABLE(,B1)', undefined],
    ]);
  });

  it('take over the shared formula of their master, moved', async () => {
    const sheet = await scanRows(
      `<row r="2"><c r="B2"><f t="shared" ref="B2:C3" si="0">A2*$A$1</f><v>1</v></c><c r="C2"><f t="shared" si="0"/></c></row>
       <row r="3"><c r="B3"><f t="shared" si="0">A3*7</f><v>3</v></c><c r="C3"><f t="shared" si="9"/><v>4</v></c></row>`,
    );
    expect(Object.values(sheet.cells).map((cell) => cell?.formula)).toEqual([
      'A2*$A$1',
      'B2*$A$1',
      'A3*7',
      '(shared formula 9 is missing)',
    ]);
    expect(sheet.tail.notes).toEqual(['In 1 cell the formula is missing from the file.']);
  });

  it('are dates by their number format, in either date system', async () => {
    const styles = styleSheet(
      `<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="0&quot; days&quot;"/></numFmts>
       <cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="46"/><xf numFmtId="22"/></cellXfs>`,
    );
    const rows =
      row(`<c r="A1" s="1"><v>45352</v></c><c r="B1" s="2"><v>60</v></c><c r="C1" s="3"><v>5</v></c>
      <c r="D1" s="4"><v>1.5625</v></c><c r="E1" s="5"><v>45352.604166666664</v></c><c r="F1" s="1"><v>-3</v></c>
      <c r="G1" s="2" t="d"><v>2024-03-01T00:00:00Z</v></c>`);
    const sheet = await scanRows(rows, { 'xl/styles.xml': styles });
    expect(values(sheet)).toEqual({
      A1: 'date 2024-03-01',
      B1: 'date 1900-02-29',
      C1: 'number 5',
      D1: 'date 37:30:00',
      E1: 'date 2024-03-01T14:30:00',
      F1: 'number -3',
      G1: 'date 2024-03-01',
    });
    expect(sheet.cells.A1?.style).toEqual({ format: 'mm-dd-yy' });
    const workbook = `<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>`;
    const mac = await scanRows(rows, { 'xl/styles.xml': styles, 'xl/workbook.xml': workbook });
    expect([mac.cells.A1?.text, mac.cells.B1?.text]).toEqual(['2028-03-02', '1904-03-01']);
    expect(mac.book.notes).toEqual(['Dates of this book count from 1904 and are shown converted.']);
  });

  it('ignore values inside the extensions of a cell', async () => {
    const sheet = await scanRows(
      row('<c r="A1"><v>5</v><extLst><ext><v>99</v><f>X</f></ext></extLst></c><c><v>6</v></c>'),
    );
    expect(values(sheet)).toEqual({ A1: 'number 5', B1: 'number 6' });
  });

  it('stop coming when the caller has enough', async () => {
    const rows = Array.from(
      { length: 50 },
      (_, at) => `<row r="${at + 1}"><c><v>${at}</v></c></row>`,
    ).join('');
    const { book } = await scan(
      xlsx({
        'xl/worksheets/sheet1.xml': worksheet(rows, {
          after: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>',
        }),
      }),
    );
    let count = 0;
    const onCell = () => {
      count += 1;
      return count < 3;
    };
    const tail = await book.scan(0, onCell, { signal: new AbortController().signal });
    expect([count, tail.complete, tail.merges]).toEqual([3, false, []]);
    const aborted = AbortSignal.abort(new Error('time is up'));
    await expect(book.scan(0, onCell, { signal: aborted })).rejects.toThrow('time is up');
  });
});
