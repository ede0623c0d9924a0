/**
 * Every way a run can end, as a stable word, and the one sentence people read. Failures of the
 * model's service carry the service's own reason. Pure.
 */
import type { RunView } from './fold.ts';

type Say = (view: RunView) => string;

/** For a run that is closed without being folded. */
export const UNREADABLE = 'The run’s journal could not be read and the run was closed.';

const limits = (view: RunView) => view.started.limits;

const MESSAGES: Record<string, Say> = {
  answered: () => 'Answered.',
  cancelled: () => 'The run was cancelled.',
  no_answer: () => 'The model ended without giving an answer.',
  no_progress: () => 'The run repeated the same calls without getting anywhere.',
  model_refused: () => 'The model refused to answer this question.',
  output_cut_off: () => 'The model’s reply was cut off twice at its length limit.',
  turns_spent: (view) => `No answer within ${limits(view).turns} turns (limits.turns).`,
  tool_calls_spent: (view) =>
    `No answer within ${limits(view).tool_calls} tool calls (limits.tool_calls).`,
  tokens_spent: (view) => `The run used its ${limits(view).tokens} tokens (limits.tokens).`,
  seconds_spent: (view) => `The run used its ${limits(view).seconds} seconds (limits.seconds).`,
  usd_spent: (view) =>
    `What is left of the run’s ${limits(view).usd} USD pays for no further call (limits.usd).`,
  no_headway: () =>
    'The run was tried again and again without getting anywhere (is storage out of reach?) and was closed.',
  worker_crashed: () =>
    'The run stopped its worker again and again and was closed; its journal says where.',
  unreadable: () => UNREADABLE,
  context_exceeded: () => 'The conversation no longer fits the model’s window.',
};

/** Sentence for a reason; unknown ones are failures of the model's service (model/port.ts). */
export function reasonMessage(
  reason: string,
  { view, said }: { view: RunView; said: string | null },
): string {
  const failure = view.failure?.kind === reason ? view.failure.message : null;
  if (failure) return failure;
  // The model's own reason why there is no answer says more than ours.
  if (reason === 'no_answer' && said) return said;
  return MESSAGES[reason]?.(view) ?? `The run ended: ${reason}.`;
}
