import { describe, expect, it } from 'vitest';
import { utf8Length } from '../../../../src/tools/truncate.ts';
import { block, type CellSpec, makeBook, range, view, viewWithData } from './book.ts';

const rows = (count: number, columns = 'ABC'): Record<string, CellSpec> => {
  const cells: Record<string, CellSpec> = {};
  for (let row = 1; row <= count; row++) {
    for (const [index, letter] of [...columns].entries()) cells[letter + row] = row * 10 + index;
  }
  return cells;
};

describe('renderBook: the overview', () => {
  it('says what the book and each sheet hold, hidden parts too', async () => {
    const book = makeBook({
      notes: ['Dates count from 1904.'],
      names: [
        { name: 'Rate', refersTo: 'Data!$B$1' },
        { name: 'Vat', refersTo: '0.17' },
      ],
      sheets: [
        {
          name: 'Data',
          cells: {
            A1: { text: 'x', style: { fill: '#FFFF00', color: '#FF0000', strike: true } },
            B1: { kind: 'number', text: '5', formula: '2+3' },
            B2: { formula: 'B1*2', uncomputed: true },
            C4: { style: { fill: '#FFFF00' } },
            A3: { text: 'ab', runs: [{ text: 'a' }, { text: 'b', style: { bold: true } }] },
          },
          tail: {
            merges: [range('A1:A2'), range('C1:D1')],
            hiddenRows: [{ from: 4, to: 8 }],
            hiddenColumns: [{ from: 2, to: 2 }],
            comments: [{ row: 0, column: 0, author: null, text: 'c' }],
            links: [{ range: range('A1'), target: 'https://x.org' }],
            filter: range('A1:C4'),
            notes: ['2 pictures are not shown.'],
          },
        },
        { name: 'Old', state: 'hidden', cells: { A1: 1 } },
        { name: 'Secret', state: 'very hidden' },
        { name: 'Plot', kind: 'chart' },
      ],
    });
    const lines = (await view(book)).split('\n');
    expect(lines.slice(0, 9)).toEqual([
      'a.xlsx: xlsx, 4 sheets (1 hidden, 1 very hidden)',
      'Dates count from 1904.',
      'defined names: Rate → Data!$B$1; Vat → 0.17',
      '1. "Data": A1:C4, 4 cells, 2 formulas (1 without a stored value); fills: yellow #FFFF00 ×2; text colours: red #FF0000 ×1; strike-through ×1; texts with differently formatted parts ×1; 1 comment; 1 link; 2 merged ranges; hidden rows 5:9; hidden columns C; filter on A1:C4',
      '   2 pictures are not shown.',
      '2. "Old" (hidden): A1, 1 cell',
      '3. "Secret" (very hidden): empty',
      '4. "Plot": a chart, no cells',
      '',
    ]);
    expect(lines.at(-1)).toBe(
      '[to see which cells, add with=["colors","formulas","comments","links"]]',
    );
  });

  it('names eight colours and eight hidden spans, and counts the others', async () => {
    const cells: Record<string, CellSpec> = {};
    const hiddenRows = [];
    for (let n = 0; n < 12; n++) {
      cells[`A${n + 1}`] = { style: { fill: `#${(n * 20).toString(16).padStart(2, '0')}00FF` } };
      hiddenRows.push({ from: n * 3, to: n * 3 + 1 });
    }
    const [, line] = (await view(makeBook({ sheets: [{ cells, tail: { hiddenRows } }] }))).split(
      '\n',
    );
    expect(line).toMatch(/and 4 more colours;/);
    expect(line).toMatch(
      /hidden rows 1:2, 4:5, 7:8, 10:11, 13:14, 16:17, 19:20, 22:23 and 8 more$/,
    );
  });

  it('says only once in a while what a damaged file makes the reader say often', async () => {
    const notes = Array.from({ length: 500 }, (_, n) => `Row ${n} is damaged.`);
    const text = await view(makeBook({ notes, sheets: [{ cells: { A1: 1 } }] }));
    expect(text.match(/is damaged/g)).toHaveLength(8);
    expect(text).toContain('and 492 more such remarks');
  });

  it('shows a book without sheets or values', async () => {
    expect(await view(makeBook({ sheets: [] }))).toBe('a.xlsx: xlsx, 0 sheets');
    expect(await view(makeBook({ format: 'ods', sheets: [{}] }))).toBe(
      'a.xlsx: ods, 1 sheet\n1. "Sheet1": empty',
    );
  });

  it('names the sheets whose lines do not fit', async () => {
    const sheets = Array.from({ length: 300 }, (_, n) => ({
      name: `Sheet number ${n}`,
      cells: { A1: n },
    }));
    const text = await view(makeBook({ sheets }), { room: 6_000 });
    expect(text).toMatch(/\n\d+ more sheets: "Sheet number \d+", .* … and \d+ more\n/);
    expect(utf8Length(text)).toBeLessThanOrEqual(6_000);
  });
});

