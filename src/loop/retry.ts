/**
 * What is done about a failed model call, by its class (docs/retries.md). Pure: chance and time
 * are arguments. The wait itself is a release with `not_before`, never a sleeping Worker.
 */
import type { FailureKind, ModelFailure } from '../model/port.ts';

export interface RetryContext {
  /** Counted failures in a row before this one. */
  failures: number;
  /** Kind of the failure before this one, if no reply came between. */
  previousKind: string | null;
  maxRetries: number;
  baseMs: number;
  /** Redis' clock, Unix milliseconds. */
  now: number;
  /** [0, 1). */
  random: number;
}

/** A server that asks for more patience than this is asked again anyway. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;
/** Share of a wait that chance may add, so that runs do not come back together. */
const JITTER = 0.25;

const POLICY: Record<FailureKind, 'wait' | 'last_try' | 'stop' | 'again'> = {
  rate_limited: 'wait',
  overloaded: 'wait',
  server_error: 'wait',
  timeout: 'wait',
  connection_lost: 'wait',
  context_exceeded: 'last_try',
  request_too_large: 'last_try',
  spend_limit: 'stop',
  bad_request: 'stop',
  unauthorized: 'stop',
  billing: 'stop',
  forbidden: 'stop',
  not_found: 'stop',
  aborted: 'again',
};

/** When to try again: Unix milliseconds, or null for never; `counted` among the retries or not. */
export function planRetry(
  failure: ModelFailure,
  context: RetryContext,
): { retryAt: number | null; counted: boolean } {
  switch (POLICY[failure.failure]) {
    case 'stop':
      return { retryAt: null, counted: true };
    case 'again':
      return { retryAt: context.now, counted: false };
    case 'last_try': {
      const again = context.previousKind !== failure.failure;
      return { retryAt: again ? context.now : null, counted: true };
    }
    case 'wait': {
      if (context.failures >= context.maxRetries) return { retryAt: null, counted: true };
      return { retryAt: context.now + waitMs(failure, context), counted: true };
    }
  }
}

function waitMs(failure: ModelFailure, context: RetryContext): number {
  const own = context.baseMs * 2 ** context.failures;
  const asked = failure.retryAfterMs;
  const base = asked === null ? own : Math.min(asked, MAX_RETRY_AFTER_MS);
  return Math.ceil(base * (1 + JITTER * context.random));
}
