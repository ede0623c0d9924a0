import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../dev/cli/client.ts';
import { readEvents } from '../../dev/cli/sse.ts';

const { signal } = new AbortController();
const encoder = new TextEncoder();

/** A service that gives these answers in order and remembers what it was asked. */
function createService(answers: ((request: Request) => Response | Promise<Response>)[]) {
  const requests: Request[] = [];
  const send = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, { ...init, duplex: 'half' } as RequestInit);
    requests.push(request);
    const answer = answers[requests.length - 1];
    if (!answer) throw new Error(`request ${requests.length} was not expected`);
    return answer(request);
  };
  const open = (more: Partial<ClientOptions> = {}) =>
    createClient({ url: 'http://service', apiKey: 'k', fetch: send, retryMs: 1, ...more });
  return { requests, open };
}

const json = (status: number, body: unknown, headers = {}) =>
  Response.json(body, { status, headers });
const refusal = (status: number, code: string, message: string, headers = {}) =>
  json(status, { error: { code, message, request_id: 'r' } }, headers);
const unreachable = () => {
  throw new TypeError('fetch failed');
};

/** A stream of these chunks that then ends, breaks, or stays open without a byte. */
function stream(chunks: string[], end: 'close' | 'break' | 'hang' = 'close') {
  return (request: Request) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        if (end === 'close') controller.close();
        request.signal.addEventListener('abort', () => controller.error(new Error('aborted')));
      },
      pull(controller) {
        if (end === 'break') controller.error(new Error('connection reset'));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

const event = (seq: number, type: string) =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ v: 1, at: 1, type, seq })}\n\n`;

async function follow(open: ReturnType<typeof createService>['open'], more = {}) {
  const seqs: number[] = [];
  for await (const { seq } of open(more).followRun('run_1', signal)) seqs.push(seq);
  return seqs;
}

describe('readEvents', () => {
  async function read(...chunks: string[]) {
    const body = new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
          controller.close();
        },
      }),
    ).body;
    const events = [];
    for await (const one of readEvents(body as ReadableStream<Uint8Array>)) events.push(one);
    return events;
  }

  it.each(['\n', '\r', '\r\n'])('reads fields, joins data, for line end %j', async (end) => {
    const text = ['id: 7', 'event:note', 'data: a', 'data:  b', 'retry: 5', '', ''].join(end);
    const expected = [{ id: '7', event: 'note', data: 'a\n b' }];
    expect(await read(text)).toEqual(expected);
    // The same, byte by byte: CRLF and multi-byte characters may be cut anywhere.
    expect(await read(...text)).toEqual(expected);
  });

  it('gives null for a comment and drops an unfinished event', async () => {
    expect(await read(': open\n\n', 'data: x\n\n', 'data: half')).toEqual([
      null,
      { id: null, event: 'message', data: 'x' },
    ]);
  });
});

describe('uploadFile', () => {
  let folder: string | null = null;
  afterEach(() => {
    if (folder) rmSync(folder, { recursive: true });
  });

  it('puts the bytes under the name, with the key', async () => {
    folder = mkdtempSync(join(tmpdir(), 'stride-client-'));
    const path = join(folder, 'a.csv');
    writeFileSync(path, 'a,b\n');
    const { requests, open } = createService([() => json(201, { id: 'file_1' })]);
    const file = { name: 'dir/销售 &.csv', path, bytes: 4 };
    expect(await open().uploadFile(file, signal)).toBe('file_1');
    const [request] = requests;
    expect(request?.method).toBe('PUT');
    expect(new URL(request?.url ?? '').searchParams.get('name')).toBe('dir/销售 &.csv');
    expect(request?.headers.get('authorization')).toBe('Bearer k');
    expect(await request?.text()).toBe('a,b\n');
  });
});

describe('createRun', () => {
  const run = { question: 'q', fileIds: ['f'], follows: 'r', model: null, idempotencyKey: 'same' };

  it('is sent again with the same key when no answer came', async () => {
    const { requests, open } = createService([unreachable, () => json(202, { id: 'run_1' })]);
    expect((await open().createRun(run, signal)).id).toBe('run_1');
    expect(requests.map((one) => one.headers.get('idempotency-key'))).toEqual(['same', 'same']);
    expect(await requests[1]?.json()).toEqual({ question: 'q', file_ids: ['f'], follows: 'r' });
  });

  it('is not sent again to a service that is known to have ended', async () => {
    const { requests, open } = createService([unreachable]);
    const ended = open({ whyGone: async () => 'It was stopped.' });
    await expect(ended.createRun(run, signal)).rejects.toThrow('It was stopped. Ask again.');
    expect(requests).toHaveLength(1);
  });

  it('waits as told when the service is busy', async () => {
    const busy = () => refusal(503, 'unavailable', 'Busy.', { 'retry-after': '0' });
    const { open } = createService([busy, busy, () => json(202, { id: 'run_1' })]);
    expect((await open().createRun(run, signal)).id).toBe('run_1');
  });

  it('passes the reason of a refusal on, at once', async () => {
    const { requests, open } = createService([
      () => refusal(402, 'budget_spent', 'The day is spent.'),
    ]);
    await expect(open().createRun(run, signal)).rejects.toMatchObject({
      code: 'budget_spent',
      message: 'The day is spent.',
    });
    expect(requests).toHaveLength(1);
  });

  it('says so when the answer is not ours', async () => {
    const { open } = createService([() => new Response('<html>', { status: 404 })]);
    await expect(open().createRun(run, signal)).rejects.toThrow('answered 404 without a reason');
  });
});

describe('followRun', () => {
  it('resumes after the last entry when the stream ends, breaks or falls silent', async () => {
    const { requests, open } = createService([
      stream([': open\n\n', event(1, 'run_started')], 'close'),
      stream([event(2, 'run_prepared'), 'id: 3\nda'], 'break'),
      stream([], 'hang'),
      unreachable,
      () => refusal(503, 'unavailable', 'Restarting.'),
      stream([event(2, 'run_prepared'), event(3, 'model_replied'), event(4, 'run_finished')]),
    ]);
    expect(await follow(open, { silenceMs: 50 })).toEqual([1, 2, 3, 4]);
    expect(requests.map((one) => one.headers.get('last-event-id'))).toEqual([
      null,
      '1',
      '2',
      '2',
      '2',
      '2',
    ]);
  });

  it('ends with run_finished though the stream stays open', async () => {
    const { open } = createService([stream([event(1, 'run_finished')], 'hang')]);
    expect(await follow(open)).toEqual([1]);
  });

  it('gives up on a service that stays away, and says where the run is', async () => {
    const { open } = createService([unreachable, unreachable, unreachable, unreachable]);
    await expect(follow(open, { patienceMs: 5, retryMs: 4 })).rejects.toThrow(
      /http:\/\/service has not answered.*GET \/v1\/runs\/run_1/,
    );
  });

  it('gives up at once on a service that is known to have ended, and says what to do', async () => {
    const { requests, open } = createService([
      stream([event(1, 'run_started')], 'break'),
      unreachable,
    ]);
    const reasons = [null, 'It was stopped.'];
    const whyGone = async () => reasons.shift() ?? null;
    await expect(follow(open, { whyGone })).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'It was stopped. The run is kept and goes on with the next one: ask again, or start one with npm start, where GET /v1/runs/run_1 shows it.',
    });
    expect(requests).toHaveLength(2);
  });

  it('ends at once when the run is not there', async () => {
    const { open } = createService([() => refusal(404, 'not_found', 'There is no such run.')]);
    await expect(follow(open)).rejects.toThrow('There is no such run.');
  });

  it('stops when its signal aborts', async () => {
    const stop = new AbortController();
    const { open } = createService([stream([event(1, 'run_started')], 'hang')]);
    const reading = (async () => {
      for await (const _ of open().followRun('run_1', stop.signal)) stop.abort();
    })();
    await expect(reading).rejects.toThrow();
  });
});
