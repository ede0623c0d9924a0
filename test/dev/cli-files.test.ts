import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectFiles } from '../../dev/cli/files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stride-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text = 'x'): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function collected(...paths: string[]) {
  const result = await collectFiles(paths);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function fault(...paths: string[]) {
  const result = await collectFiles(paths);
  return result.ok ? 'no fault' : result.error.message;
}

describe('collectFiles', () => {
  it('takes a file under its own name, with its size', async () => {
    const path = put('deep/销售 2026.csv', 'a,b\n');
    const { files } = await collected(path);
    expect(files).toEqual([{ name: '销售 2026.csv', path, bytes: 4 }]);
  });

  it('takes a folder with all below it, sorted, under its own name', async () => {
    put('data/b.csv');
    put('data/2024/z.csv');
    put('data/2024/a.csv');
    const { files } = await collected(join(root, 'data/'));
    expect(files.map(({ name }) => name)).toEqual([
      'data/2024/a.csv',
      'data/2024/z.csv',
      'data/b.csv',
    ]);
  });

  it('leaves hidden entries, node_modules, links and pipes out of folders, and says so', async () => {
    put('data/a.csv');
    put('data/.env');
    put('data/.git/config');
    put('data/node_modules/p/index.js');
    symlinkSync('/etc', join(root, 'data/link'));
    execFileSync('mkfifo', [join(root, 'data/pipe')]);
    const { files, skipped } = await collected(join(root, 'data'));
    expect(files.map(({ name }) => name)).toEqual(['data/a.csv']);
    expect(skipped).toEqual([
      { name: 'data/.env', reason: 'hidden' },
      { name: 'data/.git', reason: 'hidden' },
      { name: 'data/link', reason: 'symbolic link' },
      { name: 'data/node_modules', reason: 'installed packages' },
      { name: 'data/pipe', reason: 'not a regular file' },
    ]);
  });

  it('takes what was named itself, hidden or a link', async () => {
    const hidden = put('.notes.txt');
    symlinkSync(put('a.csv'), join(root, 'link.csv'));
    const { files } = await collected(hidden, join(root, 'link.csv'));
    expect(files.map(({ name }) => name)).toEqual(['.notes.txt', 'link.csv']);
  });

  it('tells files of one name apart by their folders', async () => {
    const paths = [put('x/a/s.csv'), put('y/a/s.csv'), put('z.csv')];
    const { files } = await collected(...paths);
    expect(files.map(({ name }) => name)).toEqual(['x/a/s.csv', 'y/a/s.csv', 'z.csv']);
  });

  it('sends a file once that was named twice', async () => {
    const path = put('data/a.csv');
    const { files } = await collected(path, join(root, 'data'), path);
    expect(files.map((file) => file.path)).toEqual([path]);
  });

  it('names what was not found, and what is neither file nor folder', async () => {
    expect(await fault(join(root, 'no.csv'))).toContain('no.csv was not found');
    expect(await fault('/dev/null')).toBe('/dev/null is neither a file nor a folder.');
  });

  it('refuses a folder without anything to send', async () => {
    put('data/.hidden');
    expect(await fault(join(root, 'data'))).toContain('holds no file that can be sent');
  });

  it.each([
    ['new\nline.csv', 'new␊line.csv', 'a control character'],
    ['tab\tesc\u001b[2J.csv', 'tab␉esc␛[2J.csv', 'a control character'],
    ['a\u202efdp.csv', 'a<202e>fdp.csv', 'an invisible character'],
    ['back\\slash.csv', 'back\\slash.csv', 'a backslash'],
    ['C:data.csv', 'C:data.csv', 'a drive letter'],
    ['end .', 'end .', 'ends in a space or a dot'],
    [`${'long/'.repeat(49)}a.csv`, `${'long/'.repeat(49)}a.csv`, 'longer than 240 characters'],
  ])(
    'refuses %j, which the service would not take, and shows it harmlessly',
    async (name, shown, why) => {
      put(`data/${name}`);
      const named = name.includes('/') ? name.split('/')[0] : name;
      const message = await fault(join(root, 'data', named ?? ''));
      expect(message).toContain(`${shown} cannot be sent under this name. `);
      expect(message).toContain(why);
      expect(message).not.toMatch(/\p{Cc}/u);
    },
  );

  it('leaves out a file of a folder whose name is no text, and says so', async () => {
    put('data/a.csv');
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'data/b')), Buffer.from([0xff])]), 'x');
    const { files, skipped } = await collected(join(root, 'data'));
    expect(files.map(({ name }) => name)).toEqual(['data/a.csv']);
    expect(skipped).toEqual([{ name: 'data/b\ufffd', reason: 'cannot be read' }]);
  });

  it('takes 20 files and refuses the 21st', async () => {
    for (let i = 0; i < 20; i += 1) put(`data/${i}.csv`);
    expect((await collected(join(root, 'data'))).files).toHaveLength(20);
    expect(await fault(join(root, 'data'), put('one-more.csv'))).toMatch(/at most 20 .* are 21/);
  });

  it('takes a file of exactly 25 MiB and refuses a byte more', async () => {
    const path = put('big.bin');
    truncateSync(path, 25 * 1024 * 1024);
    expect((await collected(path)).files[0]?.bytes).toBe(26_214_400);
    truncateSync(path, 25 * 1024 * 1024 + 1);
    expect(await fault(path)).toBe(
      'big.bin has 26,214,401 bytes and a file may have at most 26,214,400 (25 MiB); cut it or compress it.',
    );
  });
});
