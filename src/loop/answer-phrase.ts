/**
 * The sentence "The answer is …" / 答案是…: where it stands and where it ends. The end is the hard
 * part: "The answer is J. K. Rowling." has one sentence, "It is 42. That was easy." has two.
 * Pure, no I/O, linear in its input.
 */
import type { Framed } from './answer-frames.ts';
import { isBlank, withoutBlockMarks } from './answer-peel.ts';

const ENGLISH =
  /(?<![a-z\d])(?:(?:the|my|our)[ \t]{1,3}(?:(?:final|correct|right|short|best|exact)[ \t]{1,3})?|final[ \t]{1,3})answer(?:[ \t](?:to|for)[ \t][^.:\n?!]{1,80}?)?[ \t]{1,3}(?:is|was|would be|should be|must be|equals)(?:[ \t]{0,3}:|(?=[ \t\n*_`"“$\\(]))/giu;
const CHINESE = /答案就?[应應]?[该該]?(?:是|[为為爲]|[选選])[ \t\u3000]{0,3}[:：﹕︰]?/gu;
const CHINESE_LEAD =
  /^(?:因此|所以|故|[综綜]上所述|[综綜]上|[总總]之|那[么麼]|于是|於是|[显顯]然|可[见見]|可知|可得|我[认認][为為]|我[觉覺]得|我想|我的|[这這][个個]?(?:[问問][题題]|[题題]目|[题題])的?|[该該]?(?:[问問][题題]|[题題]目|[题題])的?|本[题題]的?|正[确確]的?|最[终終]的?|最[后後]的?|[标標][准準]|[参參]考|\s)*$/u;
/** "what the answer is", "if the answer is": no statement. */
const NO_STATEMENT = /\b(?:what|whether|if|how|why|where|when|unless|suppose|assume)\s*$/i;
/** "The answer is in the attached file", "… is based on": about the answer, not the answer. */
const ABOUT =
  /^\s*(?:(?:probably|likely|most likely|presumably|possibly|perhaps|maybe) (?=in the\b|on the\b|not\b))?(?:not\b|based\b|given\b|found\b|located\b|derived\b|obtained\b|correct\b|(?:in|on) the (?:(?!of\b)\w+ )?(?:attached|attachment|file|sheet|spreadsheet|table|document|text|article|page|paper|report|appendix|image|picture|video|audio|chart|figure|database|website)\b|在|根[据據]|基[于於]|不|[错錯])/u;
const POINTS_BELOW = /^[ \t]*(?:as follows|below|the following|如下)[ \t]*[:：﹕︰]?/iu;

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof st mt ft jr sr inc ltd co corp bros etc vs no vol gen col capt lt sgt rev hon gov sen rep dept univ approx est ave blvd rd fig ed eds al e.g i.e a.m p.m ph.d jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);

/** Whether the period at `at` belongs to the word before it. `ends`: nothing follows on the line. */
function isAbbreviation(text: string, at: number, ends: boolean): boolean {
  const word = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, at - 24), at))?.[0] ?? '';
  if (word.includes('.') && /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u.test(word)) return true;
  if (ABBREVIATIONS.has(word.toLowerCase())) return true;
  // An initial: `J. Smith`. At the end of the line it is a letter: "The answer is B."
  return !ends && /^\p{Lu}$/u.test(word);
}

/** Characters of a sentence that is looked at. */
const MAX_SENTENCE_CHARS = 2_000;

/** The rest of a sentence, without its final period; `?` and `!` may belong to the answer and stay. */
export function sentenceFrom(text: string, start: number): string {
  const region = text.slice(start, start + MAX_SENTENCE_CHARS);
  const lineEnd = region.indexOf('\n');
  const line = (lineEnd < 0 ? region : region.slice(0, lineEnd)).trimEnd();
  for (const stop of line.matchAll(/[.!?。！？]["”’)*_`]{0,4}(?=\s|$)|[。！？]/gu)) {
    const mark = stop[0].charAt(0);
    const ends = stop.index + stop[0].length >= line.length;
    if (mark === '.' && isAbbreviation(line, stop.index, ends || isLoneLetter(line, stop.index)))
      continue;
    if (mark === '.' || mark === '。') return line.slice(0, stop.index) + stop[0].slice(1);
    if (ends || startsSentence(line.slice(stop.index + stop[0].length))) {
      return line.slice(0, stop.index + stop[0].length);
    }
  }
  return line;
}

