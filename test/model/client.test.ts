import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/deps.ts';
import { callCapMs } from '../../src/model/call-cap.ts';
import { type AnthropicModelOptions, createAnthropicModel } from '../../src/model/client.ts';
import type { ModelFailure, ModelReply, ModelRequest } from '../../src/model/port.ts';
import {
  apiError,
  type MessagesServer,
  type Script,
  type ScriptedReply,
  startMessagesServer,
} from '../helpers/messages-server.ts';

const KEY = 'sk-ant-test-0123456789abcdef';

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

const REQUEST: ModelRequest = {
  model: 'claude-sonnet-5-5',
  system: [{ type: 'text', text: 'Answer shortly.' }],
  tools: [{ name: 'calc', description: 'Calculates.', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: 'What is 2 + 2?' }],
  toolChoice: 'auto',
  maxTokens: 1_000,
};

const servers: MessagesServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(script: Script): Promise<MessagesServer> {
  const server = await startMessagesServer(script);
  servers.push(server);
  return server;
}

function modelAt(url: string | null, more: Partial<AnthropicModelOptions> = {}) {
  return createAnthropicModel({
    apiKey: KEY,
    baseUrl: url,
    fetch: globalThis.fetch,
    thinkingEffort: null,
    clock,
    ...more,
  });
}

interface CallMore {
  request?: Partial<ModelRequest>;
  signal?: AbortSignal;
  idleMs?: number;
  onText?: (text: string) => void;
}

/** One call against a server that plays one script. */
async function callOnce(script: Script, more: CallMore = {}) {
  const server = await serve(script);
  const outcome = await modelAt(server.url).call(
    { ...REQUEST, ...more.request },
    {
      signal: more.signal ?? new AbortController().signal,
      idleMs: more.idleMs ?? 5_000,
      onText: more.onText,
    },
  );
  return { server, outcome };
}

async function replyTo(script: Script, more: CallMore = {}): Promise<ModelReply> {
  const { outcome } = await callOnce(script, more);
  if (outcome.kind !== 'reply') throw new Error(`no reply: ${outcome.failure} ${outcome.message}`);
  return outcome;
}

async function failureOf(script: Script, more: CallMore = {}): Promise<ModelFailure> {
  const { outcome } = await callOnce(script, more);
  if (outcome.kind !== 'failed')
    throw new Error(`a reply came: ${JSON.stringify(outcome.content)}`);
  return outcome;
}

const TEXT = (text: string) => ({ type: 'text' as const, text, citations: null });
const USE = (id: string, input: unknown, name = 'calc') => ({
  type: 'tool_use' as const,
  id,
  name,
  input,
  caller: { type: 'direct' as const },
});

