import { describe, expect, it } from 'vitest';
import { createPaint, createTerminal, wantsColor } from '../../dev/cli/paint.ts';
import {
  columnsOf,
  formatBytes,
  formatDuration,
  formatUsd,
  toHarmless,
  toHarmlessJson,
  toShortLine,
} from '../../dev/cli/text.ts';

describe('toHarmless', () => {
  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '␛[2J␛]0;title␇'],
    ['a\rb', 'a␍b'],
    ['a\r\nb\tc\n', 'a\nb\tc\n'],
    ['\u009b31m', '<9b>31m'],
    ['\u007f\u0000', '␡␀'],
    ['\u202egnp.exe\u2066', '<202e>gnp.exe<2066>'],
    ['plain 中文 é', 'plain 中文 é'],
  ])('turns %j into %j', (text, shown) => {
    expect(toHarmless(text)).toBe(shown);
  });
});

describe('toHarmlessJson', () => {
  it('holds no raw control character and reads back as the same value', () => {
    const value = { text: 'a\u001b\u007f\u009b\u202e\n中' };
    const json = toHarmlessJson(value);
    expect(json).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('toShortLine', () => {
  it('joins lines and blanks', () => {
    expect(toShortLine(' a\n\n  b\tc ', 20)).toBe('a b c');
  });

  it('cuts to the columns, counting CJK as two', () => {
    expect(toShortLine('abcdefghij', 10)).toBe('abcdefghij');
    expect(toShortLine('abcdefghijk', 10)).toBe('abcdefghi…');
    expect(toShortLine('中文字符', 6)).toBe('中文…');
    expect(columnsOf(toShortLine('中'.repeat(1000), 41))).toBeLessThanOrEqual(41);
  });

  it('looks at the beginning of megabytes only', () => {
    expect(toShortLine('y'.repeat(50_000_000), 5)).toBe('yyyy…');
  });
});

describe('formatDuration, formatUsd, formatBytes', () => {
  it.each([
    [formatDuration(0), '0 ms'],
    [formatDuration(999.4), '999 ms'],
    [formatDuration(1_250), '1.3 s'],
    [formatDuration(185_000), '3 min 5 s'],
    [formatUsd(0), '0 USD'],
    [formatUsd(0.00004), 'under 0.0001 USD'],
    [formatUsd(0.00421), '0.0042 USD'],
    [formatUsd(1.2), '1.20 USD'],
    [formatBytes(999), '999 bytes'],
    [formatBytes(12_345), '12.3 kB'],
    [formatBytes(26_214_400), '26.2 MB'],
  ])('%s is %s', (shown, expected) => {
    expect(shown).toBe(expected);
  });
});

describe('wantsColor', () => {
  it('needs a terminal, and obeys NO_COLOR and TERM=dumb', () => {
    expect(wantsColor({ isTTY: true }, {})).toBe(true);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
    expect(wantsColor({ isTTY: false }, {})).toBe(false);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  });
});

describe('createPaint', () => {
  it('wraps text when colored and leaves it alone otherwise', () => {
    expect(createPaint(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    expect(createPaint(false)('red', 'x')).toBe('x');
  });
});

describe('createTerminal', () => {
  function written(live: boolean) {
    const parts: string[] = [];
    const terminal = createTerminal({ write: (text) => parts.push(text) }, live);
    terminal.status('wait 1');
    terminal.status('wait 2');
    terminal.print(['done']);
    terminal.status(null);
    return parts.join('');
  }

  it('replaces the live line, and removes it before a printed one', () => {
    expect(written(true)).toBe('wait 1\r\u001b[Kwait 2\r\u001b[Kdone\n');
  });

  it('prints whole lines only where there is no terminal', () => {
    expect(written(false)).toBe('done\n');
  });
});
