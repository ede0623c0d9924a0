/**
 * Reads the answer out of a model's final text. The last marker wins; what stands round an answer
 * (markdown, one quote pair, a sentence's period) is taken off; what is inside is never edited.
 * `null` with a rule when there is no answer, never a sentinel string. Applying it to its own
 * result changes nothing. Pure, no I/O, linear in its input.
 */
import { type AskedFormat, askedFormat } from './answer-asked.ts';
import { contentOf } from './answer-content.ts';
import { explanationBefore, withoutThinking } from './answer-explanation.ts';
import {
  findBoxes,
  findTags,
  isJson,
  type JsonAnswer,
  jsonAnswer,
  withoutFence,
} from './answer-frames.ts';
import { findMarkers, leadingMarker, type Marker } from './answer-markers.ts';
import { isBlank, peel, trimAnswer } from './answer-peel.ts';
import { findPhrases } from './answer-phrase.ts';
import { announcesWork, cannotTell, isPlaceholder } from './answer-words.ts';

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

interface Candidate {
  rule: AnswerRule;
  /** null: the model says that there is no answer. */
  content: string | null;
  /** Where the explanation before the answer ends; a text instead where the frame holds its own. */
  before: number | string | null;
  reason?: string;
}

interface Context {
  question: string;
  asked: AskedFormat;
}

/** Wrappers within wrappers that are taken off at most. */
const MAX_LAYERS = 24;

/** Takes off layer after layer until nothing surrounds the answer. */
function settle(content: string, context: Context): string {
  let text = trimAnswer(content);
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    // JSON that was asked for is literal: its quotes and braces are the answer.
    if (context.asked.json && isJson(text)) return withoutFence(text);
    const inner = trimAnswer(unframe(peel(text, { markup: context.asked.markup }), context));
    if (inner === text) break;
    text = inner;
  }
  return text;
}

/** A text that is nothing but one frame, as in `FINAL ANSWER: \boxed{42}`: what the frame holds. */
function unframe(text: string, context: Context): string {
  const json = context.asked.json ? null : jsonAnswer(text);
  if (json !== null && json.content !== null) return json.content;
  const frame = wholeFrame(text);
  if (frame !== null) return frame;
  const marker = leadingMarker(text);
  if (marker === null || marker.kind === 'none') return text;
  const content = contentOf(text, marker, { end: text.length, whole: true });
  return content === null || isBlank(content) ? text : content;
}

/** Characters within which a frame round the whole text begins. */
const FRAME_START_CHARS = 60;

function wholeFrame(text: string): string | null {
  const head = text.slice(0, FRAME_START_CHARS);
  if (head.startsWith('<')) return findTags(text).find((found) => found.whole)?.content ?? null;
  if (head.includes('\\boxed{'))
    return findBoxes(text).find((found) => found.whole)?.content ?? null;
  if (text.includes('\n') || !/answer|答案/i.test(head)) return null;
  return findPhrases(text).find((found) => found.whole)?.content ?? null;
}

function explanationOf(text: string, { before }: Candidate): string | null {
  return typeof before === 'number' ? explanationBefore(text, before) : before;
}

function* markerCandidates(
  text: string,
  family: 'final' | 'label',
  context: Context,
): Generator<Candidate> {
  const markers = findMarkers(text, family);
  const rule = family === 'final' ? 'final_answer' : 'answer_label';
  const strong = markers.filter((marker) => marker.strength === 'strong');
  for (const tier of [strong, markers.filter((marker) => marker.strength === 'weak')]) {
    // A marker ends where the next one of its own strength begins.
    for (let at = tier.length - 1; at >= 0; at--) {
      const marker = tier[at] as Marker;
      const end = tier[at + 1]?.from ?? text.length;
      const content = contentOf(text, marker, {
        end,
        whole: context.asked.open && marker.kind === 'final',
      });
      // A lone "Answer" with nothing below is a word, not a marker.
      if (content === null || (family === 'label' && isBlank(content))) continue;
      if (marker.kind === 'none') yield noAnswer(content, marker.from, context);
      else yield { rule, content, before: marker.from };
    }
  }
  // Nothing but talk of the marker: the reply is no answer as a whole either.
  if (markers.some((marker) => marker.strength === 'mention'))
    yield { rule, content: '[answer]', before: null };
}

function noAnswer(content: string, before: number, context: Context): Candidate {
  const reason = settle(content, context);
  // The template of the prompt, echoed: skipped like any other placeholder.
  if (isPlaceholder(reason, context.question))
    return { rule: 'no_answer', content: reason, before };
  return { rule: 'no_answer', content: null, before, reason };
}

function* candidates(text: string, context: Context): Generator<Candidate> {
  const literal = /^[{[]/.test(trimAnswer(withoutFence(text))) && isJson(text);
  const json = context.asked.json ? null : jsonAnswer(text);
  if (json !== null) yield jsonCandidate(json, json.explanation);
  // Braces all over: keys named "answer" further inside are no markers.
  if (literal) return;
  yield* markerCandidates(text, 'final', context);
  for (const tag of findTags(text)) {
    yield {
      rule: 'answer_tag',
      content: tag.content,
      before: tag.from,
    };
  }
  for (const box of findBoxes(text)) {
    yield { rule: 'boxed', content: box.content, before: box.from };
  }
  for (const opening of context.asked.json ? [] : ['\n```json', '\n{']) {
    const at = text.lastIndexOf(opening) + 1;
    const last = at === 0 ? null : jsonAnswer(text.slice(at));
    if (last !== null) yield jsonCandidate(last, at);
  }
  yield* markerCandidates(text, 'label', context);
  for (const phrase of findPhrases(text)) {
    yield {
      rule: 'answer_phrase',
      content: phrase.content,
      before: phrase.from,
    };
  }
}

function jsonCandidate(json: JsonAnswer, before: number | string | null): Candidate {
  if (json.content !== null) return { rule: 'json', content: json.content, before };
  return { rule: 'no_answer', content: null, before, reason: json.explanation ?? '' };
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
      const words = cannotTell(answer, { question, bare: false });
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
  const words = cannotTell(answer, { question: context.question, bare: true });
  if (words !== null) return none('no_answer', null, words);
  if (!context.asked.open && announcesWork(trimAnswer(reply))) return none('unfinished', answer);
  return { answer, rule: 'whole_reply', explanation: null, reason: null };
}
