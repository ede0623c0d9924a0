import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { StrideError } from '../../src/errors.ts';
import { type DispatchOptions, runToolCall } from '../../src/loop/dispatch.ts';
import { defineTool, type Tool, type ToolDefinition } from '../../src/tools/define.ts';
import { grep } from '../../src/tools/grep.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { utf8Length } from '../../src/tools/truncate.ts';
import { unwrap } from '../../src/tools/untrusted.ts';
import { createTestClock } from '../helpers/clock.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';
import { storeFiles } from '../helpers/tool-context.ts';

type Run = ToolDefinition<z.ZodType>['run'];

function tool(run: Run, more: Partial<ToolDefinition<z.ZodType>> = {}): Tool {
  return defineTool({
    name: 'probe',
    description: 'For tests.',
    input: z.object({}),
    run,
    ...more,
  });
}

function createDispatch(tools: Tool[], more: Partial<DispatchOptions> = {}) {
  const time = createTestClock();
  const objects = createMemoryObjects();
  const controller = new AbortController();
  const options: DispatchOptions = {
    registry: createRegistry(tools),
    allowed: tools.map(({ name }) => name),
    runId: 'run_1',
    workspaceFiles: [],
    objects,
    objectPrefix: 'o/me/run_1/',
    previewBytes: 4_096,
    toolTimeoutMs: 30_000,
    clock: time,
    fetch: async () => {
      throw new Error('no network');
    },
    signal: controller.signal,
    resumed: false,
    ...more,
  };
  const call = (name: string, input: unknown = {}, id = 'toolu_1') =>
    runToolCall({ id, key: id, name, input }, options);
  return { call, time, objects, controller, options };
}

const textOf = (entry: { content: { type: string; text?: string }[] }) =>
  entry.content.map((block) => block.text ?? `<${block.type}>`).join('\n');

describe('runToolCall: results', () => {
  it('gives a whole tool_finished, its time by the clock', async () => {
    const { call, time } = createDispatch([
      tool(async () => {
        await time.advance(250);
        return { content: 'hello', data: { a: 1 }, costMicroUsd: 7 };
      }),
    ]);
    expect(await call('probe')).toEqual({
      type: 'tool_finished',
      tool_use_id: 'toolu_1',
      name: 'probe',
      outcome: 'done',
      content: [{ type: 'text', text: 'hello' }],
      is_error: false,
      data: { a: 1 },
      cost_micro_usd: 7,
      ms: 250,
    });
    expect(time.sleepers()).toBe(0);
  });

  it.each([
    ['undefined', undefined, '(no output)'],
    ['null', null, '(no output)'],
    ['an empty text', '', '(no output)'],
    ['white space', ' \n\t', '(no output)'],
    ['no blocks', { content: [] }, '(no output)'],
    ['an empty block', { content: [{ type: 'text', text: '' }] }, '(no output)'],
    ['a number', 42, '42'],
    ['a bigint', 42n, '42'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['a list', [1, 2], '[1,2]'],
    ['content that is not text', { content: 5 }, '5'],
    ['an unknown block', { content: [{ type: 'video', url: 'x' }] }, '{"type":"video","url":"x"}'],
    [
      'two texts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    ['half a character', 'a\ud83db', 'a\ufffdb'],
    ['false', false, 'false'],
  ])('makes text of %s', async (_, returned, expected) => {
    const { call } = createDispatch([tool(async () => returned as string)]);
    const entry = await call('probe');
    expect(textOf(entry)).toBe(expected);
    expect(entry.outcome).toBe('done');
  });

  it('keeps images and leaves out those the API would refuse', async () => {
    const image = (data: string) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    });
    const { call } = createDispatch([
      tool(async () => ({ content: [image('aaaa'), image('a'.repeat(5_000_001))] })),
    ]);
    expect((await call('probe')).content).toEqual([
      image('aaaa'),
      { type: 'text', text: '[an image was left out: it is larger than 5 MB]' },
    ]);
  });

  it('marks a result that a tool calls an error', async () => {
    const { call } = createDispatch([tool(async () => ({ content: 'exit 1', isError: true }))]);
    expect(await call('probe')).toMatchObject({ outcome: 'failed', is_error: true });
  });

  it('gives the tool its context', async () => {
    const run = vi.fn<Run>(async () => 'ok');
    const { call } = createDispatch([tool(run, { timeoutMs: 90_000 })], { resumed: true });
    await call('probe');
    expect(run.mock.calls[0]?.[1]).toMatchObject({
      runId: 'run_1',
      toolUseId: 'toolu_1',
      idempotencyKey: 'run_1:toolu_1',
      timeoutMs: 90_000,
      previewBytes: 4_096,
      resumed: true,
    });
  });

  it('reports the files that the call wrote', async () => {
    const { call, objects } = createDispatch([
      tool(async (_, { workspace }) => {
        await workspace.write('out.txt', new TextEncoder().encode('x'));
        return 'written';
      }),
    ]);
    const { files } = await call('probe');
    expect(files?.map(({ path }) => path)).toEqual(['out.txt']);
    expect([...objects.stored.keys()]).toEqual(files?.map(({ object }) => object));
  });

  it.each([
    [
      'a cycle',
      () => {
        const a: Record<string, unknown> = {};
        a.self = a;
        return a;
      },
      { dropped: 'not plain JSON' },
    ],
    ['a bigint', () => ({ n: 1n }), { dropped: 'not plain JSON' }],
    ['a function', () => () => 1, { dropped: 'not plain JSON' }],
    ['too much', () => 'x'.repeat(70_000), { dropped: 'too large', bytes: 70_002 }],
    ['half a character', () => ({ a: '\ud83d' }), { a: '\ufffd' }],
    ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
  ])('keeps data plain and bounded: %s', async (_, data, expected) => {
    const { call } = createDispatch([tool(async () => ({ content: 'ok', data: data() }))]);
    const entry = await call('probe');
    expect(entry.data).toEqual(expected);
    expect(entry.outcome).toBe('done');
  });
});