describe('renderBook: sheets', () => {
  it('shows visible sheets first, then hidden ones, empty ones only as a line', async () => {
    const book = makeBook({
      sheets: [
        { name: 'H', state: 'hidden', cells: { A1: 'h' } },
        { name: 'A', cells: { A1: 'a' } },
        { name: 'E' },
        { name: 'B', cells: { A1: 'b' } },
      ],
    });
    const text = await view(book);
    expect(text.split('\n').filter((line) => line.startsWith('Sheet '))).toEqual([
      'Sheet "A", A1:',
      'Sheet "B", A1:',
      'Sheet "H" (hidden), A1:',
    ]);
    expect(
      text
        .split('\n')
        .slice(1, 5)
        .map((line) => line.slice(0, 6)),
    ).toEqual(['1. "H"', '2. "A"', '3. "E"', '4. "B"']);
  });

  it('shows a short sheet behind a long one whole', async () => {
    const book = makeBook({
      sheets: [
        { name: 'Long', cells: rows(2_000) },
        { name: 'Short', cells: { A1: 'rate', B1: 0.17 } },
        { name: 'Hidden', state: 'hidden', cells: { A1: 'secret' } },
      ],
    });
    const text = await view(book, { room: 8_000 });
    expect(block(text, 'Sheet "Short"')).toEqual([
      'Sheet "Short", A1:B1:',
      'row\tA\tB',
      '1\trate\t0.17',
    ]);
    expect(block(text, 'Sheet "Hidden"')).toEqual(['Sheet "Hidden" (hidden), A1:', 'A1 = secret']);
    expect(block(text, 'Sheet "Long"').length).toBeGreaterThan(250);
    expect(utf8Length(text)).toBeLessThanOrEqual(8_000);
  });

  it('names sheets for which there was no room, with the call that shows them', async () => {
    const book = makeBook({
      sheets: [
        { name: 'A', cells: rows(300) },
        { name: 'B', cells: rows(300) },
        { name: 'C', cells: rows(300) },
      ],
    });
    const text = await view(book, { room: 3_000 });
    expect(text).toMatch(/\[no room for ("B", )?"C"; parse_excel path="a.xlsx" sheet="[BC]"\]/);
    expect(utf8Length(text)).toBeLessThanOrEqual(3_000);
  });

  it('gives programs the sheets and what of them is shown', async () => {
    const book = makeBook({
      format: 'ods',
      sheets: [
        { name: 'A', cells: { A1: 1, B2: { formula: 'A1', uncomputed: true } } },
        { name: 'E', state: 'hidden' },
      ],
    });
    expect((await viewWithData(book)).data).toEqual({
      format: 'ods',
      sheets: [
        {
          name: 'A',
          state: 'visible',
          range: 'A1:B2',
          cells: 2,
          formulas: 1,
          uncomputed: 1,
          shown: 'A1:B2',
        },
        {
          name: 'E',
          state: 'hidden',
          range: null,
          cells: 0,
          formulas: 0,
          uncomputed: 0,
          shown: null,
        },
      ],
      large: null,
    });
  });

  it('stops with what its signal was aborted with', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    const book = makeBook({ sheets: [{ cells: { A1: 1 } }] });
    await expect(view(book, { signal })).rejects.toThrow('too late');
  });
});
