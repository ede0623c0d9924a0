/**
 * The environment, parsed once with zod into a frozen `Config`; all faults are reported together.
 * Nothing else reads env. A missing optional key leaves its tool out (see tools/registry.ts).
 */
import type { RunLimits } from './loop/journal.ts';

export interface Config {
  /** True on the local stack: owner `local` with all scopes, loopback only. */
  local: boolean;
  model: string;
  thinkingEffort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  /** Null: runs cannot be answered, /health says so. */
  anthropic: { apiKey: string; baseUrl: string | null } | null;
  redis: { url: string; token: string };
  e2b: { apiKey: string; apiUrl: string | null; sandboxUrl: string | null } | null;
  /** PRICES: JSON, model → USD per million tokens; wins over the table. */
  prices: Record<string, { input: number; output: number; cache_write?: number; cache_read?: number }>;
  /** Defaults of a run's limits; a run may ask for less, or for more up to `maxRunLimits`. */
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
}
