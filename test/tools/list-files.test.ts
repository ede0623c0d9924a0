import { describe, expect, it } from 'vitest';
import { listFiles } from '../../src/tools/list-files.ts';
import { createToolContext, runForOutput, runTool } from '../helpers/tool-context.ts';

const files = {
  'sales.csv': 'a,b\n1,2\n',
  'data/2024/a.json': '{}',
  'data/b.CSV': 'x',
  'data2/c.txt': '',
  '数据/表.csv': '一',
};

describe('list_files', () => {
  it('shows path, size and media type, sorted, files of tools included', async () => {
    const { context, workspace } = await createToolContext({ 'b.csv': 'x'.repeat(1_234) });
    await workspace.write('a.png', new Uint8Array(3));
    expect(await runTool(listFiles, {}, context)).toBe(
      'a.png  3 bytes  image/png\nb.csv  1,234 bytes  text/csv',
    );
  });

  it('says so when there are none', async () => {
    const { context } = await createToolContext();
    expect(await runTool(listFiles, {}, context)).toBe('This run has no files.');
  });

  it.each([
    ['data', ['data/2024/a.json', 'data/b.CSV']],
    ['data/', ['data/2024/a.json', 'data/b.CSV']],
    ['./data', ['data/2024/a.json', 'data/b.CSV']],
    ['*.csv', ['data/b.CSV', 'sales.csv', '数据/表.csv']],
    ['**/*.json', ['data/2024/a.json']],
    ['data/*.csv', ['data/b.CSV']],
    ['data/*', ['data/b.CSV']],
    ['data/**', ['data/2024/a.json', 'data/b.CSV']],
    ['?ales.csv', ['sales.csv']],
    ['数据', ['数据/表.csv']],
    ['sales.csv', ['sales.csv']],
    ['.', Object.keys(files).sort()],
    ['*', Object.keys(files).sort()],
  ])('path %j lists %j', async (path, expected) => {
    const { context } = await createToolContext(files);
    const { data } = await runForOutput(listFiles, { path }, context);
    expect((data as { files: { path: string }[] }).files.map((file) => file.path)).toEqual(
      expected,
    );
  });

  it.each(['*.xlsx', '(a+)+$', '[', 'nothing', '*'.repeat(200), '*a'.repeat(140)])(
    'says that nothing matches %j',
    async (path) => {
      const { context } = await createToolContext({ [`${'a'.repeat(200)}.txt`]: '' });
      const started = performance.now();
      const text = await runTool(listFiles, { path }, context);
      expect(text.includes('No file matches') || /^\*+$/.test(path)).toBe(true);
      expect(performance.now() - started).toBeLessThan(500);
    },
  );

  it('stops at 500 files and says how many are left', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 503 }, (_, index) => [`f${index}.txt`, '']),
    );
    const { context } = await createToolContext(many);
    const text = await runTool(listFiles, {}, context);
    expect(text.split('\n')).toHaveLength(501);
    expect(text).toMatch(/\[3 more; narrow path to see them\]$/);
  });
});