describe('createAnthropicModel: replies', () => {
  it('gives back text, stop reason, model and usage', async () => {
    const reply = await replyTo([
      {
        content: [TEXT('Four, 即四 🙂 — exactly as it was sent, in several pieces.')],
        usage: { input_tokens: 12, output_tokens: 7, cache_read_input_tokens: 3 },
      },
    ]);
    expect(reply).toEqual({
      kind: 'reply',
      content: [TEXT('Four, 即四 🙂 — exactly as it was sent, in several pieces.')],
      stopReason: 'end_turn',
      model: 'claude-sonnet-5-5',
      usage: {
        input_tokens: 12,
        output_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 3,
      },
    });
  });

  it('keeps thinking, empty thinking and redacted thinking byte for byte, and sends them back so', async () => {
    const content = [
      { type: 'thinking', thinking: 'Let me see: "2 + 2"\n…', signature: 'EqQBCkYI+/=aZ' },
      { type: 'thinking', thinking: '', signature: 'onlyASignature==' },
      { type: 'redacted_thinking', data: 'b64+/data==' },
      TEXT('I use the tool.'),
      USE('toolu_1', { expression: '2 + 2', nested: { list: [1, 2.5, null, 'é'] } }),
    ];
    const server = await serve([{ content }, { content: [TEXT('FINAL ANSWER: 4')] }]);
    const model = modelAt(server.url);
    const options = { signal: new AbortController().signal, idleMs: 5_000 };
    const first = await model.call(REQUEST, options);
    if (first.kind !== 'reply') throw new Error(first.message);
    expect(JSON.stringify(first.content)).toBe(JSON.stringify(content));
    await model.call(
      {
        ...REQUEST,
        messages: [
          ...REQUEST.messages,
          { role: 'assistant', content: first.content },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '4' }],
          },
        ],
      },
      options,
    );
    const sent = server.requests[1]?.body.messages[1].content;
    expect(
      JSON.stringify(sent.map(({ cache_control: _, ...block }: Record<string, unknown>) => block)),
    ).toBe(JSON.stringify(content));
  });

  it('assembles parallel tool calls whose input comes in pieces, interleaved', async () => {
    const calls = [USE('toolu_a', { q: '一二三' }), USE('toolu_b', {}), USE('toolu_c', { n: [1] })];
    const reply = await replyTo([
      {
        content: calls,
        // Deltas of several open blocks may come in any order between start and stop.
        edit: (events) => [
          ...events.filter((event) => event.type !== 'content_block_delta').slice(0, 2),
          ...events.filter((event) => event.type === 'content_block_start'),
          ...events.filter((event) => event.type === 'content_block_delta'),
          ...events.filter((event) => event.type === 'content_block_stop'),
          ...events.slice(-2),
        ],
      },
    ]);
    expect(reply.content).toEqual(calls);
    expect(reply.stopReason).toBe('tool_use');
  });

  it('turns input that never came into {}', async () => {
    const reply = await replyTo([
      {
        content: [USE('toolu_1', {})],
        edit: (events) => events.filter((event) => event.type !== 'content_block_delta'),
      },
    ]);
    expect(reply.content).toEqual([USE('toolu_1', {})]);
  });

  it('keeps a tool call cut off by max_tokens as {}, with the stop reason that forbids to run it', async () => {
    const reply = await replyTo([
      {
        content: [
          TEXT('Now'),
          USE('toolu_1', { code: 'print(1)', more: 'xxxxxxxxxxxxxxxxxxxxxxxxxxx' }),
        ],
        stop_reason: 'max_tokens',
        edit: (events) => {
          const last = events.findLastIndex((event) => event.type === 'content_block_delta');
          return events.filter((_, index) => index !== last);
        },
      },
    ]);
    expect(reply.stopReason).toBe('max_tokens');
    expect(reply.content[1]).toEqual(USE('toolu_1', {}));
  });

  it('fails, and does not guess, when the input of a call that would run is no JSON', async () => {
    const failure = await failureOf([
      {
        content: [USE('toolu_1', { code: 'print(1)', more: 'xxxxxxxxxxxxxxxxxxxxxxxxxxx' })],
        edit: (events) => {
          const last = events.findLastIndex((event) => event.type === 'content_block_delta');
          return events.filter((_, index) => index !== last);
        },
      },
    ]);
    expect(failure.failure).toBe('server_error');
    expect(failure.message).toContain('not a JSON object');
    expect(failure.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });

  it('keeps blocks and deltas it has never heard of', async () => {
    const reply = await replyTo([
      {
        content: [{ type: 'hologram', shape: 'cube', text_of: '' }, TEXT('Done.')],
        edit: (events) =>
          events.flatMap((event) =>
            event.type === 'content_block_start' && event.index === 0
              ? [
                  event,
                  { type: 'content_block_delta', index: 0, delta: { type: 'glow', text_of: 'ab' } },
                  {
                    type: 'content_block_delta',
                    index: 0,
                    delta: { type: 'glow', text_of: 'cd', level: 3 },
                  },
                  { type: 'event_of_2031', anything: true },
                ]
              : [event],
          ),
      },
    ]);
    expect(reply.content).toEqual([
      { type: 'hologram', shape: 'cube', text_of: 'abcd', level: 3 },
      TEXT('Done.'),
    ]);
  });

  it('collects citations', async () => {
    const citation = { type: 'char_location', cited_text: 'x' };
    const reply = await replyTo([
      {
        content: [TEXT('x')],
        edit: (events) =>
          events.flatMap((event) =>
            event.type === 'content_block_stop'
              ? [
                  {
                    type: 'content_block_delta',
                    index: 0,
                    delta: { type: 'citations_delta', citation },
                  },
                  event,
                ]
              : [event],
          ),
      },
    ]);
    expect(reply.content).toEqual([{ type: 'text', text: 'x', citations: [citation] }]);
  });

  it.each(['refusal', 'pause_turn', 'model_context_window_exceeded', 'a_reason_of_2031'])(
    'hands on the stop reason %s',
    async (reason) => {
      expect((await replyTo([{ content: [TEXT('x')], stop_reason: reason }])).stopReason).toBe(
        reason,
      );
    },
  );

  it('passes text on as it comes, and only text', async () => {
    const pieces: string[] = [];
    await replyTo(
      [
        {
          content: [
            { type: 'thinking', thinking: 'secret thoughts', signature: 's' },
            TEXT('A text that is long enough to come in more than one piece.'),
          ],
        },
      ],
      { onText: (text) => pieces.push(text) },
    );
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('A text that is long enough to come in more than one piece.');
  });

  it('understands servers that send no event: lines', async () => {
    const server = await serve([]);
    const reply: ScriptedReply = { content: [TEXT('plain')] };
    const raw = [
      {
        type: 'message_start',
        message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'plain' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    const body = raw.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const outcome = await modelAt(server.url, {
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    }).call(REQUEST, { signal: new AbortController().signal, idleMs: 1_000 });
    expect(outcome).toMatchObject({
      kind: 'reply',
      content: [{ type: 'text', text: (reply.content[0] as { text: string }).text }],
      usage: { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: null },
    });
  });
});

describe('createAnthropicModel: requests', () => {
  it('sends the key, one attempt, and no sampling parameter', async () => {
    const { server } = await callOnce([apiError(500, 'api_error', 'Internal server error')]);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(Object.keys(request?.body)).toEqual([
      'model',
      'max_tokens',
      'stream',
      'tools',
      'tool_choice',
      'system',
      'messages',
    ]);
  });

  it('asks the API itself, and no other server, to drop old tool results from long conversations', async () => {
    const sent: Request[] = [];
    const record: typeof fetch = async (...args) => {
      sent.push(new Request(...args));
      return new Response('{}', { status: 500 });
    };
    for (const baseUrl of [null, 'http://127.0.0.1:9']) {
      const model = modelAt('', { baseUrl, fetch: record });
      await model.call(REQUEST, { signal: new AbortController().signal, idleMs: 1_000 });
    }
    const bodies = await Promise.all(sent.map((request) => request.json()));
    expect(new URL(sent[0]?.url ?? '').host).toBe('api.anthropic.com');
    expect(sent[0]?.headers.get('anthropic-beta')).toBe('context-management-2025-06-27');
    expect(bodies[0].context_management.edits[0]).toMatchObject({
      type: 'clear_tool_uses_20250919',
      trigger: { type: 'input_tokens', value: 100_000 },
    });
    expect(sent[1]?.headers.get('anthropic-beta')).toBe(null);
    expect(bodies[1].context_management).toBe(undefined);
    delete bodies[0].context_management;
    expect(bodies[0]).toEqual(bodies[1]);
  });

  it('sends the same bytes for the same request, and leaves the request alone', async () => {
    const server = await serve(() => ({ content: [TEXT('x')] }));
    const request = structuredClone(REQUEST);
    for (const model of [modelAt(server.url), modelAt(server.url)]) {
      await model.call(request, { signal: new AbortController().signal, idleMs: 1_000 });
    }
    expect(server.requests[1]?.raw).toBe(server.requests[0]?.raw);
    expect(request).toEqual(REQUEST);
  });
});

describe('createAnthropicModel: failures', () => {
  it.each([
    [400, 'invalid_request_error', 'messages.0: bad', 'bad_request'],
    [
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'context_exceeded',
    ],
    [401, 'authentication_error', 'invalid x-api-key', 'unauthorized'],
    [402, 'billing_error', 'Your payment failed', 'billing'],
    [403, 'permission_error', 'not allowed', 'forbidden'],
    [404, 'not_found_error', 'model: claude-nope', 'not_found'],
    [413, 'request_too_large', 'too large', 'request_too_large'],
    [429, 'rate_limit_error', 'This request would exceed your rate limit', 'rate_limited'],
    [500, 'api_error', 'Internal server error', 'server_error'],
    [503, 'api_error', 'Unavailable', 'server_error'],
    [504, 'timeout_error', 'Timed out', 'timeout'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('%i %s "%s" is %s', async (status, type, message, kind) => {
    const failure = await failureOf([apiError(status, type, message)]);
    expect(failure).toMatchObject({ failure: kind, status, usage: null, retryAfterMs: null });
    expect(failure.message).toContain(message);
  });

  it('reads retry-after', async () => {
    const failure = await failureOf([
      apiError(429, 'rate_limit_error', 'slow down', { headers: { 'retry-after': '17' } }),
    ]);
    expect(failure.retryAfterMs).toBe(17_000);
  });

  it.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'server_error'],
    ['timeout_error', 'timeout'],
    ['rate_limit_error', 'rate_limited'],
    ['error_of_2031', 'server_error'],
  ])('an error event %s inside a 200 stream is %s, with the usage seen', async (type, kind) => {
    const failure = await failureOf([
      {
        content: [TEXT('half a')],
        usage: { input_tokens: 40 },
        cut: { after: 4, by: { type: 'error', error: { type, message: 'the reason' } } },
      },
    ]);
    expect(failure).toMatchObject({
      failure: kind,
      usage: { input_tokens: 40, output_tokens: 1 },
      status: null,
    });
    expect(failure.message).toContain('the reason');
  });

  it.each([0, 1, 4, 6])(
    'a stream that simply ends after %i events is connection_lost',
    async (events) => {
      const failure = await failureOf([
        { content: [TEXT('hi')], cut: { after: events, by: 'end' } },
      ]);
      expect(failure.failure).toBe('connection_lost');
      expect(failure.usage === null).toBe(events === 0);
    },
  );

  it.each([0, 4])('a connection dropped after %i events is connection_lost', async (events) => {
    const failure = await failureOf([
      { content: [TEXT('hi')], cut: { after: events, by: 'drop' } },
    ]);
    expect(failure.failure).toBe('connection_lost');
  });

  it('a socket closed before any answer is connection_lost', async () => {
    expect((await failureOf(['reset'])).failure).toBe('connection_lost');
  });

  it('garbage inside the stream is server_error', async () => {
    const failure = await failureOf([
      { content: [TEXT('hi')], cut: { after: 3, by: 'data: <html>bad gateway</html>\n\n' } },
    ]);
    expect(failure.failure).toBe('server_error');
    expect(failure.message).toContain('not JSON');
  });

  it('a reply without a stop reason is server_error', async () => {
    expect((await failureOf([{ content: [TEXT('hi')], stop_reason: null }])).failure).toBe(
      'server_error',
    );
  });

  it('a web page with 200 names ANTHROPIC_BASE_URL', async () => {
    const failure = await failureOf([{ status: 200, body: '<html>Sign in</html>' }]);
    expect(failure.failure).toBe('server_error');
    expect(failure.message).toContain('text/html');
    expect(failure.message).toContain('ANTHROPIC_BASE_URL');
  });

  it.each([
    [502, 'server_error'],
    [403, 'forbidden'],
  ])('a web page with %i from a proxy is %s, and none of it is quoted', async (status, kind) => {
    const failure = await failureOf([{ status, body: '<html><h1>Squid</h1></html>' }]);
    expect(failure).toMatchObject({ failure: kind, status });
    expect(failure.message).not.toContain('Squid');
    expect(failure.message).toContain('proxy');
  });

  it('nothing listening is connection_lost and says so', async () => {
    const server = await startMessagesServer([]);
    await server.stop();
    const outcome = await modelAt(server.url).call(REQUEST, {
      signal: new AbortController().signal,
      idleMs: 2_000,
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'connection_lost' });
    expect((outcome as ModelFailure).message).toContain('check that it is running');
  });

  it('a name that cannot be resolved is connection_lost and says so', async () => {
    const outcome = await modelAt('http://stride-test.invalid').call(REQUEST, {
      signal: new AbortController().signal,
      idleMs: 5_000,
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'connection_lost' });
    expect((outcome as ModelFailure).message).toContain('could not be resolved');
  });

  it('never shows the key, even when the API echoes it', async () => {
    const failure = await failureOf([apiError(401, 'authentication_error', `bad key ${KEY}`)]);
    expect(failure.message).not.toContain(KEY);
    expect(failure.message).toContain('ANTHROPIC_API_KEY');
  });
});

describe('createAnthropicModel: time and cancel', () => {
  it('gives up when nothing arrives at all', async () => {
    const failure = await failureOf(['hang'], { idleMs: 60 });
    expect(failure).toMatchObject({ failure: 'timeout', usage: null });
  });

  it('gives up on a stream that falls silent, keeping the usage seen', async () => {
    const failure = await failureOf(
      [{ content: [TEXT('hi')], usage: { input_tokens: 33 }, cut: { after: 4, by: 'hang' } }],
      { idleMs: 60 },
    );
    expect(failure).toMatchObject({ failure: 'timeout', usage: { input_tokens: 33 } });
    expect(failure.message).toContain('LLM_TIMEOUT');
  });

  it('waits for a slow stream as long as something keeps coming', async () => {
    const reply = await replyTo([{ content: [TEXT('slow')], dripMs: 40 }], { idleMs: 200 });
    expect(reply.content).toEqual([TEXT('slow')]);
  });

  it('ends a server that only pings', async () => {
    const failure = await failureOf(
      [{ content: [TEXT('x')], cut: { after: 2, by: 'ping_forever' } }],
      {
        idleMs: 50,
      },
    );
    expect(failure.failure).toBe('timeout');
    expect(callCapMs(50)).toBe(500);
    expect(callCapMs(120_000)).toBe(720_000);
  });

  it('says aborted, with the usage seen, when the caller stops it mid-stream', async () => {
    const controller = new AbortController();
    const failure = await failureOf(
      [
        {
          content: [TEXT('hi there')],
          usage: { input_tokens: 21 },
          cut: { after: 4, by: 'hang' },
        },
      ],
      { signal: controller.signal, onText: () => controller.abort() },
    );
    expect(failure).toMatchObject({
      failure: 'aborted',
      usage: { input_tokens: 21 },
      status: null,
    });
  });

  it('says aborted when stopped before the headers, and closes the connection', async () => {
    const controller = new AbortController();
    const server = await serve(['hang']);
    const outcome = modelAt(server.url).call(REQUEST, { signal: controller.signal, idleMs: 5_000 });
    await server.waitFor(1);
    controller.abort();
    expect(await outcome).toMatchObject({ failure: 'aborted', usage: null });
  });

  it('sends nothing when it was stopped before it began', async () => {
    const { server, outcome } = await callOnce([], { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ failure: 'aborted' });
    expect(server.requests).toHaveLength(0);
  });
});
