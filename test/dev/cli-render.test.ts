import { describe, expect, it } from 'vitest';
import { createPaint } from '../../dev/cli/paint.ts';
import { createRenderer } from '../../dev/cli/render.ts';
import type { Draft } from '../../src/loop/journal.ts';
import { stamp } from '../../src/loop/journal.ts';
import type { RunSummary } from '../../src/loop/summary.ts';
import { wrap } from '../../src/tools/untrusted.ts';

/** The service's clock is a year off: only differences may matter. */
const SERVER_AT = Date.UTC(2027, 0, 1);
const NOW = Date.UTC(2026, 0, 1, 12);

function createView(columns = 100) {
  const renderer = createRenderer({
    paint: createPaint(false),
    columns: () => columns,
    runId: 'run_1',
    url: 'http://127.0.0.1:1',
  });
  return { ...renderer, show: (draft: Draft) => renderer.entry(stamp(draft, SERVER_AT), NOW) };
}

const usage = {
  input_tokens: 1_200,
  output_tokens: 56,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: 34,
};

function reply(content: unknown[], more: Partial<Draft> = {}): Draft {
  return {
    type: 'model_replied',
    purpose: 'turn',
    content,
    stop_reason: 'tool_use',
    model: 'm',
    usage,
    cost_micro_usd: 4_210,
    ms: 1_250,
    ...more,
  } as Draft;
}

const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });

function result(text: string, more: Partial<Draft> = {}): Draft {
  return {
    type: 'tool_finished',
    tool_use_id: 't1',
    name: 'execute_python',
    outcome: 'done',
    content: [{ type: 'text', text }],
    is_error: false,
    ms: 400,
    ...more,
  } as Draft;
}

const started: Draft = {
  type: 'run_started',
  question: 'q',
  files: [{ path: 'a.csv', object: 'u/1', bytes: 1, media_type: 'text/csv' }],
  options: {},
  limits: { turns: 10, tool_calls: 60, tokens: 1, usd: 1, seconds: 1 },
  source: 'api',
  owner: 'local',
};

