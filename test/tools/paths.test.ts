import { describe, expect, it } from 'vitest';
import { MAX_PATH_CHARS } from '../../src/limits.ts';
import { normalisePath } from '../../src/tools/paths.ts';

const accepted = [
  'sales.csv',
  'data/2024/sales.csv',
  '数据/销售 表.csv',
  '売上.csv',
  '자료.txt',
  'with space.txt',
  'wait….txt',
  '.env',
  '...hidden',
  'a..b',
  '~$draft.docx',
  '-rf',
  '__proto__',
  'a'.repeat(MAX_PATH_CHARS),
  'emoji 📊.png',
  'stride/x',
  'x/.stride/y',
];

const refused: [path: string, reason: RegExp][] = [
  ['', /empty/],
  ['.', /"\."/],
  ['..', /"\.\."/],
  ['../x', /"\.\."/],
  ['a/../../x', /"\.\."/],
  ['a/./b', /"\."/],
  ['/etc/passwd', /absolute/],
  ['//host/share', /absolute/],
  ['a//b', /empty part/],
  ['a/', /empty part/],
  ['C:\\x', /backslash/],
  ['c:x', /drive letter/],
  ['C:/x', /drive letter/],
  ['..\\x', /backslash/],
  ['a\0b', /control/],
  ['a\nb', /control/],
  ['a\u0085b', /control/],
  ['a\u007fb', /control/],
  ['..\u2215etc', /looks like a slash/],
  ['..\u2044etc', /looks like a slash/],
  ['..\uff0fetc', /looks like a slash/],
  ['..\uff3cetc', /looks like a slash/],
  ['\u2024\u2024/x', /looks like a dot/],
  ['\uff0e\uff0e/x', /looks like a dot/],
  ['\u2025/x', /looks like a dot/],
  ['a\u202egnp.exe', /invisible/],
  ['a\u2066b', /invisible/],
  ['a\u200bb', /invisible/],
  ['.\u200d./x', /invisible/],
  ['\ufeffa', /invisible/],
  ['a\u2028b', /invisible/],
  ['a\ud800b', /Unicode/],
  ['a.', /space or a dot/],
  ['a ', /space or a dot/],
  ['a /b', /space or a dot/],
  ['.. /x', /space or a dot/],
  [' a', /starts with a space/],
  ['a/\u00a0b', /starts with a space/],
  ['.stride', /reserved/],
  ['.stride/x', /reserved/],
  ['.STRIDE/x', /reserved/],
  ['.\u017ftride/x', /reserved/],
  ['~/x', /~/],
  ['~', /~/],
  ['a'.repeat(MAX_PATH_CHARS + 1), /longer than 240 characters/],
  ['a'.repeat(1_000_000), /longer than 240 characters/],
  ['表'.repeat(86), /255 bytes/],
];

describe('normalisePath', () => {
  it.each(accepted)('accepts %j unchanged', (path) => {
    expect(normalisePath(path)).toEqual({ ok: true, value: path });
  });

  it.each(refused)('refuses %j', (path, reason) => {
    const result = normalisePath(path);
    if (result.ok) throw new Error(`accepted as ${result.value}`);
    expect(result.error.code).toBe('invalid_input');
    expect(result.error.message).toMatch(reason);
    // One plain sentence for people.
    expect(result.error.message).toMatch(/^[A-Z].*\.$/);
  });

  it('gives one spelling to both forms of an accented name', () => {
    expect(normalisePath('re\u0301sume\u0301.txt')).toEqual({
      ok: true,
      value: 'r\u00e9sum\u00e9.txt',
    });
  });

  it('keeps 5,000 generated paths inside the root or refuses them', () => {
    const random = seeded(20_260_101);
    const pieces = [
      ...[
        '..',
        '.',
        '/',
        '\\',
        '//',
        'a',
        'b.csv',
        '表',
        ' ',
        '~',
        ':',
        'C:',
        '\0',
        '\n',
        '%2e%2e',
        '%2f',
      ],
      ...[
        '\u2215',
        '\uff0f',
        '\u2024',
        '\uff0e',
        '\u202e',
        '\u200b',
        '\u0301',
        '.stride',
        '\ud83d',
        '\udcca',
        '\u00a0',
      ],
    ];
    let kept = 0;
    for (let round = 0; round < 5_000; round++) {
      const length = 1 + Math.floor(random() * 6);
      const path = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join(
        '',
      );
      const result = normalisePath(path);
      if (!result.ok) continue;
      kept++;
      expect(stays(result.value), JSON.stringify(path)).toBe(true);
      expect(normalisePath(result.value)).toEqual(result);
    }
    expect(kept).toBeGreaterThan(100);
  });
});

/** An independent check: resolved the way a URL and a Windows path would, the file is below the root. */
function stays(path: string): boolean {
  const compatible = path.normalize('NFKC');
  for (const form of [path, compatible]) {
    const parts = form.split(/[/\\]/);
    if (parts.some((part) => ['', '.', '..'].includes(part.trim()))) return false;
    if (parts[0]?.toLowerCase() === '.stride' || /^[a-z]:/i.test(form)) return false;
  }
  return [...path].every((char) => char > '\u001f' && !/[\p{Cf}\p{Cc}\p{Cs}]/u.test(char));
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
