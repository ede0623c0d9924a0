import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/model/failure-words.ts';
import {
  BadReplyError,
  classifyFailure,
  type FailureContext,
  retryAfterMs,
  StreamCutError,
  StreamErrorEvent,
} from '../../src/model/failures.ts';

const NOW = Date.UTC(2026, 9, 21, 12, 0, 0);
const CONTEXT: FailureContext = {
  model: 'claude-nope',
  apiKey: 'sk-ant-secret-key-123456',
  baseUrl: null,
  now: NOW,
  usage: null,
};

function httpError(status: number, body: unknown, headers: Record<string, string> = {}) {
  return APIError.generate(status, body as object, undefined, new Headers(headers));
}

function apiBody(type: string, message: string, details?: object) {
  return { type: 'error', error: { type, message, details } };
}

function classify(error: unknown, more: Partial<FailureContext> = {}) {
  return classifyFailure(error, { ...CONTEXT, ...more });
}

describe('classifyFailure: money', () => {
  it.each([
    [
      429,
      'rate_limit_error',
      'You have reached your API usage limits: your organization has crossed its monthly API usage threshold.',
      { error_code: 'enforced_spend_limit_reached' },
      'spend_limit',
    ],
    [
      429,
      'rate_limit_error',
      'anything',
      { error_code: 'contract_spend_limit_reached' },
      'spend_limit',
    ],
    [
      429,
      'rate_limit_error',
      'Number of requests has exceeded your rate limit',
      { error_code: 'ramp_limit_exceeded' },
      'rate_limited',
    ],
    [
      429,
      'rate_limit_error',
      'Usage credits are required for long context requests.',
      undefined,
      'billing',
    ],
    [
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-11-01.',
      undefined,
      'spend_limit',
    ],
    [
      400,
      'invalid_request_error',
      'You have reached your specified workspace API usage limits.',
      undefined,
      'spend_limit',
    ],
    [
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API.',
      undefined,
      'billing',
    ],
    [402, 'billing_error', 'Payment required', undefined, 'billing'],
  ])('%i %s "%s" %o is %s', (status, type, message, details, kind) => {
    const failure = classify(httpError(status, apiBody(type, message, details)));
    expect(failure).toMatchObject({ kind: 'failed', failure: kind, status, retryAfterMs: null });
  });
});

describe('classifyFailure: size and window', () => {
  it.each([
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_exceeded'],
    [
      'input length and `max_tokens` exceed context limit: 199000 + 16000 > 200000',
      'context_exceeded',
    ],
    ["This model's maximum context length is 8192 tokens", 'context_exceeded'],
    ['messages.3: tool_use ids were found without tool_result blocks', 'bad_request'],
  ])('400 "%s" is %s', (message, kind) => {
    expect(classify(httpError(400, apiBody('invalid_request_error', message))).failure).toBe(kind);
  });
});

describe('classifyFailure: status and type', () => {
  it.each([
    [408, 'timeout'],
    [409, 'server_error'],
    [413, 'request_too_large'],
    [422, 'bad_request'],
    [418, 'bad_request'],
    [500, 'server_error'],
    [502, 'server_error'],
    [524, 'server_error'],
    [504, 'timeout'],
    [529, 'overloaded'],
  ])('%i without an API body is %s', (status, kind) => {
    expect(classify(httpError(status, undefined)).failure).toBe(kind);
  });

  it('believes overloaded_error whatever its status', () => {
    expect(classify(httpError(503, apiBody('overloaded_error', 'x'))).failure).toBe('overloaded');
  });

  it.each([
    ['authentication_error', 'unauthorized'],
    ['permission_error', 'forbidden'],
    ['billing_error', 'billing'],
    ['not_found_error', 'not_found'],
    ['request_too_large', 'request_too_large'],
    ['invalid_request_error', 'bad_request'],
    ['something_new', 'server_error'],
  ])('an error event of type %s is %s', (type, kind) => {
    expect(classify(new StreamErrorEvent(apiBody(type, 'x'), new Headers())).failure).toBe(kind);
  });

  it('finds the spend limit in an error event too', () => {
    const body = apiBody('rate_limit_error', 'x', { error_code: 'enforced_spend_limit_reached' });
    expect(classify(new StreamErrorEvent(body, new Headers())).failure).toBe('spend_limit');
  });
});

