/**
 * Reads the answer out of a model's final text. The last marker wins; what stands round an answer
 * (markdown, one quote pair, a sentence's period) is taken off; what is inside is never edited.
 * `null` with a rule when there is no answer, never a sentinel string. Applying it to its own
 * result changes nothing, save for a quote pair that stood in another one. Pure, no I/O, linear.
 */
import { cannotTell } from './answer-admission.ts';
import { askedFormat } from './answer-asked.ts';
import { type Candidate, candidates } from './answer-candidates.ts';
import { explanationBefore, withoutThinking } from './answer-explanation.ts';
import { isBlank, trimAnswer } from './answer-peel.ts';
import { type Context, settle } from './answer-settle.ts';
import { announcesWork, isPlaceholder } from './answer-words.ts';

/** How the answer was found, or why there is none (the last four). */
export type AnswerRule =
  | 'json'
  | 'final_answer'
  | 'answer_tag'
  | 'boxed'
  | 'answer_label'
  | 'answer_phrase'
  | 'whole_reply'
  | 'no_answer'
  | 'empty'
  | 'placeholder'
  | 'unfinished';

export interface ExtractedAnswer {
  answer: string | null;
  rule: AnswerRule;
  /** What the model said before its answer; null when it said nothing. */
  explanation: string | null;
  /** Only with rule `no_answer`: the reason in the model's words, null when it gave none. */
  reason: string | null;
}

function explanationOf(text: string, { before }: Candidate): string | null {
  return typeof before === 'number' ? explanationBefore(text, before) : before;
}

function none(
  rule: AnswerRule,
  explanation: string | null = null,
  reason: string | null = null,
): ExtractedAnswer {
  return { answer: null, rule, explanation, reason };
}

/** Candidates looked at before giving up: more than any real text has. */
const MAX_CANDIDATES = 200;

/**
 * The answer in a final text of the model.
 * `text` is the joined text blocks of the last reply; `question` decides only whether JSON, markup
 * or a long text was asked for, where braces, tags and following paragraphs are the answer itself.
 */
export function extractAnswer({
  text,
  question,
}: {
  text: string;
  question: string;
}): ExtractedAnswer {
  const reply = withoutThinking(text);
  if (isBlank(reply)) return none('empty');
  const context: Context = { question, asked: askedFormat(question) };
  let skipped: 'empty' | 'placeholder' | null = null;
  let looked = 0;
  for (const candidate of candidates(reply, context)) {
    if (++looked > MAX_CANDIDATES) break;
    if (candidate.content === null)
      return none('no_answer', explanationOf(reply, candidate), candidate.reason || null);
    const answer = settle(candidate.content, context);
    if (isBlank(answer)) skipped ??= 'empty';
    else if (isPlaceholder(answer, question)) skipped ??= 'placeholder';
    else {
      const place = candidate.rule === 'answer_phrase' ? 'phrase' : 'value';
      const words = cannotTell(answer, { question, place, open: context.asked.open });
      if (words !== null)
        return none(
          'no_answer',
          explanationOf(reply, candidate),
          words.replace(/^no answer\W+/i, ''),
        );
      return {
        answer,
        rule: candidate.rule,
        explanation: explanationOf(reply, candidate),
        reason: null,
      };
    }
  }
  return skipped === null ? wholeReply(reply, context) : none(skipped, trimAnswer(reply));
}

/** No marker of any kind: the reply is the answer, unless it says that there is none. */
function wholeReply(reply: string, context: Context): ExtractedAnswer {
  const answer = settle(reply, context);
  if (isBlank(answer)) return none('empty');
  if (isPlaceholder(answer, context.question)) return none('placeholder');
  const { question, asked } = context;
  const words = cannotTell(answer, { question, place: 'reply', open: asked.open });
  if (words !== null) return none('no_answer', null, words);
  if (!asked.open && announcesWork(trimAnswer(reply))) return none('unfinished', answer);
  return { answer, rule: 'whole_reply', explanation: null, reason: null };
}
