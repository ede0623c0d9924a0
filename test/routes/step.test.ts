import { describe, expect, it } from 'vitest';
import { stamp } from '../../src/loop/journal.ts';
import type { DriveStep } from '../../src/routes/step.ts';
import { createTestApp, errorOf, finished, readSse, replied, type TestApp } from './helpers.ts';

const SSE = { headers: { accept: 'text/event-stream' }, method: 'POST' };
const reply = replied([{ type: 'text', text: '4', citations: null }], { stop_reason: 'end_turn' });

/** A step that writes a reply and the end, telling what it does on the way. */
const wholeStep: DriveStep = async (id, { deps, onEntry, onText }) => {
  const store = deps.store as TestApp['store'];
  const entries = [reply, finished()].map((draft, i) => {
    store.write(id, draft);
    return { seq: i + 2, entry: stamp(draft, deps.clock.now()) };
  });
  onText?.('fo');
  onText?.('ur\n\ndata: x');
  for (const { seq, entry } of entries) onEntry?.(seq, entry);
  return { kind: 'stepped', entries };
};

async function stepped(driveStep: DriveStep, init: RequestInit = { method: 'POST' }) {
  const app = createTestApp({ driveStep });
  const id = await app.ask({ drive: 'client' });
  const response = await app.request(`/v1/runs/${id}/step`, init);
  return { app, id, response };
}

describe('POST /v1/runs/:id/step', () => {
  it('answers with the run and what the step wrote', async () => {
    const { app, id, response } = await stepped(wholeStep);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      run: { id, status: 'succeeded', answer: '4' },
      events: [
        { seq: 2, v: 1, at: app.clock.now, type: 'model_replied' },
        { seq: 3, type: 'run_finished' },
      ],
    });
  });

  it.each([
    ['busy', 'Another worker holds this run'],
    ['waiting', 'The run waits'],
  ] as const)('answers 409 and when to come back while the run is %s', async (kind, message) => {
    const { response } = await stepped(async () => ({ kind, retryAfterMs: 1234.5 }));
    expect(response.status).toBe(409);
    expect(response.headers.get('retry-after')).toBe('2');
    const error = await errorOf(response);
    expect(error).toMatchObject({
      code: 'conflict',
      details: { retry_after_ms: 1235, because: kind },
    });
    expect(error.message).toContain(message);
  });

  it('answers 202 when only the queue may take the step', async () => {
    const { id, response } = await stepped(async () => ({ kind: 'queued' }));
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ run: { id }, driven_by: 'queue' });
  });

  it('answers with no events when there is nothing to do', async () => {
    const { response } = await stepped(async () => ({ kind: 'nothing' }));
    expect(await response.json()).toMatchObject({ run: { status: 'queued' }, events: [] });
  });

  it('answers 404 when the run went away meanwhile', async () => {
    const { response } = await stepped(async () => ({ kind: 'gone' }));
    expect(response.status).toBe(404);
  });

  it('passes the client’s disconnect on to the step', async () => {
    const client = new AbortController();
    let seen: AbortSignal | null = null;
    const driveStep: DriveStep = async (_, { signal }) => {
      seen = signal;
      return { kind: 'nothing' };
    };
    await stepped(driveStep, { method: 'POST', signal: client.signal });
    expect(seen).toMatchObject({ aborted: false });
    client.abort();
    expect(seen).toMatchObject({ aborted: true });
  });
});

describe('POST /v1/runs/:id/step as a stream', () => {
  it('sends live text, the entries as they are written, and the run at the end', async () => {
    const { response, id } = await stepped(wholeStep, SSE);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const { events } = await readSse(response);
    expect(events.map((event) => [event.id, event.event])).toEqual([
      [null, 'text'],
      [null, 'text'],
      ['2', 'model_replied'],
      ['3', 'run_finished'],
      [null, 'run'],
    ]);
    expect(events[1]?.data).toEqual({ text: 'ur\n\ndata: x' });
    expect(events[4]?.data).toMatchObject({ run: { id, status: 'succeeded' } });
  });

  it('answers 409, not a stream, when another holds the run', async () => {
    const { response } = await stepped(async () => ({ kind: 'busy', retryAfterMs: 500 }), SSE);
    expect(response.status).toBe(409);
    expect((await errorOf(response)).details).toMatchObject({ retry_after_ms: 500 });
  });

  it('answers 202, not a stream, when only the queue may take the step', async () => {
    const { response } = await stepped(async () => ({ kind: 'queued' }), SSE);
    expect(response.status).toBe(202);
  });

  it('answers an error, not a stream, when the step fails at once', async () => {
    const driveStep: DriveStep = () => Promise.reject(new Error('inner text'));
    const { response } = await stepped(driveStep, SSE);
    expect(response.status).toBe(503);
    expect(JSON.stringify(await response.json())).not.toContain('inner text');
  });

  it('opens after a while without news, beats while it is silent, and tells a late refusal', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = createTestApp({
      driveStep: async () => {
        await held;
        return { kind: 'busy', retryAfterMs: 700 };
      },
      onSleep: (_, { clock }) => {
        if (clock.slept.length === 4) release();
      },
    });
    const id = await app.ask({ drive: 'client' });
    const response = await app.request(`/v1/runs/${id}/step`, SSE);
    expect(response.status).toBe(200);
    const { events, comments } = await readSse(response);
    expect(comments.filter((line) => line === ': still here').length).toBeGreaterThan(1);
    expect(events).toMatchObject([
      { event: 'error', data: { error: { code: 'conflict', details: { retry_after_ms: 700 } } } },
    ]);
  });

  it('aborts the step when the client goes away', async () => {
    let seen: AbortSignal | undefined;
    const driveStep: DriveStep = (_, { signal, onText }) => {
      seen = signal;
      onText?.('first words');
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'stepped', entries: [] }));
      });
    };
    const { response } = await stepped(driveStep, SSE);
    expect(seen?.aborted).toBe(false);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(seen?.aborted).toBe(true);
  });

  it('ends with an error event when the step breaks midway', async () => {
    const driveStep: DriveStep = async (_, { onText, deps }) => {
      onText?.('so far');
      await deps.clock.sleep(1);
      throw new Error('inner text');
    };
    const { response, app } = await stepped(driveStep, SSE);
    const { events } = await readSse(response);
    expect(events.map(({ event }) => event)).toEqual(['text', 'error']);
    expect(JSON.stringify(events)).not.toContain('inner text');
    expect(app.logged.map(({ event }) => event)).toContain('step_stream_failed');
  });
});
