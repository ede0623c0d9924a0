/** What people do to a running run: cancel it, approve or deny a call that waits for them. */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { fold, type RunView } from '../loop/fold.ts';
import type { ApprovalGiven, Draft } from '../loop/journal.ts';
import { runSummary } from '../loop/summary.ts';
import { ASK } from './auth.ts';
import type { AppEnv } from './context.ts';
import { jsonBody } from './input.ts';
import { type FoundRun, loadEntries, loadRun, unknownRun } from './load-run.ts';
import { summaryOf } from './runs.ts';
import { approvalRequest } from './schemas.ts';
import { sendStep } from './send-step.ts';

/** Times the journal may grow between reading it and adding a verdict before the caller is told. */
const MAX_APPROVAL_TRIES = 8;

export function controlRoutes() {
  return new Hono<AppEnv>()
    .post('/:id/cancel', ASK, async (c) => {
      const { deps, principal } = c.var;
      const id = c.req.param('id');
      const run = await loadRun(id, { deps, principal });
      const entries = await loadEntries(run, deps);
      // Wished for once is enough: a client that repeats itself must not make the journal grow.
      const isKnown = entries.some(({ type }) => type === 'cancel_requested');
      if (run.head.state === 'finished' || isKnown) {
        return c.json(runSummary({ head: run.head, entries }, deps.clock.now()), 200);
      }
      const answer = await deps.store.requestCancel(id, { by: principal.owner });
      if (answer === 'gone') throw unknownRun();
      // Whoever claims next closes the run; a client-driven one, too, must not wait for its client.
      if (answer === 'ok') await sendStep(id, deps);
      const now = await loadRun(id, { deps, principal });
      return c.json(await summaryOf(now, deps), answer === 'ok' ? 202 : 200);
    })

    .post('/:id/approvals/:tool_use_id', ASK, jsonBody(approvalRequest), async (c) => {
      const { deps, principal } = c.var;
      const id = c.req.param('id');
      const toolUseId = c.req.param('tool_use_id');
      const { decision, note } = c.req.valid('json');
      const run = await loadRun(id, { deps, principal });
      const verdict: Draft<ApprovalGiven> = {
        type: 'approval_given',
        tool_use_id: toolUseId,
        decision,
        by: 'person',
        ...(note ? { note } : {}),
      };
      await giveVerdict(run, { deps, verdict });
      if (run.head.drive === 'queue') await sendStep(id, deps);
      const now = await loadRun(id, { deps, principal });
      return c.json(await summaryOf(now, deps), 200);
    });
}

/**
 * Adds the verdict to the journal it was given on. The store refuses it when the journal has grown
 * meanwhile (`moved`): then it is read and judged again, because the call may have expired.
 */
async function giveVerdict(
  run: FoundRun,
  { deps, verdict }: { deps: Deps; verdict: Draft<ApprovalGiven> },
): Promise<void> {
  if (run.kind === 'archived') throw endedRun();
  for (let attempt = 0; attempt < MAX_APPROVAL_TRIES; attempt++) {
    const entries = await deps.store.entries(run.head.id, 1);
    // A tombstone has no journal.
    if (entries.length === 0) throw unknownRun();
    const view = fold(entries);
    // The same verdict again is a repeat whose first answer was lost.
    if (standingOf(view, verdict) === 'given') return;
    const answer = await deps.store.approve(run.head.id, { base: entries.length, draft: verdict });
    if (answer === 'ok') return;
    if (answer === 'gone') throw unknownRun();
    if (answer === 'finished') throw endedRun();
  }
  throw new StrideError('conflict', 'The run keeps changing; send the decision again.');
}

/** Whether the verdict can be added or is there already. Throws when the call cannot take it. */
function standingOf(view: RunView, verdict: Draft<ApprovalGiven>): 'open' | 'given' {
  const call = view.calls.find(({ id }) => id === verdict.tool_use_id);
  if (!call || call.approval === 'none') {
    throw new StrideError(
      'not_found',
      'No call of this run waits under that id; GET the run, waiting_for.approvals lists them.',
    );
  }
  if (call.approval === verdict.decision) return 'given';
  if (view.finished) throw endedRun();
  if (call.approval !== 'asked' || call.result) {
    throw new StrideError('conflict', 'This call was decided already; nothing was changed.', {
      decision: call.approval === 'asked' ? null : call.approval,
    });
  }
  return 'open';
}

function endedRun(): StrideError {
  return new StrideError('conflict', 'The run has ended; nothing can be decided any more.');
}
