/** Runs: ask, list, read, delete. What a request asks for is judged in accept-run.ts. */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { stamp } from '../loop/journal.ts';
import type { AcceptRun } from '../loop/store.ts';
import { type RunLine, type RunSummary, runLine, runSummary } from '../loop/summary.ts';
import { toAcceptRun } from './accept-run.ts';
import { ASK, READ } from './auth.ts';
import type { AppEnv, Principal } from './context.ts';
import { deleteRun } from './delete-run.ts';
import { jsonBody, query } from './input.ts';
import { type FoundRun, loadEntries, loadRun } from './load-run.ts';
import { listQuery, runRequest } from './schemas.ts';
import { sendStep } from './send-step.ts';

const DEFAULT_LIST = 20;
/** A filtered page looks at this many pages of the list; then it is short, with a cursor. */
const MAX_LIST_ROUNDS = 10;

export function runsRoutes() {
  return new Hono<AppEnv>()
    .post('/', ASK, jsonBody(runRequest), async (c) => {
      const { deps, principal } = c.var;
      if (!deps.config.anthropic) {
        throw new StrideError(
          'unavailable',
          'No model is configured, so no question can be answered; set ANTHROPIC_API_KEY.',
        );
      }
      const idempotencyKey = c.req.header('idempotency-key');
      const run = await toAcceptRun(c.req.valid('json'), { deps, principal, idempotencyKey });
      const { id, isNew } = await accept(run, deps);
      c.header('Location', `/v1/runs/${id}`);
      // Also for a repeat: the first request may have ended before its message was sent.
      if (run.drive === 'queue') await sendStep(id, deps);
      if (!isNew) {
        const found = await loadRun(id, { deps, principal });
        return c.json(await summaryOf(found, deps), 200);
      }
      return c.json(firstSummary(run, deps), 202);
    })

    .get('/', READ, query(listQuery), async (c) => {
      const { deps, principal } = c.var;
      return c.json(await listRuns(c.req.valid('query'), { deps, principal }));
    })

    .get('/:id', READ, async (c) => {
      const { deps, principal } = c.var;
      const run = await loadRun(c.req.param('id'), { deps, principal });
      return c.json(await summaryOf(run, deps));
    })

    .delete('/:id', ASK, async (c) => {
      const { deps, principal } = c.var;
      await deleteRun(c.req.param('id'), { deps, principal });
      return c.body(null, 204);
    });
}

export async function summaryOf(run: FoundRun, deps: Deps): Promise<RunSummary> {
  const entries = await loadEntries(run, deps);
  return runSummary({ head: run.head, entries }, deps.clock.now());
}

async function accept(run: AcceptRun, deps: Deps): Promise<{ id: string; isNew: boolean }> {
  const answer = await deps.store.accept(run);
  switch (answer.kind) {
    case 'ok':
      return { id: answer.id, isNew: true };
    case 'exists':
      // Our own id: the acceptance was sent again because its reply was lost on the way.
      return { id: answer.id, isNew: answer.id === run.id };
    case 'conflict':
      throw new StrideError(
        'conflict',
        'This Idempotency-Key was used with another body; send a new key for a new question.',
        { id: answer.id },
      );
    case 'budget_spent':
      throw budgetSpent(run, answer);
    case 'too_many':
      throw new StrideError(
        'rate_limited',
        `${answer.active} runs are unfinished and ${answer.limit} are allowed at once (MAX_ACTIVE_RUNS); wait for one to end.`,
        { setting: 'MAX_ACTIVE_RUNS', active: answer.active, limit: answer.limit },
      );
  }
}

function budgetSpent(
  run: AcceptRun,
  held: { reservedMicroUsd: number; limitMicroUsd: number },
): StrideError {
  const [reserved, limit, asked] = [
    held.reservedMicroUsd / 1_000_000,
    held.limitMicroUsd / 1_000_000,
    run.limitMicroUsd / 1_000_000,
  ];
  return new StrideError(
    'budget_spent',
    `The budget of a day (DAILY_USD, UTC) is ${limit} USD, of which ${reserved} are spent or reserved by unfinished runs; this run may cost up to ${asked}. Lower limits.usd, wait for a run to end, or ask tomorrow.`,
    { setting: 'DAILY_USD', reserved_usd: reserved, limit_usd: limit, asked_usd: asked },
  );
}

/** A new run as it stands; not read back, because a failing read must not undo the acceptance. */
function firstSummary(run: AcceptRun, deps: Deps): RunSummary {
  const now = deps.clock.now();
  const head = {
    id: run.id,
    state: 'open',
    status: '',
    drive: run.drive,
    leaseUntil: 0,
    notBefore: 0,
    spentMicroUsd: 0,
    dead: '',
  } as const;
  return runSummary({ head, entries: [stamp(run.entry, now)] }, now);
}

/** Newest first. Runs deleted between the two reads are skipped. */
async function listRuns(
  wanted: {
    status?: RunLine['status'] | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  },
  { deps, principal }: { deps: Deps; principal: Principal },
): Promise<{ runs: RunLine[]; next_cursor: string | null }> {
  const limit = wanted.limit ?? DEFAULT_LIST;
  const runs: RunLine[] = [];
  let before = wanted.cursor;
  for (let round = 0; round < MAX_LIST_ROUNDS; round++) {
    // As many as are still missing: a page that could overshoot would need a cursor inside it.
    const page = { limit: limit - runs.length, ...(before ? { before } : {}) };
    const { ids, next } = await deps.store.list(principal.owner, page);
    const heads = await deps.store.heads(ids);
    const lines = heads.flatMap((head) => (head ? [runLine(head, deps.clock.now())] : []));
    runs.push(...lines.filter(({ status }) => !wanted.status || status === wanted.status));
    if (next === null) return { runs, next_cursor: null };
    before = next;
    if (runs.length >= limit) break;
  }
  return { runs, next_cursor: before ?? null };
}
