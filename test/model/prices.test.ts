import { describe, expect, it } from 'vitest';
import type { PinnedPrices } from '../../src/loop/journal.ts';
import {
  costMicroUsd,
  PRICED_MODELS,
  PRICES_AS_OF,
  priceOf,
  worstCaseMicroUsd,
} from '../../src/model/prices.ts';

const USAGE = {
  input_tokens: 1_000_000,
  output_tokens: 100_000,
  cache_creation_input_tokens: 200_000,
  cache_read_input_tokens: 400_000,
};

describe('priceOf', () => {
  it('knows every model of its table, with a window and a price for each kind of token', () => {
    expect(PRICED_MODELS.length).toBeGreaterThan(20);
    for (const model of PRICED_MODELS) {
      const price = priceOf(model);
      expect(price.known).toBe(true);
      expect(price.window).toBeGreaterThanOrEqual(200_000);
      if (model === 'stride-offline-demo') continue;
      // Reading the cache is cheaper than input, writing it dearer, output dearest.
      expect(price.cache_read).toBeLessThan(price.input);
      expect(price.cache_write).toBeCloseTo(price.input * 1.25, 10);
      expect(price.output).toBeCloseTo(price.input * 5, 10);
    }
    expect(PRICES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('gives the published price of the newest Sonnet, dated snapshots too', () => {
    const expected = {
      input: 2,
      output: 10,
      cache_write: 2.5,
      cache_read: 0.1,
      window: 1_000_000,
      known: true,
    };
    expect(priceOf('claude-sonnet-5-5')).toEqual(expected);
    expect(priceOf('claude-sonnet-5-5-20260929')).toEqual(expected);
  });

  it('prices an unknown model at the dearest of each kind and says that it is not known', () => {
    const unknown = priceOf('gpt-nonsense');
    expect(unknown.known).toBe(false);
    for (const model of PRICED_MODELS) {
      const price = priceOf(model);
      for (const kind of ['input', 'output', 'cache_write', 'cache_read'] as const) {
        expect(unknown[kind]).toBeGreaterThanOrEqual(price[kind]);
      }
      expect(unknown.window).toBeLessThanOrEqual(price.window);
    }
  });

  it('lets an override win, and derives the cache prices that it leaves out', () => {
    const overrides = {
      'my-model': { input: 4, output: 8 },
      'claude-opus-5': { input: 1, output: 2, cache_read: 0.5 },
    };
    expect(priceOf('my-model', overrides)).toMatchObject({
      input: 4,
      output: 8,
      cache_write: 5,
      cache_read: 0.4,
      known: true,
    });
    expect(priceOf('claude-opus-5', overrides)).toMatchObject({
      input: 1,
      cache_read: 0.5,
      window: 1_000_000,
    });
  });

  it.each(['toString', '__proto__', 'constructor'])(
    'takes the name %s for an unknown model',
    (name) => {
      expect(priceOf(name, {}).known).toBe(false);
    },
  );

  it('costs nothing offline', () => {
    expect(costMicroUsd(USAGE, priceOf('stride-offline-demo'))).toBe(0);
  });
});

describe('costMicroUsd', () => {
  it('adds the four kinds: USD per million tokens are micro-USD a token', () => {
    // 1 M × 2 + 100 k × 10 + 200 k × 2.5 + 400 k × 0.1
    expect(costMicroUsd(USAGE, priceOf('claude-sonnet-5-5'))).toBe(
      2_000_000 + 1_000_000 + 500_000 + 40_000,
    );
  });

  it('rounds up to a whole micro-USD, without floating-point noise', () => {
    const prices: PinnedPrices = {
      input: 0.1,
      output: 0.3,
      cache_write: 0,
      cache_read: 0.7,
      known: true,
    };
    const usage = (input: number, output = 0) => ({
      ...USAGE,
      input_tokens: input,
      output_tokens: output,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
    });
    expect(costMicroUsd(usage(1), prices)).toBe(1);
    expect(costMicroUsd(usage(10), prices)).toBe(1);
    expect(costMicroUsd(usage(11), prices)).toBe(2);
    // 3 × 0.1 is 0.30000000000000004 in floating point.
    expect(costMicroUsd(usage(3_000_000), prices)).toBe(300_000);
    expect(costMicroUsd(usage(0), prices)).toBe(0);
  });

  it('takes the second price band for the whole call once the prompt is longer, cache included', () => {
    const prices = priceOf('claude-haiku-5-5');
    const usage = {
      input_tokens: 60_000,
      output_tokens: 1_000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 40_000,
    };
    expect(costMicroUsd(usage, prices)).toBe(6_000 + 500 + 400);
    expect(costMicroUsd({ ...usage, input_tokens: 60_001 }, prices)).toBe(
      Math.ceil(30_000.5 + 2_500 + 2_000),
    );
  });
});

describe('worstCaseMicroUsd', () => {
  it('is never less than what a call of that size can cost', () => {
    for (const model of PRICED_MODELS) {
      const prices = priceOf(model);
      for (const inputTokens of [0, 1, 1_000, 150_000]) {
        const worst = worstCaseMicroUsd({ inputTokens, maxTokens: 500, prices });
        for (const share of [0, 0.5, 1]) {
          const written = Math.floor(inputTokens * share);
          const usage = {
            input_tokens: inputTokens - written,
            output_tokens: 500,
            cache_creation_input_tokens: written,
            cache_read_input_tokens: 0,
          };
          expect(worst).toBeGreaterThanOrEqual(costMicroUsd(usage, prices));
        }
      }
    }
  });
});
