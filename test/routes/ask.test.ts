import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/canonical-json.ts';
import { uniquePaths } from '../../src/routes/accept-run.ts';
import { createTestApp, errorOf, type TestApp } from './helpers.ts';

const nothingStored = (app: TestApp) => {
  expect(app.store.accepted).toEqual([]);
  expect(app.sent).toEqual([]);
};

async function upload(app: TestApp, name: string): Promise<string> {
  const init = { method: 'PUT', body: 'a,b\n1,2\n' };
  const response = await app.request(`/v1/files?name=${encodeURIComponent(name)}`, init);
  return ((await response.json()) as { id: string }).id;
}

describe('POST /v1/runs', () => {
  it('accepts a question, answers 202 with the run and hands it to the queue', async () => {
    const app = createTestApp();
    const response = await app.post('/v1/runs', { question: 'What is 2 + 2?' });
    expect(response.status).toBe(202);
    const run = (await response.json()) as Record<string, unknown>;
    expect(run).toMatchObject({
      status: 'queued',
      drive: 'queue',
      question: 'What is 2 + 2?',
      answer: null,
      turns: 0,
      cost_usd: 0,
      limits: { turns: 10, tool_calls: 60, tokens: 1_000_000, usd: 1, seconds: 1800 },
      created_at: '2026-11-30T12:00:00.000Z',
    });
    expect(response.headers.get('location')).toBe(`/v1/runs/${run.id}`);
    expect(app.sent).toEqual([run.id]);
  });

  it('stores what was chosen, reserves the run’s money and owes an archive', async () => {
    const app = createTestApp();
    await app.ask({
      limits: { usd: 0.25, turns: 3, web: 'open' },
      model: 'claude-opus-5-5',
      tools: ['Read', 'calc', 'read_file'],
      approvals: ['calc'],
      domain: 'auto',
      knowledge: 'off',
      task_id: 'level1-17',
      metadata: { course: 'stats' },
    });
    expect(app.store.accepted).toMatchObject([
      {
        owner: 'local',
        limitMicroUsd: 250_000,
        dayLimitMicroUsd: 20_000_000,
        maxActive: 20,
        dedupe: null,
        outbox: { archive: '' },
        entry: {
          type: 'run_started',
          source: 'api',
          owner: 'local',
          options: {
            model: 'claude-opus-5-5',
            tools: ['read_file', 'calc'],
            approvals: ['calc'],
            knowledge: 'off',
          },
          limits: {
            turns: 3,
            tool_calls: 60,
            tokens: 1_000_000,
            usd: 0.25,
            seconds: 1800,
            web: 'open',
          },
          task_id: 'level1-17',
          metadata: { course: 'stats' },
        },
      },
    ]);
  });

  it('owes the end of its sandbox from the start where there are sandboxes', async () => {
    const sandboxes = { obtain: () => Promise.reject(new Error('none')), killRun: async () => 0 };
    const app = createTestApp({ sandboxes });
    const id = await app.ask();
    expect(app.store.outboxOf(id)).toEqual({ archive: '', kill_sandbox: '' });
  });

  it('sends no message for a run that its client drives', async () => {
    const app = createTestApp();
    await app.ask({ drive: 'client' });
    expect(app.store.accepted[0]?.drive).toBe('client');
    expect(app.sent).toEqual([]);
  });

  it('accepts the run although the queue fails, because the sweep will find it', async () => {
    const queue = { send: () => Promise.reject(new Error('queue is down')) };
    const app = createTestApp({ overrides: { queue } });
    const response = await app.post('/v1/runs', { question: 'Still there?' });
    expect(response.status).toBe(202);
    expect(app.logged.map(({ event }) => event)).toContain('step_not_sent');
  });

  it('accepts a question of exactly 32,768 bytes', async () => {
    const app = createTestApp();
    const response = await app.post('/v1/runs', { question: `${'问'.repeat(10_922)}??` });
    expect(response.status).toBe(202);
  });

  const refused: [string, unknown, string, RegExp][] = [
    ['a missing question', {}, 'question', /^question: is required$/],
    ['a question that is no text', { question: 7 }, 'question', /expected string/],
    ['a blank question', { question: ' \n\t' }, 'question', /must not be blank/],
    [
      'a question of 33 KB',
      { question: 'x'.repeat(33 * 1024) },
      'question',
      /at most 32768 bytes in UTF-8, this one has 33792; send long text as a file/,
    ],
    [
      'a question of 33 KB in fewer characters',
      { question: '问'.repeat(11_264) },
      'question',
      /this one has 33792/,
    ],
    [
      '200 files',
      { question: 'q', file_ids: Array.from({ length: 200 }, (_, i) => `file_${i}`) },
      'file_ids',
      /must hold at most 20 files/,
    ],
    [
      'a file twice',
      { question: 'q', file_ids: ['file_a', 'file_a'] },
      'file_ids',
      /"file_a" is named twice/,
    ],
    [
      'an unknown field',
      { question: 'q', webhook: 'https://x' },
      'webhook',
      /^webhook: not a field/,
    ],
    ['an unknown limit', { question: 'q', limits: { eur: 1 } }, 'limits.eur', /not a field/],
    ['a limit of 0', { question: 'q', limits: { turns: 0 } }, 'limits.turns', />0/],
    ['half a turn', { question: 'q', limits: { turns: 1.5 } }, 'limits.turns', /expected int/],
    ['no money', { question: 'q', limits: { usd: 0 } }, 'limits.usd', />0/],
    [
      'more turns than the deployment allows',
      { question: 'q', limits: { turns: 11 } },
      'limits.turns',
      /must be at most 10 in this deployment/,
    ],
    [
      'an unknown tool',
      { question: 'q', tools: ['calc', 'teleport'] },
      'tools',
      /no tool "teleport"; available are calc, read_file$/,
    ],
    [
      'a name that every object has',
      { question: 'q', tools: ['constructor'] },
      'tools',
      /no tool "constructor"/,
    ],
    [
      'a tool that is left out',
      { question: 'q', tools: ['execute_python'] },
      'tools',
      /"execute_python" is left out of this deployment: .*E2B_API_KEY/,
    ],
    [
      'approval of an unknown tool',
      { question: 'q', approvals: ['x'] },
      'approvals',
      /no tool "x"/,
    ],
    ['an unknown domain', { question: 'q', domain: 'law' }, 'domain', /available are auto/],
    [
      'knowledge without an index',
      { question: 'q', knowledge: 'on' },
      'knowledge',
      /no knowledge index/,
    ],
    ['a wrong word', { question: 'q', drive: 'myself' }, 'drive', /"queue"\|"client"/],
    [
      'metadata that is no text',
      { question: 'q', metadata: { a: 1 } },
      'metadata.a',
      /expected string/,
    ],
    [
      'too much metadata',
      {
        question: 'q',
        metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])),
      },
      'metadata',
      /at most 16 fields/,
    ],
    [
      'a model with a line break',
      { question: 'q', model: 'a\nb' },
      'model',
      /must be a model name/,
    ],
    ['a list', [], 'body', /expected object/],
    ['null', null, 'body', /expected object/],
  ];
  it.each(refused)(
    'refuses %s with 400, names the field and stores nothing',
    async (_, body, field, message) => {
      const app = createTestApp();
      const response = await app.post('/v1/runs', body);
      expect(response.status).toBe(400);
      const error = await errorOf(response);
      expect(error.code).toBe('invalid_input');
      expect(error.message).toMatch(message);
      expect(error.details?.fields).toEqual(
        expect.arrayContaining([expect.objectContaining({ field })]),
      );
      nothingStored(app);
    },
  );

  it('tells several faults at once', async () => {
    const app = createTestApp();
    const error = await errorOf(await app.post('/v1/runs', { tools: 'calc', colour: 'red' }));
    expect(error.message).toBe(
      'question: is required; tools: expected array, received string; colour: not a field of this request',
    );
  });

  it.each([
    ['cut off', '{"question": "wh'],
    ['empty', ''],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('refuses a body that is %s', async (_, body) => {
    const app = createTestApp();
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/v1/runs', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toBe('body: expected JSON in UTF-8');
    nothingStored(app);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], [''], ['application/jsonx']])(
    'refuses content-type %j, which another site’s form could send',
    async (type) => {
      const app = createTestApp();
      const response = await app.post('/v1/runs', { question: 'q' }, { 'content-type': type });
      expect(response.status).toBe(400);
      expect((await errorOf(response)).message).toBe('content-type: expected application/json');
      nothingStored(app);
    },
  );

  it('stops reading a body above 256 KB and answers 413', async () => {
    const app = createTestApp();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const response = await app.request('/v1/runs', init);
    expect(response.status).toBe(413);
    expect((await errorOf(response)).message).toBe(
      'The body is larger than 262144 bytes; send a smaller one.',
    );
    expect(pulled).toBeLessThan(10);
    nothingStored(app);
  });

  it('answers 503 and stores nothing while no model is configured', async () => {
    const app = createTestApp({ env: { ANTHROPIC_API_KEY: '' } });
    const response = await app.post('/v1/runs', { question: 'q' });
    expect(response.status).toBe(503);
    expect((await errorOf(response)).message).toContain('ANTHROPIC_API_KEY');
    nothingStored(app);
  });

  it('answers 402 with the sums when the day’s budget is spent', async () => {
    const app = createTestApp({ env: { DAILY_USD: '1.5', MAX_USD: '1' } });
    await app.ask();
    const response = await app.post('/v1/runs', { question: 'again' });
    expect(response.status).toBe(402);
    const error = await errorOf(response);
    expect(error.code).toBe('budget_spent');
    expect(error.message).toMatch(/DAILY_USD, UTC\) is 1.5 USD, of which 1 .* up to 1\./);
    expect(error.details).toEqual({
      setting: 'DAILY_USD',
      reserved_usd: 1,
      limit_usd: 1.5,
      asked_usd: 1,
    });
    expect((await app.post('/v1/runs', { question: 'less', limits: { usd: 0.5 } })).status).toBe(
      202,
    );
  });

  it('answers 429 when too many runs are unfinished', async () => {
    const app = createTestApp({ env: { MAX_ACTIVE_RUNS: '1' } });
    await app.ask();
    const response = await app.post('/v1/runs', { question: 'again' });
    expect(response.status).toBe(429);
    expect(await errorOf(response)).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('MAX_ACTIVE_RUNS'),
      details: { setting: 'MAX_ACTIVE_RUNS', active: 1, limit: 1 },
    });
  });
});

