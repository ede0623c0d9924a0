import { describe, expect, it } from 'vitest';
import { writeFile } from '../../src/tools/write-file.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

describe('write_file', () => {
  it('writes UTF-8 and reports bytes', async () => {
    const { context, workspace } = await createToolContext();
    expect(await runTool(writeFile, { path: 'out/表.csv', content: '数,1\n' }, context)).toBe(
      'Wrote 6 bytes to out/表.csv.',
    );
    expect(decode(await workspace.read('out/表.csv'))).toBe('数,1\n');
    expect(workspace.written()).toHaveLength(1);
  });

  it('replaces what was there, or adds to it', async () => {
    const { context, workspace } = await createToolContext({ 'a.txt': 'one\n' });
    expect(
      await runTool(writeFile, { path: 'a.txt', content: 'two\n', append: true }, context),
    ).toBe('Wrote 4 bytes to a.txt; the file now has 8.');
    expect(decode(await workspace.read('a.txt'))).toBe('one\ntwo\n');
    await runTool(writeFile, { path: 'a.txt', content: '' }, context);
    expect(decode(await workspace.read('a.txt'))).toBe('');
  });

  it('makes the file when there is nothing to append to, and never guesses another', async () => {
    const { context, workspace } = await createToolContext({ 'Notes.txt': 'x' });
    await runTool(writeFile, { path: 'notes.txt', content: 'y', append: true }, context);
    expect(decode(await workspace.read('Notes.txt'))).toBe('x');
    expect(decode(await workspace.read('notes.txt'))).toBe('y');
  });

  it.each([
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47]), 'a PNG image'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 97, 0]), 'utf-16le'],
  ])('does not append text to %s', async (_, bytes, what) => {
    const { context, workspace } = await createToolContext({ 'a.bin': bytes });
    const call = runTool(writeFile, { path: 'a.bin', content: 'x', append: true }, context);
    await expect(call).rejects.toThrow(what);
    expect(workspace.written()).toEqual([]);
  });

  it.each(['../a', '/a', 'a\0', 'a\\b', '', '.stride/x', 'a/../../b'])(
    'refuses %j',
    async (path) => {
      const { context, objects } = await createToolContext();
      await expect(runTool(writeFile, { path, content: 'x' }, context)).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(objects.stored.size).toBe(0);
    },
  );

  it('refuses a path below a file, so that Python can still hold all files', async () => {
    const { context, workspace } = await createToolContext();
    await runTool(writeFile, { path: 'a.txt', content: 'x' }, context);
    const below = runTool(writeFile, { path: 'a.txt/b', content: 'y' }, context);
    await expect(below).rejects.toThrow('"a.txt" is a file, so nothing can lie below it');
    expect(workspace.list().map(({ path }) => path)).toEqual(['a.txt']);
  });

  it('writes the same object when it runs again', async () => {
    const { context, objects } = await createToolContext();
    await runTool(writeFile, { path: 'a.txt', content: 'same' }, context);
    await runTool(writeFile, { path: 'a.txt', content: 'same' }, context);
    expect(objects.stored.size).toBe(1);
  });

  it('replaces half characters, which UTF-8 cannot hold', async () => {
    const { context, workspace } = await createToolContext();
    await runTool(writeFile, { path: 'a.txt', content: 'a\ud83db' }, context);
    expect(decode(await workspace.read('a.txt'))).toBe('a\ufffdb');
  });
});
