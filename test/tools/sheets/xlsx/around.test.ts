import { describe, expect, it } from 'vitest';
import { relationships, scan, worksheet, xlsx } from './book.ts';

const RELS = 'xl/worksheets/_rels/sheet1.xml.rels';

function oneSheet(content: { rows?: string; before?: string; after?: string }, parts = {}) {
  const { rows = '', ...around } = content;
  return scan(xlsx({ 'xl/worksheets/sheet1.xml': worksheet(rows, around), ...parts }));
}

const cells = (row: number, column: number) => ({
  rows: { from: row, to: row },
  columns: { from: column, to: column },
});

describe('tail of an xlsx sheet', () => {
  it('lists merged ranges', async () => {
    const { tail } = await oneSheet({
      after:
        '<mergeCells count="9"><mergeCell ref="A1:C2"/><mergeCell ref="bad"/><mergeCell ref="D5:D9"/></mergeCells>',
    });
    expect(tail.merges).toEqual([
      { rows: { from: 0, to: 1 }, columns: { from: 0, to: 2 } },
      { rows: { from: 4, to: 8 }, columns: { from: 3, to: 3 } },
    ]);
  });

  it('lists hidden rows and columns as spans, those of no height or width too', async () => {
    const { tail } = await oneSheet({
      before: `<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1" width="9"/><col min="4" max="4" width="0"/>
        <col min="8" max="16384" hidden="true"/></cols>`,
      rows: `<row r="2" hidden="1"><c><v>1</v></c></row><row r="3" ht="0"/><row r="4" ht="15"/><row r="7" hidden="true"/>`,
    });
    expect(tail.hiddenRows).toEqual([
      { from: 1, to: 2 },
      { from: 6, to: 6 },
    ]);
    expect(tail.hiddenColumns).toEqual([
      { from: 1, to: 3 },
      { from: 7, to: 16_383 },
    ]);
  });

  it('knows that rows without an element are hidden when the sheet says so', async () => {
    const { tail } = await oneSheet({
      before: '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>',
      rows: '<row r="2"/><row r="3"/><row r="5" hidden="1"/><row r="6"/>',
    });
    expect(tail.hiddenRows).toEqual([
      { from: 0, to: 0 },
      { from: 3, to: 4 },
      { from: 6, to: 1_048_575 },
    ]);
  });

  it('lists links to outside and to places in the book', async () => {
    const { tail } = await oneSheet(
      {
        after: `<hyperlinks><hyperlink ref="A1" r:id="rId1"/><hyperlink ref="A2:B2" location="'My sheet'!A1" display="there"/>
          <hyperlink ref="A3" r:id="rId1" location="part"/><hyperlink ref="A4" r:id="rId9"/></hyperlinks>`,
      },
      { [RELS]: relationships([['rId1', 'hyperlink', 'https://example.org/a?b=1&amp;c=2']]) },
    );
    expect(tail.links).toEqual([
      { range: cells(0, 0), target: 'https://example.org/a?b=1&c=2' },
      { range: { rows: { from: 1, to: 1 }, columns: { from: 0, to: 1 } }, target: "'My sheet'!A1" },
      { range: cells(2, 0), target: 'https://example.org/a?b=1&c=2#part' },
    ]);
  });

  it('gives the filter of the sheet, not one of a saved view', async () => {
    const own = await oneSheet({
      after:
        '<autoFilter ref="A1:D9"/><customSheetViews><customSheetView><autoFilter ref="B2:C3"/></customSheetView></customSheetViews>',
    });
    expect(own.tail.filter).toEqual({ rows: { from: 0, to: 8 }, columns: { from: 0, to: 3 } });
    const saved = await oneSheet({
      after:
        '<customSheetViews><customSheetView><autoFilter ref="B2:C3"/></customSheetView></customSheetViews>',
    });
    expect(saved.tail.filter).toBeNull();
  });

  it('takes the filter of a table only when it hides something, and names the table', async () => {
    const table = (inside: string) => ({
      [RELS]: relationships([['rId1', 'table', '../tables/table1.xml']]),
      'xl/tables/table1.xml': `<table id="1" displayName="Sales" ref="B2:D9"><autoFilter ref="B2:D9">${inside}</autoFilter></table>`,
    });
    const idle = await oneSheet({}, table(''));
    expect([idle.tail.filter, idle.book.names]).toEqual([
      null,
      [{ name: 'Sales', refersTo: 'One!$B$2:$D$9' }],
    ]);
    const active = await oneSheet({}, table('<filterColumn colId="0"/>'));
    expect(active.tail.filter).toEqual({ rows: { from: 1, to: 8 }, columns: { from: 1, to: 3 } });
  });
});

