import { describe, expect, it } from 'vitest';
import type { Cell, CellStyle } from '../../../../src/tools/sheets/book.ts';
import { block, type CellSpec, makeBook, range, type SheetSpec, view } from './book.ts';

const YELLOW: CellStyle = { fill: '#FFFF00' };
const RED_TEXT: CellStyle = { color: '#FF0000', strike: true };
const HEADING: CellStyle = { fill: '#DDEBF7', bold: true };
const number = (value: number, style: CellStyle): Partial<Cell> => ({
  kind: 'number',
  text: String(value),
  style,
});

const table: SheetSpec = {
  name: 'Data',
  cells: {
    A1: { text: 'Item', style: HEADING },
    B1: { text: 'Qty', style: HEADING },
    A2: 'a',
    B2: number(12, YELLOW),
    A3: 'b',
    B3: 7,
    A4: 'c',
    B4: number(5, YELLOW),
    A5: 'd',
    B5: number(6, { ...YELLOW, ...RED_TEXT }),
    C9: { style: YELLOW },
    D9: { style: { color: '#FF0000', bold: true } },
  },
};

async function colors(sheet: SheetSpec, options: Parameters<typeof view>[1] = {}) {
  const text = await view(makeBook({ sheets: [sheet] }), { with: 'colors', ...options });
  const lines = text.split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('colors of')));
}

