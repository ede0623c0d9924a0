/**
 * The other ways in which models set off an answer: `<answer>` tags, `\boxed{}`, a JSON object with
 * `answer`, and the sentence "The answer is …" / 答案是…. Each finder yields the last one first.
 * Pure, no I/O, linear in its input.
 */
import { isBlank, trimAnswer } from './answer-peel.ts';

export interface Framed {
  content: string;
  /** Where the frame begins: what stands before is the explanation. */
  from: number;
  /** The frame is the whole text. */
  whole: boolean;
}

const TAG = /<(\/?)(final[_-]?answer|answer)(?:\s[^<>]{0,100})?>/gi;

export function findTags(text: string): Framed[] {
  const found: Framed[] = [];
  let open: { name: string; from: number; after: number } | null = null;
  for (const tag of text.matchAll(TAG)) {
    const name = (tag[2] ?? '').toLowerCase();
    if (tag[1] === '') open = { name, from: tag.index, after: tag.index + tag[0].length };
    else if (open !== null && open.name === name) {
      const content = text.slice(open.after, tag.index);
      // "between <answer> and </answer>" talks about the tags.
      if (!/^\s*(?:and|to|or|和|与)\s*$/i.test(content.slice(0, 20))) {
        found.push({
          content,
          from: open.from,
          whole: spans(text, open.from, tag.index + tag[0].length),
        });
      }
      open = null;
    }
  }
  // A stop sequence may have cut the closing tag off.
  if (open !== null) found.push({ content: text.slice(open.after), from: open.from, whole: false });
  return found.reverse();
}

function spans(text: string, from: number, to: number): boolean {
  return isBlank(text.slice(0, from)) && isBlank(text.slice(to));
}

const BOX = '\\boxed{';

/** Closed boxes, the last and outermost first. An escaped brace is text. */
export function findBoxes(text: string): Framed[] {
  const found: Framed[] = [];
  const open: { from: number; box: boolean }[] = [];
  if (!text.includes(BOX)) return found;
  for (let at = text.indexOf(BOX); at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') {
      if (text.startsWith(BOX, at)) {
        open.push({ from: at, box: true });
        at += BOX.length - 1;
      } else at++;
    } else if (character === '{') open.push({ from: at, box: false });
    else if (character === '}') {
      const last = open.pop();
      if (last?.box === true) {
        found.push({
          content: text.slice(last.from + BOX.length, at),
          from: last.from,
          whole: spansMath(text, last.from, at + 1),
        });
      }
    }
  }
  return found.reverse();
}

function spansMath(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 8), from);
  const after = text.slice(to, to + 8);
  return (
    from <= 8 &&
    to >= text.length - 8 &&
    /^(?:[\s$]|\\[[(])*$/.test(before) &&
    /^(?:[\s$.]|\\[\])])*$/.test(after)
  );
}

/** Replies above this size are not read as JSON. */
const MAX_JSON_CHARS = 262_144;
const ANSWER_KEY = /^(?:final[ _-]?)?answers?$|^(?:最[终終])?答案$/i;
const REASON_KEY = /^(?:explanation|reason(?:ing)?|rationale|thoughts?|解释|解釋|理由|说明|說明)$/i;

export interface JsonAnswer {
  /** null: the object says that there is no answer. */
  content: string | null;
  explanation: string | null;
}

/** JSON without the code fence round it. */
export function withoutFence(text: string): string {
  const fenced = /^```(?:json)?[ \t]*\r?\n([\s\S]*)\n```$/i.exec(text);
  return fenced?.[1]?.trim() ?? text;
}

/** Numbers keep their digits (`1.0`, integers beyond 2^53): the literal's own source text is taken. */
const LITERAL = Symbol('literal');

function isLiteral(value: unknown): value is { [LITERAL]: string } {
  return typeof value === 'object' && value !== null && LITERAL in value;
}

function parseLiterally(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? { [LITERAL]: context?.source ?? String(value) } : value;
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (isLiteral(value)) return value[LITERAL];
  if (typeof value === 'boolean') return String(value);
  return null;
}

/** The answer of a reply that is nothing but a JSON object with `answer`; null when it is none. */
export function jsonAnswer(reply: string): JsonAnswer | null {
  const text = withoutFence(trimAnswer(reply));
  if (text.length > MAX_JSON_CHARS || !text.startsWith('{') || !text.endsWith('}')) return null;
  const parsed = parseLiterally(text);
  if (typeof parsed !== 'object' || parsed === null) return null;
  const entries = Object.entries(parsed);
  const answer = entries.find(([key]) => ANSWER_KEY.test(key));
  if (answer === undefined) return null;
  const explanation = textOf(entries.find(([key]) => REASON_KEY.test(key))?.[1]);
  const value: unknown = answer[1];
  if (value === null) return { content: null, explanation };
  if (Array.isArray(value)) {
    const items = value.map(textOf);
    return items.includes(null) ? null : { content: items.join(', '), explanation };
  }
  const content = textOf(value);
  return content === null ? null : { content, explanation };
}

export function isJson(text: string): boolean {
  const trimmed = withoutFence(trimAnswer(text));
  return (
    /^[{["]/.test(trimmed) &&
    trimmed.length <= MAX_JSON_CHARS &&
    parseLiterally(trimmed) !== undefined
  );
}
