import { describe, expect, it } from 'vitest';
import { archiveKey } from '../../src/loop/deliver.ts';
import { createTestApp, errorOf, finished, replied, type TestApp, toolUse } from './helpers.ts';

async function getRun(app: TestApp, id: string) {
  return (await (await app.request(`/v1/runs/${id}`)).json()) as Record<string, unknown>;
}

/** As the archive delivery leaves it; then Redis lets go. */
async function archive(app: TestApp, id: string) {
  const entries = await app.store.entries(id, 1);
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  await app.objects.put(archiveKey('local', id), new TextEncoder().encode(lines));
  app.store.expire(id);
}

describe('GET /v1/runs/:id', () => {
  it('tells the whole run from its journal', async () => {
    const app = createTestApp();
    const id = await app.ask({ task_id: 't-1', metadata: { a: 'b' } });
    app.store.write(
      id,
      replied([toolUse('tu_1')]),
      {
        type: 'tool_finished',
        tool_use_id: 'tu_1',
        name: 'calc',
        outcome: 'done',
        content: [{ type: 'text', text: '4' }],
        is_error: false,
        files: [{ path: 'out/plot.png', object: 'o/local/x/y', bytes: 9, media_type: 'image/png' }],
        usage: {
          input_tokens: 7,
          output_tokens: 3,
          cache_creation_input_tokens: 2,
          cache_read_input_tokens: 0,
        },
        cost_micro_usd: 50,
        ms: 3,
      },
      replied([{ type: 'text', text: 'FINAL ANSWER: **4**', citations: null }], {
        stop_reason: 'end_turn',
      }),
    );
    app.clock.now += 5_000;
    app.store.write(id, finished({ sources: [{ title: 'T', url: 'https://t' }] }));
    app.store.setHead(id, { spentMicroUsd: 1_250, dead: 'archive' });
    expect(await getRun(app, id)).toEqual({
      id,
      status: 'succeeded',
      drive: 'queue',
      question: 'What is 2 + 2?',
      answer: '4',
      raw: '**4**',
      rule: 'marker',
      reason: 'answered',
      message: 'Answered.',
      explanation: 'Two and two are four.',
      evidence: [{ text: '4', tool_use_id: 'tu_1', place: 'line 1' }],
      sources: [{ title: 'T', url: 'https://t' }],
      model: null,
      turns: 2,
      tool_calls: 1,
      usage: {
        input_tokens: 207,
        output_tokens: 43,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 10,
      },
      cost_usd: 0.00125,
      limits: { turns: 10, tool_calls: 60, tokens: 1_000_000, usd: 1, seconds: 1800 },
      files: [{ path: 'out/plot.png', bytes: 9, media_type: 'image/png' }],
      waiting_for: null,
      cancel_requested: false,
      undelivered: ['archive'],
      task_id: 't-1',
      follows: null,
      metadata: { a: 'b' },
      created_at: '2026-11-30T12:00:00.000Z',
      finished_at: '2026-11-30T12:00:05.000Z',
    });
  });

  it.each([
    ['queued', {}, null],
    ['running', { leaseUntil: 1 }, null],
    ['queued', { leaseUntil: -1 }, null],
    ['waiting', { notBefore: 1 }, { approvals: [], until: '2026-11-30T12:00:00.001Z' }],
    ['running', { leaseUntil: 1, notBefore: 1 }, null],
    ['queued', { notBefore: -1 }, null],
  ])('derives the status %s from %j of the head', async (status, ahead, waitingFor) => {
    const app = createTestApp();
    const id = await app.ask();
    const moments = Object.entries(ahead).map(([name, ms]) => [name, app.clock.now + ms]);
    app.store.setHead(id, Object.fromEntries(moments));
    expect(await getRun(app, id)).toMatchObject({ status, waiting_for: waitingFor });
  });

  it('waits while a call needs a person, and says which and until when', async () => {
    const app = createTestApp();
    const id = await app.ask({ approvals: ['calc'] });
    const expiresAt = app.clock.now + 60_000;
    app.store.write(id, replied([toolUse('tu_1')]), {
      type: 'approval_requested',
      tool_use_id: 'tu_1',
      name: 'calc',
      expires_at: expiresAt,
    });
    const call = {
      tool_use_id: 'tu_1',
      name: 'calc',
      input: { expression: '2+2' },
      expires_at: '2026-11-30T12:01:00.000Z',
    };
    expect(await getRun(app, id)).toMatchObject({
      status: 'waiting',
      waiting_for: { approvals: [call], until: null },
    });
    app.store.setHead(id, { notBefore: expiresAt });
    expect(await getRun(app, id)).toMatchObject({
      status: 'waiting',
      waiting_for: { approvals: [call], until: '2026-11-30T12:01:00.000Z' },
    });
  });

  it('does not count a reply that was cut off as a turn', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.write(id, replied([], { stop_reason: 'max_tokens' }), replied([toolUse('tu_1')]));
    expect(await getRun(app, id)).toMatchObject({ turns: 1, tool_calls: 1 });
  });

  it('still tells what it can of a run whose journal is damaged', async () => {
    const app = createTestApp();
    const id = await app.ask();
    const orphan = {
      type: 'tool_started',
      tool_use_id: 'tu_9',
      name: 'calc',
      effect: 'once',
    } as const;
    app.store.write(id, orphan, finished({ status: 'failed', reason: 'unreadable', answer: null }));
    expect(await getRun(app, id)).toMatchObject({
      status: 'failed',
      reason: 'unreadable',
      question: 'What is 2 + 2?',
      turns: 0,
    });
  });

  it('is served from the archive once Redis has let the run go', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.write(id, replied([toolUse('tu_1')]), finished());
    app.store.setHead(id, { spentMicroUsd: 600 });
    const before = await getRun(app, id);
    await archive(app, id);
    expect(await getRun(app, id)).toEqual(before);
  });

  it.each([
    ['unknown', 'run_00000000000000000099'],
    ['no run’s id', 'abc'],
    ['a path', '..%2F..%2Fsecret0000000000'],
  ])('answers 404 for an id that is %s', async (_, id) => {
    const app = createTestApp();
    const response = await app.request(`/v1/runs/${id}`);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).code).toBe('not_found');
  });

  it('answers 404 for runs of another owner, on every route', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.setHead(id, { owner: 'somebody-else' });
    const requests: [string, string][] = [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
      ['GET', '/events?format=json'],
      ['POST', '/step'],
      ['POST', '/cancel'],
      ['GET', '/files'],
      ['GET', '/files/a.csv'],
      ['GET', '/export'],
    ];
    for (const [method, path] of requests) {
      expect((await app.request(`/v1/runs/${id}${path}`, { method })).status).toBe(404);
    }
    const verdict = await app.post(`/v1/runs/${id}/approvals/tu_1`, { decision: 'approve' });
    expect(verdict.status).toBe(404);
    expect(await app.store.entries(id, 1)).toHaveLength(1);
  });
});

