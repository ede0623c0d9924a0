import { describe, expect, it } from 'vitest';
import { MAX_UPLOAD_BYTES } from '../../src/limits.ts';
import { createWorkspace, sha256Hex } from '../../src/tools/workspace.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';
import { createToolContext, storeFiles } from '../helpers/tool-context.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (content: string) => new TextEncoder().encode(content);

describe('createWorkspace: find', () => {
  const files = {
    'sales.csv': '1',
    'data/Table.csv': '2',
    'a/same.txt': '3',
    'b/same.txt': '4',
    'Case.txt': '5',
    'CASE.txt': '6',
    'r\u00e9sum\u00e9.txt': '7',
  };

  it.each([
    ['sales.csv', 'sales.csv'],
    ['SALES.CSV', 'sales.csv'],
    ['./sales.csv', 'sales.csv'],
    ['/mnt/data/sales.csv', 'sales.csv'],
    ['table.csv', 'data/Table.csv'],
    ['DATA/table.csv', 'data/Table.csv'],
    ['a/same.txt', 'a/same.txt'],
    ['Case.txt', 'Case.txt'],
    ['re\u0301sume\u0301.txt', 'r\u00e9sum\u00e9.txt'],
    ['same.txt', null],
    ['c/same.txt', null],
    ['case.txt', null],
    ['sales', null],
    ['', null],
    ['data/', null],
    ['__proto__', null],
  ])('%j → %j', async (wanted, expected) => {
    const { workspace } = await createToolContext(files);
    expect(workspace.find(wanted)?.path ?? null).toBe(expected);
  });
});