describe('comments of an xlsx sheet', () => {
  const notes = `<comments><authors><author>Ada</author><author> </author><author>tc={1}</author></authors><commentList>
    <comment ref="C3" authorId="1"><text><t>no author</t></text></comment>
    <comment ref="B1" authorId="0"><text><r><rPr><b/></rPr><t>Ada:</t></r><r><t xml:space="preserve">&#10;check _x0041_</t></r><rPh><t>x</t></rPh></text></comment>
    <comment ref="A2" authorId="2"><text><t>[Threaded comment]&#10;Your version of Excel ...&#10;Comment:&#10;    Is this right?</t></text></comment>
    </commentList></comments>`;
  const threads = `<ThreadedComments><threadedComment ref="A2" id="{1}" personId="{p1}"><text>Is this right?</text></threadedComment>
    <threadedComment ref="A2" id="{2}" parentId="{1}" personId="{p2}"><text>Yes &amp; no</text></threadedComment></ThreadedComments>`;
  const persons =
    '<personList><person displayName="Ben" id="{p1}"/><person displayName="Cy" id="{p2}"/></personList>';
  const legacy = [
    { row: 0, column: 1, author: 'Ada', text: 'Ada:\ncheck A' },
    { row: 2, column: 2, author: null, text: 'no author' },
  ];

  it('come with authors, in order, threads in the place of their stand-ins', async () => {
    const workbookRels = relationships([
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'person', 'persons/person.xml'],
    ]);
    const { tail } = await oneSheet(
      {},
      {
        [RELS]: relationships([
          ['rId1', 'comments', '../comments1.xml'],
          ['rId2', 'threadedComment', '/xl/threadedComments/t1.xml'],
        ]),
        'xl/_rels/workbook.xml.rels': workbookRels,
        'xl/comments1.xml': notes,
        'xl/threadedComments/t1.xml': threads,
        'xl/persons/person.xml': persons,
      },
    );
    expect(tail.comments).toEqual([
      legacy[0],
      { row: 1, column: 0, author: 'Ben', text: 'Is this right?' },
      { row: 1, column: 0, author: 'Cy', text: 'Yes & no' },
      legacy[1],
    ]);
  });

  it('keep the words of a thread of which only the stand-in is left', async () => {
    const { tail } = await oneSheet(
      {},
      {
        [RELS]: relationships([['rId1', 'comments', '../comments1.xml']]),
        'xl/comments1.xml': notes,
      },
    );
    expect(tail.comments).toEqual([
      legacy[0],
      { row: 1, column: 0, author: null, text: 'Is this right?' },
      legacy[1],
    ]);
  });

  it('may be damaged or missing without harm to the sheet', async () => {
    const rels = relationships([
      ['rId1', 'comments', '../comments1.xml'],
      ['rId2', 'comments', '../comments2.xml'],
    ]);
    const { tail, cells: found } = await oneSheet(
      { rows: '<row r="1"><c><v>1</v></c></row>' },
      { [RELS]: rels, 'xl/comments1.xml': notes.slice(0, 250) },
    );
    expect([tail.comments.length, tail.complete, found.A1?.text]).toEqual([1, true, '1']);
    expect(tail.notes).toEqual(['The part with the comments is cut off.']);
  });
});

describe('conditional formats and drawings', () => {
  it('are told in words: they colour cells that have no colour of their own', async () => {
    const rules = [
      '<cfRule type="cellIs" operator="greaterThan" dxfId="0" priority="1"><formula>70</formula></cfRule>',
      '<cfRule type="cellIs" operator="between"><formula>1</formula><formula>5</formula></cfRule>',
      '<cfRule type="expression"><formula>$A1="x"</formula></cfRule>',
      '<cfRule type="containsText" text="late"><formula>NOT(1)</formula></cfRule>',
      '<cfRule type="top10" rank="3" bottom="1"/>',
      '<cfRule type="colorScale"><colorScale/></cfRule>',
      '<cfRule type="aboveAverage"/>',
    ];
    const { tail } = await oneSheet({
      rows: '<row r="1"><c><v>1</v></c></row>',
      after: `<conditionalFormatting sqref="B1:B12 D1">${rules.join('')}</conditionalFormatting><drawing r:id="rId1"/>`,
    });
    expect(tail.rules.map(({ rule }) => rule)).toEqual([
      'cells > 70',
      'cells between 1 and 5',
      'where $A1="x" holds',
      'containsText "late"',
      'the lowest 3',
      'a colour scale by value',
      'cells above average',
    ]);
    expect(tail.rules[0]?.range).toBe('B1:B12 D1');
    expect(tail.drawings).toEqual(['pictures, charts or text boxes, which are not shown here']);
  });
});