describe('POST /v1/runs with an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'order 66' };

  it('answers 200 with the same run when the request comes again, whatever the order of fields', async () => {
    const app = createTestApp();
    const first = await app.post(
      '/v1/runs',
      '{"question": "q", "limits": {"usd": 0.5, "turns": 2}}',
      key,
    );
    const again = await app.post(
      '/v1/runs',
      '{"limits": {"turns": 2, "usd": 0.50}, "question": "q"}',
      key,
    );
    expect([first.status, again.status]).toEqual([202, 200]);
    expect(await again.json()).toEqual(await first.json());
    expect(app.store.accepted).toHaveLength(1);
    expect(app.store.accepted[0]?.dedupe).toMatchObject({
      key: 'idem:local:order 66',
      ttlSeconds: 172_800,
    });
    // A message is a hint: the repeat sends one more, in case the first request ended before its own.
    expect(new Set(app.sent).size).toBe(1);
  });

  it('answers 409 and names the run when the body differs', async () => {
    const app = createTestApp();
    const first = await app.post('/v1/runs', { question: 'q' }, key);
    const other = await app.post('/v1/runs', { question: 'r' }, key);
    expect(other.status).toBe(409);
    const { id } = (await first.json()) as { id: string };
    expect(await errorOf(other)).toMatchObject({ code: 'conflict', details: { id } });
    expect(app.store.accepted).toHaveLength(1);
  });

  it('answers 404 when that run was deleted since', async () => {
    const app = createTestApp();
    const { id } = (await (await app.post('/v1/runs', { question: 'q' }, key)).json()) as {
      id: string;
    };
    await app.request(`/v1/runs/${id}`, { method: 'DELETE' });
    expect((await app.post('/v1/runs', { question: 'q' }, key)).status).toBe(404);
  });

  it.each([['x'.repeat(256)], ['schlüssel'], ['']])('refuses the key %j', async (value) => {
    const app = createTestApp();
    const response = await app.post('/v1/runs', { question: 'q' }, { 'idempotency-key': value });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toMatch(
      /^idempotency-key: must be 1 to 255 printable/,
    );
    nothingStored(app);
  });
});

