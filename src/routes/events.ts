/**
 * The journal as a stream: what is stored is sent, `id` is the entry's seq, so a client that was
 * cut off goes on from Last-Event-ID. The stream polls Redis at a growing interval and ends after
 * `run_finished`, or after a while: EventSource then comes back by itself.
 */
import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { errorFields } from '../log.ts';
import type { Entry } from '../loop/journal.ts';
import { READ } from './auth.ts';
import type { AppEnv } from './context.ts';
import { invalidInput, query } from './input.ts';
import { type FoundRun, loadEntries, loadRun } from './load-run.ts';
import { eventsQuery } from './schemas.ts';

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 3_000;
const POLL_GROWTH = 1.5;
/** Proxies close what is silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/** About 220 reads of Redis; Workers allow a request 1,000 outbound calls. */
const MAX_STREAM_MS = 10 * 60_000;
/** Polls without news after which the head is looked at: was the run deleted? */
const POLLS_PER_HEAD = 5;

/** An entry as it goes over the wire. */
export type RunEvent = Entry & { seq: number };

export const toEvent = (entry: Entry, seq: number): RunEvent => ({ seq, ...entry });

export function eventsRoutes() {
  return new Hono<AppEnv>().get('/:id/events', READ, query(eventsQuery), async (c) => {
    const { deps, principal } = c.var;
    const run = await loadRun(c.req.param('id'), { deps, principal });
    const { after: asked, format } = c.req.valid('query');
    // The header wins: a reconnecting EventSource sends it together with the URL it began with.
    const after = lastEventId(c.req.header('last-event-id')) ?? asked ?? 0;
    if (format === 'json') {
      const events = (await loadEntries(run, deps)).map((entry, i) => toEvent(entry, i + 1));
      return c.json({ events: events.slice(after) });
    }
    const first = await readAfter(run, { deps, after });
    // 204 is how the specification tells an EventSource to stop coming back.
    if (run.head.state === 'finished' && first.length === 0) return c.body(null, 204);
    return streamSSE(c, async (stream) => {
      try {
        await follow(stream, { deps, run, after, first });
      } catch (error) {
        deps.log('events_failed', { run: run.head.id, ...errorFields(error) });
        await sendError(stream, error, c.var.requestId);
      }
    });
  });
}

/** The last event of a stream that failed; the same envelope as an HTTP error. */
export async function sendError(
  stream: SSEStreamingApi,
  error: unknown,
  requestId: string,
): Promise<void> {
  const known = error instanceof StrideError;
  const code = known ? error.code : 'unavailable';
  const message = known ? error.message : 'The stream broke on our side; open it again.';
  const details = known && error.details ? { details: error.details } : {};
  const data = JSON.stringify({ error: { code, message, request_id: requestId, ...details } });
  await stream.writeSSE({ event: 'error', data });
}

export async function sendEvent(stream: SSEStreamingApi, event: RunEvent): Promise<void> {
  const data = JSON.stringify(event);
  await stream.writeSSE({ id: String(event.seq), event: event.type, data });
}

async function follow(
  stream: SSEStreamingApi,
  options: { deps: Deps; run: FoundRun; after: number; first: Entry[] },
): Promise<void> {
  const { deps, run } = options;
  const { clock } = deps;
  const disconnected = new AbortController();
  stream.onAbort(() => disconnected.abort());
  const { signal } = disconnected;
  const startedAt = clock.now();
  let { after, first: entries } = options;
  let spokenAt = startedAt;
  let pollMs = FIRST_POLL_MS;
  let silentPolls = 0;
  // A first byte at once, so that proxies and clients see an open stream.
  await stream.write(': open\n\n');
  while (!signal.aborted) {
    for (const entry of entries) {
      after += 1;
      await sendEvent(stream, toEvent(entry, after));
      if (entry.type === 'run_finished') return;
    }
    if (entries.length > 0) {
      spokenAt = clock.now();
      pollMs = FIRST_POLL_MS;
      silentPolls = 0;
    } else {
      silentPolls += 1;
      pollMs = Math.min(pollMs * POLL_GROWTH, MAX_POLL_MS);
    }
    if (run.kind === 'archived' || clock.now() - startedAt >= MAX_STREAM_MS) return;
    if (clock.now() - spokenAt >= HEARTBEAT_MS) {
      await stream.write(': still here\n\n');
      spokenAt = clock.now();
    }
    await clock.sleep(pollMs, signal);
    if (signal.aborted) return;
    if (silentPolls > 0 && silentPolls % POLLS_PER_HEAD === 0) {
      const head = await deps.store.head(run.head.id);
      if (!head) throw new StrideError('not_found', 'The run was deleted.');
    }
    entries = await readAfter(run, { deps, after });
  }
}

async function readAfter(
  run: FoundRun,
  { deps, after }: { deps: Deps; after: number },
): Promise<Entry[]> {
  if (run.kind === 'archived') return run.entries.slice(after);
  return deps.store.entries(run.head.id, after + 1);
}

function lastEventId(header: string | undefined): number | null {
  if (header === undefined || header === '') return null;
  if (!/^\d{1,9}$/.test(header)) {
    const message = 'must be the id of an event of this run, a whole number';
    throw invalidInput([{ field: 'last-event-id', message }]);
  }
  return Number(header);
}
