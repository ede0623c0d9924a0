import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'dev', 'test/helpers', 'package.json', 'biome.json', 'vitest.config.ts'];

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'stride-guide-'));
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

interface Block {
  kind: string;
  path: string;
  text: string;
}

/** Fenced blocks that name a file: ```ts src/x.ts is the file, ```diff src/x.ts adds lines to it. */
function blocksOf(guide: string): Block[] {
  const page = readFileSync(join(root, 'docs', guide), 'utf8');
  const fences = page.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, kind = '', path = '', text = '']) => ({ kind, path, text }));
}

function apply({ kind, path, text }: Block): void {
  const target = join(copy, path);
  if (kind === 'ts') {
    expect(existsSync(target), `${path} is new`).toBe(false);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    return;
  }
  const lines = text.trimEnd().split('\n');
  const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const after = lines.map((line) => line.slice(1));
  const parts = readFileSync(target, 'utf8').split(before.join('\n'));
  expect(parts, `${path} has the lines that the guide shows`).toHaveLength(2);
  writeFileSync(target, parts.join(after.join('\n')));
}

/** Runs a tool of node_modules in the copy; throws with what it printed when it fails. */
function run(name: string, ...args: string[]): void {
  const program = join(copy, 'node_modules/.bin', name);
  // Not the variables of the test run around it: they would make this one part of it.
  const { PATH, HOME } = process.env;
  try {
    execFileSync(program, args, { cwd: copy, env: { PATH, HOME }, stdio: 'pipe', timeout: 90_000 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    throw new Error(`${name} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

describe.each([
  ['new-tool.md', 'src/tools/registry.ts'],
  ['new-domain.md', 'src/tools/domains/domains.ts'],
])('docs/%s followed literally', (guide, list) => {
  it('adds one file, one line with its import, and one test, and all of it passes', () => {
    const blocks = blocksOf(guide);
    const files = blocks.filter(({ kind }) => kind === 'ts').map(({ path }) => path);
    const added = blocks
      .filter(({ kind }) => kind === 'diff')
      .flatMap(({ path, text }) => (text.match(/^\+.*$/gm) ?? []).map((line) => ({ path, line })));
    const [source = '', test = ''] = files;
    expect(files).toHaveLength(2);
    expect([source, test]).toEqual([
      expect.stringMatching(/^src\/tools\//),
      expect.stringMatching(/^test\/tools\//),
    ]);
    expect(added.map(({ path }) => path)).toEqual([list, list]);
    expect(added[0]?.line).toMatch(/^\+import \{ \w+ \} from '/);
    expect(added[1]?.line).toMatch(/^\+ {2}\w+,$/);

    for (const block of blocks) apply(block);
    const config = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    writeFileSync(
      join(copy, 'tsconfig.json'),
      JSON.stringify({ ...config, include: [source, list, test] }),
    );
    run('tsc', '-p', '.');
    run('biome', 'check', '--vcs-enabled=false', source, list, test);
    run('vitest', 'run', '--project', 'unit', test);
  }, 180_000);
});
