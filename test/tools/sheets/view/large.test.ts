import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../../src/tools/sheets/book.ts';
import { utf8Length } from '../../../../src/tools/truncate.ts';
import { block, makeBook, type SheetSpec, view, viewWithData } from './book.ts';

/** `rows` rows of `width` numbers: 10 × row + column, both from 1. */
function numbers(rows: number, width: number, name = 'Big'): SheetSpec {
  return {
    name,
    *stream(): Iterable<Cell> {
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < width; column++) {
          yield { row, column, kind: 'number', text: String((row + 1) * 10 + column + 1) };
        }
      }
    },
  };
}

describe('large books', () => {
  it('are read whole up to 200,000 cells', async () => {
    const { data } = await viewWithData(makeBook({ sheets: [numbers(50_000, 4)] }));
    expect(data).toMatchObject({ large: null, sheets: [{ cells: 200_000, range: 'A1:D50000' }] });
  });

  it('above that show the head of each sheet, hidden ones too, and point to code', async () => {
    const book = makeBook({
      sheets: [
        numbers(50_000, 4, 'One'),
        numbers(1, 1, 'Two'),
        { ...numbers(30, 2, 'Three'), state: 'hidden' },
      ],
    });
    const text = await view(book);
    expect(text.split('\n').slice(0, 5)).toEqual([
      'a.xlsx: xlsx, 3 sheets (1 hidden)',
      '1. "One": A1:D20, 80 cells in the part read (up to row 20)',
      '2. "Two": A1, 1 cell',
      '3. "Three" (hidden): A1:B20, 40 cells in the part read (up to row 20)',
      'Large: more than 200,000 cells, the most that are read whole. Only the first rows of each sheet are shown, and the counts are of these. Compute with execute_python: import pandas as pd; df = pd.read_excel("a.xlsx", sheet_name="One")  # requirements=["openpyxl"]',
    ]);
    expect(block(text, 'Sheet "One"')).toHaveLength(22);
    expect(block(text, 'Sheet "One"').at(-1)).toBe('20\t201\t202\t203\t204');
    expect(block(text, 'Sheet "Two"')).toEqual(['Sheet "Two", A1:', 'A1 = 11']);
    expect(block(text, 'Sheet "Three"')).toHaveLength(22);
    expect(text).toContain(
      '[left out: A21:D220 of "One"; parse_excel path="a.xlsx" sheet="One" range="A21:D220"]',
    );
    expect(text).toContain(
      '[merged ranges, comments, links and hidden rows may be missing: read in part only]',
    );
    // 200,001 cells to know that it is too large, then the heads.
    expect(book.handed()).toBeLessThan(200_001 + 1 + 3 * 90);
  });

  it('are not counted first when their reader says that they are large', async () => {
    const book = makeBook({ large: 'more than 20 MB of XML', sheets: [numbers(50_000, 4)] });
    const text = await view(book);
    expect(text).toContain('Large: more than 20 MB of XML. Only');
    expect(block(text, 'Sheet "Big"')).toHaveLength(22);
    expect(book.handed()).toBe(81);
  });

  it('show the head of one sheet when it is asked for without a range', async () => {
    const book = makeBook({ sheets: [numbers(5, 2, 'Small'), numbers(60_000, 4)] });
    expect(block(await view(book, { sheet: 'Big' }), 'Sheet "Big"')).toHaveLength(22);
    expect(await view(book, { sheet: 'Big' })).toContain(
      'Only the first rows of the sheet are shown',
    );
    expect(block(await view(book, { sheet: 'Small' }), 'Sheet "Small"')).toHaveLength(7);
  });

  it('serve a range within the first 200,000 cells', async () => {
    const book = makeBook({ sheets: [numbers(100_000, 4)] });
    const text = await view(book, { range: 'B40000:C40001' });
    expect(block(text, 'Sheet "Big"')).toEqual([
      'Sheet "Big", B40000:C40001:',
      'row\tB\tC',
      '40000\t400002\t400003',
      '40001\t400012\t400013',
    ]);
    expect(text).not.toContain('left out');
  });

  it('stop behind the range when the reader says that the book is large', async () => {
    const book = makeBook({ large: 'more than 20 MB of XML', sheets: [numbers(100_000, 4)] });
    const text = await view(book, { range: 'A30:A31' });
    expect(block(text, 'Sheet "Big"')).toEqual([
      'Sheet "Big", A30:A31:',
      'row\tA',
      '30\t301',
      '31\t311',
    ]);
    expect(book.handed()).toBe(125);
  });

  it('say that a range lies too far, with the code that reads it', async () => {
    const book = makeBook({ sheets: [numbers(100_000, 4)] });
    await expect(view(book, { range: 'A70001:D70100' })).rejects.toMatchObject({
      code: 'too_large',
      message:
        'a.xlsx: rows 70001:70100 of sheet "Big" lie beyond its first 200,000 cells, which is as far as this tool reads; use execute_python: import pandas as pd; df = pd.read_excel("a.xlsx", sheet_name="Big", header=None, skiprows=70000, nrows=100)  # requirements=["openpyxl"]',
    });
  });

  it('show a column as far as it was read, and the call for more', async () => {
    const book = makeBook({ sheets: [numbers(100_000, 4)] });
    const text = await view(book, { range: 'B:B', room: 3_000 });
    const lines = block(text, 'Sheet "Big"');
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^Sheet "Big", B1:B\d+:$/),
      'row\tB',
      '1\t12',
    ]);
    const next = lines.length - 1;
    expect(text).toContain(`range="B${next}:B${next + 199}"`);
  });

  it.each([
    ['csv', 'df = pd.read_csv("a.xlsx")'],
    ['tsv', 'df = pd.read_csv("a.xlsx", sep="\\t")'],
    ['ods', 'df = pd.read_excel("a.xlsx", sheet_name="Big")  # requirements=["odfpy"]'],
    ['xls', 'df = pd.read_excel("a.xlsx", sheet_name="Big")  # requirements=["xlrd"]'],
    ['xlsb', 'df = pd.read_excel("a.xlsx", sheet_name="Big")  # requirements=["pyxlsb"]'],
  ])('have code for %s', async (format, code) => {
    const book = makeBook({ format, large: 'large', sheets: [numbers(1, 1)] });
    expect(await view(book)).toContain(`import pandas as pd; ${code}\n`);
  });

  it('have code for other separators, which the reader notes', async () => {
    const notes = ['cells are separated by semicolons (;)'];
    const book = makeBook({ format: 'csv', notes, large: 'large', sheets: [numbers(1, 1)] });
    expect(await view(book)).toContain('df = pd.read_csv("a.xlsx", sep=";")\n');
  });

  it('give each sheet a part of the room', async () => {
    const sheets = Array.from({ length: 6 }, (_, n) => numbers(1_000, 40, `S${n}`));
    const book = makeBook({ large: 'large', sheets });
    const text = await view(book, { room: 12_000 });
    for (let n = 0; n < 6; n++) expect(block(text, `Sheet "S${n}"`).length).toBeGreaterThan(5);
    expect(utf8Length(text)).toBeLessThanOrEqual(12_000);
  });
});
