import { describe, expect, it } from 'vitest';
import { joinWithin, showCell, showText } from '../../../../src/tools/sheets/view/cell.ts';
import { toCell } from './book.ts';

describe('showText', () => {
  it.each([
    'Apples',
    'a "quoted" word',
    'C:\\temp',
    'x = 1',
    '1st place',
    'Q1 2024',
    '3 apples',
    'A1',
    '-',
    'N/A',
    'é 数',
    'https://x.org/1',
    '(c) 2024 Ann',
    'row',
    'true story',
    '#1 fan',
    '🙂',
  ])('leaves %s plain', (text) => {
    expect(showText(text)).toBe(text);
  });

  it.each([
    ['007', '"007"'],
    ['12.5', '"12.5"'],
    ['-3', '"-3"'],
    ['1,234', '"1,234"'],
    ['1 234', '"1 234"'],
    ['$5', '"$5"'],
    ['17%', '"17%"'],
    ['5 €', '"5 €"'],
    ['1e5', '"1e5"'],
    ['.5', '".5"'],
    ['(12)', '"(12)"'],
    ['+49 30 1234', '"+49 30 1234"'],
    ['2024-03-01', '"2024-03-01"'],
    ['2024-03-01T10:00:00', '"2024-03-01T10:00:00"'],
    ['1/2/2024', '"1/2/2024"'],
    ['12:30', '"12:30"'],
    ['1/2', '"1/2"'],
    ['TRUE', '"TRUE"'],
    ['false', '"false"'],
    ['#N/A', '"#N/A"'],
    ['#REF!', '"#REF!"'],
    ['', '""'],
    [' ', '" "'],
    ['\u00a0x', '"\\u00a0x"'],
    ['\u200b', '"\\u200b"'],
    [' x', '" x"'],
    ['x ', '"x "'],
    ['a\tb', '"a\\tb"'],
    ['a\nb', '"a\\nb"'],
    ['a\r\nb', '"a\\r\\nb"'],
    ['a\u2028b', '"a\\u2028b"'],
    ['a\u0085b', '"a\\u0085b"'],
    ['a\u0000b', '"a\\u0000b"'],
    ['"x"', '"\\"x\\""'],
    ['(no stored value: =A1)', '"(no stored value: =A1)"'],
  ])('quotes %j, and JSON gives it back', (text, shown) => {
    expect(showText(text)).toBe(shown);
    expect(JSON.parse(shown)).toBe(text);
  });
});

describe('showCell', () => {
  it.each([
    [12.5, '12.5'],
    [true, 'TRUE'],
    [{ kind: 'number', text: '0.1234567890123456' } as const, '0.1234567890123456'],
    [{ kind: 'date', text: '2024-03-01T14:30:00' } as const, '2024-03-01T14:30:00'],
    [{ kind: 'error', text: '#DIV/0!' } as const, '#DIV/0!'],
    [{ kind: 'number', text: '120', formula: 'SUM(B2:B6)' } as const, '120'],
    [{ formula: 'SUM(B2:B6)', uncomputed: true } as const, '(no stored value: =SUM(B2:B6))'],
    [{ formula: 'A1&"\n"', uncomputed: true } as const, '(no stored value: =A1&"\\n")'],
    [{ formula: 'IF(A1,"")' } as const, '""'],
    [{ kind: 'text', text: '', formula: 'IF(A1,"")' } as const, '""'],
    [{ style: { fill: '#FFFF00' } } as const, ''],
  ])('shows %j as %s', (spec, expected) => {
    expect(showCell(toCell('B7', spec))).toBe(expected);
  });

  it('cuts a long text with its length and the range that shows it whole', () => {
    const text = 'long '.repeat(300).trim();
    expect(showCell(toCell('B7', text), 20)).toBe(
      'long long long long … (1,499 characters; range="B7" shows all)',
    );
    expect(showCell(toCell('B7', text), 1_499)).toBe(text);
  });

  it('keeps the quotes of a cut text closed and pairs of UTF-16 whole', () => {
    const text = `a\n${'🙂'.repeat(50)}`;
    expect(showCell(toCell('B7', text), 5)).toBe(
      '"a\\n🙂"… (102 characters; range="B7" shows all)',
    );
  });

  it('never cuts numbers', () => {
    expect(showCell(toCell('A1', { kind: 'number', text: '123456789' }), 3)).toBe('123456789');
  });
});

describe('joinWithin', () => {
  it('joins what fits and counts the rest, also what was never listed', () => {
    const items = ['A1', 'B2', 'C3'];
    expect(joinWithin(items, { maxBytes: 100, separator: ', ', more: 0 })).toBe('A1, B2, C3');
    expect(joinWithin(items, { maxBytes: 9, separator: ', ', more: 0 })).toBe(
      'A1, B2 … and 1 more',
    );
    expect(joinWithin(items, { maxBytes: 0, separator: ', ', more: 5 })).toBe('A1 … and 7 more');
  });
});
