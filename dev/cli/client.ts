/**
 * The HTTP calls of `ask`, over plain fetch: upload, accept, follow, read, cancel. A call that got
 * no answer is sent again (uploads and accepts are safe to repeat: an Idempotency-Key makes the
 * same run of it); an answer that says no is thrown as a StrideError with the service's own words.
 */
import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, StrideError } from '../../src/errors.ts';
import { type Entry, parseEntry } from '../../src/loop/journal.ts';
import type { RunSummary } from '../../src/loop/summary.ts';
import type { LocalFile } from './files.ts';
import { readEvents } from './sse.ts';

export interface NewRun {
  question: string;
  fileIds: string[];
  follows: string | null;
  model: string | null;
  idempotencyKey: string;
}

export interface Client {
  uploadFile(file: LocalFile, signal: AbortSignal): Promise<string>;
  createRun(run: NewRun, signal: AbortSignal): Promise<RunSummary>;
  getRun(id: string, signal: AbortSignal): Promise<RunSummary>;
  cancelRun(id: string, signal: AbortSignal): Promise<void>;
  /** Entries as they are written, to the run's end, over any number of connections. */
  followRun(id: string, signal: AbortSignal): AsyncGenerator<{ seq: number; entry: Entry }>;
}

export interface ClientOptions {
  url: string;
  apiKey: string | null;
  fetch?: typeof fetch;
  /** Milliseconds without a byte after which a stream counts as dead. */
  silenceMs?: number;
  /** Milliseconds for which the service may be unreachable before following gives up. */
  patienceMs?: number;
  /** Milliseconds before a second attempt; doubles. */
  retryMs?: number;
  /** Called when a stream ended early and is opened again. */
  onReconnect?(): void;
  /** Asked when the service does not answer: why it never will again, or null to go on trying. */
  whyGone?(): Promise<string | null>;
}

/** The service sends a comment at least every 15 s; three missed ones are a dead connection. */
const SILENCE_MS = 50_000;
/** A restart of the local stack takes seconds; a deployment's hiccup rarely a minute. */
const PATIENCE_MS = 60_000;
const ATTEMPTS = 4;
const RETRY_MS = 500;
const MAX_RETRY_MS = 4_000;

export function createClient(options: ClientOptions): Client {
  const call = createCaller(options);
  return {
    async uploadFile(file, signal) {
      const path = `/v1/files?name=${encodeURIComponent(file.name)}`;
      // Backed by the file: read while it is sent, with a length known beforehand.
      const response = await call(path, {
        method: 'PUT',
        signal,
        body: await openAsBlob(file.path),
        headers: { 'content-type': 'application/octet-stream' },
      });
      return ((await response.json()) as { id: string }).id;
    },
    async createRun(run, signal) {
      const body = {
        question: run.question,
        ...(run.fileIds.length > 0 ? { file_ids: run.fileIds } : {}),
        ...(run.follows === null ? {} : { follows: run.follows }),
        ...(run.model === null ? {} : { model: run.model }),
      };
      const headers = { 'content-type': 'application/json', 'idempotency-key': run.idempotencyKey };
      const init = { method: 'POST', signal, headers, body: JSON.stringify(body) };
      return (await (await call('/v1/runs', init)).json()) as RunSummary;
    },
    async getRun(id, signal) {
      return (await (await call(runPath(id), { signal })).json()) as RunSummary;
    },
    async cancelRun(id, signal) {
      await (await call(`${runPath(id)}/cancel`, { method: 'POST', signal })).body?.cancel();
    },
    followRun: (id, signal) => followRun(id, { ...options, call, signal }),
  };
}

type Caller = (path: string, init: RequestInit & { attempts?: number }) => Promise<Response>;

const runPath = (id: string) => `/v1/runs/${encodeURIComponent(id)}`;

