import { describe, expect, it } from 'vitest';
import { parseAspects } from '../../../../src/tools/sheets/view/request.ts';
import { block, makeBook, view } from './book.ts';

describe('parseAspects', () => {
  it.each([
    [undefined, []],
    [[], []],
    ['', []],
    ['colors', ['colors']],
    [
      ['Colours', 'FORMULAS'],
      ['colors', 'formulas'],
    ],
    ['colors, formulas', ['colors', 'formulas']],
    ['["comments","links"]', ['comments', 'links']],
    [
      ['color', 'formula', 'comment', 'link', 'format'],
      ['colors', 'formulas', 'comments', 'links', 'formats'],
    ],
    [['styles', 'fonts', 'fills'], ['colors']],
    [
      ['notes', 'hyperlinks', 'number_formats'],
      ['comments', 'links', 'formats'],
    ],
    ['all', ['colors', 'formulas', 'comments', 'links', 'formats']],
    [['values', 'merged', 'hidden'], []],
  ])('reads %j', (wanted, expected) => {
    expect([...parseAspects(wanted, 'a.xlsx')]).toEqual(expected);
  });

  it('refuses other words and names the right ones', () => {
    expect(() => parseAspects(['colors', 'charts'], 'a.xlsx')).toThrow(
      'a.xlsx: with takes no "charts"; use any of colors, formulas, comments, links, formats.',
    );
    expect(() => parseAspects('constructor', 'a.xlsx')).toThrow('with takes no "constructor"');
  });
});

const book = makeBook({
  names: [
    { name: 'Rate', refersTo: "'My data'!$B$1" },
    { name: 'Vat', refersTo: '0.17' },
    { name: 'Both', refersTo: 'Main!$A$1,Main!$C$1' },
  ],
  sheets: [
    { name: 'Main', cells: { A1: 'main' } },
    { name: 'My data', cells: { A1: 'rate', B1: 5, C9: 'end' } },
    { name: '1', state: 'hidden', cells: { A1: 'one' } },
    { name: 'Nothing' },
    { name: 'Plot', kind: 'chart' },
    { name: "Bob's", cells: { A1: 'bob' } },
  ],
});

async function headings(options: Parameters<typeof view>[1]) {
  const lines = (await view(book, options)).split('\n');
  return lines.filter((line) => line.startsWith('Sheet '));
}

describe('the sheet of a call', () => {
  it.each([
    [{ sheet: 'Main' }, 'Sheet "Main", A1:'],
    [{ sheet: 'my DATA ' }, 'Sheet "My data", A1:C9:'],
    [{ sheet: 2 }, 'Sheet "My data", A1:C9:'],
    [{ sheet: '2' }, 'Sheet "My data", A1:C9:'],
    [{ sheet: '1' }, 'Sheet "1" (hidden), A1:'],
    [{ sheet: 6 }, 'Sheet "Bob\'s", A1:'],
    [{ sheet: 'Nothing' }, 'Sheet "Nothing": no values here'],
    [{ range: 'A1' }, 'Sheet "Main", A1:'],
    [{ range: 'A1', sheet: '' }, 'Sheet "Main", A1:'],
    [{ sheet: 'My data', range: '' }, 'Sheet "My data", A1:C9:'],
    [{ range: "'My data'!A1:B1" }, 'Sheet "My data", A1:B1:'],
    [{ range: "'bob''s'!a1" }, 'Sheet "Bob\'s", A1:'],
    [{ range: 'rate' }, 'Sheet "My data", B1:'],
    [{ range: 'Rate', sheet: 'Main' }, 'Sheet "My data", B1:'],
    [{ range: 'My data' }, 'Sheet "My data", A1:C9:'],
    [{ range: 'Main!A1', sheet: 'main' }, 'Sheet "Main", A1:'],
  ])('%j', async (options, heading) => {
    expect(await headings(options)).toEqual([heading]);
  });

  it('without a name is the first visible one that holds something', async () => {
    const other = makeBook({
      sheets: [
        { name: 'Empty' },
        { name: 'H', state: 'hidden', cells: { A1: 1 } },
        { name: 'B', cells: { A1: 2 } },
      ],
    });
    expect(block(await view(other, { range: 'A1' }), 'Sheet ')).toEqual([
      'Sheet "B", A1:',
      'A1 = 2',
    ]);
  });

  it.each([
    [
      { sheet: 'Mian' },
      'a.xlsx has no sheet "Mian"; its sheets are "Main", "My data", "1", "Nothing", "Plot", "Bob\'s" (or a number from 1 to 6).',
    ],
    [
      { sheet: 9 },
      'a.xlsx has no sheet 9; its sheets are "Main", "My data", "1", "Nothing", "Plot", "Bob\'s" (or a number from 1 to 6).',
    ],
    [
      { sheet: 'Main', range: 'Nothing!A1' },
      'a.xlsx: sheet names "Main" and range names "Nothing"; give one of them.',
    ],
    [{ range: 'hello' }, 'a.xlsx: "hello" is no range; write A1:D20, A:C, 5:40 or B2.'],
    [
      { range: 'A1:B2,D1:E2' },
      'a.xlsx: range "A1:B2,D1:E2" has several parts; ask for one at a time.',
    ],
    [{ range: 'vat' }, 'a.xlsx: the name "vat" is no single range, it stands for 0.17.'],
    [
      { range: 'Both' },
      'a.xlsx: the name "Both" is no single range, it stands for Main!$A$1,Main!$C$1.',
    ],
    [
      { sheet: 'My data', range: 'D1:F9' },
      'a.xlsx: sheet "My data" has cells in A1:C9 only; D1:F9 lies outside.',
    ],
    [
      { sheet: 'My data', range: '10:20' },
      'a.xlsx: sheet "My data" has cells in A1:C9 only; 10:20 lies outside.',
    ],
    [{ sheet: 'Nothing', range: 'A1' }, 'a.xlsx: sheet "Nothing" has no cells.'],
    [{ sheet: 'Plot', range: 'A1' }, 'a.xlsx: sheet "Plot" is a chart and has no cells.'],
  ])('is refused in one sentence: %j', async (options, message) => {
    await expect(view(book, options)).rejects.toMatchObject({
      name: 'StrideError',
      code: 'invalid_input',
      message,
    });
  });

  it('names twelve sheets of many in a refusal', async () => {
    const many = makeBook({ sheets: Array.from({ length: 40 }, (_, n) => ({ name: `S${n}` })) });
    await expect(view(many, { sheet: 'x' })).rejects.toThrow(/"S\d+" and 28 more \(or a number/);
  });
});
