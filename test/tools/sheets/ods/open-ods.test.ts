import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../../src/errors.ts';
import {
  addressRange,
  addressToA1,
  formulaToA1,
} from '../../../../src/tools/sheets/ods/formula.ts';
import { openFods, openOds } from '../../../../src/tools/sheets/ods/open-ods.ts';
import { durationText } from '../../../../src/tools/sheets/ods/values.ts';
import { damaged, readWhole } from '../book-cells.ts';

const FOLDER = new URL('../../../fixtures/documents/ods/', import.meta.url);
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, FOLDER)));

interface Parts {
  styles?: string;
  /** Behind the tables. */
  after?: string;
}

/** A flat document: its namespaces do not matter to a reader by local names. */
function flat(tables: string, { styles = '', after = '' }: Parts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?><office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}${after}</office:spreadsheet></office:body></office:document>`;
}

const openText = (xml: string) => openFods(new TextEncoder().encode(xml), 'x.fods');
const table = (rows: string, attributes = 'table:name="T"') =>
  `<table:table ${attributes}>${rows}</table:table>`;
const row = (cells: string, attributes = '') =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`;
const text = (words: string, attributes = '') =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${words}</text:p></table:table-cell>`;
const number = (value: string, attributes = '') =>
  `<table:table-cell office:value-type="float" office:value="${value}" ${attributes}><text:p>${value}</text:p></table:table-cell>`;
const cellStyle = (name: string, properties: string, attributes = '') =>
  `<style:style style:name="${name}" style:family="table-cell" ${attributes}>${properties}</style:style>`;
const fill = (color: string) => `<style:table-cell-properties fo:background-color="${color}"/>`;
const ink = (attributes: string) => `<style:text-properties ${attributes}/>`;

async function read(rows: string, parts: Parts = {}) {
  return readWhole(await openText(flat(table(rows), parts)));
}

describe('openFods, values', () => {
  const typed = (attributes: string, words = '') =>
    `<table:table-cell ${attributes}>${words === '' ? '' : `<text:p>${words}</text:p>`}</table:table-cell>`;
  const values: [what: string, xml: string, cell: object][] = [
    [
      'numbers exactly',
      typed('office:value-type="float" office:value="0.30000000000000004"', '0.3'),
      { kind: 'number', text: '0.30000000000000004' },
    ],
    [
      'percentages as numbers',
      typed('office:value-type="percentage" office:value="0.125"', '13%'),
      { kind: 'number', text: '0.125' },
    ],
    [
      'dates',
      typed('office:value-type="date" office:date-value="2024-03-01T14:30:00.250000000"', 'x'),
      { kind: 'date', text: '2024-03-01T14:30:00.250' },
    ],
    [
      'truth values',
      typed('office:value-type="boolean" office:boolean-value="true"', 'WAHR'),
      { kind: 'boolean', text: 'TRUE' },
    ],
    [
      'truth values shown of numbers',
      typed('table:formula="of:=[.B1]&gt;1" office:value-type="float" office:value="0"', 'FALSE'),
      { kind: 'boolean', text: 'FALSE', formula: 'B1>1' },
    ],
    [
      'errors',
      typed(
        'table:formula="of:=NA()" office:value-type="string" calcext:value-type="error"',
        '#N/A',
      ),
      { kind: 'error', text: '#N/A', formula: 'NA()' },
    ],
    [
      'text that looks like an error',
      typed('office:value-type="string"', '#N/A'),
      { kind: 'text', text: '#N/A' },
    ],
    [
      'results that show nothing',
      typed('table:formula="of:=&quot;&quot;" office:value-type="string" office:string-value=""'),
      { kind: 'text', text: '', formula: '""' },
    ],
    [
      'formulas that nobody computed',
      typed('table:formula="of:=[.A2]"'),
      { kind: 'empty', text: '', formula: 'A2', uncomputed: true },
    ],
    [
      'white space as it counts',
      typed(
        'office:value-type="string"',
        '\n  a\n b<text:s text:c="2"/>c<text:tab/>d<text:line-break/>e',
      ),
      { kind: 'text', text: 'a b  c\td\ne' },
    ],
    [
      'text past notes that are not its own',
      typed(
        'office:value-type="string"',
        'a<text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>x</text:ruby-text></text:ruby>c',
      ),
      { kind: 'text', text: 'abc' },
    ],
  ];
  it.each(values)('reads %s', async (_what, xml, cell) => {
    expect((await read(row(xml))).at).toEqual({ A1: cell });
  });

  it('joins paragraphs and passes over drawings', async () => {
    const drawing =
      '<draw:frame><draw:text-box><text:p>drawn</text:p></draw:text-box></draw:frame>';
    const xml = `<table:table-cell office:value-type="string">${drawing}<text:p>a</text:p><text:p/><text:p>b</text:p></table:table-cell>`;
    expect((await read(row(xml))).at.A1?.text).toBe('a\n\nb');
  });

  const durations: [stored: string, shown: string | null][] = [
    ['PT14H30M00S', '14:30:00'],
    ['PT37H5M', '37:05:00'],
    ['P1DT1H', '25:00:00'],
    ['PT0H0M1.500S', '00:00:01.500'],
    ['-PT1H', '-01:00:00'],
    ['PT90M', '01:30:00'],
    ['nonsense', null],
  ];
  it.each(durations)('shows the duration %s as %s', (stored, shown) => {
    expect(durationText(stored)).toBe(shown);
  });
});

describe('formulaToA1', () => {
  const formulas: [stored: string, shown: string][] = [
    ['of:=SUM([.A1:.B2];[$Data.C3])', 'SUM(A1:B2,Data!C3)'],
    ['of:=[\'My; sheet.x\'.A1]&"a;[.B1]""~"', '\'My; sheet.x\'!A1&"a;[.B1]""~"'],
    ["of:=SUM([$'It''s'.$A$1:.$B$2])", "SUM('It''s'!$A$1:$B$2)"],
    ['of:=SUM([One.A1:Three.B2])', 'SUM(One:Three!A1:B2)'],
    ['of:=SUM({1;2|3;4})', 'SUM({1,2;3,4})'],
    ['of:=[.#REF!]+1', '#REF!+1'],
    ['msoxl:=SUM(A1,B2)', 'SUM(A1,B2)'],
    ['=1+1', '1+1'],
  ];
  it.each(formulas)('writes %s as %s', (stored, shown) => {
    expect(formulaToA1(stored)).toBe(shown);
  });

  it('reads addresses of ranges', () => {
    expect(addressToA1('$One.$B$2')).toBe('One!$B$2');
    expect(addressRange("'a.b'.A1:'a.b'.C7")).toEqual({
      sheet: 'a.b',
      range: { rows: { from: 0, to: 6 }, columns: { from: 0, to: 2 } },
    });
    expect(addressRange('nothing')).toBeNull();
  });
});

describe('openFods, repeated cells and rows', () => {
  it('puts values in every place and costs nothing for empty ones', async () => {
    const { at } = await read(
      row(number('7', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"') +
        row(
          '<table:table-cell table:number-columns-repeated="16384"/>',
          'table:number-rows-repeated="1000000"',
        ) +
        row(`<table:table-cell table:number-columns-repeated="3"/>${text('far')}`),
    );
    expect(Object.keys(at)).toEqual(['A1', 'B1', 'A2', 'B2', 'D1000003']);
  });

  it('gives fills without values up to the columns in use', async () => {
    const styles = cellStyle('y', fill('#ffff00'));
    const { at } = await read(
      row(`${text('a')}${text('b')}${text('c')}`) +
        row('<table:table-cell table:style-name="y" table:number-columns-repeated="16384"/>') +
        row('<table:table-cell table:style-name="y"/>', 'table:number-rows-repeated="1048000"'),
      { styles },
    );
    expect(Object.keys(at)).toEqual(['A1', 'B1', 'C1', 'A2', 'B2', 'C2']);
    expect(at.C2).toEqual({ kind: 'empty', text: '', style: { fill: '#FFFF00' } });
  });

  it('never goes past the edge of a sheet', async () => {
    const book = await openText(
      flat(
        table(
          row(
            number('1', 'table:number-columns-repeated="2147483648"'),
            'table:number-rows-repeated="2147483648"',
          ),
        ),
      ),
    );
    const seen: number[] = [];
    const tail = await book.scan(0, ({ column }) => seen.push(column) < 20_000, {
      signal: new AbortController().signal,
    });
    expect(Math.max(...seen)).toBe(16_383);
    expect(tail.complete).toBe(false);
  });
});

describe('openFods, looks', () => {
  it('follows parents, defaults of columns and rows, and what undoes them', async () => {
    const styles =
      cellStyle('base', fill('#92d050') + ink('fo:font-weight="bold" fo:color="#c00000"')) +
      cellStyle(
        'plain',
        fill('transparent') + ink('fo:font-weight="normal"'),
        'style:parent-style-name="base"',
      ) +
      cellStyle(
        'child',
        ink('fo:font-style="italic" style:text-underline-style="solid"'),
        'style:parent-style-name="base"',
      ) +
      cellStyle('blue', fill('#00b0f0')) +
      cellStyle('loop', '', 'style:parent-style-name="loop"');
    const columns =
      '<table:table-column/><table:table-column table:default-cell-style-name="blue"/>';
    const { at } = await read(
      columns +
        row(
          text('a', 'table:style-name="base"') + text('b') + text('c', 'table:style-name="child"'),
        ) +
        row(
          text('d', 'table:style-name="plain"') + text('e') + text('f', 'table:style-name="loop"'),
          'table:default-cell-style-name="base"',
        ),
      { styles },
    );
    expect(at.A1?.style).toEqual({ fill: '#92D050', color: '#C00000', bold: true });
    expect(at.B1?.style).toEqual({ fill: '#00B0F0' });
    expect(at.C1?.style).toEqual({
      fill: '#92D050',
      color: '#C00000',
      bold: true,
      italic: true,
      underline: true,
    });
    expect(at.A2?.style).toEqual({ color: '#C00000' });
    expect(at.B2?.style?.fill).toBe('#92D050');
    expect(at.C2?.style).toBeUndefined();
  });

  it('gives the parts of a text that look different from its cell', async () => {
    const span = (name: string, properties: string) =>
      `<style:style style:name="${name}" style:family="text">${ink(properties)}</style:style>`;
    const styles =
      cellStyle('b', ink('fo:font-weight="bold"')) +
      span('red', 'fo:color="#ff0000" style:text-line-through-style="solid"') +
      span('thin', 'fo:font-weight="normal"') +
      span('same', 'fo:font-size="9pt"');
    const { at } = await read(
      row(
        text(
          'one <text:span text:style-name="red">two</text:span> <text:span text:style-name="thin">three</text:span>',
          'table:style-name="b"',
        ) + text('a<text:span text:style-name="same">b</text:span>'),
      ),
      { styles },
    );
    expect(at.A1?.text).toBe('one two three');
    expect(at.A1?.runs).toEqual([
      { text: 'one ', style: { bold: true } },
      { text: 'two', style: { bold: true, color: '#FF0000', strike: true } },
      { text: ' ', style: { bold: true } },
      { text: 'three' },
    ]);
    expect(at.B1).toEqual({ kind: 'text', text: 'ab' });
  });

  it('reads numbers in a boolean format as truth values', async () => {
    const styles = `<number:boolean-style style:name="N99"><number:boolean/></number:boolean-style>${cellStyle('t', '', 'style:data-style-name="N99"')}`;
    const { at } = await read(row(number('1', 'table:style-name="t"') + number('1')), { styles });
    expect(at.A1?.kind).toBe('boolean');
    expect(at.B1?.kind).toBe('number');
  });
});

describe('openFods, around the cells', () => {
  it('tells merges, comments, links, hidden rows and columns', async () => {
    const note =
      '<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024-03-01</dc:date><text:p>one</text:p><text:p>two</text:p></office:annotation>';
    const { tail, at } = await read(
      '<table:table-column table:number-columns-repeated="2"/><table:table-column-group><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/></table:table-column-group>' +
        row(
          `<table:table-cell office:value-type="float" office:value="5" table:number-columns-spanned="2" table:number-rows-spanned="3">${note}<text:p>5</text:p></table:table-cell><table:covered-table-cell/><table:covered-table-cell office:value-type="string"><text:p>under</text:p></table:covered-table-cell>`,
        ) +
        row(
          text('<text:a xlink:href="https://example.org/">x</text:a>'),
          'table:visibility="filter"',
        ) +
        row(text('y'), 'table:visibility="collapse" table:number-rows-repeated="2"'),
    );
    expect(at.A1).toEqual({ kind: 'number', text: '5' });
    expect(at.C1?.text).toBe('under');
    expect(tail.merges).toEqual([{ rows: { from: 0, to: 2 }, columns: { from: 0, to: 1 } }]);
    expect(tail.comments).toEqual([{ row: 0, column: 0, author: 'Ada', text: 'one\ntwo' }]);
    expect(tail.links).toEqual([
      {
        range: { rows: { from: 1, to: 1 }, columns: { from: 0, to: 0 } },
        target: 'https://example.org/',
      },
    ]);
    expect(tail.hiddenRows).toEqual([{ from: 1, to: 3 }]);
    expect(tail.hiddenColumns).toEqual([{ from: 2, to: 3 }]);
    expect(tail.complete).toBe(true);
  });

  it('lists sheets by any name, hidden ones too, and reads each alone', async () => {
    const styles =
      '<style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const inner = table(row(text('inner')), 'table:name="Sub" table:is-sub-table="true"');
    const book = await openText(
      flat(
        table(
          row(`${text('a')}<table:table-cell>${inner}</table:table-cell>${text('b')}`),
          'table:name="É &amp; &quot;x&quot; > 中"',
        ) + table(row(text('c')), "table:style-name='gone' table:name='Two'"),
        { styles },
      ),
    );
    expect(book.sheets).toEqual([
      { name: 'É & "x" > 中', state: 'visible', kind: 'cells' },
      { name: 'Two', state: 'hidden', kind: 'cells' },
    ]);
    expect((await readWhole(book, 0)).cells.map(({ text: words }) => words)).toEqual(['a', 'b']);
    expect((await readWhole(book, 1)).at).toEqual({ A1: { kind: 'text', text: 'c' } });
  });

  it('finds sheets behind any number of bytes', async () => {
    const long = 'x'.repeat(50_000);
    const tables = Array.from({ length: 40 }, (_, index) =>
      table(row(text(`${long}${index}`)), `table:name="S${index}"`),
    );
    const book = await openText(flat(tables.join('\n')));
    expect(book.sheets.map(({ name }) => name)).toEqual(tables.map((_, index) => `S${index}`));
    expect((await readWhole(book, 39)).at.A1?.text).toBe(`${long}39`);
  });

  it('reads names and the range of a filter', async () => {
    const after =
      '<table:named-expressions><table:named-range table:name="Rate" table:cell-range-address="$T.$B$2"/><table:named-expression table:name="Twice" table:expression="of:=[.A1]*2"/></table:named-expressions>' +
      '<table:database-ranges><table:database-range table:name="d" table:target-range-address="T.A1:T.B7"><table:filter><table:filter-condition/></table:filter></table:database-range></table:database-ranges>';
    const book = await openText(flat(table(row(text('a'))), { after }));
    expect(book.names).toEqual([
      { name: 'Rate', refersTo: 'T!$B$2' },
      { name: 'Twice', refersTo: 'A1*2' },
    ]);
    expect((await readWhole(book)).tail.filter).toEqual({
      rows: { from: 0, to: 6 },
      columns: { from: 0, to: 1 },
    });
  });

  it('reads UTF-16', async () => {
    const xml = flat(table(row(text('中文')))).replace('UTF-8', 'UTF-16');
    const units = Uint16Array.from(`\ufeff${xml}`, (character) => character.charCodeAt(0));
    const book = await openFods(new Uint8Array(units.buffer), 'x.fods');
    expect((await readWhole(book)).at.A1?.text).toBe('中文');
  });
});

describe('openOds, broken files', () => {
  const sentence = async (opening: Promise<unknown>) => {
    const failure: unknown = await opening.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StrideError);
    return failure instanceof StrideError ? failure.message : '';
  };

  it('keeps the rows before the place where the file is cut off', async () => {
    const xml = flat(table(row(text('kept')) + row(text('lost'))));
    const book = await openText(xml.slice(0, xml.indexOf('lost')));
    const { at, tail } = await readWhole(book);
    expect(at).toEqual({ A1: { kind: 'text', text: 'kept' } });
    expect(tail.complete).toBe(false);
    expect(tail.notes).toEqual(['This sheet is cut off; what came before is shown.']);
  });

  it('refuses a DOCTYPE and content without sheets', async () => {
    const xml = flat(table(row(text('a'))));
    expect(await sentence(openText(xml.replace('?>', '?><!DOCTYPE x [<!ENTITY a "b">]>')))).toMatch(
      /^x\.fods holds XML with a DOCTYPE/,
    );
    expect(await sentence(openText(flat('')))).toMatch(/^x\.fods holds no sheets/);
  });

  it('says when it is too large to be read whole', async () => {
    const book = await openText(flat(table(row(text('a')))) + ' '.repeat(21 * 1024 * 1024));
    expect(book.large).toContain('more than the 20 MB that are read whole');
  });

  it('never fails but with a sentence, however the file is damaged', async () => {
    for (const name of ['libreoffice-ledger.ods', 'odfpy-layout.ods']) {
      for (const bytes of damaged(fixture(name), 120)) {
        try {
          const book = await openOds(bytes, 'x.ods');
          for (const index of book.sheets.keys()) await readWhole(book, index);
        } catch (error) {
          expect(error).toBeInstanceOf(StrideError);
        }
      }
    }
  });
});