describe('with colors', () => {
  it('lists the cells of each fill, text colour and mark, and what stands in them', async () => {
    expect(await colors(table)).toEqual([
      'colors of "Data":',
      'fill #DDEBF7 (light blue), 2 cells: A1:B1',
      '  values: A1 Item; B1 Qty',
      'fill #FFFF00 (yellow), 4 cells (1 of them empty): B2, B4:B5, C9',
      '  values: B2 12; B4 5; B5 6',
      'text #FF0000 (red), 1 cell: B5',
      '  values: B5 6',
      'bold, 2 cells: A1:B1',
      'strike, 1 cell: B5',
      '  values: B5 6',
    ]);
  });

  it('is about the window only', async () => {
    expect(await colors(table, { range: 'A2:B4' })).toEqual([
      'colors of "Data":',
      'fill #FFFF00 (yellow), 2 cells: B2, B4',
      '  values: B2 12; B4 5',
    ]);
  });

  it('says so when nothing looks special', async () => {
    const text = await view(makeBook({ sheets: [{ cells: { A1: 'x' } }] }), { with: 'all' });
    expect(text.split('\n').at(-1)).toBe(
      'none in "Sheet1": colors, formulas, comments, links, formats',
    );
  });

  it('takes black text for plain and shows white text', async () => {
    const cells = {
      A1: { text: 'x', style: { color: '#000000' } },
      A2: { text: 'y', style: { color: '#FFFFFF' } },
    };
    expect(await colors({ cells })).toEqual([
      'colors of "Sheet1":',
      'text #FFFFFF (white), 1 cell: A2',
      '  values: A2 y',
    ]);
  });

  it('joins cells of different styles that share a fill', async () => {
    const cells = {
      A1: number(1, YELLOW),
      A2: number(2, { fill: '#FFFF00', bold: true }),
      A3: number(3, { fill: '#FFFF00', italic: true, underline: true }),
    };
    expect(await colors({ cells })).toEqual([
      'colors of "Sheet1":',
      'fill #FFFF00 (yellow), 3 cells: A1:A3',
      '  values: A1 1; A2 2; A3 3',
      'bold, 1 cell: A2',
      'italic, 1 cell: A3',
      'underline, 1 cell: A3',
    ]);
  });

  it('shows the parts of a text that look different', async () => {
    const runs = [
      { text: 'Total ' },
      { text: 'due', style: RED_TEXT },
      { text: '\n!', style: { bold: true as const } },
    ];
    expect(await colors({ cells: { B7: { text: 'Total due\n!', runs } } })).toEqual([
      'colors of "Sheet1":',
      'parts of texts:',
      '  B7: "Total " plain; "due" text #FF0000 (red), strike; "\\n!" bold',
    ]);
  });

  it('shares its room among the groups and counts what does not fit', async () => {
    const cells: Record<string, CellSpec> = {};
    for (let row = 1; row <= 400; row++) {
      const style = row % 2 === 0 ? YELLOW : { fill: '#00B050' };
      cells[`${row % 3 === 0 ? 'A' : 'C'}${row}`] = number(row, style);
    }
    cells.F1 = number(1, { fill: '#FF0000' });
    const text = await view(makeBook({ sheets: [{ cells }] }), { with: 'colors', room: 3_000 });
    expect(text).toMatch(/fill #FFFF00 \(yellow\), 200 cells: C2(, [AC]\d+){20,} … and \d+ more\n/);
    expect(text).toMatch(/fill #00B050 \(green\), 200 cells: C1(, [AC]\d+){20,} … and \d+ more\n/);
    expect(text).toContain('fill #FF0000 (red), 1 cell: F1\n  values: F1 1');
  });
});

describe('with colors: pictures', () => {
  const PATH = { fill: '#92D050' };
  const WALL = { fill: '#7F7F7F' };
  const POND = { fill: '#00B0F0' };

  function maze(rows: string[]): SheetSpec {
    const styles: Record<string, CellStyle> = { g: PATH, w: WALL, p: POND };
    const cells: Record<string, CellSpec> = {};
    for (const [row, line] of rows.entries()) {
      for (const [column, letter] of [...line].entries()) {
        const style = styles[letter];
        if (style) cells[`${'ABCDEFGH'[column]}${row + 1}`] = { style };
      }
    }
    cells.A1 = { text: 'START', style: PATH };
    return { cells };
  }

  it('adds a map of letters where fills draw a picture', async () => {
    const lines = await colors(maze(['gwgpg', 'gwggp', 'ggwwg', 'w.gpg', 'gwwgw']));
    const map = lines.findIndex((line) => line.startsWith('map of the fills'));
    expect(lines.slice(map)).toEqual([
      'map of the fills in A1:E5 (G = #92D050 light green, A = #7F7F7F grey, B = #00B0F0 light blue, . = no fill; a cell with a value as letter=value):',
      'row\tA\tB\tC\tD\tE',
      '1\tG=START\tA\tG\tB\tG',
      '2\tG\tA\tG\tG\tB',
      '3\tG\tG\tA\tA\tG',
      '4\tA\t.\tG\tB\tG',
      '5\tG\tA\tA\tG\tA',
    ]);
  });

  it('draws no map of a table whose rows are banded', async () => {
    const cells: Record<string, CellSpec> = {};
    for (let row = 1; row <= 30; row++) {
      for (const letter of 'ABC') {
        cells[letter + row] = number(row, row % 2 === 0 ? YELLOW : PATH);
      }
    }
    expect((await colors({ cells })).filter((line) => line.startsWith('map'))).toEqual([]);
  });

  it('draws no map where the list says it as well', async () => {
    const lines = await colors(maze(['ggg', 'www', 'ppp']));
    expect(lines).toEqual([
      'colors of "Sheet1":',
      'fill #92D050 (light green), 3 cells (2 of them empty): A1:C1',
      '  values: A1 START',
      'fill #7F7F7F (grey), 3 cells (all empty): A2:C2',
      'fill #00B0F0 (light blue), 3 cells (all empty): A3:C3',
    ]);
  });

  it('shows a sheet of fills without any value when colors are asked for', async () => {
    const book = makeBook({
      sheets: [{ cells: { B2: { style: YELLOW }, B3: { style: YELLOW } } }],
    });
    expect(await view(book)).toBe(
      [
        'a.xlsx: xlsx, 1 sheet',
        '1. "Sheet1": B2:B3, 0 cells; fills: yellow #FFFF00 ×2',
        '',
        '[to see which cells, add with=["colors"]]',
      ].join('\n'),
    );
    expect(block(await view(book, { with: 'colors' }), 'Sheet ')).toEqual([
      'Sheet "Sheet1", B2:B3: no values here',
      'colors of "Sheet1":',
      'fill #FFFF00 (yellow), 2 cells (all empty): B2:B3',
    ]);
  });
});

describe('with formats', () => {
  it('lists number formats with the cells that have a value', async () => {
    const cells = {
      A1: number(0.175, { format: '0.0%' }),
      A2: number(0.2, { format: '0.0%' }),
      B1: { kind: 'date', text: '2024-03-01', style: { format: 'yyyy\\-mm\\-dd' } } as const,
      C1: { style: { format: '0.00' } },
    };
    const text = await view(makeBook({ sheets: [{ cells }] }), { with: ['formats'] });
    expect(text.split('\n').slice(-3)).toEqual([
      'formats of "Sheet1" (number format: cells):',
      '"0.0%": A1:A2',
      '"yyyy\\\\-mm\\\\-dd": B1',
    ]);
  });

  it('says so when there are none', async () => {
    const text = await view(makeBook({ sheets: [{ cells: { A1: 1 } }] }), { with: ['formats'] });
    expect(text.split('\n').at(-1)).toBe('none in "Sheet1": formats');
  });
});

describe('with comments and links', () => {
  const sheet: SheetSpec = {
    cells: { A1: 'x', B2: 'y' },
    tail: {
      comments: [
        { row: 8, column: 0, author: null, text: 'two\nlines' },
        { row: 1, column: 1, author: 'Ann', text: 'check' },
      ],
      links: [
        { range: range('A1'), target: 'https://x.org/?a=1' },
        { range: range('A5:B6'), target: '#Data!A1' },
      ],
    },
  };

  it('lists them by address, also at cells without a value', async () => {
    const text = await view(makeBook({ sheets: [sheet] }), { with: ['links', 'comments'] });
    expect(text.split('\n').slice(-6)).toEqual([
      'comments of "Sheet1":',
      'B2 (Ann): check',
      'A9: "two\\nlines"',
      'links of "Sheet1":',
      'A1 → https://x.org/?a=1',
      'A5:B6 → #Data!A1',
    ]);
  });

  it('lists those of the window only, and says when there are none', async () => {
    const book = makeBook({ sheets: [sheet] });
    const text = await view(book, { with: ['links', 'comments'], range: 'A9:B9' });
    expect(text.split('\n').slice(-4)).toEqual([
      'Sheet "Sheet1", A9:B9: no values here',
      'comments of "Sheet1":',
      'A9: "two\\nlines"',
      'none in "Sheet1": links',
    ]);
  });

  it('counts those for which there is no room', async () => {
    const comments = Array.from({ length: 200 }, (_, row) => ({
      row,
      column: 0,
      author: 'Ann',
      text: 'a remark of some length',
    }));
    const book = makeBook({ sheets: [{ cells: { A1: 'x' }, tail: { comments } }] });
    const text = await view(book, { with: 'comments', room: 2_000 });
    const shown = text.split('\n').filter((line) => line.includes('(Ann)')).length;
    expect(shown).toBeGreaterThan(15);
    expect(text).toContain(`… and ${200 - shown} more comments: ask for a smaller range`);
  });
});