describe('createWorkspace: read', () => {
  it('reads ranges and clamps them to the file', async () => {
    const { workspace } = await createToolContext({ 'a.txt': '0123456789' });
    expect(text(await workspace.read('a.txt'))).toBe('0123456789');
    expect(text(await workspace.read('a.txt', { offset: 3, maxBytes: 4 }))).toBe('3456');
    expect(text(await workspace.read('a.txt', { offset: 8, maxBytes: 100 }))).toBe('89');
    expect(text(await workspace.read('a.txt', { offset: 99 }))).toBe('');
    expect(text(await workspace.read('a.txt', { maxBytes: 0 }))).toBe('');
  });

  it('says which names are near when there is no such file', async () => {
    const { workspace } = await createToolContext({ 'sales.csv': '', 'notes.md': '' });
    await expect(workspace.read('sale.csv')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no file "sale.csv"; the nearest are sales.csv, notes.md.',
    });
  });

  it('asks for one of two paths with the same base name', async () => {
    const { workspace } = await createToolContext({ 'a/x.txt': '', 'b/x.txt': '' });
    await expect(workspace.read('x.txt')).rejects.toThrow('could be a/x.txt, b/x.txt; use one');
  });

  it('says so when the run has no files, or when the bytes are gone', async () => {
    const empty = await createToolContext();
    await expect(empty.workspace.read('x')).rejects.toThrow('this run has no files');
    const { workspace, objects } = await createToolContext({ 'a.txt': 'x' });
    objects.stored.clear();
    await expect(workspace.read('a.txt')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('createWorkspace: write', () => {
  it('puts the bytes under their digest before it names them', async () => {
    const objects = createMemoryObjects();
    const workspace = createWorkspace({ files: [], objects, objectPrefix: 'o/me/run_9/' });
    const file = await workspace.write('out/数据.csv', bytes('a,b'));
    const digest = await sha256Hex(bytes('a,b'));
    expect(file).toEqual({
      path: 'out/数据.csv',
      object: `o/me/run_9/${digest}`,
      bytes: 3,
      media_type: 'text/csv',
    });
    expect(objects.calls).toEqual([`put o/me/run_9/${digest}`]);
    expect(workspace.written()).toEqual([file]);
    expect(text(await workspace.read('out/数据.csv'))).toBe('a,b');
  });

  it('names nothing when the put fails', async () => {
    const objects = createMemoryObjects();
    objects.put = async () => {
      throw new Error('store is down');
    };
    const workspace = createWorkspace({ files: [], objects, objectPrefix: 'o/' });
    await expect(workspace.write('a.txt', bytes('x'))).rejects.toThrow('store is down');
    expect(workspace.written()).toEqual([]);
    expect(workspace.find('a.txt')).toBe(null);
  });

  it('keeps the last of two writes to a path and leaves the older bytes alone', async () => {
    const { workspace, objects } = await createToolContext({ 'a.txt': 'old' });
    await workspace.write('a.txt', bytes('one'));
    await workspace.write('a.txt', bytes('two'));
    expect(workspace.written().map(({ bytes: size }) => size)).toEqual([3]);
    expect(text(await workspace.read('a.txt'))).toBe('two');
    expect([...objects.stored.values()].map(text).sort()).toEqual(['old', 'one', 'two']);
  });

  it.each(['../x', '/x', '', 'a\\b', '.stride/x'])('refuses the path %j', async (path) => {
    const { workspace, objects } = await createToolContext();
    await expect(workspace.write(path, bytes('x'))).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(objects.stored.size).toBe(0);
  });

  it.each([
    ['a.txt/b', '"a.txt" is a file, so nothing can lie below it; choose another path.'],
    ['a.txt/b/c.txt', '"a.txt" is a file, so nothing can lie below it; choose another path.'],
    [
      'deep/x/y.txt/z',
      '"deep/x/y.txt" is a file, so nothing can lie below it; choose another path.',
    ],
    ['deep', '"deep" is a folder, it holds deep/x/y.txt; choose another name for the file.'],
    ['deep/x', '"deep/x" is a folder, it holds deep/x/y.txt; choose another name for the file.'],
  ])('refuses %j beside a.txt and deep/x/y.txt: no disk holds both', async (path, message) => {
    const { workspace, objects } = await createToolContext({ 'a.txt': '1', 'deep/x/y.txt': '2' });
    const write = workspace.write(path, bytes('x'));
    await expect(write).rejects.toMatchObject({ code: 'invalid_input', message });
    expect(objects.stored.size).toBe(2);
    expect(workspace.written()).toEqual([]);
  });

  it('takes names that only begin like another file or folder', async () => {
    const { workspace } = await createToolContext({ 'a.txt': '1', 'deep/x/y.txt': '2' });
    for (const path of ['a.txt2/b', 'dee', 'deep/x/y', 'deep/x/y.txt']) {
      await workspace.write(path, bytes('x'));
    }
    expect(workspace.written()).toHaveLength(4);
  });

  it('still replaces a file of an older journal that has a folder of its name too', async () => {
    const { workspace } = await createToolContext({ d: '1', 'd/x': '2' });
    await workspace.write('d/x', bytes('3'));
    expect(text(await workspace.read('d/x'))).toBe('3');
  });

  it('refuses a file above the limit before it stores a byte', async () => {
    const { workspace, objects } = await createToolContext();
    const large = new Uint8Array(MAX_UPLOAD_BYTES + 1);
    await expect(workspace.write('x.bin', large)).rejects.toMatchObject({ code: 'too_large' });
    expect(objects.stored.size).toBe(0);
  });

  it('writes and reads nothing once its signal is aborted', async () => {
    const controller = new AbortController();
    const objects = createMemoryObjects();
    const files = await storeFiles(objects, { 'a.txt': 'x' });
    const workspace = createWorkspace({
      files,
      objects,
      objectPrefix: 'o/',
      signal: controller.signal,
    });
    controller.abort();
    await expect(workspace.write('b.txt', bytes('x'))).rejects.toThrow();
    await expect(workspace.read('a.txt')).rejects.toThrow();
    expect(workspace.written()).toEqual([]);
  });
});

describe('createWorkspace: list', () => {
  it('is sorted by path, written files among the others', async () => {
    const { workspace } = await createToolContext({ 'b.txt': '', 'a.txt': '' });
    await workspace.write('aa.txt', bytes('x'));
    expect(workspace.list().map(({ path }) => path)).toEqual(['a.txt', 'aa.txt', 'b.txt']);
  });

  it('lets a later reference to the same path win', () => {
    const file = { path: 'a', object: 'old', bytes: 1, media_type: 'text/plain' };
    const workspace = createWorkspace({
      files: [file, { ...file, object: 'new' }],
      objects: createMemoryObjects(),
      objectPrefix: 'o/',
    });
    expect(workspace.list().map(({ object }) => object)).toEqual(['new']);
  });
});