describe('GET /v1/runs', () => {
  async function list(app: TestApp, query = '') {
    const response = await app.request(`/v1/runs${query}`);
    return (await response.json()) as { runs: { id: string }[]; next_cursor: string | null };
  }

  it('lists the newest first, page by page', async () => {
    const app = createTestApp();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await app.ask({ question: `q${i}` }));
    const first = await list(app, '?limit=2');
    expect(first.runs).toEqual([
      expect.objectContaining({ id: ids[0], status: 'queued', question: 'q4', cost_usd: 0 }),
      expect.objectContaining({ id: ids[1], question: 'q3' }),
    ]);
    const second = await list(app, `?limit=2&cursor=${first.next_cursor}`);
    const third = await list(app, `?limit=2&cursor=${second.next_cursor}`);
    expect([...second.runs, ...third.runs].map(({ id }) => id)).toEqual(ids.slice(2));
    expect(third.next_cursor).toBeNull();
  });

  it('filters by status over several pages of the list, and its cursor goes on exactly there', async () => {
    const app = createTestApp({ env: { MAX_ACTIVE_RUNS: '100', DAILY_USD: '1000' } });
    const failed: string[] = [];
    for (let i = 0; i < 12; i++) {
      const id = await app.ask();
      if (i % 4 === 0) {
        app.store.write(id, finished({ status: 'failed' }));
        failed.unshift(id);
      }
    }
    const first = await list(app, '?status=failed&limit=2');
    expect(first.runs.map(({ id }) => id)).toEqual(failed.slice(0, 2));
    const rest = await list(app, `?status=failed&limit=2&cursor=${first.next_cursor}`);
    expect(rest.runs.map(({ id }) => id)).toEqual(failed.slice(2));
  });

  it('leaves out runs of other owners and deleted ones', async () => {
    const app = createTestApp();
    const [mine, theirs, gone] = [await app.ask(), await app.ask(), await app.ask()];
    app.store.setHead(theirs, { owner: 'other' });
    await app.request(`/v1/runs/${gone}`, { method: 'DELETE' });
    expect((await list(app)).runs.map(({ id }) => id)).toEqual([mine]);
  });

  it.each([
    ['?limit=0', 'limit: must be a whole number from 1 to 100'],
    ['?limit=ten', 'limit: must be a whole number from 1 to 100'],
    ['?limit=101', 'limit: must be a whole number from 1 to 100'],
    [
      '?status=done',
      'status: expected one of "queued"|"running"|"waiting"|"succeeded"|"failed"|"cancelled"',
    ],
    ['?page=2', 'page: not a field of this request'],
    ['?cursor=zzz', 'cursor: must be the next_cursor of an earlier answer'],
    ['?cursor=', 'cursor: must be the next_cursor of an earlier answer'],
    ['?cursor=1.run_x%0A00000000000000000', 'cursor: must be the next_cursor of an earlier answer'],
    [
      '?cursor=one.run_00000000000000000001',
      'cursor: must be the next_cursor of an earlier answer',
    ],
  ])('refuses %s', async (query, message) => {
    const response = await createTestApp().request(`/v1/runs${query}`);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toBe(message);
  });
});

