import { describe, expect, it } from 'vitest';
import { grep } from '../../src/tools/grep.ts';
import { utf8Length } from '../../src/tools/truncate.ts';
import { createToolContext, runForOutput, runTool } from '../helpers/tool-context.ts';

const files = {
  'a.txt': 'alpha\nbeta\ngamma\ndelta\nepsilon\n',
  'data/b.csv': 'name,count\nbeta,2\nBETA,3\r\n',
  'image.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]),
  '数据.txt': '苹果 3 个\n梨 5 个\n',
};

async function search(input: object, content: Record<string, string | Uint8Array> = files) {
  const { context } = await createToolContext(content);
  return runTool(grep, input, context);
}

describe('grep: matches', () => {
  it.each([
    [
      { pattern: 'beta' },
      'a.txt:2:beta\ndata/b.csv:2:beta,2\n[skipped 1 binary (open them with execute_python): image.png]',
    ],
    [
      { pattern: 'beta', path: 'data', ignore_case: true },
      'data/b.csv:2:beta,2\ndata/b.csv:3:BETA,3',
    ],
    [{ pattern: '^b', path: '*.csv' }, 'data/b.csv:2:beta,2'],
    [{ pattern: '3$', path: 'b.csv' }, 'data/b.csv:3:BETA,3'],
    [{ pattern: '\\d 个', path: '数据.txt' }, '数据.txt:1:苹果 3 个\n数据.txt:2:梨 5 个'],
    [
      { pattern: '\\p{Han}{2}' },
      '数据.txt:1:苹果 3 个\n[skipped 1 binary (open them with execute_python): image.png]',
    ],
    [{ pattern: 'gamma', path: 'a.txt', context: 1 }, 'a.txt-2-beta\na.txt:3:gamma\na.txt-4-delta'],
    [
      { pattern: 'alpha|epsilon', path: 'a.txt', context: 1 },
      'a.txt:1:alpha\na.txt-2-beta\n--\na.txt-4-delta\na.txt:5:epsilon',
    ],
    [
      { pattern: 'beta|gamma', path: 'a.txt', context: 2 },
      'a.txt-1-alpha\na.txt:2:beta\na.txt:3:gamma\na.txt-4-delta\na.txt-5-epsilon',
    ],
    [{ pattern: 'zzz', path: 'a.txt' }, '[no matches in 1 of 1 files]'],
  ])('%j', async (input, expected) => {
    expect(await search(input)).toBe(expected);
  });

  it('says so when there are no files', async () => {
    expect(await search({ pattern: 'x' }, {})).toBe('This run has no files to search.');
  });

  it('numbers lines right across batches', async () => {
    const lines = Array.from({ length: 400_000 }, (_, index) => `row number ${index + 1}`);
    const text = await search({ pattern: ' (1|250001|400000)$' }, { 'big.txt': lines.join('\n') });
    expect(text).toBe(
      'big.txt:1:row number 1\nbig.txt:250001:row number 250001\nbig.txt:400000:row number 400000',
    );
  });

  it('reports counts as data', async () => {
    const { context } = await createToolContext(files);
    const output = await runForOutput(grep, { pattern: 'beta' }, context);
    expect(output.data).toEqual({ matches: 2, searched: 3, skipped: ['image.png'] });
  });
});

describe('grep: bounds', () => {
  it('stops after max_matches and says that there are more', async () => {
    const text = await search({ pattern: 'x', max_matches: 2 }, { 'a.txt': 'x\nx\nx\n' });
    expect(text).toMatch(
      /^a\.txt:1:x\na\.txt:2:x\n\[stopped at 2 matches in a\.txt; there are more/,
    );
  });

  it('does not claim more when max_matches is exactly met', async () => {
    expect(await search({ pattern: 'x', max_matches: 2 }, { 'a.txt': 'x\nx\ny\n' })).toBe(
      'a.txt:1:x\na.txt:2:x',
    );
  });

  it('shows a window round the match in a long line', async () => {
    const line = `${'表'.repeat(100_000)}needle${'📊'.repeat(100_000)}`;
    const text = await search({ pattern: 'needle' }, { 'a.txt': line });
    expect(text).toContain('表needle📊');
    expect(text.length).toBeLessThan(400);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/… \[line of 300,006 characters\]$/);
  });

  it('fits the preview whatever it finds', async () => {
    const { context } = await createToolContext(
      { 'a.txt': 'some words here\n'.repeat(50_000) },
      { previewBytes: 4_096 },
    );
    const text = await runTool(grep, { pattern: 'words', max_matches: 1_000 }, context);
    expect(utf8Length(text)).toBeLessThanOrEqual(4_096);
    expect(text).toMatch(/stopped in a\.txt: the result is full; narrow the pattern or path\]$/);
  });

  it('stops when its signal is aborted', async () => {
    const controller = new AbortController();
    const { context } = await createToolContext(files, { signal: controller.signal });
    controller.abort();
    await expect(runTool(grep, { pattern: 'x' }, context)).rejects.toThrow();
  });
});

describe('grep: patterns', () => {
  it.each([
    ['(?=x)', 'Lookahead and lookbehind are not supported'],
    ['(?<!x)y', 'Lookahead and lookbehind are not supported'],
    ['(a)\\1', 'Backreferences such as \\1 are not supported'],
    ['(?>a)', 'Atomic groups'],
    ['a++', 'possessive'],
    ['(', 'Escape special characters'],
    ['[a', 'Escape special characters'],
    ['a{1001}', 'Escape special characters'],
    ['*', 'Escape special characters'],
  ])('says what is wrong with %j', async (pattern, reason) => {
    await expect(search({ pattern })).rejects.toThrow(reason);
    await expect(search({ pattern })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('lists near names for a path that matches nothing', async () => {
    await expect(search({ pattern: 'x', path: 'b.cvs' })).rejects.toThrow('data/b.csv');
  });

  it.each([
    ['(a+)+$', 'a'],
    ['(a|aa)+$', 'a'],
    ['(.*)*x', 'a'],
    ['(a?){30}a{30}b', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['(x+x+)+y', 'x'],
    ['.*.*.*.*=', 'x'],
  ])('runs %s over 200,000 characters in linear time', async (pattern, unit) => {
    const started = performance.now();
    await search({ pattern }, { 'a.txt': `${unit.repeat(200_000)}!` });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each([
    '((a{100}){100}){100}',
    '(((((a*)*)*)*)*)*'.repeat(20),
    '(?:a{500}){2}',
    '\\pL'.repeat(300),
  ])('compiles or refuses %s quickly', async (pattern) => {
    const started = performance.now();
    await search({ pattern }, { 'a.txt': 'aaa' }).catch((error: Error) => error.message);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
