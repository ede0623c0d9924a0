/**
 * Everything in a reply that may be its answer, the most trusted kind first and in each kind the
 * last one first: JSON, marker lines, tags, boxes, labels, sentences. Pure, no I/O, linear.
 */
import type { AnswerRule } from './answer.ts';
import { isTitleNoAnswer } from './answer-admission.ts';
import { contentOf } from './answer-content.ts';
import {
  findBoxes,
  findTags,
  isJson,
  type JsonAnswer,
  jsonAnswer,
  withoutFence,
} from './answer-frames.ts';
import { findMarkers, type Marker } from './answer-markers.ts';
import { isBlank, trimAnswer } from './answer-peel.ts';
import { findPhrases } from './answer-phrase.ts';
import { type Context, settle } from './answer-settle.ts';
import { isPlaceholder, talksOfMarker } from './answer-words.ts';

export interface Candidate {
  rule: AnswerRule;
  /** null: the model says that there is no answer. */
  content: string | null;
  /** Where the explanation before the answer ends; a text instead where the frame holds its own. */
  before: number | string | null;
  reason?: string;
}

/** A question whose answer may begin with a bullet, a heading mark or the like. */
const ASKS_FOR_SOURCE_TEXT =
  /\bcomments?\b|markdown|\bbullet|\bblock ?quote|verbatim|\bas (?:it is )?(?:written|printed)\b|\bdiff\b|\bsource (?:line|code)\b|注[释釋解]|原样|原樣|逐字/iu;

function* markerCandidates(
  text: string,
  family: 'final' | 'label',
  context: Context,
): Generator<Candidate> {
  const { question, asked } = context;
  const markers = findMarkers(text, family).filter(
    (marker) => !(marker.kind === 'none' && isTitleNoAnswer(lineOf(text, marker), question)),
  );
  const rule = family === 'final' ? 'final_answer' : 'answer_label';
  const literal = ASKS_FOR_SOURCE_TEXT.test(question);
  for (const strength of ['strong', 'weak']) {
    const tier = markers.filter((marker) => marker.strength === strength);
    // A marker ends where the next one of its own strength begins.
    let end = text.length;
    for (let at = tier.length - 1; at >= 0; at--) {
      const marker = tier[at] as Marker;
      const whole = asked.open && marker.kind === 'final';
      const content = contentOf(text, marker, { end, whole, literal });
      const talk = content !== null && isTalk(content, { text, marker, context });
      end = talk ? remarkStart(text, marker, tier[at - 1]?.after ?? 0) : marker.from;
      // A lone "Answer" with nothing below is a word, not a marker.
      if (content === null || (family === 'label' && isBlank(content))) continue;
      if (talk) yield { rule, content: '[answer]', before: null };
      else if (marker.kind === 'none') yield noAnswer(content, marker.from, context);
      else yield { rule, content, before: marker.from };
    }
  }
  // Nothing but talk of the marker: the reply is no answer as a whole either.
  if (markers.some((marker) => marker.strength === 'mention'))
    yield { rule, content: '[answer]', before: null };
}

/** The line of a marker from where its sentence begins, as far as a title could reach. */
function lineOf(text: string, marker: Marker): string {
  return text.slice(marker.from, marker.after + 40).split('\n', 1)[0] ?? '';
}

/** Longest text behind a marker that is read as the template or as talk of the marker. */
const MAX_TALK_CHARS = 400;

/** The template restated, or a sentence about the marker: nothing was answered here. */
function isTalk(
  content: string,
  { text, marker, context }: { text: string; marker: Marker; context: Context },
): boolean {
  const head = content.trimStart().slice(0, MAX_TALK_CHARS);
  if (talksOfMarker(head, text.slice(marker.from, marker.after))) return true;
  return (
    content.length <= MAX_TALK_CHARS && isPlaceholder(settle(content, context), context.question)
  );
}

/** Characters before a marker in which the remark about it begins. */
const REMARK_CHARS = 120;

/** Where a remark such as `(Format used: FINAL ANSWER: [answer])` begins: the answer before it ends there. */
function remarkStart(text: string, marker: Marker, from: number): number {
  const start = Math.max(from, marker.from - REMARK_CHARS);
  const before = text.slice(start, marker.from);
  const line = before.lastIndexOf('\n') + 1;
  if (line > 0) return start + line;
  const bracket = before.search(/\s*[(（[【][^()（）[\]【】]*$/u);
  return bracket < 0 ? marker.from : start + bracket;
}

function noAnswer(content: string, before: number, context: Context): Candidate {
  const reason = settle(content, context);
  // The template of the prompt, echoed: skipped like any other placeholder.
  if (isPlaceholder(reason, context.question))
    return { rule: 'no_answer', content: reason, before };
  return { rule: 'no_answer', content: null, before, reason };
}

/** What may be the answer of a reply, in the order in which it is to be believed. */
export function* candidates(text: string, context: Context): Generator<Candidate> {
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
