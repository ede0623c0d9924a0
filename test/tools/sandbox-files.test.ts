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
