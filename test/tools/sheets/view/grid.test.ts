import { describe, expect, it } from 'vitest';
import { block, makeBook, range, type SheetSpec, view } from './book.ts';

const sales: SheetSpec = {
  name: 'Sales',
  cells: {
    A1: 'Item',
    B1: 'When',
    C1: 'Amount',
    A2: 'Apples',
    B2: { kind: 'date', text: '2024-03-01' },
    C2: 12.5,
    A3: '007',
    C3: { formula: 'C2*2', uncomputed: true },
    A5: 'Total',
    C5: { kind: 'number', text: '19.5', formula: 'SUM(C2:C4)' },
  },
};

async function grid(sheet: SheetSpec, options: Parameters<typeof view>[1] = {}) {
  return block(await view(makeBook({ sheets: [sheet] }), options), 'Sheet ');
}

describe('the grid', () => {
  it('has a line of column letters, then a line a row, tab-separated, without empty rows', async () => {
    expect(await grid(sales)).toEqual([
      'Sheet "Sales", A1:C5:',
      'row\tA\tB\tC',
      '1\tItem\tWhen\tAmount',
      '2\tApples\t2024-03-01\t12.5',
      '3\t"007"\t\t(no stored value: =C2*2)',
      '5\tTotal\t\t19.5',
    ]);
  });

  it('starts at the first used column and cuts empty cells at the end of a row', async () => {
    expect(await grid({ cells: { C3: 'a', D3: 'b', E3: 'c', C4: 1 } })).toEqual([
      'Sheet "Sheet1", C3:E4:',
      'row\tC\tD\tE',
      '3\ta\tb\tc',
      '4\t1',
    ]);
  });

  it('keeps a cell that holds an empty text apart from no cell', async () => {
    const cells = { A1: 'x', B1: { kind: 'text', text: '' } as const, C1: 'y' };
    expect(await grid({ cells: { ...cells, A2: 1, C2: 2 } })).toEqual([
      'Sheet "Sheet1", A1:C2:',
      'row\tA\tB\tC',
      '1\tx\t""\ty',
      '2\t1\t\t2',
    ]);
  });

  it('shows hidden rows and columns and marks them', async () => {
    const tail = {
      hiddenRows: [{ from: 1, to: 2 }],
      hiddenColumns: [{ from: 1, to: 1 }],
    };
    expect(await grid({ ...sales, tail })).toEqual([
      'Sheet "Sales", A1:C5:',
      'row\tA\tB (hidden)\tC',
      '1\tItem\tWhen\tAmount',
      '2 (hidden)\tApples\t2024-03-01\t12.5',
      '3 (hidden)\t"007"\t\t(no stored value: =C2*2)',
      '5\tTotal\t\t19.5',
    ]);
  });

  it('tells rows that a filter hides from other hidden rows, its own heading included', async () => {
    const cells = { A1: 'h', A2: 1, A3: 2, A4: 3, B1: 'h', B2: 1, B3: 2, B4: 3 };
    const tail = {
      hiddenRows: [
        { from: 0, to: 1 },
        { from: 3, to: 3 },
      ],
      filter: range('A1:B3'),
    };
    const lines = await grid({ cells, tail });
    expect(lines.slice(2)).toEqual([
      '1 (hidden)\th\th',
      '2 (filtered out)\t1\t1',
      '3\t2\t2',
      '4 (hidden)\t3\t3',
    ]);
  });

  it('lists few cells over a wide range one by one, marks included', async () => {
    const cells = { A1: 'Title', Z3: 5, AB9: 'a = b', C9: true };
    const tail = { hiddenRows: [{ from: 2, to: 2 }], hiddenColumns: [{ from: 2, to: 2 }] };
    expect(await grid({ cells, tail })).toEqual([
      'Sheet "Sheet1", A1:AB9:',
      'A1 = Title',
      'Z3 (hidden row) = 5',
      'C9 (hidden column) = TRUE',
      'AB9 = a = b',
    ]);
  });

  it('names merged ranges below the cells, those that touch the window only', async () => {
    const tail = { merges: [range('A1:C1'), range('A3:A5')] };
    expect((await grid({ ...sales, tail })).at(-1)).toBe('merged: A1:C1, A3:A5');
    expect((await grid({ ...sales, tail }, { range: 'A1:B2' })).at(-1)).toBe('merged: A1:C1');
  });

  it('shows long texts whole where everything fits, and cut where it does not', async () => {
    const cells: SheetSpec['cells'] = {};
    for (let row = 1; row <= 5; row++) {
      cells[`A${row}`] = `${row}: ${'word '.repeat(100)}.`;
      cells[`B${row}`] = row;
    }
    expect((await grid({ cells }))[2]).toBe(`1\t${cells.A1}\t1`);
    const cut = await grid({ cells }, { room: 2_700 });
    expect(cut).toHaveLength(7);
    expect(cut[2]).toMatch(/^1\t1: (word )+wo… \(504 characters; range="A1" shows all\)\t1$/);
  });

  it('shows a single cell whole', async () => {
    const text = 'word '.repeat(1_000).trim();
    const lines = await grid({ cells: { A1: text, B1: 2 } }, { range: 'A1', room: 6_000 });
    expect(lines).toEqual(['Sheet "Sheet1", A1:', `A1 = ${text}`]);
  });

  it('shows the beginning of a cell that is longer than the answer, and says so', async () => {
    const book = makeBook({ sheets: [{ cells: { B7: 'x'.repeat(5_000), C7: 1 } }] });
    const text = await view(book, { range: 'B7', room: 2_000 });
    expect(text).toMatch(/\nB7 = x{800,2000}…\n/);
    expect(text).toContain(
      '[B7 has 5,000 characters, of which the beginning is shown; read the rest with execute_python]',
    );
    expect(text.length).toBeLessThan(2_000);
  });
});

describe('the grid: windows', () => {
  it.each([
    [
      'B2:C3',
      [
        'Sheet "Sales", B2:C3:',
        'row\tB\tC',
        '2\t2024-03-01\t12.5',
        '3\t\t(no stored value: =C2*2)',
      ],
    ],
    [
      'c',
      [
        'Sheet "Sales", C1:C5:',
        'row\tC',
        '1\tAmount',
        '2\t12.5',
        '3\t(no stored value: =C2*2)',
        '5\t19.5',
      ],
    ],
    [
      '2:3',
      [
        'Sheet "Sales", A2:C3:',
        'row\tA\tB\tC',
        '2\tApples\t2024-03-01\t12.5',
        '3\t"007"\t\t(no stored value: =C2*2)',
      ],
    ],
    ['A5:ZZ900', ['Sheet "Sales", A5:C5:', 'row\tA\tB\tC', '5\tTotal\t\t19.5']],
    ['C5', ['Sheet "Sales", C5:', 'C5 = 19.5']],
    ['sales!$a$1', ['Sheet "Sales", A1:', 'A1 = Item']],
    ['B3:B4', ['Sheet "Sales", B3:B4: no values here']],
  ])('range %s', async (window, expected) => {
    expect(await grid(sales, { range: window })).toEqual(expected);
  });
});