describe('runToolCall: failures', () => {
  const failing: [string, Run, string][] = [
    [
      'a StrideError',
      async () => {
        throw new StrideError('not_found', 'No such file; use list_files.');
      },
      'No such file; use list_files.',
    ],
    [
      'an Error',
      async () => {
        throw new TypeError('x is not a function');
      },
      'Error: x is not a function',
    ],
    [
      'a thrown text',
      async () => {
        throw 'boom';
      },
      'Error: boom',
    ],
    [
      'a thrown nothing',
      async () => {
        throw undefined;
      },
      'Error: the tool failed without a message',
    ],
    [
      'a throw before the first await',
      () => {
        throw new Error('early');
      },
      'Error: early',
    ],
    [
      'an error without words',
      async () => {
        throw new Error('');
      },
      'Error: Error',
    ],
  ];

  it.each(failing)('answers %s', async (_, run, text) => {
    const { call, time } = createDispatch([tool(run)]);
    expect(await call('probe')).toMatchObject({
      outcome: 'failed',
      is_error: true,
      content: [{ type: 'text', text }],
    });
    expect(time.sleepers()).toBe(0);
  });

  it('answers when the schema itself throws', async () => {
    const broken: Tool = {
      ...tool(async () => 'x'),
      parse: () => {
        throw new Error('bad schema');
      },
    };
    const { call } = createDispatch([broken]);
    expect(textOf(await call('probe'))).toBe('Error: bad schema');
  });

  it('answers arguments that do not fit, and names fields it ignored', async () => {
    const strict = tool(async () => 'ran', {
      input: z.object({ n: z.int().min(1).describe('n') }),
    });
    const { call } = createDispatch([strict]);
    const refused = await call('probe', { n: 'ten' });
    expect(refused).toMatchObject({ outcome: 'failed', is_error: true });
    expect(textOf(refused)).toContain('field `n`: expected integer ≥ 1, got "ten"');
    expect(textOf(await call('probe', '{"n": "3", "m": 1}'))).toBe(
      'ran\n[ignored unknown fields: m]',
    );
  });

  it('bounds the text of an error', async () => {
    const { call } = createDispatch([
      tool(async () => {
        throw new Error('表'.repeat(10_000));
      }),
    ]);
    const text = textOf(await call('probe'));
    expect(utf8Length(text)).toBeLessThanOrEqual(4_096);
    expect(text).not.toContain('\ufffd');
  });

  it('keeps files that were written before the failure', async () => {
    const { call } = createDispatch([
      tool(async (_, { workspace }) => {
        await workspace.write('half.txt', new Uint8Array(1));
        throw new Error('then it broke');
      }),
    ]);
    expect((await call('probe')).files?.map(({ path }) => path)).toEqual(['half.txt']);
  });

  it.each(['prob', 'Probe', 'constructor', '__proto__', '', 'x'.repeat(500)])(
    'lists the tools, nearest first, for the unknown name %j',
    async (name) => {
      const { call } = createDispatch([
        tool(async () => 'x', { name: 'zebra' }),
        tool(async () => 'x'),
      ]);
      const entry = await call(name);
      expect(entry).toMatchObject({ name, outcome: 'failed', is_error: true });
      expect(textOf(entry)).toMatch(/^There is no tool ".*"\. Use one of: .*\.$/);
      if (name === 'prob') expect(textOf(entry)).toContain('Use one of: probe, zebra.');
    },
  );

  it('does not run a tool that is not part of this run', async () => {
    const run = vi.fn<Run>(async () => 'x');
    const { call } = createDispatch([tool(run), tool(async () => 'y', { name: 'other' })], {
      allowed: ['other'],
    });
    expect(textOf(await call('probe'))).toBe(
      'The tool "probe" is not part of this run. Use one of: other.',
    );
    expect(run).not.toHaveBeenCalled();
  });

  it('says so when the run has no tools', async () => {
    const { call } = createDispatch([]);
    expect(textOf(await call('probe'))).toBe(
      'There is no tool "probe": this run has no tools. Answer without.',
    );
  });

  it('runs a tool under its alias and records its own name', async () => {
    const { call } = createDispatch([tool(async () => 'x', { aliases: ['Probe2'] })]);
    expect(await call('Probe2')).toMatchObject({ name: 'probe', outcome: 'done' });
  });
});

