/**
 * Why a model call gave no reply: one class for every error the SDK throws, the stream carries or
 * the network causes. Recognises errors by their shape, so the SDK need not be loaded. Pure: no
 * I/O, no clock. What is done about each class is the loop's business.
 */
import type { TokenUsage } from '../loop/journal.ts';
import { describeFailure, redact } from './failure-words.ts';
import type { FailureKind, ModelFailure } from './port.ts';

/** What the caller knows beside the error. */
export interface FailureContext {
  model: string;
  /** Removed from messages wherever it appears. */
  apiKey: string;
  /** Null: the API's own address. Only decides whether a message may blame ANTHROPIC_BASE_URL. */
  baseUrl: string | null;
  /** Unix milliseconds, for a `retry-after` that is a date. */
  now: number;
  /** Usage seen before the failure. */
  usage: TokenUsage | null;
  /** Set when the client itself ended the call. */
  ended?: 'aborted' | 'idle' | 'too_long';
  /** Limit that passed, for the message; milliseconds. */
  limitMs?: number;
}

/** An `error` event inside a stream that began with 200. */
export class StreamErrorEvent extends Error {
  readonly error: unknown;
  readonly headers: Headers;

  constructor(body: unknown, headers: Headers) {
    super('the stream carried an error event');
    this.name = 'StreamErrorEvent';
    this.error = body;
    this.headers = headers;
  }
}

/** The stream ended, by close or by error, before `message_stop`. */
export class StreamCutError extends Error {
  override readonly name = 'StreamCutError';
}

/** A reply that breaks the protocol: no JSON, no stream, no stop reason. `message` says which. */
export class BadReplyError extends Error {
  override readonly name = 'BadReplyError';
}

/** What can be read off any error. */
export interface Seen {
  name: string;
  status: number | null;
  headers: Headers | null;
  /** `error.type`, `error.message` and `error.details.error_code` of the body, when it is JSON. */
  type: string;
  reason: string;
  code: string;
  /** The error and its causes as text, for network faults. */
  cause: string;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function causeText(error: unknown): string {
  const parts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; depth += 1) {
    const fields = record(at);
    parts.push(text(fields.code), text(fields.message));
    // Happy-eyeballs failures carry one error for each address.
    if (Array.isArray(fields.errors))
      parts.push(...fields.errors.map((one) => text(record(one).code)));
    at = fields.cause;
  }
  return parts.filter((part) => part !== '').join(' ');
}

function look(error: unknown): Seen {
  const fields = record(error);
  const body = record(record(fields.error).error);
  return {
    name: text(fields.name),
    status: typeof fields.status === 'number' ? fields.status : null,
    headers: fields.headers instanceof Headers ? fields.headers : null,
    type: text(body.type),
    reason: text(body.message),
    code: text(record(body.details).error_code),
    cause: causeText(error),
  };
}

const CONTEXT_WORDS =
  /prompt is too long|context (window|limit|length)|maximum context|too many (input )?tokens/i;
const SPEND_WORDS = /usage limits|spend(ing)? (limit|cap)|monthly api usage threshold/i;
const CREDIT_WORDS = /credit balance|(usage credits|extra usage) (are|is) required/i;

/** 400 and 429 carry money faults in words only, or in a code (API page "Errors"). */
function moneyKind(seen: Seen): FailureKind | null {
  if (/spend_limit/.test(seen.code)) return 'spend_limit';
  if (CREDIT_WORDS.test(seen.reason)) return 'billing';
  if (SPEND_WORDS.test(seen.reason)) return 'spend_limit';
  return null;
}

function kindOfType(type: string): FailureKind | null {
  switch (type) {
    case 'overloaded_error':
      return 'overloaded';
    case 'rate_limit_error':
      return 'rate_limited';
    case 'api_error':
      return 'server_error';
    case 'timeout_error':
      return 'timeout';
    case 'authentication_error':
      return 'unauthorized';
    case 'billing_error':
      return 'billing';
    case 'permission_error':
      return 'forbidden';
    case 'not_found_error':
      return 'not_found';
    case 'request_too_large':
      return 'request_too_large';
    case 'invalid_request_error':
      return 'bad_request';
    default:
      return null;
  }
}

function kindOfStatus(status: number): FailureKind {
  const named: Record<number, FailureKind> = {
    401: 'unauthorized',
    402: 'billing',
    403: 'forbidden',
    404: 'not_found',
    408: 'timeout',
    // A conflict is gone at the next attempt, so it is treated like a fault of the server.
    409: 'server_error',
    413: 'request_too_large',
    429: 'rate_limited',
    504: 'timeout',
    529: 'overloaded',
  };
  return named[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}

function classify(seen: Seen): FailureKind {
  if (seen.name === 'StreamCutError') return 'connection_lost';
  if (seen.name === 'BadReplyError') return 'server_error';
  if (seen.name === 'APIConnectionTimeoutError') return 'timeout';
  // A type that says more than its status wins: some gateways send overloaded_error with 500 or 503.
  const kind =
    seen.type === 'overloaded_error' || seen.status === null
      ? kindOfType(seen.type)
      : kindOfStatus(seen.status);
  if (kind === null) return seen.type === '' ? 'connection_lost' : 'server_error';
  if (kind !== 'bad_request' && kind !== 'rate_limited') return kind;
  const money = moneyKind(seen);
  if (money !== null) return money;
  return kind === 'bad_request' && CONTEXT_WORDS.test(seen.reason) ? 'context_exceeded' : kind;
}

/**
 * Delay that `retry-after-ms` (milliseconds) or `retry-after` (seconds or an HTTP date) asks for,
 * in milliseconds; null when there is none or it cannot be read.
 */
export function retryAfterMs(headers: Headers | null, now: number): number | null {
  const exact = headers?.get('retry-after-ms')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const value = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Only text that begins like an HTTP date: V8 reads "-5" as a date too.
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Turns whatever ended a call into a `ModelFailure`. Never throws; the message holds no secret. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  const seen = look(error);
  const kind =
    context.ended === 'aborted'
      ? 'aborted'
      : context.ended === undefined
        ? classify(seen)
        : 'timeout';
  return {
    kind: 'failed',
    failure: kind,
    message: redact(describeFailure(kind, seen, context), context.apiKey),
    status: context.ended === undefined ? seen.status : null,
    retryAfterMs: context.ended === undefined ? retryAfterMs(seen.headers, context.now) : null,
    usage: context.usage,
  };
}
