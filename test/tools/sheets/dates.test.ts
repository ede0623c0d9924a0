import { describe, expect, it } from 'vitest';
import { BUILTIN_FORMATS, parseDateFormat, serialToText } from '../../../src/tools/sheets/dates.ts';

function shown(serial: number, code: string, date1904 = false): string | null {
  const format = parseDateFormat(code);
  if (format === null) throw new Error(`${code} shows no date`);
  return serialToText(serial, { format, date1904 });
}

describe('parseDateFormat', () => {
  it.each([
    ['yyyy-mm-dd', 'date'],
    ['mmm-yy', 'date'],
    ['[$-409]d\\-mmm\\-yyyy;@', 'date'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 'date'],
    ['yyyy"年"m"月"d"日"', 'date'],
    ['[Red]mm/dd/yy', 'date'],
    ['m/d/yy h:mm', 'date time'],
    ['yyyy-mm-dd"T"hh:mm:ss', 'date time'],
    ['h:mm AM/PM', 'time'],
    ['mm:ss.0', 'time'],
    ['hh"h"mm', 'time'],
    ['[h]:mm', 'time elapsed'],
    ['[mm]:ss', 'time elapsed'],
    ['[ss].00', 'time elapsed'],
  ])('takes %s for %s', (code, kind) => {
    const { date, time, elapsed } = parseDateFormat(code) ?? {};
    expect([date && 'date', time && 'time', elapsed && 'elapsed'].filter(Boolean).join(' ')).toBe(
      kind,
    );
  });

  it.each([
    'General',
    'Standard',
    `0${'.'.repeat(100_000)}d`,
    '0.00',
    '#,##0.00_);[Red](#,##0.00)',
    '0.00E+00',
    '0 "days"',
    '0\\d',
    '#,##0.00 [$USD]',
    '_("$"* #,##0_);_("$"* (#,##0)',
    '0_d',
    '*d0',
    '@',
    '',
  ])('takes %s for no date', (code) => {
    expect(parseDateFormat(code)).toBeNull();
  });

  it('knows which built-in formats are dates', () => {
    const dates = [...BUILTIN_FORMATS]
      .filter(([, code]) => parseDateFormat(code))
      .map(([id]) => id);
    const range = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at);
    expect(dates.sort((a, b) => a - b)).toEqual([
      ...range(14, 22),
      ...range(27, 36),
      ...range(45, 47),
      ...range(50, 58),
    ]);
  });
});

describe('serialToText', () => {
  it.each([
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, '1900-02-29'],
    [61, '1900-03-01'],
    [0, '1900-01-00'],
    [45352, '2024-03-01'],
    [2958465, '9999-12-31'],
    [45352.5, '2024-03-01T12:00:00'],
  ])('shows day %d of the 1900 system as %s', (serial, text) => {
    expect(shown(serial, 'yyyy-mm-dd')).toBe(text);
  });

  it.each([
    [0, '1904-01-01'],
    [60, '1904-03-01'],
    [43890, '2024-03-01'],
    [0.25, '1904-01-01T06:00:00'],
    [2957003, '9999-12-31'],
  ])('shows day %d of the 1904 system as %s', (serial, text) => {
    expect(shown(serial, 'yyyy-mm-dd', true)).toBe(text);
  });

  it('shows the time when the format has one, even at midnight', () => {
    expect(shown(45352, 'yyyy-mm-dd hh:mm')).toBe('2024-03-01T00:00:00');
    expect(shown(45352.604166666664, 'yyyy-mm-dd hh:mm')).toBe('2024-03-01T14:30:00');
  });

  it('shows a fraction of a day as a time, and keeps the day of a larger number', () => {
    expect(shown(0.6041666666666666, 'h:mm')).toBe('14:30:00');
    expect(shown(0, 'h:mm')).toBe('00:00:00');
    expect(shown(0.5, 'yyyy-mm-dd hh:mm')).toBe('12:00:00');
    expect(shown(45352.75, 'h:mm')).toBe('2024-03-01T18:00:00');
  });

  it('rounds to the millisecond, into the next day when need be', () => {
    expect(shown(45352.00000289352, 'yyyy-mm-dd hh:mm:ss')).toBe('2024-03-01T00:00:00.250');
    expect(shown(45351.9999999999, 'yyyy-mm-dd')).toBe('2024-03-01');
  });

  it('shows hours that go on past a day', () => {
    expect(shown(1.5625, '[h]:mm')).toBe('37:30:00');
    expect(shown(0.0000115740740740741, '[ss]')).toBe('00:00:01');
    expect(shown(-0.0625, '[h]:mm')).toBe('-01:30:00');
    expect(shown(100, '[h]:mm:ss')).toBe('2400:00:00');
  });

  it('gives null for what no calendar of a spreadsheet holds', () => {
    expect([-1, 2958466, Number.NaN].map((serial) => shown(serial, 'yyyy-mm-dd'))).toEqual([
      null,
      null,
      null,
    ]);
    expect([-1, 2957004].map((serial) => shown(serial, 'yyyy-mm-dd', true))).toEqual([null, null]);
  });
});