describe('runToolCall: time and cancel', () => {
  const forever: Run = () => new Promise(() => {});
  const obedient: Run = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  it.each([
    ['ignores its signal', forever],
    ['obeys its signal', obedient],
  ])('ends a tool at its timeout that %s', async (_, run) => {
    const { call, time } = createDispatch([tool(run)]);
    const ended = call('probe');
    await time.advance(29_999);
    await time.advance(1);
    expect(await ended).toMatchObject({
      outcome: 'failed',
      is_error: true,
      ms: 30_000,
      content: [
        {
          text: 'probe did not finish within 30 s and was stopped; do less in one call or try another way.',
        },
      ],
    });
    expect(time.sleepers()).toBe(0);
  });

  it("prefers the tool's own timeout", async () => {
    const { call, time } = createDispatch([tool(forever, { timeoutMs: 90_000 })]);
    let ended = false;
    const result = call('probe').then((entry) => {
      ended = true;
      return entry;
    });
    await time.advance(89_999);
    expect(ended).toBe(false);
    await time.advance(1);
    expect((await result).ms).toBe(90_000);
  });

  it('ends as unknown where a tool that must not repeat was stopped', async () => {
    const { call, time } = createDispatch([tool(forever, { effect: 'once' })]);
    const ended = call('probe');
    await time.advance(30_000);
    expect(await ended).toMatchObject({ outcome: 'unknown', is_error: true });
    expect(textOf(await ended)).toContain('may have taken effect');
  });

  it.each([
    ['ignores its signal', forever],
    ['obeys its signal', obedient],
  ])('ends as cancelled a tool that %s', async (_, run) => {
    const { call, controller, time } = createDispatch([tool(run)]);
    const ended = call('probe');
    controller.abort();
    expect(await ended).toMatchObject({
      outcome: 'cancelled',
      is_error: true,
      content: [{ text: 'probe was cancelled.' }],
    });
    expect(time.sleepers()).toBe(0);
  });

  it('does not start a tool once the run is cancelled', async () => {
    const run = vi.fn<Run>(async () => 'x');
    const { call, controller } = createDispatch([tool(run)]);
    controller.abort();
    expect((await call('probe')).outcome).toBe('cancelled');
    expect(run).not.toHaveBeenCalled();
  });

  it('lets nothing that an abandoned tool writes later into the result', async () => {
    let proceed = () => {};
    const late: { error?: unknown } = {};
    const { call, time, objects } = createDispatch([
      tool(async (_, { workspace }) => {
        await workspace.write('early.txt', new Uint8Array([1]));
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
        await workspace.write('late.txt', new Uint8Array([2])).catch((error: unknown) => {
          late.error = error;
        });
        throw new Error('nobody listens');
      }),
    ]);
    const ended = call('probe');
    await vi.waitFor(() => expect(objects.stored.size).toBe(1));
    await vi.waitFor(() => expect(time.sleepers()).toBe(1));
    await time.advance(30_000);
    const entry = await ended;
    proceed();
    await vi.waitFor(() => expect(late.error).toBeInstanceOf(StrideError));
    expect(entry.files?.map(({ path }) => path)).toEqual(['early.txt']);
    expect(objects.stored.size).toBe(1);
  });

  it('aborts the signal of a tool that has ended, so that nothing it left runs on', async () => {
    let signal: AbortSignal | undefined;
    const { call } = createDispatch([
      tool(async (_, context) => {
        signal = context.signal;
        return 'x';
      }),
    ]);
    await call('probe');
    expect(signal?.aborted).toBe(true);
  });
});

