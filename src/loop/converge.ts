/**
 * When a run must come to its end: small predicates over the view, each with its stop reason.
 * Turns are numbered from 0: turn MAX−2 is warned, turn MAX−1 goes out with tools off. Pure.
 */
import { openCalls, pendingUserMessage, type RunMessage, type RunView, tokensOf } from './fold.ts';
import { repetitionOf } from './repetition.ts';
import { repeatWarningOf, warningTextOf } from './user-text.ts';

/** From this share of the model's window on, the loop behaves as on its last turn. */
const WINDOW_SHARE = 0.8;
/** Failures after which one last, tool-free try is made. */
const LAST_TRY = new Set(['context_exceeded', 'request_too_large']);

/** Redis' clock, Unix milliseconds. */
interface Times {
  now: number;
  acceptedAt: number;
}

interface StopCondition {
  reason: string;
  holds(view: RunView, times: Times): boolean;
}

/** Checked before a model call, in this order; thresholds are `>=`. */
const STOP_CONDITIONS: readonly StopCondition[] = [
  { reason: 'tokens_spent', holds: (view) => view.tokens >= view.started.limits.tokens },
  {
    reason: 'seconds_spent',
    holds: (view, times) => secondsOf(view, times) >= view.started.limits.seconds,
  },
];

/** The limit that stops the run now, or null. */
export function spentLimit(view: RunView, times: Times): string | null {
  return STOP_CONDITIONS.find((condition) => condition.holds(view, times))?.reason ?? null;
}

/** Wall time since acceptance, without the waits for people. */
function secondsOf(view: RunView, { now, acceptedAt }: Times): number {
  return (now - acceptedAt - view.approvalWaitMs) / 1000;
}

/** True when the next turn goes out with tools off. */
export function isLastTurn(view: RunView): boolean {
  const { limits } = view.started;
  if (view.turns >= limits.turns - 1) return true;
  if (view.toolCalls >= limits.tool_calls) return true;
  if (view.failure && LAST_TRY.has(view.failure.kind)) return true;
  if (repetitionOf(view)?.stop) return true;
  const window = view.prepared?.window ?? Number.POSITIVE_INFINITY;
  return inputTokensOf(view) >= WINDOW_SHARE * window;
}

/** What is said to the model with the next turn, or null. */
export function turnText(view: RunView): string | null {
  const repetition = repetitionOf(view);
  const repeats = repetition ? repeatWarningOf(view, repetition) : null;
  return [repeats, limitText(view)].filter((text) => text !== null).join('\n\n') || null;
}

function limitText(view: RunView): string | null {
  if (isLastTurn(view)) return warningTextOf(view, 'last_turn');
  if (view.turns >= view.started.limits.turns - 2) return warningTextOf(view, 'last_tools');
  return null;
}

/**
 * Tokens the next request will hold, rarely too few: what the last call used, and two bytes a
 * token for what is new since (English has about four, Chinese about three). What is looked at
 * costs by its size on the screen, not by its bytes.
 */
export function inputTokensOf(view: RunView): number {
  if (openCalls(view).length > 0) return 0;
  const pending = pendingUserMessage(view, null);
  const fresh = pending ? pending.content.reduce((sum, block) => sum + freshTokens(block), 0) : 0;
  const before = view.usage ? tokensOf(view.usage) : (view.prepared?.prompt_bytes ?? 0) / 2;
  return Math.ceil(before + fresh);
}

/** The dearest image: 2,576 pixels on the long edge are read at full size by the newest models. */
const IMAGE_TOKENS = 5_000;

function freshTokens(block: RunMessage['content'][number]): number {
  if (block.type !== 'tool_result') return JSON.stringify(block).length / 2;
  const { content, ...rest } = block;
  return content.reduce(
    (sum, part) =>
      sum +
      (part.type === 'file'
        ? part.tokens
        : part.type === 'image'
          ? IMAGE_TOKENS
          : JSON.stringify(part).length / 2),
    JSON.stringify(rest).length / 2,
  );
}
