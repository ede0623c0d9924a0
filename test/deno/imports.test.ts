import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'stride-lint-'));

/** What the project's own lint says of a file of this name with these lines. */
function lint(path: string, lines: string[]): string[] {
  cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const flags = ['lint', '--vcs-enabled=false', '--reporter=github', path];
  const { stdout, stderr, error } = spawnSync(biome, flags, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  const rules = [...`${stdout}${stderr}`.matchAll(/^::error title=([^,]+),.*?line=(\d+)/gm)];
  return rules.map(([, rule, line]) => `${rule?.split('/').pop()} ${line}`).sort();
}

describe('imports of src/', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('may not name Cloudflare or Node, neither at the top nor late', () => {
    const found = lint('src/routes/probe.ts', [
      "import { readFile } from 'node:fs';",
      "import { env } from 'cloudflare:workers';",
      "import type { R2Bucket } from '@cloudflare/workers-types';",
      "export const late = () => [import('cloudflare:sockets'), import('node:net')];",
      'export const use = (bucket: R2Bucket) => [bucket, env, readFile];',
    ]);
    expect(found).toEqual([
      'noNodejsModules 1',
      'noNodejsModules 4',
      'noRestrictedImports 2',
      'noRestrictedImports 3',
      'noRestrictedImports 4',
    ]);
  });

  it('may name Cloudflare in the entry, and its types beside R2', () => {
    const platform = "import { env } from 'cloudflare:workers';";
    const types = "import type { R2Bucket } from '@cloudflare/workers-types';";
    const use = 'export const use = (bucket: R2Bucket) => [bucket];';
    expect(lint('src/index.ts', [platform, types, use, 'export const all = [env];'])).toEqual([]);
    expect(lint('src/objects.ts', [types, use])).toEqual([]);
    expect(lint('src/objects.ts', [platform, types, use, 'export const all = [env];'])).toEqual([
      'noRestrictedImports 1',
    ]);
  });
});
