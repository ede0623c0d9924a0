import { hc } from 'hono/client';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AppType } from '../../src/app.ts';
import type { RunStatus } from '../../src/loop/summary.ts';
import { createTestApp, finished } from './helpers.ts';

describe('hc<AppType>', () => {
  it('is a typed client of the whole run: ask, list, read, cancel, delete', async () => {
    const app = createTestApp();
    const fetch = (input: RequestInfo | URL, init?: RequestInit) =>
      app.request(String(input), init);
    const client = hc<AppType>('http://localhost', { fetch });

    const asked = await client.v1.runs.$post({
      json: { question: 'What is 2 + 2?', limits: { turns: 3 }, drive: 'client' },
    });
    const run = await asked.json();
    expectTypeOf(run.status).toEqualTypeOf<RunStatus>();
    expectTypeOf(run.answer).toEqualTypeOf<string | null>();
    expect(asked.status).toBe(202);
    expect(run.limits?.turns).toBe(3);

    app.store.write(run.id, finished());
    const param = { id: run.id };
    const read = await (await client.v1.runs[':id'].$get({ param })).json();
    expect(read.answer).toBe('4');
    const list = await (await client.v1.runs.$get({ query: { limit: '5' } })).json();
    expect(list.runs.map(({ id }) => id)).toEqual([run.id]);
    expectTypeOf(list.next_cursor).toEqualTypeOf<string | null>();

    const events = await client.v1.runs[':id'].events.$get({ param, query: { format: 'json' } });
    expect(await events.json()).toMatchObject({ events: [{ seq: 1 }, { seq: 2 }] });
    const cancelled = await (await client.v1.runs[':id'].cancel.$post({ param })).json();
    expect(cancelled.status).toBe('succeeded');
    const tools = await (await client.v1.tools.$get({ query: {} })).json();
    expect(tools.tools.map(({ name }) => name)).toEqual(['calc', 'read_file']);
    expect((await client.v1.runs[':id'].$delete({ param })).status).toBe(204);

    // @ts-expect-error the question is required
    const refused = await client.v1.runs.$post({ json: {} });
    expect(refused.status).toBe(400);
  });
});