describe('DELETE /v1/runs/:id', () => {
  it('removes the run at once, its archive too, and has the rest purged', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.write(id, finished());
    await app.objects.put(archiveKey('local', id), new Uint8Array([1]));
    app.sent.length = 0;
    expect((await app.request(`/v1/runs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(app.sent).toEqual([id]);
    expect([...app.objects.stored.keys()]).toEqual([]);
    expect((await app.request(`/v1/runs/${id}`)).status).toBe(404);
    expect((await app.request(`/v1/runs/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('removes an archived run with everything it wrote', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.write(id, finished());
    await archive(app, id);
    await app.objects.put(`o/local/${id}/abc`, new Uint8Array([1]));
    await app.objects.put('o/local/run_other/abc', new Uint8Array([1]));
    expect((await app.request(`/v1/runs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect([...app.objects.stored.keys()]).toEqual(['o/local/run_other/abc']);
  });
});

describe('POST /v1/runs/:id/cancel', () => {
  it('notes the wish, wakes a worker and answers 202', async () => {
    const app = createTestApp();
    const id = await app.ask({ drive: 'client' });
    const response = await app.request(`/v1/runs/${id}/cancel`, { method: 'POST' });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ id, cancel_requested: true });
    expect((await app.store.entries(id, 2))[0]).toMatchObject({
      type: 'cancel_requested',
      by: 'local',
    });
    expect(app.sent).toEqual([id]);
  });

  it('notes the wish once, however often it is sent', async () => {
    const app = createTestApp();
    const id = await app.ask({ drive: 'client' });
    await app.request(`/v1/runs/${id}/cancel`, { method: 'POST' });
    for (let i = 0; i < 5; i++) {
      const again = await app.request(`/v1/runs/${id}/cancel`, { method: 'POST' });
      expect(again.status).toBe(200);
      expect(await again.json()).toMatchObject({ id, status: 'queued', cancel_requested: true });
    }
    expect(await app.store.entries(id, 1)).toHaveLength(2);
    expect(app.sent).toEqual([id]);
  });

  it('answers 200 with the run as it ended when it is too late', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.store.write(id, finished());
    const response = await app.request(`/v1/runs/${id}/cancel`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'succeeded', cancel_requested: false });
    expect(await app.store.entries(id, 1)).toHaveLength(2);
  });
});

describe('POST /v1/runs/:id/approvals/:tool_use_id', () => {
  async function waiting(fields: Record<string, unknown> = {}) {
    const app = createTestApp();
    const id = await app.ask({ approvals: ['calc'], ...fields });
    app.store.write(id, replied([toolUse('tu_1'), toolUse('tu_2')]), {
      type: 'approval_requested',
      tool_use_id: 'tu_1',
      name: 'calc',
      expires_at: app.clock.now + 60_000,
    });
    app.sent.length = 0;
    const decide = (decision: unknown, call = 'tu_1', more = {}) =>
      app.post(`/v1/runs/${id}/approvals/${call}`, { decision, ...more });
    return { app, id, decide };
  }

  it('adds the decision and wakes a worker', async () => {
    const { app, id, decide } = await waiting();
    const response = await decide('deny', 'tu_1', { note: 'too dear' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id, status: 'queued', waiting_for: null });
    expect((await app.store.entries(id, 1)).at(-1)).toMatchObject({
      type: 'approval_given',
      tool_use_id: 'tu_1',
      decision: 'deny',
      by: 'person',
      note: 'too dear',
    });
    expect(app.sent).toEqual([id]);
  });

  it('leaves a run that its client drives to the client', async () => {
    const { app, decide } = await waiting({ drive: 'client' });
    await decide('approve');
    expect(app.sent).toEqual([]);
  });

  it('changes nothing when the same decision comes again, but wakes a worker again', async () => {
    const { app, id, decide } = await waiting();
    await decide('approve');
    expect((await decide('approve')).status).toBe(200);
    expect(await app.store.entries(id, 1)).toHaveLength(4);
    expect(app.sent).toEqual([id, id]);
  });

  it('answers 409 to the opposite decision', async () => {
    const { app, id, decide } = await waiting();
    await decide('approve');
    const response = await decide('deny');
    expect(response.status).toBe(409);
    expect((await errorOf(response)).details).toEqual({ decision: 'approve' });
    expect(await app.store.entries(id, 1)).toHaveLength(4);
  });

  it('judges anew when the journal grew while it decided', async () => {
    const { app, id, decide } = await waiting();
    const { entries } = app.store;
    let grown = false;
    app.store.entries = async (...range) => {
      const read = await entries(...range);
      if (!grown) {
        grown = true;
        app.store.write(id, {
          type: 'approval_given',
          tool_use_id: 'tu_1',
          decision: 'deny',
          by: 'expiry',
        });
      }
      return read;
    };
    const response = await decide('approve');
    expect(response.status).toBe(409);
    expect((await entries(id, 1)).filter(({ type }) => type === 'approval_given')).toHaveLength(1);
  });

  it('gives up with 409 when the journal never stands still', async () => {
    const { app, decide } = await waiting();
    app.store.approve = async () => 'moved';
    const response = await decide('approve');
    expect(response.status).toBe(409);
    expect((await errorOf(response)).message).toContain('send the decision again');
  });

  it.each([['tu_2'], ['tu_9']])(
    'answers 404 for the call %s, which does not wait',
    async (call) => {
      const { decide } = await waiting();
      expect((await decide('approve', call)).status).toBe(404);
    },
  );

  it('answers 409 once the run has ended', async () => {
    const { app, id, decide } = await waiting();
    app.store.write(id, finished({ status: 'cancelled' }));
    expect((await decide('approve')).status).toBe(409);
  });

  it.each([[{ decision: 'yes' }], [{}], [{ decision: 'approve', by: 'boss' }]])(
    'refuses the body %j',
    async (body) => {
      const { app, id } = await waiting();
      expect((await app.post(`/v1/runs/${id}/approvals/tu_1`, body)).status).toBe(400);
    },
  );
});