function createCaller(options: ClientOptions): Caller {
  const { url, apiKey, fetch: send = fetch, retryMs = RETRY_MS } = options;
  return async (path, { attempts = ATTEMPTS, ...init }) => {
    const headers = new Headers(init.headers);
    if (apiKey !== null) headers.set('authorization', `Bearer ${apiKey}`);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= attempts;
      let response: Response;
      try {
        response = await send(new URL(path, url), { ...init, headers });
      } catch (error) {
        if (init.signal?.aborted) throw error;
        const gone = await options.whyGone?.();
        if (gone) throw new StrideError('unavailable', `${gone} Ask again.`);
        if (last) throw new StrideError('unavailable', `${url} does not answer; is it running?`);
        await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal: init.signal ?? undefined });
        continue;
      }
      if (response.ok) return response;
      const fault = await toFault(response);
      // Only where the service says that another time may do.
      if (last || (response.status !== 503 && response.status !== 429)) throw fault;
      await sleep(retryAfterMs(response) ?? retryMs * 2 ** (attempt - 1), undefined, {
        signal: init.signal ?? undefined,
      });
    }
  };
}

function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(seconds, 30) * 1_000 : null;
}

async function toFault(response: Response): Promise<StrideError> {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string } };
    if (typeof error.message === 'string') return new StrideError(error.code, error.message);
  } catch {
    // Not ours: a proxy's page, say.
  }
  return new StrideError('upstream', `The service answered ${response.status} without a reason.`);
}

/**
 * Streams end early all the time: each further connection resumes after the last entry seen, and
 * only a service that stays unreachable ends the following.
 */
async function* followRun(
  id: string,
  options: ClientOptions & { call: Caller; signal: AbortSignal },
): AsyncGenerator<{ seq: number; entry: Entry }> {
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  let lastSeq = 0;
  let lastLifeAt = Date.now();
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const { seq, entry } of openStream(id, lastSeq, options)) {
        if (seq <= lastSeq) continue;
        lastSeq = seq;
        failures = 0;
        lastLifeAt = Date.now();
        yield { seq, entry };
        if (entry.type === 'run_finished') return;
      }
      // A clean end without run_finished: the server closes long streams on purpose.
      lastLifeAt = Date.now();
    } catch (error) {
      if (options.signal.aborted || error instanceof StrideError) throw error;
      const gone = await options.whyGone?.();
      if (gone) {
        throw new StrideError(
          'unavailable',
          `${gone} The run is kept and goes on with the next one: ask again, or start one with npm start, where GET ${runPath(id)} shows it.`,
        );
      }
      if (Date.now() - lastLifeAt > patienceMs) {
        throw new StrideError(
          'unavailable',
          `${options.url} has not answered for ${Math.round(patienceMs / 1000)} s; the run is kept there: GET ${runPath(id)} shows it.`,
        );
      }
    }
    options.onReconnect?.();
    const waitMs = Math.min((options.retryMs ?? RETRY_MS) * 2 ** failures, MAX_RETRY_MS);
    await sleep(waitMs, undefined, { signal: options.signal });
  }
}

async function* openStream(
  id: string,
  afterSeq: number,
  options: ClientOptions & { call: Caller; signal: AbortSignal },
): AsyncGenerator<{ seq: number; entry: Entry }> {
  const silence = new AbortController();
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await openEvents(id, afterSeq, { ...options, silence: silence.signal });
    if (!response.body) return;
    for await (const event of readEvents(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      const seq = Number(event?.id ?? Number.NaN);
      if (event && Number.isInteger(seq)) yield { seq, entry: parseEntry(event.data) };
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** A failure to connect is thrown as it is (to be tried again); a refusal as a StrideError. */
async function openEvents(
  id: string,
  afterSeq: number,
  options: ClientOptions & { signal: AbortSignal; silence: AbortSignal },
): Promise<Response> {
  const headers = new Headers({ accept: 'text/event-stream' });
  if (afterSeq > 0) headers.set('last-event-id', String(afterSeq));
  if (options.apiKey !== null) headers.set('authorization', `Bearer ${options.apiKey}`);
  const response = await (options.fetch ?? fetch)(new URL(`${runPath(id)}/events`, options.url), {
    headers,
    signal: AbortSignal.any([options.signal, options.silence]),
  });
  if (response.ok) return response;
  const fault = await toFault(response);
  // A service that restarts answers 5xx for a moment.
  throw response.status >= 500 || response.status === 429 ? new Error(fault.message) : fault;
}
