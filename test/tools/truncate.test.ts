import { describe, expect, it } from 'vitest';
import {
  codePointBorder,
  count,
  cutUtf8,
  truncateText,
  utf8Length,
} from '../../src/tools/truncate.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

describe('truncateText', () => {
  it('leaves a text that fits alone', () => {
    expect(truncateText('abc', { maxBytes: 3, path: null })).toEqual({
      text: 'abc',
      truncated: false,
    });
  });

  it('cuts at a line end, says which lines are shown and how to read on', () => {
    const cut = truncateText(lines(1, 2_000), { maxBytes: 4_096, path: 'tool_results/t.txt' });
    const note = cut.text.slice(cut.text.lastIndexOf('\n[') + 1);
    const last = Number(/lines 1–(\d+) of 2,000/.exec(note)?.[1]);
    expect(cut.text.startsWith(lines(1, last))).toBe(true);
    expect(note).toMatch(
      /bytes\); read on with read_file path="tool_results\/t\.txt" from_line=\d+\]$/,
    );
    expect(note).toContain(`from_line=${last + 1}]`);
  });

  it('keeps the end too where it is asked to', () => {
    const cut = truncateText(lines(1, 2_000), { maxBytes: 4_096, tailBytes: 500, path: 'x.txt' });
    expect(cut.text.endsWith('line 1999\nline 2000\n')).toBe(true);
    expect(cut.text.startsWith('line 1\n')).toBe(true);
    expect(cut.text).toMatch(/and the last \d+\)/);
  });

  it('reads on by bytes inside a line that is longer than the room', () => {
    const cut = truncateText('x'.repeat(100_000), { maxBytes: 4_096, path: 'x.txt' });
    const from = Number(/from_byte=(\d+)\]$/.exec(cut.text)?.[1]);
    expect(cut.text.startsWith(`${'x'.repeat(from)}\n[`)).toBe(true);
  });

  it('says that the rest is lost when it is kept nowhere', () => {
    expect(truncateText(lines(1, 999), { maxBytes: 2_048, path: null }).text).toContain(
      'the rest is not kept: ask for less at a time]',
    );
  });

  it.each([
    ['ASCII', 'a'],
    ['two bytes', 'é'],
    ['three bytes', '表'],
    ['four bytes', '📊'],
    ['lines of CJK', '一行文字\n'],
  ])('never cuts inside a code point nor outgrows its bytes: %s', (_, unit) => {
    const text = unit.repeat(4_000);
    for (let maxBytes = 600; maxBytes < 640; maxBytes++) {
      for (const tailBytes of [0, 101]) {
        const cut = truncateText(text, { maxBytes, tailBytes, path: `表/${'长'.repeat(60)}.txt` });
        expect(cut.truncated).toBe(true);
        expect(cut.text).not.toContain('\ufffd');
        expect(utf8Length(cut.text)).toBeLessThanOrEqual(maxBytes);
      }
    }
  });
});

describe('cutUtf8', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['é', 1, ''],
    ['a📊', 4, 'a'],
    ['a📊', 5, 'a📊'],
    ['表表', 5, '表'],
    ['', 10, ''],
    ['abc', 0, ''],
  ])('cuts %j to %i bytes', (text, bytes, expected) => {
    expect(cutUtf8(text, bytes)).toBe(expected);
  });
});

describe('codePointBorder', () => {
  it('moves back to the start of a character that is cut', () => {
    const bytes = new TextEncoder().encode('a表b');
    expect([0, 1, 2, 3, 4, 5, 9].map((end) => codePointBorder(bytes, end))).toEqual([
      0, 1, 1, 1, 4, 5, 5,
    ]);
  });
});

describe('count', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('groups %i', (value, text) => {
    expect(count(value)).toBe(text);
  });
});