describe('classifyFailure: the network', () => {
  it.each([
    [new APIConnectionTimeoutError(), 'timeout', 'ran out of time'],
    [new StreamCutError('cut'), 'connection_lost', 'before the reply was complete'],
    [
      new APIConnectionError({ cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
      'connection_lost',
      'lost',
    ],
    [
      new APIConnectionError({ cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
      'connection_lost',
      'could not be resolved',
    ],
    [
      new APIConnectionError({
        cause: new TypeError('fetch failed', { cause: { code: 'EAI_AGAIN' } }),
      }),
      'connection_lost',
      'could not be resolved',
    ],
    [
      new APIConnectionError({
        cause: new TypeError('fetch failed', { cause: { errors: [{ code: 'ECONNREFUSED' }] } }),
      }),
      'connection_lost',
      'check that it is running',
    ],
    [new Error('Network connection lost.'), 'connection_lost', 'lost'],
    ['a string', 'connection_lost', 'lost'],
    [undefined, 'connection_lost', 'lost'],
    [new BadReplyError('it was no JSON.'), 'server_error', 'it was no JSON'],
  ])('%s is %s', (error, kind, words) => {
    const failure = classify(error);
    expect(failure.failure).toBe(kind);
    expect(failure.message).toContain(words);
    expect(failure.message).toMatch(/^[A-Z][^\n]*\.$/);
  });

  it('names ANTHROPIC_BASE_URL only where it is set', () => {
    const error = new APIConnectionError({
      cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }),
    });
    expect(classify(error).message).not.toContain('ANTHROPIC_BASE_URL');
    expect(classify(error, { baseUrl: 'http://x' }).message).toContain('ANTHROPIC_BASE_URL');
  });
});

describe('classifyFailure: ended by us', () => {
  it.each([
    ['aborted', 'aborted'],
    ['idle', 'timeout'],
    ['too_long', 'timeout'],
  ] as const)('%s is %s, whatever the error says', (ended, kind) => {
    const usage = {
      input_tokens: 3,
      output_tokens: 1,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
    };
    const failure = classify(httpError(500, undefined), { ended, limitMs: 120_000, usage });
    expect(failure).toMatchObject({ failure: kind, status: null, retryAfterMs: null, usage });
    if (kind === 'timeout') expect(failure.message).toContain('120 s');
  });
});

describe('classifyFailure: words', () => {
  it('says which setting to look at', () => {
    expect(classify(httpError(401, apiBody('authentication_error', 'x'))).message).toContain(
      'ANTHROPIC_API_KEY',
    );
    const notFound = classify(httpError(404, apiBody('not_found_error', 'model: claude-nope')));
    expect(notFound.message).toContain('"claude-nope"; check MODEL:');
  });

  it("keeps the API's own reason on one line, bounded, with one full stop", () => {
    const failure = classify(
      httpError(400, apiBody('invalid_request_error', `bad\n  thing. ${'x'.repeat(900)}`)),
    );
    expect(failure.message).toContain('bad thing. xxx');
    expect(failure.message.length).toBeLessThan(400);
    expect(classify(httpError(400, apiBody('invalid_request_error', 'Bad.'))).message).toMatch(
      /: Bad\.$/,
    );
  });

  it('removes keys from what the API says', () => {
    const { message } = classify(
      httpError(
        401,
        apiBody('authentication_error', `no such key ${CONTEXT.apiKey} nor sk-ant-other-999999`),
      ),
    );
    expect(message).not.toMatch(/secret|other-9/);
    expect(message.match(/\[redacted\]/g)).toHaveLength(2);
  });
});

describe('redact', () => {
  it.each([
    ['key sk-ant-api03-abc_DEF-123', 'key [redacted]'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [redacted]'],
    ['{"x-api-key": "abcdef"}', '{"x-api-key": "[redacted]"}'],
    ['my-own-key failed', '[redacted] failed'],
    ['nothing here, risk-free', 'nothing here, risk-free'],
  ])('%s → %s', (text, expected) => {
    expect(redact(text, 'my-own-key')).toBe(expected);
  });
});

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '17' }, 17_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '17' }, 1_500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '17' }, 17_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{}, null],
  ])('%o → %s', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), NOW)).toBe(expected);
  });

  it('is null without headers', () => {
    expect(retryAfterMs(null, NOW)).toBeNull();
  });
});
