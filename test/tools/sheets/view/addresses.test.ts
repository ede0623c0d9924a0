import { describe, expect, it } from 'vitest';
import {
  cellAddress,
  columnLetters,
  columnNumber,
  createRectangles,
  createSpanLookup,
  parseRange,
  rangeAddress,
} from '../../../../src/tools/sheets/addresses.ts';

describe('columnLetters and columnNumber', () => {
  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ])('%i is %s', (number, letters) => {
    expect(columnLetters(number)).toBe(letters);
    expect(columnNumber(letters)).toBe(number);
  });

  it('are each other inverse over all columns of a sheet', () => {
    for (let column = 0; column < 16_384; column++) {
      expect(columnNumber(columnLetters(column))).toBe(column);
    }
  });

  it('give A1 addresses', () => {
    expect(cellAddress(0, 0)).toBe('A1');
    expect(cellAddress(1_048_575, 16_383)).toBe('XFD1048576');
  });
});

describe('parseRange', () => {
  const INFINITY = Number.POSITIVE_INFINITY;

  it.each([
    ['A1:D20', [0, 19, 0, 3]],
    ['a1:d20', [0, 19, 0, 3]],
    ['$A$1:$D$20', [0, 19, 0, 3]],
    [' A1 : D20 ', [0, 19, 0, 3]],
    ['D20:A1', [0, 19, 0, 3]],
    ['A20:D1', [0, 19, 0, 3]],
    ['A1-D20', [0, 19, 0, 3]],
    ['=A1:D20', [0, 19, 0, 3]],
    ['B2', [1, 1, 1, 1]],
    ['A:C', [0, INFINITY, 0, 2]],
    ['c', [0, INFINITY, 2, 2]],
    ['5:40', [4, 39, 0, INFINITY]],
    ['7', [6, 6, 0, INFINITY]],
    ['A2:C', [1, INFINITY, 0, 2]],
    ['A:C10', [0, 9, 0, 2]],
    ['XFD1048576', [1_048_575, 1_048_575, 16_383, 16_383]],
  ])('reads %s', (text, [top, bottom, left, right]) => {
    expect(parseRange(text)).toEqual({
      sheet: null,
      rows: { from: top, to: bottom },
      columns: { from: left, to: right },
    });
  });

  it.each([
    ['Data!A1', 'Data'],
    ["'My sheet'!A1:B2", 'My sheet'],
    ["'It''s'!$A$1", "It's"],
    ['2024 plan!A1', '2024 plan'],
  ])('takes the sheet out of %s', (text, sheet) => {
    expect(parseRange(text)?.sheet).toBe(sheet);
  });

  it.each([
    '',
    '!',
    'Data!',
    'A0',
    '0:5',
    'XFE1',
    'AAAA1',
    'A1:B2:C3',
    'A1,C3',
    'A1:5',
    '5:C9',
    'hello',
    '1.5',
    'A1:',
  ])('refuses %j', (text) => {
    expect(parseRange(text)).toBeNull();
  });
});

describe('rangeAddress', () => {
  it.each(['A1:D20', 'B2', 'A:C', 'A2:C', '5:40', '7'])('writes %s as it was read', (text) => {
    const parsed = parseRange(text);
    expect(parsed === null ? null : rangeAddress(parsed)).toBe(text);
  });
});

describe('createRectangles', () => {
  function gather(addresses: string[], room = { rectangles: 1_000 }): string[] {
    const rectangles = createRectangles(room);
    for (const address of addresses) {
      const cell = parseRange(address);
      rectangles.add(cell?.rows.from ?? -1, cell?.columns.from ?? -1);
    }
    return rectangles.close().map(rangeAddress);
  }

  it.each([
    ['one cell', ['B2'], ['B2']],
    ['a run in a row', ['A1', 'B1', 'C1'], ['A1:C1']],
    ['a run with a gap', ['A1', 'C1'], ['A1', 'C1']],
    ['a column', ['B2', 'B3', 'B4'], ['B2:B4']],
    ['a block', ['A1', 'B1', 'A2', 'B2'], ['A1:B2']],
    ['two blocks side by side', ['A1', 'C1', 'A2', 'C2'], ['A1:A2', 'C1:C2']],
    ['a step', ['A1', 'A2', 'B2'], ['A1', 'A2:B2']],
    ['a row missing in between', ['A1', 'A3'], ['A1', 'A3']],
    ['the next row beginning after the last ended', ['A1', 'B2'], ['A1', 'B2']],
    ['nothing', [], []],
  ])('gathers %s', (_, addresses, expected) => {
    expect(gather(addresses)).toEqual(expected);
  });

  it('loses no cell and doubles none, whatever the pattern', () => {
    let seed = 7;
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    for (let round = 0; round < 50; round++) {
      const density = next();
      const cells: string[] = [];
      for (let row = 0; row < 12; row++) {
        for (let column = 0; column < 12; column++) {
          if (next() < density) cells.push(cellAddress(row, column));
        }
      }
      const covered = gather(cells).flatMap((address) => {
        const found = parseRange(address);
        const inside: string[] = [];
        for (let row = found?.rows.from ?? 0; row <= (found?.rows.to ?? -1); row++) {
          for (let c = found?.columns.from ?? 0; c <= (found?.columns.to ?? -1); c++) {
            inside.push(cellAddress(row, c));
          }
        }
        return inside;
      });
      expect(covered.sort()).toEqual(cells.sort());
    }
  });

  it('counts the cells for which there is no room left', () => {
    const room = { rectangles: 2 };
    const rectangles = createRectangles(room);
    for (const column of [0, 2, 4, 5]) rectangles.add(0, column);
    expect(rectangles.close().map(rangeAddress)).toEqual(['A1', 'C1']);
    expect(rectangles.left()).toBe(2);
  });
});

describe('createSpanLookup', () => {
  it('finds numbers in spans that overlap, touch and come unsorted', () => {
    const isIn = createSpanLookup([
      { from: 10, to: 12 },
      { from: 1, to: 3 },
      { from: 2, to: 5 },
      { from: 6, to: 6 },
    ]);
    const found = Array.from({ length: 15 }, (_, value) => value).filter(isIn);
    expect(found).toEqual([1, 2, 3, 4, 5, 6, 10, 11, 12]);
  });
});
