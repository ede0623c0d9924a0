import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/tools/define.ts';
import { availableTools, buildDefaultRegistry, createRegistry } from '../../src/tools/registry.ts';

const tool = (name: string, more: Partial<ToolDefinition<z.ZodType>> = {}) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ x: z.string().describe('What') }),
    run: async () => 'ok',
    ...more,
  });

describe('createRegistry', () => {
  it('finds tools by name and alias, in registration order', () => {
    const b = tool('b', { aliases: ['B', 'bee'] });
    const a = tool('a');
    const registry = createRegistry([b, a]);
    expect(registry.all()).toEqual([b, a]);
    expect(registry.size).toBe(2);
    expect([registry.get('b'), registry.get('bee'), registry.get('a')]).toEqual([b, b, a]);
    expect([registry.has('B'), registry.has('c')]).toEqual([true, false]);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'A'])(
    'finds nothing under %j',
    (name) => {
      const registry = createRegistry([tool('a')]);
      expect(registry.get(name)).toBe(null);
      expect(registry.has(name)).toBe(false);
    },
  );

  it.each([
    ['the same name', tool('a'), tool('a'), /Tools a and a both claim the name "a"/],
    [
      'an alias that is a name',
      tool('a'),
      tool('b', { aliases: ['a'] }),
      /Tools a and b both claim the name "a"/,
    ],
    [
      'a name that is an alias',
      tool('a', { aliases: ['b'] }),
      tool('b'),
      /Tools a and b both claim the name "b"/,
    ],
    [
      'the same alias',
      tool('a', { aliases: ['x'] }),
      tool('b', { aliases: ['x'] }),
      /Tools a and b both claim the name "x"/,
    ],
  ])('refuses %s', (_, first, second, message) => {
    expect(() => createRegistry([first, second])).toThrow(message);
    expect(() => createRegistry([first]).register(second)).toThrow(message);
  });

  it('registers into a new registry and leaves the old one as it was', () => {
    const source = [tool('a')];
    const old = createRegistry(source);
    const extended = old.register(tool('b'));
    source.push(tool('c'));
    expect([old.size, extended.size, old.has('b'), extended.has('b'), old.has('c')]).toEqual([
      1,
      2,
      false,
      true,
      false,
    ]);
    expect(Object.isFrozen(old) && Object.isFrozen(old.all())).toBe(true);
  });
});

describe('createRegistry: definitions', () => {
  const registry = createRegistry([tool('a', { aliases: ['A'] }), tool('b')]);

  it('gives what the Messages API takes, without aliases', () => {
    expect(registry.definitions(['a'])).toEqual({
      definitions: [
        {
          name: 'a',
          description: 'Does a.',
          input_schema: {
            type: 'object',
            properties: { x: { type: 'string', description: 'What' } },
            required: ['x'],
          },
        },
      ],
      unknown: [],
    });
  });

  it('keeps the order asked for, reports unknown names, names no tool twice', () => {
    const { definitions, unknown } = registry.definitions(['b', 'nope', 'A', 'a']);
    expect(definitions.map((definition) => 'name' in definition && definition.name)).toEqual([
      'b',
      'a',
    ]);
    expect(unknown).toEqual(['nope']);
  });

  it('gives all tools when none are named', () => {
    expect(registry.definitions().definitions).toHaveLength(2);
  });
});

describe('buildDefaultRegistry', () => {
  it("holds today's tools, each with a schema whose fields are described", () => {
    const registry = buildDefaultRegistry();
    expect(registry.all().map(({ name }) => name)).toEqual([
      'calc',
      'list_files',
      'read_file',
      'grep',
      'write_file',
      'execute_python',
    ]);
    for (const { inputSchema, name } of registry.all()) {
      expect(inputSchema.type).toBe('object');
      for (const field of Object.values(inputSchema.properties as Record<string, object>)) {
        expect(field, name).toHaveProperty('description');
      }
    }
  });

  it.each([
    ['Read', 'read_file'],
    ['Grep', 'grep'],
    ['Write', 'write_file'],
  ])('knows the alias %s', (alias, name) => {
    expect(buildDefaultRegistry().get(alias)?.name).toBe(name);
  });

  it('marks file content as untrusted and the rest of the file tools as trusted', () => {
    const untrusted = buildDefaultRegistry()
      .all()
      .filter((each) => each.untrusted);
    expect(untrusted.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['read_file', 'grep']),
    );
    expect(untrusted.map(({ name }) => name)).not.toContain('calc');
  });
});

describe('availableTools', () => {
  it('leaves out what needs a sandbox where there is none, and says why', () => {
    const registry = createRegistry([tool('a'), tool('p', { needs: 'sandbox' })]);
    expect(availableTools(registry, { sandbox: false })).toEqual({
      tools: [registry.get('a')],
      leftOut: [{ name: 'p', reason: 'no sandbox service is configured; set E2B_API_KEY' }],
    });
    expect(availableTools(registry, { sandbox: true }).leftOut).toEqual([]);
  });
});
