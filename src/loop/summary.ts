/**
 * What the API says of a run: computed from its head and its journal, stored nowhere. Pure: no
 * I/O, no clock. A journal that cannot be folded (damage) still has a summary: that of its head,
 * its first entry and its `run_finished`.
 */
import { type CallView, fold, type RunView } from './fold.ts';
import type { Entry, EvidenceItem, RunFinished, RunLimits, TokenUsage } from './journal.ts';
import type { RunHead } from './run-head.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** What a status is derived from; the rest of the head is not needed. */
export type HeadState = Pick<
  RunHead,
  'id' | 'state' | 'status' | 'drive' | 'leaseUntil' | 'notBefore' | 'spentMicroUsd' | 'dead'
>;

export interface PendingApproval {
  tool_use_id: string;
  name: string;
  input: unknown;
  /** ISO 8601; the call is denied then. */
  expires_at: string;
}

/** One line of GET /v1/runs. */
export interface RunLine {
  id: string;
  status: RunStatus;
  drive: 'queue' | 'client';
  /** First line, at most 120 characters. */
  question: string;
  cost_usd: number;
  /** ISO 8601. */
  created_at: string;
}

/** GET /v1/runs/:id. Times are ISO 8601; `cost_usd` counts every attempt, lost ones too. */
export interface RunSummary extends RunLine {
  answer: string | null;
  /** Stable word for why it ended, null while it goes on. */
  reason: string | null;
  /** One plain sentence for people. */
  message: string | null;
  explanation: string | null;
  /** The answer before markdown and quotes round it were taken off, and the rule that did so. */
  raw: string | null;
  rule: string | null;
  evidence: EvidenceItem[];
  sources: { title: string; url: string }[];
  model: string | null;
  turns: number;
  tool_calls: number;
  usage: Required<TokenUsage>;
  limits: RunLimits | null;
  files: { path: string; bytes: number; media_type: string }[];
  /** While the status is `waiting`: what for. */
  waiting_for: { approvals: PendingApproval[]; until: string | null } | null;
  cancel_requested: boolean;
  /** Deliveries given up after a day of failures. */
  undelivered: string[];
  task_id: string | null;
  follows: string | null;
  metadata: Record<string, string>;
  finished_at: string | null;
}

/** Status from the head alone. A run that waits for a person is released with `not_before`. */
function runStatus(head: HeadState, now: number): RunStatus {
  if (head.state !== 'open') return head.status as RunStatus;
  if (head.leaseUntil > now) return 'running';
  return head.notBefore > now ? 'waiting' : 'queued';
}

export function runLine(head: RunHead, now: number): RunLine {
  return {
    id: head.id,
    status: runStatus(head, now),
    drive: head.drive,
    question: head.question,
    cost_usd: toUsd(head.spentMicroUsd),
    created_at: iso(head.createdAt),
  };
}

/** The whole summary; `entries` is the whole journal and begins with `run_started`. */
export function runSummary(
  run: { head: HeadState; entries: readonly Entry[] },
  now: number,
): RunSummary {
  const { head, entries } = run;
  const view = tryFold(entries);
  const started = entries.find((entry) => entry.type === 'run_started');
  const finished = view ? view.finished : lastFinished(entries);
  const approvals = view && head.state === 'open' ? pendingApprovals(view) : [];
  const status = runStatus(head, now);
  return {
    id: head.id,
    // Between the request and the release that notes it, an idle run already waits for a person.
    status: status === 'queued' && approvals.length > 0 ? 'waiting' : status,
    drive: head.drive,
    question: started?.question ?? '',
    ...outcome(finished),
    model: view?.prepared?.model ?? started?.options.model ?? null,
    turns: view?.turns ?? 0,
    tool_calls: view?.toolCalls ?? 0,
    usage: sumUsage(entries),
    cost_usd: toUsd(head.spentMicroUsd),
    limits: started?.limits ?? null,
    files: [...(view?.files.values() ?? started?.files ?? [])].map(
      ({ path, bytes, media_type }) => ({ path, bytes, media_type }),
    ),
    waiting_for: waitingFor(head, { approvals, now }),
    cancel_requested: entries.some((entry) => entry.type === 'cancel_requested'),
    undelivered: head.dead ? head.dead.split(',') : [],
    task_id: started?.task_id ?? null,
    follows: started?.follows ?? null,
    metadata: started?.metadata ?? {},
    created_at: iso(started?.at ?? 0),
    finished_at: finished ? iso(finished.at) : null,
  };
}

/** Calls that a person may still approve or deny. */
function pendingApprovals(view: RunView): PendingApproval[] {
  const isPending = (call: CallView) => call.approval === 'asked' && !call.result;
  return view.calls.filter(isPending).map((call) => ({
    tool_use_id: call.id,
    name: call.name,
    input: call.input,
    expires_at: iso(call.expiresAt),
  }));
}

/** All money a journal has on record, for a run whose head is gone. */
export function bookedMicroUsd(entries: readonly Entry[]): number {
  const costs = entries.map((entry) => ('cost_micro_usd' in entry ? entry.cost_micro_usd : 0));
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

function outcome(finished: RunFinished | null) {
  return {
    answer: finished?.answer ?? null,
    reason: finished?.reason ?? null,
    message: finished?.message ?? null,
    explanation: finished?.explanation ?? null,
    raw: finished?.raw ?? null,
    rule: finished?.rule ?? null,
    evidence: finished?.evidence ?? [],
    sources: finished?.sources ?? [],
  };
}

function waitingFor(
  head: HeadState,
  { approvals, now }: { approvals: PendingApproval[]; now: number },
): RunSummary['waiting_for'] {
  if (head.state !== 'open' || head.leaseUntil > now) return null;
  if (head.notBefore <= now && approvals.length === 0) return null;
  return { approvals, until: head.notBefore > now ? iso(head.notBefore) : null };
}

function tryFold(entries: readonly Entry[]): RunView | null {
  try {
    return fold(entries);
  } catch {
    // A damaged journal is why some runs are buried; people must still be able to look at them.
    return null;
  }
}

function lastFinished(entries: readonly Entry[]): RunFinished | null {
  const last = entries.at(-1);
  return last?.type === 'run_finished' ? last : null;
}

function sumUsage(entries: readonly Entry[]): Required<TokenUsage> {
  const sum = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  for (const entry of entries) {
    const usage = 'usage' in entry ? entry.usage : undefined;
    if (!usage) continue;
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cache_creation_input_tokens += usage.cache_creation_input_tokens ?? 0;
    sum.cache_read_input_tokens += usage.cache_read_input_tokens ?? 0;
  }
  return sum;
}

const iso = (ms: number) => new Date(ms).toISOString();
const toUsd = (microUsd: number) => microUsd / 1_000_000;
