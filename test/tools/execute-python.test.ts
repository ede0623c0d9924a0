import { describe, expect, it } from 'vitest';
import type { PythonCall, PythonOutcome, ToolContext, ToolOutput } from '../../src/tools/define.ts';
import { executePython, executePythonWith } from '../../src/tools/execute-python.ts';
import { buildDefaultRegistry } from '../../src/tools/registry.ts';
import { emptyOutcome } from '../../src/tools/sandbox-record.ts';
import { memoryWorkspace } from './e2b-fixture.ts';

async function run(outcome: PythonOutcome | null, input: unknown = { code: '1' }) {
  const calls: PythonCall[] = [];
  const context: ToolContext = {
    runId: 'run_1',
    toolUseId: 'toolu_1',
    idempotencyKey: 'run_1:toolu_1',
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    previewBytes: 32_768,
    resumed: false,
    fetch: () => Promise.reject(new Error('no network in this test')),
    now: () => 0,
    workspace: memoryWorkspace(),
    ...(outcome
      ? {
          sandbox: {
            execute: async (call: PythonCall) => {
              calls.push(call);
              return outcome;
            },
          },
        }
      : {}),
  };
  const parsed = executePython.parse(input);
  if (!parsed.success) throw parsed.error;
  return { output: (await executePython.run(parsed.data, context)) as ToolOutput, calls };
}

describe('executePython', () => {
  it('gives output, result, files and notes in plain lines', async () => {
    const file = { path: 'out.csv', object: 'o/1', bytes: 12, media_type: 'text/csv' };
    const outcome = emptyOutcome('done', {
      output: 'a\nb\n',
      stdout: 'a\n',
      stderr: 'b\n',
      result: '42',
      files: [file],
      notes: ['Something.'],
    });
    const { output } = await run(outcome);
    expect(output).toEqual({
      content: 'a\nb\nResult: 42\nFiles written: out.csv (12 bytes)\nNote: Something.',
      isError: false,
      data: {
        output: 'a\nb\n',
        stdout: 'a\n',
        stderr: 'b\n',
        result: '42',
        error: null,
        files: [file],
      },
    });
  });

  it('shows the traceback once, below what was printed', async () => {
    const error = {
      name: 'KeyError',
      message: "'x'",
      traceback: "Traceback\n  line 1\nKeyError: 'x'\n",
    };
    const { output } = await run(emptyOutcome('error', { output: 'p\n', error }));
    expect(output.content).toBe("p\nTraceback\n  line 1\nKeyError: 'x'");
    expect(output.isError).toBe(true);
  });

  it('adds the message where Python gives none, and stands without a traceback', async () => {
    const memory = {
      name: 'MemoryError',
      message: 'not enough',
      traceback: 'Traceback\nMemoryError\n',
    };
    expect((await run(emptyOutcome('error', { error: memory }))).output.content).toBe(
      'Traceback\nMemoryError: not enough',
    );
    const bare = { name: 'InstallError', message: 'pip failed.', traceback: '' };
    expect((await run(emptyOutcome('error', { error: bare }))).output.content).toBe(
      'InstallError: pip failed.',
    );
  });

  it('says so when nothing was printed', async () => {
    expect((await run(emptyOutcome('done'))).output.content).toBe(
      'The code ran and printed nothing. Print the values you need.',
    );
  });

  it.each(['timeout', 'unknown', 'error'] as const)('marks %s as an error', async (status) => {
    expect((await run(emptyOutcome(status, { notes: ['n'] }))).output.isError).toBe(true);
  });

  it('passes code, requirements and a time that leaves room for the rest', async () => {
    const { calls } = await run(emptyOutcome('done'), { code: 'x', requirements: ['numpy'] });
    expect(calls[0]).toMatchObject({
      toolUseId: 'toolu_1',
      code: 'x',
      requirements: ['numpy'],
      timeoutMs: 30_000,
      resumed: false,
    });
  });

  it('answers plainly where no sandbox is there', async () => {
    const { output } = await run(null);
    expect(output).toMatchObject({
      isError: true,
      content: expect.stringContaining('answer without running code'),
    });
  });

  it('declares what dispatch needs to know', () => {
    expect(executePython).toMatchObject({
      name: 'execute_python',
      aliases: ['run_python', 'python'],
      effect: 'sandbox',
      untrusted: true,
      needs: 'sandbox',
    });
    expect(executePython.fieldAliases).toMatchObject({ script: 'code', python_code: 'code' });
    expect(executePython.inputSchema).toMatchObject({ type: 'object', required: ['code'] });
  });

  it('refuses an empty code', () => {
    expect(executePython.parse({ code: '' }).success).toBe(false);
  });
});

describe('executePythonWith', () => {
  it('tells the model what packages this Python has, and changes nothing else', () => {
    const note = 'Only the standard library is there.';
    const tool = executePythonWith(note);
    expect(tool.description).toContain(` ${note} No internet access. `);
    expect(tool.description).not.toContain('pandas');
    expect({ ...tool, description: '' }).toEqual({ ...executePython, description: '' });
    const registry = buildDefaultRegistry({ pythonNote: note });
    expect(registry.get('execute_python')?.description).toBe(tool.description);
    expect(buildDefaultRegistry().get('python')?.description).toContain('pandas, numpy');
  });
});