/** "B. Because of x" against "J. K. Rowling": a letter that is all there is, before a real sentence. */
function isLoneLetter(line: string, at: number): boolean {
  if (!/^\W*\p{Lu}$/u.test(line.slice(0, at))) return false;
  const following = /^\.\s+([^.]{1,200})/.exec(line.slice(at))?.[1] ?? '';
  return following.split(/\s+/).some((word) => /^\p{Ll}/u.test(word));
}

/** Behind `!` or `?`: "Wham! The band was …" has two sentences, `Yahoo! Inc.` and "Dude? no" one. */
function startsSentence(rest: string): boolean {
  if (/^\s*\p{Script=Han}/u.test(rest)) return true;
  return /^\s*\p{Lu}/u.test(rest) && /\s\p{Ll}/u.test(rest.slice(0, 200));
}

/** Hits looked at, from the end of the text: the last sentence wins. */
const MAX_HITS = 500;

interface Phrase {
  from: number;
  after: number;
}

function phrases(text: string): Phrase[] {
  const found: Phrase[] = [];
  for (const hit of [...text.matchAll(ENGLISH)].slice(-MAX_HITS)) {
    // `The Answer Is Love` is a title.
    if (
      /Answer\s+Is/.test(hit[0]) ||
      NO_STATEMENT.test(text.slice(Math.max(0, hit.index - 16), hit.index))
    )
      continue;
    found.push({ from: hit.index, after: hit.index + hit[0].length });
  }
  for (const hit of [...text.matchAll(CHINESE)].slice(-MAX_HITS)) {
    const before = text.slice(Math.max(0, hit.index - 16), hit.index);
    const lead = /[^。！？；，,;:：.!?\n]*$/u.exec(before)?.[0] ?? '';
    if (!CHINESE_LEAD.test(lead)) continue;
    found.push({ from: hit.index - lead.length, after: hit.index + hit[0].length });
  }
  return found.sort((a, b) => a.from - b.from);
}

function contentOfPhrase(text: string, phrase: Phrase): string | null {
  const region = text.slice(phrase.after, phrase.after + MAX_SENTENCE_CHARS);
  if (ABOUT.test(region)) return null;
  const pointer = POINTS_BELOW.exec(region)?.[0].length ?? 0;
  const rest = region.slice(pointer);
  const lineEnd = rest.indexOf('\n');
  const line = lineEnd < 0 ? rest : rest.slice(0, lineEnd);
  if (!isBlank(line.replace(/[*_:：﹕︰]/g, ''))) {
    const sentence = sentenceFrom(rest, 0);
    const opened = /(?:\*{1,3}|_{1,3}|["'])$/.exec(
      text.slice(Math.max(0, phrase.from - 3), phrase.from),
    )?.[0];
    return opened !== undefined && sentence.endsWith(opened)
      ? sentence.slice(0, -opened.length)
      : sentence;
  }
  const block = rest.slice(line.length).trimStart();
  return withoutBlockMarks(block.split(/\n\s*\n/, 1)[0] ?? '');
}

export function findPhrases(text: string): Framed[] {
  const found: Framed[] = [];
  for (const phrase of phrases(text)) {
    const content = contentOfPhrase(text, phrase);
    if (content !== null) {
      const lead = text.slice(0, Math.min(phrase.from, 40));
      const whole = phrase.from <= 40 && /^\W*(?:so|thus|therefore|hence)?\W*$/i.test(lead);
      found.push({ content, from: phrase.from, whole });
    }
  }
  return found.reverse();
}
