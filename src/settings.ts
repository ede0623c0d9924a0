/**
 * The one table of settings: name, default, meaning, and the schema that reads its text. The
 * README's table is checked against it. A value that is or may hold a secret is never shown:
 * addresses count as such, because people paste `redis://user:password@host`. No I/O.
 */
import { z } from 'zod';

interface Row<Schema extends z.ZodType, Default extends string | null> {
  /** Text as it would stand in env; null: not set. */
  default: Default;
  /** One line for people, with the unit. */
  meaning: string;
  schema: Schema;
  required: boolean;
  /** Whether a fault may quote the value. */
  shown: boolean;
}

function row<Schema extends z.ZodType, const Default extends string | null>(
  defaultText: Default,
  schema: Schema,
  meaning: string,
): Row<Schema, Default> {
  return { default: defaultText, schema, meaning, required: false, shown: true };
}

/** A key or an address: no default, never quoted. */
function hidden<Schema extends z.ZodType>(
  schema: Schema,
  meaning: string,
  required = false,
): Row<Schema, null> {
  return { default: null, schema, meaning, required, shown: false };
}

/** Digits only: `1e3`, `10.0` and `0x10` are more often a slip than an intention. */
function whole(min: number, max: number) {
  return z.string().transform((text, context) => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const bound = value > max ? `at most ${max}` : `at least ${min}`;
    context.addIssue({ code: 'custom', message: `expected a whole number of ${bound}` });
    return z.NEVER;
  });
}

function usd(max: number) {
  return z.string().transform((text, context) => {
    const value = /^\+?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    const bound = value > max ? `of at most ${max}` : 'above 0';
    context.addIssue({ code: 'custom', message: `expected a number ${bound} (US dollars)` });
    return z.NEVER;
  });
}

const isHttpUrl = (text: string) =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

const address = z.string().refine(isHttpUrl, 'expected an address that starts with https://');
const key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'expected a key of printable characters without spaces');
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_write: z.number().nonnegative().optional(),
  cache_read: z.number().nonnegative().optional(),
});
const pricesExample = '{"model-name": {"input": 3, "output": 15}}';
const prices = z.string().transform((text, context) => {
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Told below, together with JSON of another shape.
  }
  const parsed = z.record(z.string().min(1), price).safeParse(json);
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: `expected JSON like ${pricesExample}` });
  return z.NEVER;
});
const flag = z
  .enum(['0', '1', 'true', 'false'], 'expected 1 or 0')
  .transform((text) => text === '1' || text === 'true');

const HOUR = 3600;

export const ROWS = {
  UPSTASH_REDIS_REST_URL: hidden(address, 'Address of the Redis that holds all state', true),
  UPSTASH_REDIS_REST_TOKEN: hidden(key, 'Its token', true),
  ANTHROPIC_API_KEY: hidden(key, 'Key of the Messages API; without it no run is accepted'),
  ANTHROPIC_BASE_URL: hidden(address, 'Another server that speaks the Messages API'),
  E2B_API_KEY: hidden(key, 'Key of the Python sandboxes; without it `execute_python` is left out'),
  E2B_API_URL: hidden(address, 'Another control plane that speaks the E2B API'),
  E2B_SANDBOX_URL: hidden(address, 'Where that server reaches its sandboxes'),
  PYTHON_INDEX_HOSTS: row(
    null,
    z
      .string()
      .regex(/^[\w.-]+( *, *[\w.-]+)*$/, 'expected names of hosts, comma separated')
      .transform((text) => text.split(/ *, */)),
    'Hosts of the package index, comma separated; without them `requirements` are refused',
  ),
  PYTHON_NOTE: row(
    'pandas, numpy and matplotlib are there; name other packages in requirements.',
    z.string().max(300),
    'What Python in the sandboxes has, for the model and `GET /v1/tools`',
  ),
  MODEL: row('claude-sonnet-5-5', z.string().max(200), 'Model of runs that name none'),
  THINKING_EFFORT: row(
    null,
    z.enum(efforts, `expected one of ${efforts.join(', ')}`),
    'How much the model thinks before it answers: low, medium, high, xhigh or max',
  ),
  PRICES: row(
    null,
    prices,
    `Prices that win over the built-in table, USD per million tokens: \`${pricesExample}\``,
  ),
  MAX_ITERATIONS: row('10', whole(1, 1000), 'Turns of one run'),
  MAX_TOOL_CALLS: row('60', whole(1, 10_000), 'Tool calls of one run'),
  MAX_TOKENS: row('1000000', whole(1, 1_000_000_000), 'Input and output tokens of one run'),
  MAX_USD: row('1', usd(10_000), 'Money of one run, USD'),
  MAX_SECONDS: row('1800', whole(1, 30 * 86_400), 'Time of one run, without waiting for people'),
  MAX_ACTIVE_RUNS: row('20', whole(1, 10_000), 'Unfinished runs of one owner'),
  DAILY_USD: row('20', usd(1_000_000), 'Money of one owner a day (UTC), USD'),
  LLM_TIMEOUT: row('120', whole(1, 600), 'Seconds a model call may be silent'),
  TOOL_TIMEOUT: row('30', whole(1, 600), 'Seconds a tool call may take'),
  MAX_FILE_SIZE: row(
    '32768',
    whole(1024, 1_048_576),
    'Bytes of one tool result shown to the model',
  ),
  RATE_LIMIT_RETRY_MAX: row('5', whole(0, 20), 'Repeats of a failed model call'),
  RATE_LIMIT_RETRY_BASE_DELAY: row(
    '10',
    whole(1, 3600),
    'Seconds before the first repeat; doubles',
  ),
  BATCH_QUESTION_DELAY: row('5', whole(0, 3600), 'Seconds between the questions of a batch'),
  APPROVAL_TOOLS: row(
    null,
    z
      .string()
      .regex(/^[\w-]+( *, *[\w-]+)*$/, 'expected names of tools, comma separated')
      .transform((text) => text.split(/ *, */)),
    'Tools that wait for a person in every run, comma separated',
  ),
  APPROVAL_TTL: row(String(24 * HOUR), whole(60, 30 * 86_400), 'Seconds an approval is waited for'),
  QUEUE_SHARDS: row('1', whole(1, 64), 'Step queues, bound as STEPS_0, STEPS_1 and so on'),
  RETENTION_DAYS: row('30', whole(1, 3650), 'Days a finished run stays in Redis'),
  ARCHIVE_DAYS: row('365', whole(1, 3650), 'Days its archived journal is served from R2'),
  STRIDE_LOCAL: row('0', flag, '1 on the local stack: no keys, loopback requests only'),
};

export type RowName = keyof typeof ROWS;

/** One row a setting, in the order of the README's table. */
export const SETTINGS: readonly { name: RowName; default: string | null; meaning: string }[] =
  Object.entries(ROWS).map(([name, { default: text, meaning }]) => ({
    name: name as RowName,
    default: text,
    meaning,
  }));
