/**
 * What a domain is: a field of knowledge with tools and advice of its own, offered only to runs
 * that are about it. `chooseDomain` decides which one that is. No I/O.
 */
import type { Tool } from '../define.ts';

export interface Domain {
  /** What a request says: `domain: "mab"`. Lower case, no spaces; not "auto" or "none". */
  name: string;
  displayName: string;
  /** Words or phrases, in any language, one of which makes a question belong here. */
  keywords: readonly string[];
  /** One sentence for people. */
  description: string;
  tools: readonly Tool[];
  /** Advice for the model in the question's language; a line naming a tool goes with that tool. */
  workflowHint: Readonly<{ en: string; zh: string }>;
  /** Questions with known answers, from easy (1) to hard (3). */
  benchmarkProblems?: readonly { level: 1 | 2 | 3; question: string; answer: string }[];
  /** Names of skills that go with it. */
  skills?: readonly string[];
}

/** What `domain` in a request may be beside the name of one; `auto` is the default. */
export const DOMAIN_CHOICES = ['auto', 'none'] as const;

/**
 * The domain of a run, or null. A name says it all; `auto` takes the one whose tools the run names,
 * else the one with the most keywords in the question (the first of several).
 */
export function chooseDomain(
  domains: readonly Domain[],
  run: { asked?: string; tools?: readonly string[]; question: string },
): Domain | null {
  const { asked = 'auto', tools = [], question } = run;
  if (asked !== 'auto') return domains.find(({ name }) => name === asked) ?? null;
  const named = domains.find((domain) => domain.tools.some((tool) => tools.includes(tool.name)));
  if (named !== undefined) return named;
  let best: Domain | null = null;
  let most = 0;
  for (const domain of domains) {
    const count = keywordsIn(question, domain.keywords).length;
    if (count > most) {
      best = domain;
      most = count;
    }
  }
  return best;
}

/** The advice of a domain, without the lines that name one of its tools that the run lacks. */
export function hintFor(
  { tools, workflowHint }: Domain,
  run: { language: 'en' | 'zh'; tools: readonly string[] },
): string {
  const lacking = tools.map(({ name }) => name).filter((name) => !run.tools.includes(name));
  return workflowHint[run.language]
    .split('\n')
    .filter((line) => !lacking.some((name) => line.includes(name)))
    .join('\n');
}

const HAN = /\p{Script=Han}/u;
/** Chinese words are not parted by spaces; one this long says the same wherever it stands. */
const UNMISTAKABLE_CHARS = 5;

/**
 * The keywords that stand in a text as whole words, never as part of one: "np" is not in "input".
 * Case, width and hyphens make no difference. Short Chinese keywords must begin and end where
 * words do (遗憾界 is not in 令人遗憾，界面…, nor in 遗憾界面).
 */
export function keywordsIn(text: string, keywords: readonly string[]): string[] {
  const words = normalise(text);
  let borders: Set<number> | null = null;
  return keywords.filter((keyword) => {
    const wanted = normalise(keyword).trim();
    if (wanted === '') return false;
    for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (!isApart(words, at) || !isApart(words, end)) continue;
      if (!HAN.test(wanted) || wanted.length >= UNMISTAKABLE_CHARS) return true;
      borders ??= wordBorders(words);
      if (borders.has(at) && borders.has(end)) return true;
    }
    return false;
  });
}

function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Pd}_]+/gu, ' ');
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

/** True when no word of letters and digits runs across this place; Chinese next to it may stand. */
function isApart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at).match(/.$/su)?.[0] ?? '';
  const after = text.slice(at, at + 2).match(/^./su)?.[0] ?? '';
  if (!WORD_CHARACTER.test(before) || !WORD_CHARACTER.test(after)) return true;
  return HAN.test(before) || HAN.test(after);
}

function wordBorders(text: string): Set<number> {
  const borders = new Set([text.length]);
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(text);
  for (const { index } of segments) borders.add(index);
  return borders;
}
