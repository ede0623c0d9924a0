import { describe, expect, it } from 'vitest';
import { formatPages, parsePages } from '../../../src/tools/pdf/page-range.ts';

const file = { path: 'a.pdf', total: 12 };

describe('parsePages', () => {
  it.each([
    ['3', [3]],
    [3, [3]],
    ['2-5', [2, 3, 4, 5]],
    ['1,4,7-9', [1, 4, 7, 8, 9]],
    ['1, 4 ; 7 - 8', [1, 4, 7, 8]],
    ['last', [12]],
    ['11-last', [11, 12]],
    ['10-', [10, 11, 12]],
    ['-2', [1, 2]],
    ['5–3', [3, 4, 5]],
    ['p3', [3]],
    ['pages 2 to 3', [2, 3]],
    [
      [1, '3-4', 3],
      [1, 3, 4],
    ],
    ['11-40', [11, 12]],
  ])('reads %j', (asked, pages) => {
    expect(parsePages(asked, file)).toEqual(pages);
  });

  it.each([[undefined], [''], ['all']])('takes %j for all pages', (asked) => {
    expect(parsePages(asked, file)).toHaveLength(12);
  });

  it('says how many pages there are when the first one asked for is beyond', () => {
    expect(() => parsePages('13', file)).toThrow(/^a\.pdf has 12 pages, so there is no page 13;/);
    expect(() => parsePages(0, file)).toThrow(/no page 0/);
    expect(() => parsePages('2', { path: 'a.pdf', total: 1 })).toThrow(/^a\.pdf has 1 page,/);
  });

  it('says how a page list is written', () => {
    expect(() => parsePages('two', file)).toThrow(
      /^a\.pdf: pages="two" is not a page list; write it like/,
    );
  });
});

describe('formatPages', () => {
  it('writes stretches short, as parsePages reads them', () => {
    expect(formatPages([1, 2, 3, 7, 9, 10])).toBe('1-3,7,9-10');
    expect(parsePages('1-3,7,9-10', file)).toEqual([1, 2, 3, 7, 9, 10]);
  });
});
