import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig, secretValues } from '../src/config.ts';
import { SETTINGS } from '../src/settings.ts';

const base = {
  UPSTASH_REDIS_REST_URL: 'https://redis.example',
  UPSTASH_REDIS_REST_TOKEN: 'redis-token-1234',
};

function config(env: Record<string, unknown> = {}) {
  const parsed = parseConfig({ ...base, ...env });
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function faults(env: Record<string, unknown>) {
  const parsed = parseConfig(env);
  return parsed.ok ? [] : parsed.error.message.split('\n');
}

const faultsOf = (env: Record<string, unknown>) => faults({ ...base, ...env });

describe('parseConfig', () => {
  it('takes the defaults of every setting when only Redis is given', () => {
    expect(config()).toEqual({
      local: false,
      model: 'claude-sonnet-5-5',
      thinkingEffort: null,
      anthropic: null,
      redis: { url: 'https://redis.example', token: 'redis-token-1234' },
      e2b: null,
      pythonNote: 'pandas, numpy and matplotlib are there; name other packages in requirements.',
      prices: {},
      runLimits: { turns: 10, tool_calls: 60, tokens: 1_000_000, usd: 1, seconds: 1800 },
      maxActiveRuns: 20,
      dailyUsd: 20,
      llmTimeoutMs: 120_000,
      toolTimeoutMs: 30_000,
      previewBytes: 32_768,
      retryMax: 5,
      retryBaseMs: 10_000,
      batchQuestionDelayMs: 5_000,
      queueShards: 1,
      retentionDays: 30,
      archiveDays: 365,
      approvalTtlMs: 86_400_000,
      approvalTools: [],
    });
  });

  const wholeNumbers: [string, unknown, string][] = [
    ['MAX_ITERATIONS', 'ten', 'MAX_ITERATIONS: expected a whole number of at least 1, got "ten"'],
    ['MAX_ITERATIONS', '0', 'MAX_ITERATIONS: expected a whole number of at least 1, got "0"'],
    ['MAX_ITERATIONS', '-3', 'MAX_ITERATIONS: expected a whole number of at least 1, got "-3"'],
    ['MAX_ITERATIONS', '1e3', 'MAX_ITERATIONS: expected a whole number of at least 1, got "1e3"'],
    ['MAX_ITERATIONS', '2.5', 'MAX_ITERATIONS: expected a whole number of at least 1, got "2.5"'],
    ['MAX_ITERATIONS', '0x10', 'MAX_ITERATIONS: expected a whole number of at least 1, got "0x10"'],
    [
      'MAX_ITERATIONS',
      '10 turns',
      'MAX_ITERATIONS: expected a whole number of at least 1, got "10 turns"',
    ],
    ['MAX_ITERATIONS', '１０', 'MAX_ITERATIONS: expected a whole number of at least 1, got "１０"'],
    ['MAX_ITERATIONS', true, 'MAX_ITERATIONS: expected a whole number of at least 1, got "true"'],
    ['MAX_ITERATIONS', [10], 'MAX_ITERATIONS: expected a whole number of at least 1, got "[10]"'],
    [
      'MAX_ITERATIONS',
      '9'.repeat(400),
      `MAX_ITERATIONS: expected a whole number of at most 1000, got "${'9'.repeat(60)}…"`,
    ],
    [
      'RATE_LIMIT_RETRY_MAX',
      '-1',
      'RATE_LIMIT_RETRY_MAX: expected a whole number of at least 0, got "-1"',
    ],
    ['MAX_FILE_SIZE', '10', 'MAX_FILE_SIZE: expected a whole number of at least 1024, got "10"'],
    ['QUEUE_SHARDS', '65', 'QUEUE_SHARDS: expected a whole number of at most 64, got "65"'],
    ['MAX_USD', '0', 'MAX_USD: expected a number above 0 (US dollars), got "0"'],
    ['MAX_USD', '$1', 'MAX_USD: expected a number above 0 (US dollars), got "$1"'],
    ['MAX_USD', 'NaN', 'MAX_USD: expected a number above 0 (US dollars), got "NaN"'],
    ['MAX_USD', '10001', 'MAX_USD: expected a number of at most 10000 (US dollars), got "10001"'],
    ['STRIDE_LOCAL', 'yes', 'STRIDE_LOCAL: expected 1 or 0, got "yes"'],
    [
      'THINKING_EFFORT',
      'more',
      'THINKING_EFFORT: expected one of low, medium, high, xhigh, max, got "more"',
    ],
    [
      'PRICES',
      '{"m": 3}',
      'PRICES: expected JSON like {"model-name": {"input": 3, "output": 15}}, got "{"m": 3}"',
    ],
    [
      'PRICES',
      'cheap',
      'PRICES: expected JSON like {"model-name": {"input": 3, "output": 15}}, got "cheap"',
    ],
  ];
  it.each(wholeNumbers)('refuses %s=%j and says what it expected', (name, value, message) => {
    expect(faultsOf({ [name]: value })).toEqual([message]);
  });

  it.each([
    ['10', 10],
    [' 12 ', 12],
    ['+7', 7],
    ['007', 7],
    [7, 7],
    ['1000', 1000],
  ])('reads MAX_ITERATIONS=%j as %d turns', (value, turns) => {
    expect(config({ MAX_ITERATIONS: value }).runLimits.turns).toBe(turns);
  });

  it.each([[''], ['   '], [undefined], [null]])('counts %j as not set', (value) => {
    expect(config({ MAX_ITERATIONS: value, MODEL: value }).runLimits.turns).toBe(10);
  });

  it('reports all faults together, in the order of the table', () => {
    const lines = faults({
      UPSTASH_REDIS_REST_URL: '',
      MAX_ITERATIONS: 'ten',
      DAILY_USD: 'lots',
      QUEUE_SHARDS: '0',
    });
    expect(lines).toEqual([
      'UPSTASH_REDIS_REST_URL: expected to be set',
      'UPSTASH_REDIS_REST_TOKEN: expected to be set',
      'MAX_ITERATIONS: expected a whole number of at least 1, got "ten"',
      'DAILY_USD: expected a number above 0 (US dollars), got "lots"',
      'QUEUE_SHARDS: expected a whole number of at least 1, got "0"',
    ]);
  });

  it('names the settings at fault for programs', () => {
    const parsed = parseConfig({ ...base, MAX_USD: 'x', MAX_SECONDS: '-1' });
    expect(parsed.ok ? null : parsed.error.details).toEqual({
      settings: ['MAX_USD', 'MAX_SECONDS'],
    });
  });

  it('never echoes a key or an address, which may hold a password', () => {
    const lines = faultsOf({
      UPSTASH_REDIS_REST_URL: 'redis://default:hunter2secret@host:6379',
      UPSTASH_REDIS_REST_TOKEN: 'spaced hunter2secret',
      ANTHROPIC_API_KEY: 'hunter2secret\nhunter2secret',
      ANTHROPIC_BASE_URL: 'hunter2secret',
      E2B_API_KEY: 'schlüssel-hunter2secret',
      E2B_API_URL: 'ftp://hunter2secret',
      E2B_SANDBOX_URL: '//hunter2secret',
    });
    expect(lines).toHaveLength(7);
    expect(lines.join('\n')).not.toContain('hunter2secret');
    expect(lines[0]).toBe('UPSTASH_REDIS_REST_URL: expected an address that starts with https://');
  });

  it('refuses a daily budget below one run, because no run would ever be accepted', () => {
    expect(faultsOf({ MAX_USD: '5', DAILY_USD: '2' })).toEqual([
      'DAILY_USD: expected at least MAX_USD (5), else no run is ever accepted, got "2"',
    ]);
  });

  it('refuses a base URL without its key', () => {
    expect(faultsOf({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })).toEqual([
      'ANTHROPIC_API_KEY: expected to be set with ANTHROPIC_BASE_URL (any value, where none is checked)',
    ]);
    expect(faultsOf({ E2B_SANDBOX_URL: 'http://127.0.0.1:1' })).toEqual([
      'E2B_API_KEY: expected to be set with E2B_API_URL and E2B_SANDBOX_URL',
    ]);
  });

  it('reads services, prices and money', () => {
    const read = config({
      ANTHROPIC_API_KEY: 'sk-ant',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      E2B_API_KEY: 'e2b-key',
      PRICES: { 'my-model': { input: 0.5, output: 2 } },
      MAX_USD: '.25',
      STRIDE_LOCAL: '1',
      THINKING_EFFORT: 'low',
    });
    expect(read.anthropic).toEqual({ apiKey: 'sk-ant', baseUrl: 'http://127.0.0.1:9' });
    expect(read.e2b).toEqual({ apiKey: 'e2b-key', apiUrl: null, sandboxUrl: null, indexHosts: [] });
    expect(read.prices).toEqual({ 'my-model': { input: 0.5, output: 2 } });
    expect(read.runLimits.usd).toBe(0.25);
    expect(read.local).toBe(true);
    expect(read.thinkingEffort).toBe('low');
  });

  it('is frozen to its depths', () => {
    const read = config({ PRICES: '{"m": {"input": 1, "output": 1}}' });
    expect(() => Object.assign(read, { local: true })).toThrow(TypeError);
    expect(() => Object.assign(read.runLimits, { turns: 99 })).toThrow(TypeError);
    expect(() => Object.assign(read.prices.m ?? {}, { input: 0 })).toThrow(TypeError);
  });
});

describe('secretValues', () => {
  it('lists every key that is set and nothing else', () => {
    const read = config({ ANTHROPIC_API_KEY: 'sk-ant', E2B_API_KEY: 'e2b-key' });
    expect(secretValues(read)).toEqual(['redis-token-1234', 'sk-ant', 'e2b-key']);
    expect(secretValues(config())).toEqual(['redis-token-1234']);
  });
});

describe('SETTINGS', () => {
  it('has one row a setting, and each default is accepted by its own schema', () => {
    const names = SETTINGS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const spelled = SETTINGS.flatMap(({ name, default: text }) => (text ? [[name, text]] : []));
    expect(config(Object.fromEntries(spelled))).toEqual(config());
  });

  it('has the defaults that wrangler.toml tells', () => {
    const text = readFileSync(new URL('../wrangler.toml', import.meta.url), 'utf8');
    const told = [...text.matchAll(/^# ([A-Z_]+) = "([^"…]+)"$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const defaults = Object.fromEntries(SETTINGS.map(({ name, default: value }) => [name, value]));
    // An example, because it has no default.
    const compared = told.filter(([name]) => name !== 'THINKING_EFFORT');
    expect(compared.length).toBeGreaterThan(15);
    for (const [name, value] of compared)
      expect([name, defaults[name ?? '']]).toEqual([name, value]);
  });
});
