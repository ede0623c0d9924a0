import { describe, expect, it } from 'vitest';
import {
  moveFormula,
  parseAddress,
  parseRange,
  splitFormula,
} from '../../../../src/tools/sheets/xlsx/refs.ts';

describe('parseAddress', () => {
  it.each([
    ['A1', 0, 0],
    ['$B$7', 6, 1],
    ['xfd1048576', 1_048_575, 16_383],
  ])('reads %s', (text, row, column) => {
    expect(parseAddress(text)).toEqual({ row, column });
  });

  it.each(['', 'A', '1', 'A0', 'XFE1', 'A1048577', 'A1B', 'ÄA1', 'A-1', 'AAAAAAAAAA1', '[1', 'A$'])(
    'refuses %j',
    (text) => {
      expect(parseAddress(text)).toBeNull();
    },
  );
});

describe('parseRange', () => {
  const whole = { rows: { from: 0, to: 1_048_575 }, columns: { from: 0, to: 16_383 } };
  it.each([
    ['B2', { rows: { from: 1, to: 1 }, columns: { from: 1, to: 1 } }],
    ['$C$4:A2', { rows: { from: 1, to: 3 }, columns: { from: 0, to: 2 } }],
    ['B:D', { ...whole, columns: { from: 1, to: 3 } }],
    ['3:5', { ...whole, rows: { from: 2, to: 4 } }],
    ['D:B', { ...whole, columns: { from: 1, to: 3 } }],
  ])('reads %s', (text, range) => {
    expect(parseRange(text)).toEqual(range);
  });

  it.each(['', 'A1:', 'C', '7', 'bad', 'Sheet1!A1', '#REF!'])('refuses %j', (text) => {
    expect(parseRange(text)).toBeNull();
  });
});

describe('moveFormula', () => {
  it.each([
    ['A1*2', 'B3*2'],
    ['$A1+A$1+$A$1', '$A3+B$1+$A$1'],
    ['SUM(A1:B2,C3)', 'SUM(B3:C4,D5)'],
    ['a1+b2', 'B3+C4'],
    ['SUM(A:A)+SUM($A:B)', 'SUM(B:B)+SUM($A:C)'],
    ['SUM(1:1)+SUM($1:2)', 'SUM(3:3)+SUM($1:4)'],
    ['"A1 is "&A1&"say ""A1"""', '"A1 is "&B3&"say ""A1"""'],
    ["'A1 it''s B2'!A1+Sheet1!B2", "'A1 it''s B2'!B3+Sheet1!C4"],
    ['LOG10(A1)+ATAN2(1,A1)', 'LOG10(B3)+ATAN2(1,B3)'],
    ['Q1!A1+Jan:Mar!A1', 'Q1!B3+Jan:Mar!B3'],
    ['Sales[[#All],[Q1]]+Sales[A1]+[1]Data!A1', 'Sales[[#All],[Q1]]+Sales[A1]+[1]Data!B3'],
    ["Sales['[A1']]&A1", "Sales['[A1']]&B3"],
    ['rate_A1*TAX.A1+x1.y2', 'rate_A1*TAX.A1+x1.y2'],
    ['1E5+2.5e-3+A1', '1E5+2.5e-3+B3'],
    ['IF(TRUE,A1,FALSE)', 'IF(TRUE,B3,FALSE)'],
    ['ZZZ9+XFE1', 'ZZZ9+XFE1'],
    ['Größe1+é1', 'Größe1+é1'],
    ['A1#+@A1%', 'B3#+@B3%'],
    ['A1:INDEX(A1:A9,2)', 'B3:INDEX(B3:B11,2)'],
  ])('moves %s to %s', (from, to) => {
    expect(moveFormula(splitFormula(from), { down: 2, right: 1 })).toBe(to);
  });

  it('writes #REF! for what would leave the grid', () => {
    const parts = splitFormula('A1+XFD5+$A$1');
    expect(moveFormula(parts, { down: -1, right: 0 })).toBe('#REF!+XFD4+$A$1');
    expect(moveFormula(parts, { down: 0, right: 1 })).toBe('B1+#REF!+$A$1');
  });

  it('takes a long formula in time that grows with its length', () => {
    const long = `${"'".repeat(3)}${'A1+"'.repeat(20_000)}[[[`;
    expect(moveFormula(splitFormula(long), { down: 0, right: 0 })).toHaveLength(long.length);
  });
});
