import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseToolInput } from '../../src/loop/tool-input.ts';
import { defineTool, type Tool } from '../../src/tools/define.ts';

const schema = z.object({
  path: z.string().min(1).describe('Path'),
  from_line: z.int().min(1).optional().describe('First line'),
  ratio: z.number().gt(0).lt(1).optional().describe('Share'),
  mode: z.enum(['fast', 'slow']).optional().describe('Mode'),
  deep: z.boolean().default(false).describe('Deep'),
  tags: z.array(z.string()).optional().describe('Tags'),
  options: z
    .object({ depth: z.int().max(9) })
    .optional()
    .describe('Options'),
});

const probe: Tool = defineTool({
  name: 'probe',
  description: 'For tests.',
  input: schema,
  fieldAliases: { file: 'path', file_path: 'path', start: 'from_line' },
  run: async () => '',
});

describe('parseToolInput: what is understood', () => {
  it.each<[string, unknown, object]>([
    ['plain fields', { path: 'a' }, { path: 'a', deep: false }],
    ['another field name', { file: 'a', start: 2 }, { path: 'a', from_line: 2, deep: false }],
    ['the real name before an alias', { file: 'b', path: 'a' }, { path: 'a', deep: false }],
    ['the first of two aliases', { file: 'a', file_path: 'b' }, { path: 'a', deep: false }],
    ['JSON in a string', '{"path": "a"}', { path: 'a', deep: false }],
    [
      'a number in quotes',
      { path: 'a', from_line: '10' },
      { path: 'a', from_line: 10, deep: false },
    ],
    ['a decimal in quotes', { path: 'a', ratio: '0.5' }, { path: 'a', ratio: 0.5, deep: false }],
    ['a truth value in quotes', { path: 'a', deep: 'True' }, { path: 'a', deep: true }],
    ['a number for a text', { path: 7 }, { path: '7', deep: false }],
    ['null for not given', { path: 'a', from_line: null }, { path: 'a', deep: false }],
    ['a list in a string', { path: 'a', tags: '["x"]' }, { path: 'a', tags: ['x'], deep: false }],
    [
      'an object in a string',
      { path: 'a', options: '{"depth": 3}' },
      { path: 'a', options: { depth: 3 }, deep: false },
    ],
    [
      'a text that is JSON where text is wanted',
      { path: '{"a": 1}' },
      { path: '{"a": 1}', deep: false },
    ],
    ['a text of digits where text is wanted', { path: '10' }, { path: '10', deep: false }],
  ])('%s', (_, input, expected) => {
    expect(parseToolInput(probe, input)).toEqual({ ok: true, value: expected, ignored: [] });
  });

  it('names unknown extra fields and goes on without them', () => {
    expect(parseToolInput(probe, { path: 'a', form_line: 3, limit: 1 })).toEqual({
      ok: true,
      value: { path: 'a', deep: false },
      ignored: ['form_line', 'limit'],
    });
  });

  it('takes a field called __proto__ for an unknown field', () => {
    const input: unknown = JSON.parse('{"path": "a", "__proto__": {"deep": true}}');
    const parsed = parseToolInput(probe, input);
    expect(parsed).toMatchObject({ ok: true, value: { path: 'a', deep: false } });
  });
});

describe('parseToolInput: what is refused', () => {
  it.each<[unknown, string]>([
    [{ path: 'a', from_line: 'ten' }, 'field `from_line`: expected integer ≥ 1, got "ten"'],
    [{ path: 'a', from_line: 0 }, 'field `from_line`: expected integer ≥ 1, got 0'],
    [{ path: 'a', from_line: 1.5 }, 'field `from_line`: expected integer ≥ 1, got 1.5'],
    [{ path: 'a', ratio: 1 }, 'field `ratio`: expected number > 0 and < 1, got 1'],
    [{ path: 'a', mode: 'quick' }, 'field `mode`: expected one of "fast", "slow", got "quick"'],
    [{ path: 'a', deep: 'maybe' }, 'field `deep`: expected true or false, got "maybe"'],
    [{ path: 'a', tags: [1] }, 'field `tags[0]`: expected text, got 1'],
    [{ path: 'a', options: { depth: 10 } }, 'field `options.depth`: expected integer ≤ 9, got 10'],
    [{ path: 'a', options: 'x' }, 'field `options`: expected an object, got "x"'],
    [{}, 'field `path`: missing, expected text that is not empty'],
    [{ path: null }, 'field `path`: missing, expected text that is not empty'],
    [{ path: '' }, 'field `path`: expected text that is not empty, got ""'],
    [{ path: ['a'] }, 'field `path`: expected text that is not empty, got ["a"]'],
    [{ path: 'a', from_line: 'x'.repeat(500) }, `got "${'x'.repeat(59)}…`],
  ])('%j', (input, sentence) => {
    const parsed = parseToolInput(probe, input);
    if (parsed.ok) throw new Error('accepted');
    expect(parsed.message).toContain(sentence);
    expect(parsed.message).toMatch(/^Invalid arguments for probe: /);
    expect(parsed.message).toContain('Its fields: `path`, `from_line` (optional)');
  });

  it('names every field that is wrong at once', () => {
    const parsed = parseToolInput(probe, { from_line: 'x', mode: 1, deep: [] });
    if (parsed.ok) throw new Error('accepted');
    for (const field of ['path', 'from_line', 'mode', 'deep']) {
      expect(parsed.message).toContain(`field \`${field}\``);
    }
  });

  it.each<[unknown, string]>([
    [undefined, 'got nothing'],
    [null, 'got null'],
    ['not json', 'got "not json"'],
    [[{ path: 'a' }], 'got [{"path":"a"}]'],
    [7, 'got 7'],
  ])('wants an object, not %j', (input, got) => {
    const parsed = parseToolInput(probe, input);
    if (parsed.ok) throw new Error('accepted');
    expect(parsed.message).toContain('probe takes an object with `path`');
    expect(parsed.message).toContain(got);
  });
});
