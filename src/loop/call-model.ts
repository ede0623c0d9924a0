/**
 * One model call and what came of it: a reply (with `run_finished` in the same append when it is
 * the last word) or a failed attempt with the time of the next one. Never throws for the model's
 * sake; every path books what the call may have cost.
 */

import { CALL_MARGIN_MS } from '../limits.ts';
import type { ModelFailure, ModelReply } from '../model/port.ts';
import { costMicroUsd } from '../model/prices.ts';
import { type CallModel, decide } from './decide.ts';
import { fold } from './fold.ts';
import { type AttemptFailed, type Draft, type ModelReplied, stamp } from './journal.ts';
import { loadPrompt } from './prepare.ts';
import { buildRequest } from './request.ts';
import { loadRequestFiles } from './request-files.ts';
import { planRetry } from './retry.ts';
import { finish, type StepContext, stopSignal } from './step-context.ts';

export async function callModel(
  context: StepContext,
  next: CallModel,
): Promise<'finished' | 'goes_on'> {
  const { deps, lease } = context;
  const view = lease.view();
  const prompt = await loadPrompt(deps.objects, view.prepared?.prompt ?? '');
  const request = await loadRequestFiles(buildRequest(view, { next, prompt }), deps.objects);
  const startedAt = deps.clock.now();
  const outcome = await deps.model.call(request, {
    signal: stopSignal(context),
    idleMs: deps.config.llmTimeoutMs,
    maxMs: context.invocationEndsAt - startedAt - CALL_MARGIN_MS,
    onText: context.onText,
  });
  const ms = deps.clock.now() - startedAt;
  if (outcome.kind === 'failed') {
    const failed = toFailedAttempt(context, { next, failure: outcome });
    await lease.commit([failed], { costMicroUsd: failed.cost_micro_usd });
    return 'goes_on';
  }
  const reply = toReply(context, { next, reply: outcome, ms });
  return await commitReply(context, reply);
}

/** The last reply and the end of the run are one append: one step fewer that could be lost. */
async function commitReply(
  context: StepContext,
  reply: Draft<ModelReplied>,
): Promise<'finished' | 'goes_on'> {
  const { lease } = context;
  const after = fold([...lease.entries(), stamp(reply, lease.now())]);
  const acceptedAt = lease.grant.head.createdAt;
  const next = decide(after, { now: lease.now(), acceptedAt, mode: 'work', attempts: 0 });
  const cost = reply.cost_micro_usd;
  if (next.kind === 'close') {
    const end = await finish(lease, next, { drafts: [reply], costMicroUsd: cost });
    if (end === 'ok') return 'finished';
  }
  await lease.commit([reply], { costMicroUsd: cost });
  return 'goes_on';
}

function toReply(
  { lease }: StepContext,
  { next, reply, ms }: { next: CallModel; reply: ModelReply; ms: number },
): Draft<ModelReplied> {
  const prices = lease.view().prepared?.prices;
  const own = prices ? costMicroUsd(reply.usage, prices) : 0;
  return {
    type: 'model_replied',
    purpose: next.purpose,
    ...(next.userText === null ? {} : { user_text: next.userText }),
    content: reply.content,
    stop_reason: reply.stopReason,
    model: reply.model,
    usage: reply.usage,
    cost_micro_usd: own + next.lostMicroUsd,
    ...(next.lostMicroUsd > 0 ? { lost_micro_usd: next.lostMicroUsd } : {}),
    ms,
  };
}

function toFailedAttempt(
  { deps, lease }: StepContext,
  { next, failure }: { next: CallModel; failure: ModelFailure },
): Draft<AttemptFailed> {
  const view = lease.view();
  const { retryAt, counted } = planRetry(failure, {
    failures: view.failures,
    previousKind: view.failure?.kind ?? null,
    maxRetries: deps.config.retryMax,
    baseMs: deps.config.retryBaseMs,
    now: lease.now(),
    random: deps.random(),
  });
  return {
    type: 'attempt_failed',
    purpose: next.purpose,
    kind: failure.failure,
    message: failure.message,
    retry_at: retryAt,
    counted,
    cost_micro_usd: next.lostMicroUsd + costOfFailure(failure, next),
  };
}

/** An error status costs nothing; a reply that broke off, or may have, costs its worst case. */
function costOfFailure(failure: ModelFailure, next: CallModel): number {
  const maybePaid = ['aborted', 'timeout', 'connection_lost'].includes(failure.failure);
  return failure.usage || maybePaid ? next.worstMicroUsd : 0;
}