describe('POST /v1/runs with files', () => {
  it.each([
    ['question', { question: 'What is \ud800?' }],
    ['question', { question: '\udc00' }],
    ['metadata.note', { question: 'q', metadata: { note: 'a\udfff' } }],
    ['metadata.a\ufffd', { question: 'q', metadata: { 'a\ud800': 'x' } }],
    ['task_id', { question: 'q', task_id: '\ud83d' }],
    ['tools.1', { question: 'q', tools: ['calc', '\ud83d'] }],
  ])('refuses half of a surrogate pair in %s, which no UTF-8 can hold', async (field, body) => {
    const app = createTestApp();
    const response = await app.post('/v1/runs', body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details).toEqual({
      fields: [{ field, message: 'holds half of a surrogate pair; send well-formed Unicode' }],
    });
    nothingStored(app);
  });

  it('takes whole surrogate pairs', async () => {
    const app = createTestApp();
    await app.ask({ question: 'What is 😀?', metadata: { '😀': '𝄞' } });
    expect(app.store.accepted[0]?.entry.question).toBe('What is 😀?');
  });

  it('gives a file that is named like another one’s folder another name', async () => {
    const app = createTestApp();
    const ids = [await upload(app, 'a.txt'), await upload(app, 'a.txt/b')];
    await app.ask({ file_ids: ids });
    expect(app.store.accepted[0]?.entry.files.map(({ path }) => path)).toEqual([
      'a (2).txt',
      'a.txt/b',
    ]);
  });

  it('refers to the uploads, under names made unique', async () => {
    const app = createTestApp();
    const ids = [await upload(app, 'report.csv'), await upload(app, 'report.csv')];
    await app.ask({ file_ids: ids });
    expect(app.store.accepted[0]?.entry.files).toEqual([
      { path: 'report.csv', object: `u/local/${ids[0]}`, bytes: 8, media_type: 'text/csv' },
      { path: 'report (2).csv', object: `u/local/${ids[1]}`, bytes: 8, media_type: 'text/csv' },
    ]);
  });

  it('refuses files of another owner as if they were not there', async () => {
    const app = createTestApp();
    const file = {
      id: 'file_of_somebody_else_000',
      owner: 'other',
      name: 'a.csv',
      bytes: 1,
      mediaType: 'text/csv',
      object: 'u/other/a',
      createdAt: 0,
    };
    await app.store.saveFile(file);
    const response = await app.post('/v1/runs', { question: 'q', file_ids: [file.id] });
    const unknown = await app.post('/v1/runs', { question: 'q', file_ids: ['file_x'] });
    expect([response.status, unknown.status]).toEqual([404, 404]);
    const message = 'file_ids.0: there is no file "file_of_somebody_else_000"';
    const field = { field: 'file_ids.0', message: 'there is no file "file_of_somebody_else_000"' };
    expect(await errorOf(response)).toMatchObject({
      code: 'not_found',
      message,
      details: { fields: [field] },
    });
    nothingStored(app);
  });
});

