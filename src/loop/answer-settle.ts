/**
 * Takes off layer after layer of what stands round an answer: markdown, one quote pair, a frame that
 * is the whole text (`\boxed{42}`, `<answer>42</answer>`, a second marker). Pure, no I/O, linear.
 */
import type { AskedFormat } from './answer-asked.ts';
import { contentOf } from './answer-content.ts';
import { findBoxes, findTags, isJson, jsonAnswer, withoutFence } from './answer-frames.ts';
import { leadingMarker } from './answer-markers.ts';
import { isBlank, peel, trimAnswer } from './answer-peel.ts';
import { findPhrases } from './answer-phrase.ts';

/** What the question says about the form of its answer. */
export interface Context {
  question: string;
  asked: AskedFormat;
}

/** Wrappers within wrappers that are taken off at most. */
const MAX_LAYERS = 24;

/** Takes off layer after layer until nothing surrounds the answer. */
export function settle(content: string, context: Context): string {
  let text = trimAnswer(content);
  // One quote pair goes; a second one inside it was written on purpose.
  let unquoted = false;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    // JSON that was asked for is literal: its quotes and braces are the answer.
    if (context.asked.json && isJson(text)) return withoutFence(text);
    const peeled = peel(text, { markup: context.asked.markup, quotes: !unquoted });
    const inner = trimAnswer(unframe(peeled.text, context));
    if (inner === text) break;
    // What a frame holds has quotes of its own.
    unquoted = (unquoted || peeled.unquoted) && inner === trimAnswer(peeled.text);
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
  const content = contentOf(text, marker, { end: text.length, whole: true, literal: true });
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
