import { describe, expect, it } from 'vitest';
import { planRetry } from '../../src/loop/retry.ts';
import type { FailureKind, ModelFailure } from '../../src/model/port.ts';

const failure = (kind: FailureKind, retryAfterMs: number | null = null): ModelFailure => ({
  kind: 'failed',
  failure: kind,
  message: 'x',
  status: null,
  retryAfterMs,
  usage: null,
});
const context = {
  failures: 0,
  previousKind: null,
  maxRetries: 5,
  baseMs: 10_000,
  now: 1_000,
  random: 0,
};

describe('planRetry', () => {
  it.each(['rate_limited', 'overloaded', 'server_error', 'timeout', 'connection_lost'] as const)(
    'waits after %s, doubling each time, and stops after the last retry',
    (kind) => {
      const waits = [0, 1, 2, 3, 4].map(
        (failures) => (planRetry(failure(kind), { ...context, failures }).retryAt ?? 0) - 1_000,
      );
      expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000]);
      expect(planRetry(failure(kind), { ...context, failures: 5 }).retryAt).toBe(null);
    },
  );

  it('does as retry-after says, up to a quarter of an hour', () => {
    expect(planRetry(failure('rate_limited', 3_000), context).retryAt).toBe(4_000);
    expect(planRetry(failure('rate_limited', 86_400_000), context).retryAt).toBe(901_000);
  });

  it('spreads retries by up to a quarter of the wait', () => {
    expect(planRetry(failure('overloaded'), { ...context, random: 0.999 }).retryAt).toBe(13_498);
  });

  it.each([
    'spend_limit',
    'bad_request',
    'unauthorized',
    'billing',
    'forbidden',
    'not_found',
  ] as const)('never repeats %s', (kind) =>
    expect(planRetry(failure(kind), context)).toEqual({ retryAt: null, counted: true }),
  );

  it.each(['context_exceeded', 'request_too_large'] as const)(
    'tries once more after %s',
    (kind) => {
      expect(planRetry(failure(kind), context).retryAt).toBe(1_000);
      const again = { ...context, failures: 1, previousKind: kind };
      expect(planRetry(failure(kind), again).retryAt).toBe(null);
    },
  );

  it('repeats an aborted call at once and does not count it', () => {
    expect(planRetry(failure('aborted'), { ...context, failures: 5 })).toEqual({
      retryAt: 1_000,
      counted: false,
    });
  });
});
