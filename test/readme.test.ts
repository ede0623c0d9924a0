import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const scripts = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).scripts;

describe('README.md', () => {
  it.each(SETTINGS)(
    'has the row of $name with its default',
    ({ name, default: value, meaning }) => {
      const shown = value === null ? '' : ` \`${value}\``;
      expect(readme).toContain(`| \`${name}\` |${shown} | ${meaning} |`);
    },
  );

  it('names no setting that does not exist', () => {
    const rows = [...readme.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map((match) => match[1]);
    expect(rows).toEqual(SETTINGS.map(({ name }) => name));
  });

  it('names only commands that exist, and all that a reader may run', () => {
    const named = new Set(
      [...readme.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map((match) => match[1]),
    );
    for (const builtIn of ['ci', 'install']) named.delete(builtIn);
    expect([...named].filter((name) => !(name && name in scripts))).toEqual([]);
    expect(Object.keys(scripts).filter((name) => !named.has(name))).toEqual([]);
  });
});
