/**
 * The end of a run: whether the last reply is an answer, whether one format call is needed, and
 * the `run_finished` entry. An answer is what the model wrote after the marker, never more; a run
 * without one is `failed` and says why. Pure.
 */
import { type ExtractedAnswer, extractAnswer } from './answer.ts';
import { betterAnswer, formatProblem } from './answer-review.ts';
import { evidenceOf } from './evidence.ts';
import type { RunView } from './fold.ts';
import type { Draft, ModelReplied, RunFinished } from './journal.ts';
import { reasonMessage } from './reasons.ts';
import { repetitionOf } from './repetition.ts';

interface Candidate extends ExtractedAnswer {
  raw: string;
}

/** The text blocks of a reply, joined; thinking is not text. */
function textOf(reply: ModelReplied): string {
  return reply.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

const UNFINISHED = new Set(['model_context_window_exceeded', 'pause_turn']);

function candidateOf(reply: ModelReplied | null, question: string): Candidate | null {
  // A reply that was cut off or paused is none: its answer may be incomplete.
  if (!reply || UNFINISHED.has(reply.stop_reason)) return null;
  const raw = textOf(reply);
  return { raw, ...extractAnswer({ text: raw, question }) };
}

/** True when the last reply of the conversation asked for nothing more. */
function isFinal(view: RunView): boolean {
  return view.calls.length === 0 && view.reply?.stop_reason !== 'pause_turn';
}

/**
 * `no`: the run can be concluded. `turn`: the conversation goes on. `format`: one tool-free call in
 * the same conversation asks for the answer in the form the question wants.
 */
export function whatIsMissing(view: RunView): 'no' | 'turn' | 'format' {
  const { reply } = view;
  if (view.formatReply || view.cuts > 1 || reply?.stop_reason === 'refusal') return 'no';
  if (view.cut?.purpose === 'turn' || !reply) return 'turn';
  const turnsLeft = view.turns < view.started.limits.turns;
  // Asked the same again, a model that had nothing to say would say nothing until the turns are gone.
  if (view.silent) return 'format';
  if (!isFinal(view)) return turnsLeft ? 'turn' : 'format';
  return problemOf(view) === null ? 'no' : 'format';
}

/** Why the last reply is not yet an answer in the form the question asks, or null. */
export function problemOf(view: RunView): string | null {
  const { question } = view.started;
  const first = isFinal(view) ? candidateOf(view.reply, question) : null;
  if (!first) return 'the reply has no answer';
  return formatProblem({ answer: first.answer, question, rule: first.rule });
}

/** The better of what the conversation and the format call gave; null when nothing was said. */
function bestCandidate(view: RunView): Candidate | null {
  const { question } = view.started;
  const first = isFinal(view) ? candidateOf(view.reply, question) : null;
  // A reply that was cut off is no candidate: its answer may be cut off too.
  const second = candidateOf(view.formatReply, question);
  if (!first || !second) return first ?? second;
  if (betterAnswer(first, second, question) === first) return first;
  // The explanation was written before the format call, which asks for the answer alone.
  return { ...second, explanation: first.explanation ?? second.explanation };
}

/**
 * The last entry. `reason` is `answered` when the conversation came to its end, else what stopped
 * it; a finished answer given before the stop still counts.
 */
export function conclude(view: RunView, reason: string): Draft<RunFinished> {
  const candidate = bestCandidate(view);
  const refused = view.reply?.stop_reason === 'refusal';
  const answer = reason === 'cancelled' || refused ? null : (candidate?.answer ?? null);
  const why = answer !== null ? 'answered' : reason === 'answered' ? whyNoAnswer(view) : reason;
  const said = candidate?.rule === 'no_answer' ? candidate.reason : null;
  return {
    type: 'run_finished',
    status: answer !== null ? 'succeeded' : reason === 'cancelled' ? 'cancelled' : 'failed',
    reason: why,
    message: reasonMessage(why, { view, said }),
    raw: candidate?.raw ?? null,
    answer,
    rule: candidate?.rule ?? null,
    explanation: candidate?.explanation ?? null,
    evidence: answer === null ? [] : evidenceOf(view, answer),
    sources: [],
  };
}

/** The tools were taken away because turns repeated, and the turn after that had no answer. */
const repeatedToTheEnd = (view: RunView) => repetitionOf(view)?.stop === true;

function whyNoAnswer(view: RunView): string {
  const { limits } = view.started;
  if (view.reply?.stop_reason === 'refusal') return 'model_refused';
  if (view.reply?.stop_reason === 'model_context_window_exceeded') return 'context_exceeded';
  if (view.cuts > 1) return 'output_cut_off';
  if (view.turns >= limits.turns && view.formatReply) return 'turns_spent';
  if (view.toolCalls > limits.tool_calls) return 'tool_calls_spent';
  if (repeatedToTheEnd(view)) return 'no_progress';
  return 'no_answer';
}
