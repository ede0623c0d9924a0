/**
 * What a reply says besides its answer: the explanation before it, and thinking written into the
 * text. Pure, no I/O, linear in its input.
 */
import { isBlank, trimAnswer } from './answer-peel.ts';

/** The text before the answer, without rules, an opened fence and opened decoration at its end. */
export function explanationBefore(text: string, from: number): string | null {
  const lines = text.slice(0, from).trimEnd().split('\n');
  while (lines.length > 0) {
    const last = (lines.at(-1) ?? '').trim();
    if (last.startsWith('```') || last.endsWith('```')) {
      // An even number of fences: the last one closes a code block of the explanation.
      if (lines.filter((line) => line.includes('```')).length % 2 === 0) break;
    } else if (last.length > 60 || /[^-*_=#>$"“(]/.test(last)) break;
    lines.pop();
  }
  const explanation = lines.join('\n').replace(/[ \t](?:[*_`"“($]|\\[[(]){1,4}$/, '');
  return isBlank(explanation) ? null : trimAnswer(explanation);
}

/** Thinking that a model writes into its text is neither answer nor explanation. */
export function withoutThinking(text: string): string {
  if (!/^\s{0,20}<think(?:ing)?>/i.test(text)) return text;
  for (const tag of ['</think>', '</thinking>']) {
    const close = text.lastIndexOf(tag);
    if (close >= 0) return text.slice(close + tag.length);
  }
  return text;
}
