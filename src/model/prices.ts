/**
 * What models cost and how much they can read: one table, dated, overridable by `PRICES`.
 * A price is pinned in the journal when a run is prepared, so a change of this table never changes
 * the cost of a running run. No I/O, no clock.
 */
import type { Model } from '@anthropic-ai/sdk/resources/messages';
import type { Config } from '../config.ts';
import type { PinnedPrices, TokenUsage } from '../loop/journal.ts';

/** The day the table was compared with platform.claude.com/docs/en/about-claude/pricing. */
export const PRICES_AS_OF = '2026-10-24';

/** The model of the local stack's offline stand-in; it costs nothing. */
export const DEMO_MODEL = 'stride-offline-demo';

type Rates = Omit<PinnedPrices, 'known' | 'long_prompt'>;
interface ModelPrice extends Rates {
  /** Tokens the model's window holds. */
  window: number;
  long_prompt?: PinnedPrices['long_prompt'];
}

const MILLION = 1_000_000;
/** For models nobody described: the smallest window of the table, so that runs end early, not late. */
const UNKNOWN_WINDOW = 200_000;

/** `cache_write` is the five-minute kind (1.25 × input), the only one the client asks for. */
function row(input: number, output: number, more: { cacheRead: number; window?: number }) {
  return {
    input,
    output,
    cache_write: input * 1.25,
    cache_read: more.cacheRead,
    window: more.window ?? MILLION,
  };
}

/** The names of the SDK's `Model` type that can be listed (its `string & {}` arm left out). */
type KnownModel = Model extends infer M
  ? M extends string
    ? string extends M
      ? never
      : M
    : never
  : never;

// From the pricing and models pages of platform.claude.com. Fable 5.2 and Mythos 5.2 were not on
// them yet: they carry the dearest figures of their family. Mythos Preview was sold by invitation
// at 25 / 125, which is also what an unknown model is taken to cost.
const TABLE = {
  'claude-mythos-preview': row(25, 125, { cacheRead: 2.5 }),
  'claude-fable-5-2': row(10, 50, { cacheRead: 1 }),
  'claude-mythos-5-2': row(10, 50, { cacheRead: 1 }),
  'claude-fable-5-1': row(10, 50, { cacheRead: 0.25 }),
  'claude-mythos-5-1': row(10, 50, { cacheRead: 0.25 }),
  'claude-fable-5': row(10, 50, { cacheRead: 1 }),
  'claude-mythos-5': row(10, 50, { cacheRead: 1 }),
  'claude-opus-5-5': row(4, 20, { cacheRead: 0.2 }),
  'claude-opus-5': row(5, 25, { cacheRead: 0.5 }),
  'claude-opus-4-8': row(5, 25, { cacheRead: 0.5 }),
  'claude-opus-4-7': row(5, 25, { cacheRead: 0.5 }),
  'claude-opus-4-6': row(5, 25, { cacheRead: 0.5 }),
  'claude-opus-4-5': row(5, 25, { cacheRead: 0.5, window: 200_000 }),
  'claude-opus-4-5-20251101': row(5, 25, { cacheRead: 0.5, window: 200_000 }),
  'claude-sonnet-5-5': row(2, 10, { cacheRead: 0.1 }),
  'claude-sonnet-5': row(2, 10, { cacheRead: 0.2 }),
  'claude-sonnet-4-6': row(3, 15, { cacheRead: 0.3 }),
  'claude-sonnet-4-5': row(3, 15, { cacheRead: 0.3, window: 200_000 }),
  'claude-sonnet-4-5-20250929': row(3, 15, { cacheRead: 0.3, window: 200_000 }),
  // Two price bands: above 100,000 prompt tokens every token of the call costs five times as much.
  'claude-haiku-5-5': {
    ...row(0.1, 0.5, { cacheRead: 0.01 }),
    long_prompt: { above: 100_000, input: 0.5, output: 2.5, cache_write: 0.625, cache_read: 0.05 },
  },
  'claude-haiku-4-5': row(1, 5, { cacheRead: 0.1, window: 200_000 }),
  'claude-haiku-4-5-20251001': row(1, 5, { cacheRead: 0.1, window: 200_000 }),
} satisfies Record<KnownModel, ModelPrice>;

