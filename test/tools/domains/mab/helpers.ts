/** What the tests of the bandit domain share: closeness, draws, and the field that a refusal names. */
import { expect } from 'vitest';
import { StrideError } from '../../../../src/errors.ts';
import { createStreams } from '../../../../src/tools/domains/mab/random.ts';

/** Within 1e-9, relative to what is expected (absolute at 0). */
export function expectClose(value: number, expected: number, relative = 1e-9): void {
  const error = Math.abs(value - expected) / (expected === 0 ? 1 : Math.abs(expected));
  expect(error, `${value} instead of ${expected}`).toBeLessThanOrEqual(relative);
}

/** The field that a refusal names, or what else happened. */
export function refusedField(run: () => unknown): unknown {
  try {
    return { returned: run() };
  } catch (error) {
    if (!(error instanceof StrideError)) return { threw: error };
    const field = error.details?.field;
    return error.message.startsWith(`${field}: `) ? field : error.message;
  }
}

/** Uniform numbers of a fixed seed, for properties. */
export function createUniform(seed: number) {
  const stream = createStreams(seed)();
  return (low: number, high: number) => low + ((high - low) * stream.word()) / 2 ** 32;
}