describe('entry', () => {
  it('says what was accepted', () => {
    const view = createView();
    expect(view.show(started)).toEqual(['● accepted run_1 · 1 file: a.csv']);
    expect(view.show({ ...started, files: [], follows: 'run_0' } as Draft)).toEqual([
      '● accepted run_1 · follows run_0',
    ]);
  });

  it('says model, number of tools, and what was left out and why', () => {
    const prepared: Draft = {
      type: 'run_prepared',
      prompt: 'sha',
      prompt_bytes: 3,
      user_suffix: '',
      model: 'm',
      window: 1,
      prices: { input: 0, output: 0, cache_write: 0, cache_read: 0, known: true },
      tools: ['calc', 'grep'],
      left_out: [{ name: 'execute_python', reason: 'E2B_API_KEY is not set' }],
      approvals: [],
      domain: null,
      knowledge: { outcome: 'off' },
    };
    expect(createView().show(prepared)).toEqual([
      '● prepared model m · 2 tools',
      '  left out: execute_python (E2B_API_KEY is not set)',
    ]);
  });

  it('shows a reply with tokens (cached ones too), cost, text and calls in short', () => {
    const content = [
      { type: 'thinking', thinking: 'secret musing', signature: 's' },
      { type: 'text', text: 'Let me\ncount.' },
      call('t1', 'read_file', { path: 'a.csv', lines: [1, 2] }),
    ];
    expect(createView().show(reply(content))).toEqual([
      '● model 1.3 s · 1,234 in + 56 out tokens · 0.0042 USD',
      '  Let me count.',
      '  → read_file path: a.csv, lines: [1,2]',
    ]);
  });

  it('shows neither text nor calls of a reply that was cut off', () => {
    const cut = reply([call('t1', 'calc', {})], { stop_reason: 'max_tokens' });
    const lines = createView().show(cut);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('cut off, asked again');
  });

  it('shows a result without its wrapper, with time and files', () => {
    const files = [{ path: 'plot.png', object: 'o', bytes: 12_345, media_type: 'image/png' }];
    expect(createView().show(result(wrap('12\n34', 'python'), { files }))).toEqual([
      '  ← execute_python 400 ms  12 34',
      '    wrote plot.png 12.3 kB',
    ]);
  });

  it.each([
    [{ is_error: true }, '  ✗ execute_python 400 ms · error  no such column'],
    [{ outcome: 'unknown' as const }, '  ✗ execute_python 400 ms · unknown  no such column'],
    [{ outcome: 'denied' as const }, '  ✗ execute_python 400 ms · denied  no such column'],
  ])('marks a call that went wrong: %j', (more, line) => {
    expect(createView().show(result('no such column', more))).toEqual([line]);
  });

  it('keeps lines within the terminal and free of control characters', () => {
    const view = createView(60);
    const nasty = '\u001b[31m'.repeat(500);
    const shown = [
      ...view.show(reply([{ type: 'text', text: nasty }, call('t', nasty, { code: nasty })])),
      ...view.show(result(nasty, { name: nasty })),
    ];
    expect(shown.join('')).not.toMatch(/\p{Cc}/u);
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('asks for an approval with the command that gives it', () => {
    const lines = createView().show({
      type: 'approval_requested',
      tool_use_id: 'toolu/1',
      name: 'mcp__mail__send',
      expires_at: SERVER_AT + 3_600_000,
    });
    expect(lines[0]).toMatch(/\? mcp__mail__send waits for your approval, until \d\d:00:00:/);
    expect(lines[1]).toContain('http://127.0.0.1:1/v1/runs/run_1/approvals/toolu%2F1 ');
  });
});

describe('status', () => {
  const failure = (retryAt: number | null): Draft => ({
    type: 'attempt_failed',
    purpose: 'turn',
    kind: 'rate_limited',
    message: 'too many requests',
    retry_at: retryAt,
    counted: true,
  });

  it('counts down a back-off by the difference of the two clocks', () => {
    const view = createView();
    const lines = view.show(failure(SERVER_AT + 20_000));
    expect(lines[0]).toMatch(
      /model call failed, rate limited: too many requests; again in 20\.0 s/,
    );
    expect(view.status(NOW)).toBe('rate limited, again in 20 s');
    expect(view.status(NOW + 15_500)).toBe('rate limited, again in 5 s');
    expect(view.status(NOW + 60_000)).toBe('rate limited, again in 0 s');
  });

  it('says that a failure is final', () => {
    const view = createView();
    expect(view.show(failure(null))[0]).toBe(
      '  ✗ model call failed, rate limited: too many requests',
    );
    expect(view.status(NOW)).toBe('closing the run 0 s');
  });

  it('names the calls that run, then the model, then nothing', () => {
    const view = createView();
    expect(view.status(NOW)).toBeNull();
    view.show(started);
    expect(view.status(NOW + 2_000)).toBe('waiting for a worker 2 s');
    view.show(reply([call('t1', 'calc', {}), call('t2', 'grep', {})]));
    expect(view.status(NOW)).toBe('running calc, grep 0 s');
    view.show(result('1'));
    expect(view.status(NOW)).toBe('running grep 0 s');
    view.show(result('1', { tool_use_id: 't2' }));
    expect(view.status(NOW + 90_000)).toBe('the model is working 1 min 30 s');
    view.show({
      type: 'run_finished',
      status: 'succeeded',
      reason: 'answered',
      message: '',
      raw: '1',
      answer: '1',
      rule: null,
      explanation: null,
      evidence: [],
      sources: [],
    });
    expect(view.status(NOW)).toBeNull();
  });
});

describe('finish', () => {
  const run = {
    id: 'run_1',
    status: 'succeeded',
    answer: '12345.67',
    explanation: 'I added the column.',
    reason: 'answered',
    message: 'Answered.',
    evidence: [] as RunSummary['evidence'],
    sources: [{ title: 'Page', url: 'https://example.org/' }],
    model: 'm',
    turns: 2,
    tool_calls: 1,
    cost_usd: 0.0042,
  } as RunSummary;
  const lines = (more: Partial<RunSummary>) => createView().finish({ ...run, ...more }, 3_100);

  it('puts the explanation first, the answer apart, and what it took last', () => {
    expect(lines({})).toEqual([
      '',
      'I added the column.',
      '',
      'Answer: 12345.67',
      '',
      'source Page https://example.org/',
      'm · 2 turns · 1 tool call · 0.0042 USD · 3.1 s · run_1',
    ]);
  });

  it('keeps the layout of an answer of several lines', () => {
    expect(lines({ answer: 'a\n  b' })).toEqual(expect.arrayContaining(['Answer:', 'a\n  b']));
  });

  it('shows where each part of the answer stands, a few of them', () => {
    const seen = { text: '42', tool_use_id: 't1', place: 'line 3: total 42' };
    const own = { text: 'Rome', tool_use_id: null, place: 'model_only' };
    const found = lines({ evidence: [seen, own] });
    expect(found).toContain('  42 ← t1, line 3: total 42');
    expect(found).toContain('  Rome ← the model alone');
    expect(lines({ evidence: Array(9).fill(own) })).toContain('  and 3 more');
  });

  it('says why there is no answer', () => {
    const failed = { status: 'failed', answer: null, explanation: null } as const;
    expect(lines({ ...failed, message: 'Turns are spent.' })).toContain(
      'No answer: Turns are spent.',
    );
    expect(lines({ ...failed, message: null, reason: null })).toContain(
      'No answer: the run gave no reason',
    );
    expect(lines({ ...failed, status: 'cancelled', message: 'By you.' })).toContain(
      'Cancelled: By you.',
    );
  });

  it('lets no control character of an answer through', () => {
    expect(lines({ answer: '\u001b[2J42', explanation: '\u009b1m' }).join('\n')).not.toMatch(
      /[^\P{Cc}\n]/u,
    );
  });
});
