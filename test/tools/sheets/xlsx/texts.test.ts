import { describe, expect, it } from 'vitest';
import { unescapeText } from '../../../../src/tools/sheets/xlsx/strings.ts';
import { row, scanRows, strings, styleSheet, values } from './book.ts';

const shared = (items: string) => ({ 'xl/sharedStrings.xml': strings(items) });
const cell = (index: number, style = 0) => `<c t="s" s="${style}"><v>${index}</v></c>`;

describe('unescapeText', () => {
  it.each([
    ['a_x000D_\nb', 'a\r\nb'],
    ['_x005F_x000D_', '_x000D_'],
    ['_x00e9__x6771_', 'é東'],
    ['a_xyz_ _x12_ _x000G_', 'a_xyz_ _x12_ _x000G_'],
  ])('reads %j as %j', (raw, text) => {
    expect(unescapeText(raw)).toBe(text);
  });
});

describe('texts of an xlsx', () => {
  it('keep their spaces and escapes, without pronunciation aids', async () => {
    const sheet = await scanRows(
      row(cell(0) + cell(1) + cell(2) + cell(3)),
      shared(`<si><t xml:space="preserve"> two  spaces </t></si>
        <si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>
        <si><t>a_x000D_&#10;b</t></si><si><r><t>only </t></r><r><t>runs</t></r></si>`),
    );
    expect(values(sheet)).toEqual({
      A1: 'text  two  spaces ',
      B1: 'text 東京',
      C1: 'text a\r\nb',
      D1: 'text only runs',
    });
    expect(sheet.cells.D1?.runs).toBeUndefined();
  });

  it('keep the fonts of their runs where these differ from the cell', async () => {
    const styles = styleSheet(
      '<fonts><font><color theme="1"/></font><font><b/></font></fonts><cellXfs><xf/><xf fontId="1"/></cellXfs>',
    );
    const rich = `<si><r><t>was </t></r><r><rPr><strike/><color rgb="FFC00000"/><sz val="11"/></rPr><t>5</t></r>
      <r><rPr><b/><i val="0"/><u val="none"/></rPr><t> now</t></r></si>`;
    const sheet = await scanRows(row(cell(0) + cell(0, 1) + cell(1)), {
      ...shared(
        `${rich}<si><r><rPr><color theme="1"/></rPr><t>all</t></r><r><rPr/><t> plain</t></r></si>`,
      ),
      'xl/styles.xml': styles,
    });
    const struck = { text: '5', style: { strike: true, color: '#C00000' } };
    expect(sheet.cells.A1).toMatchObject({
      text: 'was 5 now',
      runs: [{ text: 'was ' }, struck, { text: ' now', style: { bold: true } }],
    });
    // In a bold cell the bold run is the plain one.
    expect(sheet.cells.B1?.runs).toEqual([{ text: 'was ' }, struck, { text: ' now' }]);
    expect(sheet.cells.C1).toEqual({ row: 0, column: 2, kind: 'text', text: 'all plain' });
  });

  it('may be rich inside the cell too', async () => {
    const sheet = await scanRows(
      row(
        '<c t="inlineStr"><is><r><t>a</t></r><r><rPr><u/></rPr><t>b</t></r><rPh><t>x</t></rPh></is></c><c><v>1</v></c>',
      ),
    );
    expect(sheet.cells.A1?.runs).toEqual([
      { text: 'a' },
      { text: 'b', style: { underline: true } },
    ]);
    expect(sheet.cells.B1?.text).toBe('1');
  });

  it('that are missing are shown as errors and counted', async () => {
    const without = await scanRows(row(`${cell(0)}${cell(7)}<c><v>1</v></c>`));
    expect(values(without)).toEqual({
      A1: 'error (shared text 0 is missing)',
      B1: 'error (shared text 7 is missing)',
      C1: 'number 1',
    });
    expect(without.tail.notes).toEqual([
      'In 2 cells the text is missing from the file; "(shared text N is missing)" stands there.',
    ]);
    const short = await scanRows(
      row(`${cell(0)}${cell(1)}<c t="s"><v>-1</v></c>`),
      shared('<si><t>here</t></si>'),
    );
    expect(values(short)).toEqual({
      A1: 'text here',
      B1: 'error (shared text 1 is missing)',
      C1: 'error (shared text -1 is missing)',
    });
  });

  it('are kept up to where their part is cut off', async () => {
    const sheet = await scanRows(row(cell(0) + cell(1)), {
      'xl/sharedStrings.xml': '<sst><si><t>whole</t></si><si><t>cu',
    });
    expect(values(sheet)).toEqual({ A1: 'text whole', B1: 'error (shared text 1 is missing)' });
    expect(sheet.tail.notes).toContain('The part with the shared texts is cut off.');
  });

  it('are loaded only in part when the book is large', async () => {
    const filler = 'x'.repeat(1_000);
    const items = Array.from({ length: 22_000 }, (_, at) => `<si><t>${at} ${filler}</t></si>`).join(
      '',
    );
    const sheet = await scanRows(row(cell(0) + cell(21_999)), shared(items));
    expect(sheet.book.large).toBe(
      'Its XML is 22 MB unzipped, more than the 20 MB that are read whole.',
    );
    expect(sheet.cells.A1?.text.slice(0, 3)).toBe('0 x');
    expect(sheet.cells.B1).toMatchObject({ kind: 'text', text: '(text not loaded)' });
    expect(sheet.tail.notes).toEqual([
      'In 1 cell the text was not loaded because the book is large; use execute_python for it.',
    ]);
  });
});
