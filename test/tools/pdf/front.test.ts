import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../src/tools/pdf/extras.ts';
import { toIsoDate } from '../../../src/tools/pdf/front.ts';

describe('toIsoDate', () => {
  it.each([
    ["D:20260131100203+01'00'", '2026-01-31T10:02:03+01:00'],
    ['D:20260131100203Z', '2026-01-31T10:02:03Z'],
    ["D:20260131100203+00'00'", '2026-01-31T10:02:03Z'],
    ['D:20260131100203', '2026-01-31T10:02:03'],
    ["D:202601311002-0530'", '2026-01-31T10:02:00-05:30'],
    ['D:202601', '2026-01'],
    ['D:2026', '2026'],
    ['Monday', 'Monday'],
    ['', ''],
  ])('writes %j as %j', (text, date) => {
    expect(toIsoDate(text)).toBe(date);
  });
});

describe('oneLine', () => {
  it('keeps a text on one line and within its length, whole characters only', () => {
    expect(oneLine(' a\r\n\tb\u2028c ', 20)).toBe('a b c');
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine('ab😀cd', 4).isWellFormed()).toBe(true);
  });
});
