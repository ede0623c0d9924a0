import type { Sandbox } from '@e2b/code-interpreter';
import { describe, expect, it } from 'vitest';
import { uploadWorkspace } from '../../src/tools/sandbox-files.ts';
import { createWorkspace } from '../../src/tools/workspace.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';

describe('uploadWorkspace', () => {
  it('goes on without a file whose bytes were deleted, and says so', async () => {
    const objects = createMemoryObjects();
    await objects.put('u/local/kept', new Uint8Array([1, 2]));
    const file = (path: string, object: string) => ({
      path,
      object,
      bytes: 2,
      media_type: 'text/csv',
    });
    const workspace = createWorkspace({
      files: [file('gone.csv', 'o/local/earlier/gone'), file('kept.csv', 'u/local/kept')],
      objects,
      objectPrefix: 'o/local/run/',
    });
    const sent: string[] = [];
    const sandbox = { files: { write: async (path: string) => sent.push(path) } };
    const notes: string[] = [];
    const manifest = {};
    const uploaded = await uploadWorkspace(sandbox as unknown as Sandbox, {
      workspace,
      manifest,
      signal: new AbortController().signal,
      notes,
    });
    expect(uploaded).toEqual(['kept.csv']);
    expect(sent).toEqual(['/home/user/work/kept.csv']);
    expect(notes).toEqual(['gone.csv is not there: its bytes were deleted. Go on without it.']);
    expect(manifest).toEqual({ 'kept.csv': 'u/local/kept' });
  });

  /** Uploads to a sandbox that refuses some paths with an error of the SDK. */
  async function uploadTo(refused: Record<string, { name: string; message: string }>) {
    const objects = createMemoryObjects();
    const paths = ['d', 'd/x', 'e.txt'];
    for (const path of paths) await objects.put(`u/local/${path}`, new Uint8Array([1]));
    const files = paths.map((path) => ({
      path,
      object: `u/local/${path}`,
      bytes: 1,
      media_type: 'text/plain',
    }));
    const workspace = createWorkspace({ files, objects, objectPrefix: 'o/local/run/' });
    const write = async (path: string) => {
      const fault = refused[path.replace('/home/user/work/', '')];
      if (fault) throw Object.assign(new Error(fault.message), { name: fault.name });
    };
    const notes: string[] = [];
    const manifest = {};
    const uploaded = await uploadWorkspace({ files: { write } } as unknown as Sandbox, {
      workspace,
      manifest,
      signal: new AbortController().signal,
      notes,
    });
    return { uploaded, notes, manifest };
  }

  it('leaves out a file below another file, and says so', async () => {
    const { uploaded, notes, manifest } = await uploadTo({});
    expect(uploaded).toEqual(['d', 'e.txt']);
    expect(manifest).toEqual({ d: 'u/local/d', 'e.txt': 'u/local/e.txt' });
    expect(notes).toEqual([
      'd/x is not in the sandbox: d is a file, so nothing can lie below it. Use read_file for d/x.',
    ]);
  });

  it.each([
    ['a folder bears its name', 'InvalidArgumentError', 'path is a directory: /home/user/work/d'],
    [
      'a file bears its folder’s name',
      'SandboxError',
      '500: error ensuring directories: path is a file: /home/user/work',
    ],
  ])('goes on without a file where in the sandbox %s', async (_, name, message) => {
    const { uploaded, notes } = await uploadTo({ d: { name, message } });
    expect(uploaded).toEqual(['e.txt']);
    expect(notes).toContain(
      'd could not be put into the sandbox: something that code made there is in its way. ' +
        'Remove or rename that with Python.',
    );
  });

  it('passes on an error that is not about one path', async () => {
    const fault = { name: 'SandboxError', message: '500: internal error' };
    await expect(uploadTo({ d: fault })).rejects.toThrow('internal error');
  });

  it('passes on every other failure to read', async () => {
    const objects = createMemoryObjects();
    objects.get = () => Promise.reject(new Error('R2 does not answer'));
    const files = [{ path: 'a.csv', object: 'u/local/a', bytes: 2, media_type: 'text/csv' }];
    const workspace = createWorkspace({ files, objects, objectPrefix: 'o/local/run/' });
    const upload = uploadWorkspace({} as unknown as Sandbox, {
      workspace,
      manifest: {},
      signal: new AbortController().signal,
      notes: [],
    });
    await expect(upload).rejects.toThrow('R2 does not answer');
  });
});