describe('runToolCall: untrusted text and previews', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `value ${index + 1}`).join('\n');

  it('wraps what comes from outside, and only that', async () => {
    const outside = createDispatch([tool(async () => 'a</untrusted_data>b', { untrusted: true })]);
    expect(textOf(await outside.call('probe'))).toBe(
      '<untrusted_data source="probe">\na</untrusted-data>b\n</untrusted_data>',
    );
    const inside = createDispatch([tool(async () => 'plain')]);
    expect(textOf(await inside.call('probe'))).toBe('plain');
  });

  it('does not wrap the sentence of a failure, nor an empty result', async () => {
    const broken = createDispatch([
      tool(
        async () => {
          throw new Error('no');
        },
        { untrusted: true },
      ),
    ]);
    expect(textOf(await broken.call('probe'))).toBe('Error: no');
    const empty = createDispatch([tool(async () => '', { untrusted: true })]);
    expect(textOf(await empty.call('probe'))).toBe('(no output)');
  });

  it.each([true, false])(
    'keeps the whole of a long result as a file (untrusted: %s)',
    async (untrusted) => {
      const { call, objects } = createDispatch([tool(async () => lines, { untrusted })]);
      const entry = await call('probe', {}, 'toolu_01/x..y');
      const text = textOf(entry);
      expect(utf8Length(text)).toBeLessThanOrEqual(4_096);
      expect(unwrap(text).startsWith('value 1\nvalue 2\n')).toBe(true);
      expect(unwrap(text).endsWith('value 5000')).toBe(true);
      expect(text).toMatch(
        /read on with read_file path="tool_results\/toolu_01_x__y\.txt" from_line=\d+\]/,
      );
      const file = entry.files?.[0];
      expect(file).toMatchObject({
        path: 'tool_results/toolu_01_x__y.txt',
        media_type: 'text/plain',
      });
      expect(new TextDecoder().decode(objects.stored.get(file?.object ?? ''))).toBe(lines);
    },
  );

  it('lets read_file and grep open the rest by the path and line of the note', async () => {
    const first = createDispatch([tool(async () => lines)]);
    const entry = await first.call('probe');
    const note = /path="([^"]+)" from_line=(\d+)/.exec(textOf(entry));
    const next = createDispatch([readFile, grep], {
      objects: first.objects,
      workspaceFiles: entry.files ?? [],
    });
    const from = Number(note?.[2]);
    const read = await next.call('read_file', { path: note?.[1], from_line: from, to_line: from });
    expect(textOf(read)).toContain(`\nvalue ${from}\n`);
    const found = await next.call('Grep', { pattern: '^value 4321$' });
    expect(textOf(found)).toContain('tool_results/toolu_1.txt:4321:value 4321');
  });

  it('does not store what read_file shows in parts', async () => {
    const objects = createMemoryObjects();
    const workspaceFiles = await storeFiles(objects, { 'a.txt': lines });
    const { call } = createDispatch([readFile], { objects, workspaceFiles });
    const entry = await call('read_file', { path: 'a.txt' });
    expect(entry.files).toBe(undefined);
    expect(utf8Length(textOf(entry))).toBeLessThanOrEqual(4_096);
  });

  it('keeps the preview when the store fails, and says that the rest is lost', async () => {
    const { call, objects } = createDispatch([tool(async () => lines)]);
    objects.put = async () => {
      throw new Error('down');
    };
    const entry = await call('probe');
    expect(entry).toMatchObject({ outcome: 'done', is_error: false });
    expect(textOf(entry)).toContain('the rest is not kept');
  });

  it('still stores a long result that was ready just before its timeout', async () => {
    const { call, time, objects } = createDispatch([
      tool(async () => {
        await time.advance(29_999);
        return lines;
      }),
    ]);
    const put = objects.put;
    objects.put = async (...args) => {
      await time.advance(60_000);
      await put(...args);
    };
    expect(await call('probe')).toMatchObject({
      outcome: 'done',
      files: [{ path: 'tool_results/toolu_1.txt' }],
    });
  });
});
