/**
 * The one closed set of error codes, and how each becomes an HTTP status.
 * Expected failures travel as `Result`; a throw means a bug, or a `StrideError` that a handler or a
 * tool raises on purpose and its caller (onError, dispatch) turns into words for a person.
 */

export type ErrorCode =
  | 'invalid_input'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'budget_spent'
  | 'timeout'
  | 'upstream'
  | 'unavailable';

/** What went wrong: a stable code, one plain sentence, and data a program can act on. No secrets. */
export interface Fault {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Fault };

export class StrideError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = 'StrideError';
    this.code = code;
    this.details = details;
  }
}

export function httpStatus(code: ErrorCode) {
  switch (code) {
    case 'invalid_input':
      return 400;
    case 'unauthorized':
      return 401;
    case 'budget_spent':
      return 402;
    case 'forbidden':
      return 403;
    case 'not_found':
      return 404;
    case 'conflict':
      return 409;
    case 'too_large':
      return 413;
    case 'rate_limited':
      return 429;
    case 'upstream':
      return 502;
    case 'unavailable':
      return 503;
    case 'timeout':
      return 504;
  }
}