const PRICES = new Map<string, ModelPrice>(Object.entries(TABLE));
PRICES.set(DEMO_MODEL, { input: 0, output: 0, cache_write: 0, cache_read: 0, window: 200_000 });

/** Models in the table, the demo model included. */
export const PRICED_MODELS: readonly string[] = [...PRICES.keys()];

/** Finds a row by name, also for a dated snapshot (`claude-sonnet-5-5-20260929`) of a listed model. */
function lookUp(model: string): ModelPrice | undefined {
  return PRICES.get(model) ?? PRICES.get(model.replace(/-\d{8}$/, ''));
}

function dearest(): Rates {
  const rows = [...PRICES.values()];
  const most = (pick: (price: ModelPrice) => number) => Math.max(...rows.map(pick));
  return {
    input: most((price) => price.input),
    output: most((price) => price.output),
    cache_write: most((price) => price.cache_write),
    cache_read: most((price) => price.cache_read),
  };
}

/**
 * Prices (USD per million tokens) and window (tokens) of a model.
 * `overrides` (setting PRICES) win over the table; where they leave a cache price out it follows
 * from the input price (1.25 × and 0.1 ×). An unknown model takes the dearest price there is and
 * says so by `known: false`: money limits then stop a run early rather than late.
 */
export function priceOf(
  model: string,
  overrides: Config['prices'] = {},
): PinnedPrices & { window: number } {
  const listed = lookUp(model);
  const override = Object.hasOwn(overrides, model) ? overrides[model] : undefined;
  if (override !== undefined) {
    return {
      input: override.input,
      output: override.output,
      cache_write: override.cache_write ?? override.input * 1.25,
      cache_read: override.cache_read ?? override.input * 0.1,
      window: listed?.window ?? UNKNOWN_WINDOW,
      known: true,
    };
  }
  if (listed !== undefined) return { ...listed, known: true };
  return { ...dearest(), window: UNKNOWN_WINDOW, known: false };
}

/** Prices carry at most six decimals, so sums in millionths of a micro-USD are exact integers. */
const SCALE = 1_000_000;

function sumMicroUsd(parts: [tokens: number, price: number][]): number {
  const scaled = parts.reduce(
    (sum, [tokens, price]) => sum + tokens * Math.round(price * SCALE),
    0,
  );
  return Math.ceil(scaled / SCALE);
}

function ratesFor(prices: PinnedPrices, promptTokens: number): Rates {
  const tier = prices.long_prompt;
  return tier !== undefined && promptTokens > tier.above ? tier : prices;
}

/** Cost of one call in whole micro-USD, rounded up (USD per million tokens = micro-USD a token). */
export function costMicroUsd(usage: TokenUsage, prices: PinnedPrices): number {
  const written = usage.cache_creation_input_tokens ?? 0;
  const read = usage.cache_read_input_tokens ?? 0;
  const rates = ratesFor(prices, usage.input_tokens + written + read);
  return sumMicroUsd([
    [usage.input_tokens, rates.input],
    [usage.output_tokens, rates.output],
    [written, rates.cache_write],
    [read, rates.cache_read],
  ]);
}

/** The most one call can cost, in micro-USD: the whole prompt is written to the cache. */
export function worstCaseMicroUsd(call: {
  inputTokens: number;
  maxTokens: number;
  prices: PinnedPrices;
}): number {
  const rates = ratesFor(call.prices, call.inputTokens);
  return sumMicroUsd([
    [call.inputTokens, Math.max(rates.input, rates.cache_write)],
    [call.maxTokens, rates.output],
  ]);
}
