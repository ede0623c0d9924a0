import { describe, expect, it } from 'vitest';
import { archiveKey } from '../../src/loop/deliver.ts';
import {
  createTestApp,
  errorOf,
  finished,
  readSse,
  replied,
  type TestApp,
  toolUse,
} from './helpers.ts';

const events = (app: TestApp, id: string, init: { after?: string; lastEventId?: string } = {}) =>
  app.request(`/v1/runs/${id}/events${init.after ? `?after=${init.after}` : ''}`, {
    headers: init.lastEventId ? { 'last-event-id': init.lastEventId } : {},
  });

async function ended(app: TestApp) {
  const id = await app.ask();
  app.store.write(id, replied([toolUse('tu_1')]), finished());
  return id;
}

describe('GET /v1/runs/:id/events', () => {
  it('sends each entry as an event whose id is its seq, and ends after run_finished', async () => {
    const app = createTestApp();
    const id = await ended(app);
    const response = await events(app, id);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const stream = await readSse(response);
    expect(stream.events.map(({ id: seq, event }) => [seq, event])).toEqual([
      ['1', 'run_started'],
      ['2', 'model_replied'],
      ['3', 'run_finished'],
    ]);
    expect(stream.events[2]?.data).toEqual({
      seq: 3,
      v: 1,
      at: app.clock.now,
      ...finished(),
    });
  });

  it('goes on after Last-Event-ID, which wins over ?after', async () => {
    const app = createTestApp();
    const id = await ended(app);
    const ids = async (init: { after?: string; lastEventId?: string }) =>
      (await readSse(await events(app, id, init))).events.map((event) => event.id);
    expect(await ids({ lastEventId: '1' })).toEqual(['2', '3']);
    expect(await ids({ after: '2' })).toEqual(['3']);
    expect(await ids({ after: '1', lastEventId: '2' })).toEqual(['3']);
    expect(await ids({ after: '0' })).toEqual(['1', '2', '3']);
  });

  it('tells a client that has everything not to come back', async () => {
    const app = createTestApp();
    const id = await ended(app);
    expect((await events(app, id, { lastEventId: '3' })).status).toBe(204);
  });

  it.each([['-1'], ['abc'], ['1.5']])('refuses Last-Event-ID %s', async (lastEventId) => {
    const app = createTestApp();
    const response = await events(app, await ended(app), { lastEventId });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toMatch(/^last-event-id: must be the id/);
  });

  it('sends entries as they are written', async () => {
    let asked = '';
    const app = createTestApp({
      onSleep: (_, { store, clock }) => {
        if (clock.slept.length === 2) store.write(asked, replied([toolUse('tu_1')]));
        if (clock.slept.length === 4) store.write(asked, finished());
      },
    });
    asked = await app.ask();
    const stream = await readSse(await events(app, asked));
    expect(stream.events.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('asks Redis at growing intervals, quickly again after news', async () => {
    let asked = '';
    const app = createTestApp({
      onSleep: (_, { store, clock }) => {
        if (clock.slept.length === 9) store.write(asked, replied([toolUse('tu_1')]));
        if (clock.slept.length === 11) store.write(asked, finished());
      },
    });
    asked = await app.ask();
    await readSse(await events(app, asked));
    const slept = app.clock.slept.map(Math.round);
    expect(slept.slice(0, 9)).toEqual([250, 375, 563, 844, 1266, 1898, 2848, 3000, 3000]);
    expect(slept.slice(9)).toEqual([250, 375]);
  });

  it('reads Redis a bounded number of times, speaks at least every 20 s and ends after ten minutes', async () => {
    const app = createTestApp();
    const id = await app.ask();
    const startedAt = app.clock.now;
    const before = { ...app.store.calls };
    const stream = await readSse(await events(app, id));
    expect(app.clock.now - startedAt).toBeLessThan(10 * 60_000 + 3_001);
    const reads = (name: string) => (app.store.calls[name] ?? 0) - (before[name] ?? 0);
    expect(reads('entries') + reads('head')).toBeLessThan(260);
    expect(stream.comments.length).toBeGreaterThan(30);
    expect(stream.events.map(({ event }) => event)).toEqual(['run_started']);
  });

  it('says so and ends when the run is deleted meanwhile', async () => {
    let asked = '';
    const app = createTestApp({
      onSleep: (_, { store, clock }) => {
        if (clock.slept.length === 3) void store.remove(asked);
      },
    });
    asked = await app.ask();
    const stream = await readSse(await events(app, asked));
    expect(stream.events.at(-1)).toMatchObject({
      event: 'error',
      data: { error: { code: 'not_found', message: 'The run was deleted.' } },
    });
    expect(app.clock.slept.length).toBeLessThan(12);
  });

  it('sends a failure as an event, without its inner text', async () => {
    const app = createTestApp({
      onSleep: (_, { store }) => {
        store.entries = () => Promise.reject(new Error('redis-7.internal refused'));
      },
    });
    const stream = await readSse(await events(app, await app.ask()));
    const last = stream.events.at(-1);
    expect(last).toMatchObject({ event: 'error', data: { error: { code: 'unavailable' } } });
    expect(JSON.stringify(last)).not.toContain('redis-7');
    expect(app.logged.map(({ event }) => event)).toContain('events_failed');
  });

  it('stops polling when the client goes away', async () => {
    const app = createTestApp();
    const response = await events(app, await app.ask());
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    const slept = app.clock.slept.length;
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(app.clock.slept.length).toBe(slept);
  });

  it('is a plain list with ?format=json', async () => {
    const app = createTestApp();
    const id = await ended(app);
    const response = await app.request(`/v1/runs/${id}/events?format=json&after=1`);
    const { events: list } = (await response.json()) as { events: { seq: number; type: string }[] };
    expect(list.map(({ seq, type }) => [seq, type])).toEqual([
      [2, 'model_replied'],
      [3, 'run_finished'],
    ]);
  });

  it('is served from the archive, too', async () => {
    const app = createTestApp();
    const id = await ended(app);
    const lines = (await app.store.entries(id, 1)).map((entry) => JSON.stringify(entry));
    await app.objects.put(
      archiveKey('local', id),
      new TextEncoder().encode(`${lines.join('\n')}\n`),
    );
    app.store.expire(id);
    const stream = await readSse(await events(app, id, { lastEventId: '1' }));
    expect(stream.events.map((event) => event.id)).toEqual(['2', '3']);
  });
});

describe('GET /v1/runs/:id/export', () => {
  it('is the journal, one entry a line, as a download', async () => {
    const app = createTestApp();
    const id = await ended(app);
    const response = await app.request(`/v1/runs/${id}/export`);
    expect(response.headers.get('content-disposition')).toContain(`filename="${id}.journal.jsonl"`);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await app.store.entries(id, 1));
  });
});
