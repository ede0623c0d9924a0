import { describe, expect, it } from 'vitest';
import { absoluteFormula, relativeFormula } from '../../../../src/tools/sheets/view/formulas.ts';
import { type CellSpec, makeBook, view } from './book.ts';

const formula = (text: string, value?: number): CellSpec =>
  value === undefined
    ? { formula: text, uncomputed: true }
    : { kind: 'number', text: String(value), formula: text };

async function formulas(cells: Record<string, CellSpec>, options: object = {}) {
  const book = makeBook({ sheets: [{ cells }] });
  const lines = (await view(book, { with: 'formulas', ...options })).split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('formulas of')) + 1);
}

describe('with formulas', () => {
  it('shows each formula with its stored result, or says that there is none', async () => {
    const cells = {
      B7: formula('SUM(B2:B6)', 120),
      C7: formula('B7*2'),
      D1: { kind: 'text', text: '007', formula: 'TEXT(7,"000")' } as const,
      E1: { kind: 'error', text: '#DIV/0!', formula: '1/0' } as const,
      F1: { kind: 'text', text: '', formula: '""' } as const,
    };
    expect(await formulas(cells)).toEqual([
      'D1 =TEXT(7,"000") → "007"',
      'E1 =1/0 → #DIV/0!',
      'F1 ="" → ""',
      'B7 =SUM(B2:B6) → 120',
      'C7 =B7*2 → (no stored value)',
    ]);
  });

  it('joins a column of the same moved formula', async () => {
    const cells: Record<string, CellSpec> = {};
    for (let row = 2; row <= 9; row++) cells[`D${row}`] = formula(`B${row}*$C$1`, row * 2);
    expect(await formulas(cells)).toEqual([
      'D2:D9 =B2*$C$1 → 4, same pattern through D9 =B9*$C$1 → 18',
    ]);
  });

  it('joins a row of totals, and neighbouring columns each for itself', async () => {
    const cells: Record<string, CellSpec> = {};
    for (const letter of 'BCDE') cells[`${letter}9`] = formula(`SUM(${letter}2:${letter}8)`, 1);
    for (let row = 2; row <= 5; row++) {
      cells[`G${row}`] = formula(`A${row}+1`, row);
      cells[`H${row}`] = formula(`B${row}+1`, row);
    }
    expect(await formulas(cells)).toEqual([
      'G2:G5 =A2+1 → 2, same pattern through G5 =A5+1 → 5',
      'H2:H5 =B2+1 → 2, same pattern through H5 =B5+1 → 5',
      'B9:E9 =SUM(B2:B8) → 1, same pattern through E9 =SUM(E2:E8) → 1',
    ]);
  });

  it('breaks where the pattern, the row or the state of the result changes', async () => {
    const cells = {
      A1: formula('B1+1', 1),
      A2: formula('B2+1', 1),
      A3: formula('B3+1', 1),
      A4: formula('B4+2', 1),
      A5: formula('B5+2'),
      A7: formula('B7+2'),
      A8: formula('B7+2'),
      A9: formula('B9+2'),
    };
    expect(await formulas(cells)).toEqual([
      'A1:A3 =B1+1 → 1, same pattern through A3 =B3+1 → 1',
      'A4 =B4+2 → 1',
      'A5 =B5+2 → (no stored value)',
      'A7 =B7+2 → (no stored value)',
      'A8 =B7+2 → (no stored value)',
      'A9 =B9+2 → (no stored value)',
    ]);
  });

  it('says that formulas without references are the same in each cell', async () => {
    const cells = { A1: formula('RAND()', 1), A2: formula('RAND()', 2), A3: formula('RAND()', 3) };
    expect(await formulas(cells)).toEqual([
      'A1:A3 =RAND(), the same formula in each → first 1, last 3',
    ]);
  });

  it('counts the formulas for which there is no room', async () => {
    const cells: Record<string, CellSpec> = {};
    for (let row = 1; row <= 300; row++) cells[`A${row}`] = formula(`B${row}+${row * row}`, row);
    const lines = await formulas(cells, { room: 3_000 });
    const last = lines.findIndex((line) => line.startsWith('…'));
    expect(last).toBeGreaterThan(40);
    expect(lines[last]).toBe(
      `… and ${300 - last} more formulas from A${last + 1} on: ask for a smaller range`,
    );
  });
});

describe('relativeFormula', () => {
  const at = { row: 6, column: 3 };

  it.each([
    'SUM(B2:B6)',
    '$A$1+A$1+$A1+A1',
    "Sheet2!B7*'My A1 sheet'!C3",
    '"A1"&A1&"say ""B2"""',
    'LOG10(A1)+ATAN2(1,B2)',
    'Tab1[Amount]+A1',
    'A:A+1:1',
    'XFD1048576',
    'Rate_2024*A1',
    'IF(A1="","",A1)',
    '',
  ])('is undone for the same cell: %s', (text) => {
    const relative = relativeFormula(text, at);
    expect(relative).not.toBeNull();
    expect(absoluteFormula(relative ?? '', at)).toBe(text);
  });

  it('moves references, but neither fixed ones nor texts, functions and sheets', () => {
    const relative = relativeFormula('B2+$B2+B$2+$B$2+LOG10(C1)&"B2"&Q1!A1', at);
    expect(absoluteFormula(relative ?? '', { row: 7, column: 4 })).toBe(
      'C3+$B3+C$2+$B$2+LOG10(D2)&"B2"&Q1!B2',
    );
  });

  it('gives up on what it cannot bring back', () => {
    expect(relativeFormula('A\u0001[1]\u0002', at)).toBeNull();
  });
});
