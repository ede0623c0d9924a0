/**
 * The environment, parsed once with zod into a frozen `Config`; all faults are reported together.
 * Nothing else reads env. A missing optional key leaves its tool out (see tools/registry.ts).
 * `settings.ts` holds the table of names, defaults and meanings. No I/O.
 */
import type { z } from 'zod';
import type { Result } from './errors.ts';
import type { RunLimits } from './loop/journal.ts';
import { ROWS, type RowName } from './settings.ts';

export interface Config {
  /** True on the local stack: owner `local` with all scopes, loopback only. */
  local: boolean;
  model: string;
  thinkingEffort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  /** Null: runs cannot be answered, /health says so. */
  anthropic: { apiKey: string; baseUrl: string | null } | null;
  redis: { url: string; token: string };
  e2b: {
    apiKey: string;
    apiUrl: string | null;
    sandboxUrl: string | null;
    indexHosts: string[];
  } | null;
  /** What Python in the sandboxes has: a sentence for the model. */
  pythonNote: string;
  /** PRICES: JSON, model → USD per million tokens; wins over the table. */
  prices: Record<
    string,
    { input: number; output: number; cache_write?: number; cache_read?: number }
  >;
  /** Defaults of a run's limits, and their maxima: a run may ask for less, never for more. */
  runLimits: RunLimits;
  /** Per owner. */
  maxActiveRuns: number;
  dailyUsd: number;
  llmTimeoutMs: number;
  toolTimeoutMs: number;
  /** MAX_FILE_SIZE: preview bytes of one tool result. */
  previewBytes: number;
  retryMax: number;
  retryBaseMs: number;
  batchQuestionDelayMs: number;
  queueShards: number;
  retentionDays: number;
  archiveDays: number;
  approvalTtlMs: number;
  /** Tools that wait for a person in every run. */
  approvalTools: string[];
}

type Values = { [Name in RowName]: z.output<(typeof ROWS)[Name]['schema']> | Fallback<Name> };
/** What a setting is when it is not set and has no default. */
type Fallback<Name extends RowName> = (typeof ROWS)[Name]['default'] extends string ? never : null;

/**
 * Reads every setting out of `env` (strings; numbers and booleans of wrangler's vars are taken as
 * their text). An empty value counts as not set. On faults: one `invalid_input` whose message has
 * a line a fault, `NAME: expected …, got "…"`, and `details.settings` with the names alone.
 */
export function parseConfig(env: Record<string, unknown>): Result<Config> {
  const faults: { name: string; text: string }[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(ROWS)) {
    const text = textOf(env[name]) || row.default;
    if (text === null) {
      values[name] = null;
      if (row.required) faults.push({ name, text: 'expected to be set' });
      continue;
    }
    const parsed = row.schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else faults.push({ name, text: faultText(parsed.error, row.shown ? text : null) });
  }
  // Checks between settings need every one of them, so they come once each is well-formed.
  if (faults.length === 0) faults.push(...contradictions(values as Values));
  if (faults.length > 0) {
    const message = faults.map(({ name, text }) => `${name}: ${text}`).join('\n');
    const settings = [...new Set(faults.map(({ name }) => name))];
    return { ok: false, error: { code: 'invalid_input', message, details: { settings } } };
  }
  return { ok: true, value: deepFreeze(toConfig(values as Values)) };
}

/** Values that must never be seen in a log or an answer. */
export function secretValues(config: Config): string[] {
  const secrets = [config.redis.token, config.anthropic?.apiKey, config.e2b?.apiKey];
  return secrets.filter((secret) => secret !== undefined);
}

function toConfig(values: Values): Config {
  const { ANTHROPIC_API_KEY: apiKey, E2B_API_KEY: e2bKey } = values;
  return {
    local: values.STRIDE_LOCAL,
    model: values.MODEL,
    thinkingEffort: values.THINKING_EFFORT,
    anthropic: apiKey === null ? null : { apiKey, baseUrl: values.ANTHROPIC_BASE_URL },
    redis: {
      // Required: parsing failed above when either is missing.
      url: values.UPSTASH_REDIS_REST_URL ?? '',
      token: values.UPSTASH_REDIS_REST_TOKEN ?? '',
    },
    e2b:
      e2bKey === null
        ? null
        : {
            apiKey: e2bKey,
            apiUrl: values.E2B_API_URL,
            sandboxUrl: values.E2B_SANDBOX_URL,
            indexHosts: values.PYTHON_INDEX_HOSTS ?? [],
          },
    pythonNote: values.PYTHON_NOTE,
    prices: values.PRICES ?? {},
    runLimits: {
      turns: values.MAX_ITERATIONS,
      tool_calls: values.MAX_TOOL_CALLS,
      tokens: values.MAX_TOKENS,
      usd: values.MAX_USD,
      seconds: values.MAX_SECONDS,
    },
    maxActiveRuns: values.MAX_ACTIVE_RUNS,
    dailyUsd: values.DAILY_USD,
    llmTimeoutMs: values.LLM_TIMEOUT * 1000,
    toolTimeoutMs: values.TOOL_TIMEOUT * 1000,
    previewBytes: values.MAX_FILE_SIZE,
    retryMax: values.RATE_LIMIT_RETRY_MAX,
    retryBaseMs: values.RATE_LIMIT_RETRY_BASE_DELAY * 1000,
    batchQuestionDelayMs: values.BATCH_QUESTION_DELAY * 1000,
    queueShards: values.QUEUE_SHARDS,
    retentionDays: values.RETENTION_DAYS,
    archiveDays: values.ARCHIVE_DAYS,
    approvalTtlMs: values.APPROVAL_TTL * 1000,
    approvalTools: values.APPROVAL_TOOLS ?? [],
  };
}

/** Settings that are each well-formed and together make no sense. */
function contradictions(values: Values): { name: string; text: string }[] {
  const faults: { name: string; text: string }[] = [];
  if (values.DAILY_USD < values.MAX_USD) {
    const text = `expected at least MAX_USD (${values.MAX_USD}), else no run is ever accepted, got "${values.DAILY_USD}"`;
    faults.push({ name: 'DAILY_USD', text });
  }
  if (values.ANTHROPIC_BASE_URL !== null && values.ANTHROPIC_API_KEY === null) {
    const text = 'expected to be set with ANTHROPIC_BASE_URL (any value, where none is checked)';
    faults.push({ name: 'ANTHROPIC_API_KEY', text });
  }
  const sandboxUrl = values.E2B_API_URL ?? values.E2B_SANDBOX_URL;
  if (sandboxUrl !== null && values.E2B_API_KEY === null) {
    const text = 'expected to be set with E2B_API_URL and E2B_SANDBOX_URL';
    faults.push({ name: 'E2B_API_KEY', text });
  }
  return faults;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // A wrangler var may be a JSON table (PRICES); any other kind is refused by its row's schema.
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The first complaint of a row's schema, with the value where it is no secret. */
function faultText(error: z.ZodError, shownText: string | null): string {
  const message = error.issues[0]?.message ?? 'expected another value';
  if (shownText === null) return message;
  const short = shownText.length > 60 ? `${shownText.slice(0, 60)}…` : shownText;
  return `${message}, got "${short}"`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