describe('uniquePaths', () => {
  it.each([
    [
      ['a.csv', 'b.csv'],
      ['a.csv', 'b.csv'],
    ],
    [
      ['a.csv', 'a.csv', 'a.csv'],
      ['a.csv', 'a (2).csv', 'a (3).csv'],
    ],
    [
      ['x/a.csv', 'y/a.csv'],
      ['x/a.csv', 'y/a.csv'],
    ],
    [
      ['a.csv', 'a.csv', 'a (2).csv'],
      ['a.csv', 'a (3).csv', 'a (2).csv'],
    ],
    [
      ['data', 'data/a.csv'],
      ['data (2)', 'data/a.csv'],
    ],
    [
      ['v1.0/notes', 'v1.0/notes'],
      ['v1.0/notes', 'v1.0/notes (2)'],
    ],
    [
      ['.env', '.env'],
      ['.env', '.env (2)'],
    ],
    [
      ['报告.xlsx', '报告.xlsx'],
      ['报告.xlsx', '报告 (2).xlsx'],
    ],
  ])('turns %j into %j', (names, paths) => {
    expect(uniquePaths(names)).toEqual(paths);
  });
});

describe('uniquePaths for long names', () => {
  it('shortens a name that the number would make too long to be a path', () => {
    const name = `${'问'.repeat(83)}.csv`;
    const [first, second] = uniquePaths([name, name]);
    expect(first).toBe(name);
    expect(second).toBe(`${'问'.repeat(82)} (2).csv`);
  });
});

describe('canonicalJson', () => {
  it('gives equal values equal text', () => {
    const text = canonicalJson({ b: [{ d: 1, c: null }], a: 'ä"', x: undefined });
    expect(text).toBe('{"a":"ä\\"","b":[{"c":null,"d":1}]}');
    expect(JSON.parse(text)).toEqual({ a: 'ä"', b: [{ c: null, d: 1 }] });
  });
});
