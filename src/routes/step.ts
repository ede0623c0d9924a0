/**
 * A client drives its own run: one step a request, with what it wrote in the answer or, on
 * `Accept: text/event-stream`, as it happens, live text too. A disconnect aborts the step, which
 * releases the lease.
 */
import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { errorFields } from '../log.ts';
import type { ClientStep, driveClientStep } from '../loop/drive.ts';
import { ASK } from './auth.ts';
import type { AppEnv, Principal } from './context.ts';
import { sendError, sendEvent, toEvent } from './events.ts';
import { loadRun, unknownRun } from './load-run.ts';
import { summaryOf } from './runs.ts';

/** A claim answers within one round trip; after this the stream opens without knowing more. */
const OPEN_STREAM_MS = 1_500;
/** A disconnect may show only when something is written; until then the lease is held in vain. */
const HEARTBEAT_MS = 5_000;

/** Passed in by the entry, so that routes can be tried with a scripted step. */
export type DriveStep = typeof driveClientStep;

export function stepRoutes(driveStep: DriveStep) {
  return new Hono<AppEnv>().post('/:id/step', ASK, async (c) => {
    const { deps, principal } = c.var;
    const id = c.req.param('id');
    const summary = async () => summaryOf(await loadRun(id, { deps, principal }), deps);
    const run = await loadRun(id, { deps, principal });
    if (run.kind === 'archived') return c.json({ run: await summary(), events: [] }, 200);

    if (c.req.header('accept')?.includes('text/event-stream')) {
      const live = startLive(driveStep, { id, deps });
      c.req.raw.signal.addEventListener('abort', live.abort);
      const early = await Promise.race([live.result, live.firstNews, wait(deps)]);
      if (early?.kind === 'failed') throw early.error;
      if (early?.kind === 'queued') {
        return c.json({ run: await summary(), driven_by: 'queue' as const }, 202);
      }
      if (early) refuseBusy(early);
      return streamSSE(c, (stream) =>
        sendLive(stream, { live, deps, id, principal, requestId: c.var.requestId }),
      );
    }

    const step = await driveStep(id, { deps, signal: c.req.raw.signal });
    if (step.kind === 'queued') {
      return c.json({ run: await summary(), driven_by: 'queue' as const }, 202);
    }
    refuseBusy(step);
    const entries = step.kind === 'stepped' ? step.entries : [];
    const events = entries.map(({ seq, entry }) => toEvent(entry, seq));
    return c.json({ run: await summary(), events }, 200);
  });
}

/** Throws when the step was not taken because another holds the run, or it waits, or is gone. */
function refuseBusy(step: ClientStep): void {
  if (step.kind === 'gone') throw unknownRun();
  if (step.kind !== 'busy' && step.kind !== 'waiting') return;
  const message =
    step.kind === 'busy'
      ? 'Another worker holds this run; come back later or follow its events.'
      : 'The run waits (for a repeat or for a person); come back later.';
  // A whole number of milliseconds: the Retry-After header beside it only knows seconds.
  const retryAfterMs = Math.ceil(step.retryAfterMs);
  throw new StrideError('conflict', message, { retry_after_ms: retryAfterMs, because: step.kind });
}

type Send = (stream: SSEStreamingApi) => Promise<void>;
type Ended = ClientStep | { kind: 'failed'; error: unknown };

interface LiveStep {
  /** Never rejects. */
  result: Promise<Ended>;
  /** Resolves with the first entry or text. */
  firstNews: Promise<null>;
  /** What waits to be sent; `next` resolves when something was added. */
  waiting: Send[];
  next(): Promise<void>;
  abort(): void;
}

/** Starts the step and collects what it says, because the stream may open a little later. */
function startLive(driveStep: DriveStep, { id, deps }: { id: string; deps: Deps }): LiveStep {
  const controller = new AbortController();
  const waiting: Send[] = [];
  let wake: () => void = () => undefined;
  const first = Promise.withResolvers<null>();
  function add(send: Send) {
    waiting.push(send);
    first.resolve(null);
    wake();
  }
  const result = driveStep(id, {
    deps,
    signal: controller.signal,
    onEntry: (seq, entry) => add((stream) => sendEvent(stream, toEvent(entry, seq))),
    onText: (text) => add((stream) => sendText(stream, text)),
  }).catch((error: unknown) => ({ kind: 'failed', error }) as const);
  return {
    result,
    firstNews: first.promise,
    waiting,
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    abort: () => controller.abort(),
  };
}

async function sendLive(
  stream: SSEStreamingApi,
  context: { live: LiveStep; deps: Deps; id: string; principal: Principal; requestId: string },
): Promise<void> {
  const { live, deps, id, principal, requestId } = context;
  stream.onAbort(live.abort);
  try {
    await stream.write(': open\n\n');
    const ended = await pump(stream, { live, deps });
    if (ended.kind === 'failed') throw ended.error;
    refuseBusy(ended);
    const run = await summaryOf(await loadRun(id, { deps, principal }), deps);
    const drivenBy = ended.kind === 'queued' ? { driven_by: 'queue' } : {};
    await stream.writeSSE({ event: 'run', data: JSON.stringify({ run, ...drivenBy }) });
  } catch (error) {
    deps.log('step_stream_failed', { run: id, ...errorFields(error) });
    await sendError(stream, error, requestId);
  }
}

/** Sends what the step says until it has ended, with a heartbeat in the silences. */
async function pump(
  stream: SSEStreamingApi,
  { live, deps }: { live: LiveStep; deps: Deps },
): Promise<Ended> {
  let ended: Ended | null = null;
  const ending = live.result.then((step) => {
    ended = step;
  });
  while (true) {
    // Asked for before the queue is emptied, so that nothing added meanwhile is missed.
    const more = live.next();
    for (let send = live.waiting.shift(); send; send = live.waiting.shift()) await send(stream);
    if (ended) return ended;
    const timer = new AbortController();
    const silence = deps.clock.sleep(HEARTBEAT_MS, timer.signal).then(() => 'silence' as const);
    const woken = await Promise.race([more, ending, silence]);
    timer.abort();
    if (woken === 'silence') await stream.write(': still here\n\n');
  }
}

async function sendText(stream: SSEStreamingApi, text: string): Promise<void> {
  await stream.writeSSE({ event: 'text', data: JSON.stringify({ text }) });
}

async function wait(deps: Deps): Promise<null> {
  await deps.clock.sleep(OPEN_STREAM_MS);
  return null;
}
