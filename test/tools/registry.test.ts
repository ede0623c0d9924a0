import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/tools/define.ts';
import type { Domain } from '../../src/tools/domains/domain.ts';
import { availableTools, buildDefaultRegistry, createRegistry } from '../../src/tools/registry.ts';
import { createToolContext } from '../helpers/tool-context.ts';

const tool = (name: string, more: Partial<ToolDefinition<z.ZodType>> = {}) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ x: z.string().describe('What') }),
    run: async () => 'ok',
    ...more,
  });

const domain = (name: string, tools: Domain['tools']): Domain => ({
  name,
  displayName: `About ${name}`,
  keywords: [name],
  description: name,
  tools,
  workflowHint: { en: '', zh: '' },
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

describe('createRegistry: domains', () => {
  it('knows the tools of domains by name and alias, and lists and counts none of them', () => {
    const own = tool('own', { aliases: ['Own'] });
    const registry = createRegistry([tool('a')], [domain('d', [own])]);
    expect([registry.get('own'), registry.get('Own')]).toEqual([own, own]);
    expect(registry.has('own')).toBe(true);
    expect([registry.size, registry.all().length]).toEqual([1, 1]);
    expect(registry.definitions().definitions).toHaveLength(1);
    expect(registry.definitions(['own', 'a']).definitions).toHaveLength(2);
    expect(registry.domains.map(({ name }) => name)).toEqual(['d']);
    expect(registry.register(tool('b')).get('own')).toBe(own);
  });

  it('lets domains share a tool, and bring one that everybody has', () => {
    const [shared, common] = [tool('shared'), tool('common')];
    const domains = [domain('d', [shared, common]), domain('e', [shared])];
    const registry = createRegistry([common], domains);
    expect([registry.get('shared'), registry.get('common')]).toEqual([shared, common]);
  });

  it('refuses two tools of one name, wherever they stand', () => {
    const message = /Tools a and a both claim the name "a"/;
    expect(() => createRegistry([tool('a')], [domain('d', [tool('a')])])).toThrow(message);
    const two = [domain('d', [tool('a')]), domain('e', [tool('a')])];
    expect(() => createRegistry([], two)).toThrow(message);
  });

  it.each(['auto', 'none', 'd'])('refuses a domain called %s where that is taken', (name) => {
    expect(() => createRegistry([], [domain('d', []), domain(name, [])])).toThrow(
      `The domain "About ${name}" claims the name "${name}", which is taken.`,
    );
  });
});

describe('createRegistry: call', () => {
  const registry = createRegistry(
    [
      tool('echo', { run: async (input) => `got ${(input as { x: string }).x}` }),
      tool('data', { run: async () => ({ content: 'text', data: { n: 1 } }) }),
      tool('broken', { run: async () => Promise.reject(new Error('out of paper')) }),
      tool('thrown', {
        run: () => {
          throw 'a string';
        },
      }),
    ],
    [domain('d', [tool('own')])],
  );

  it.each([
    ['text', 'echo', { x: 'y' }, { content: 'got y' }],
    ['a structured result', 'data', { x: '' }, { content: 'text', data: { n: 1 } }],
    ['the result of a domain’s tool', 'own', { x: '' }, { content: 'ok' }],
  ])('gives %s', async (_, name, input, expected) => {
    const { context } = await createToolContext();
    expect(await registry.call(name, input, context)).toEqual(expected);
  });

  it.each([
    ['an unknown name', 'ecko', {}, /^There is no tool "ecko"; use one of echo, /],
    ['a name that objects have', 'constructor', {}, /^There is no tool "constructor"/],
    ['bad input', 'echo', { x: 1 }, /^Invalid arguments for echo: x: .*expected string/],
    ['no input', 'echo', undefined, /^Invalid arguments for echo: input: /],
    ['a tool that fails', 'broken', { x: '' }, /^broken failed: out of paper$/],
    ['a tool that throws at once', 'thrown', { x: '' }, /^thrown failed: a string$/],
  ])('never throws: %s is a result', async (_, name, input, message) => {
    const { context } = await createToolContext();
    const output = await registry.call(name, input, context);
    expect(output.isError).toBe(true);
    expect(output.content).toMatch(message);
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
  it('begins with these tools, in this order, each with a schema whose fields are described', () => {
    const registry = buildDefaultRegistry();
    // New ones are added at the end: a list that changes its order is another prompt to a model.
    const names = registry.all().map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual([
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

  it('knows the bandit domain and keeps its tools to it', () => {
    const registry = buildDefaultRegistry();
    const own = ['run_bandit_experiment', 'concentration_bound', 'information_bound'];
    expect(
      registry.domains.find(({ name }) => name === 'mab')?.tools.map(({ name }) => name),
    ).toEqual(own);
    const listed = registry.all().map(({ name }) => name);
    expect(listed.filter((name) => own.includes(name))).toEqual([]);
    expect(own.map((name) => registry.get(name)?.name)).toEqual(own);
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

  it('adds the tools of the run’s domain at the end, under the same conditions', () => {
    const common = tool('a');
    const both = [tool('d1'), tool('d2', { needs: 'sandbox' }), common];
    const registry = createRegistry([common], [domain('d', both)]);
    const chosen = registry.domains[0] ?? null;
    const { tools, leftOut } = availableTools(registry, { sandbox: false, domain: chosen });
    expect(tools.map(({ name }) => name)).toEqual(['a', 'd1']);
    expect(leftOut.map(({ name }) => name)).toEqual(['d2']);
    expect(availableTools(registry, { sandbox: true, domain: null }).tools).toEqual([common]);
  });
});
