/**
 * Finds the lines that announce an answer: `FINAL ANSWER:`, `NO ANSWER:`, `最终答案：` and the weaker
 * `Answer:` / `答案：`, with whatever markdown stands round them. What belongs to each: answer-content.ts.
 * A marker counts where a line or a sentence begins; elsewhere it is only talked about.
 * Pure, no I/O. Every look round a hit is bounded, so the whole is linear in its input.
 */
import { isBlank } from './answer-peel.ts';

export interface Marker {
  kind: 'final' | 'none' | 'label';
  /**
   * strong: begins a line or sentence. weak: inside prose. mention: the prose talks about the marker
   * ("I will finish with FINAL ANSWER: …"), so nothing belongs to it.
   */
  strength: 'strong' | 'weak' | 'mention';
  /** Where the line or sentence of the marker begins: what stands before is the explanation. */
  from: number;
  /** Just after the separator. */
  after: number;
  /** Closing marks of decoration opened before the marker and still open after it, innermost first. */
  open: string[];
}

const FINAL_OR_NONE =
  /(?<![a-z\d])(?:(?<final>final[ \t\u00a0\u3000_-]{0,2}answers?)|(?<none>no[ \t\u00a0\u3000_-]answer))(?![a-z\d])|(?<finalZh>最[终終后後]的?答案|ｆｉｎａｌ[ \u3000]?ａｎｓｗｅｒ)|(?<noneZh>[无無]法回答|[无無]答案|ｎｏ[ \u3000]?ａｎｓｗｅｒ)/giu;
const LABEL = /(?<![a-z\d])answers?(?![a-z\d])|答案/giu;
const PATTERNS = { final: FINAL_OR_NONE, label: LABEL };

const QUALIFIER =
  /[ \t]{0,3}(?:[(（][^()（）\n]{1,60}[)）]|\[[^[\]\n]{1,60}\](?=[ \t*_]{0,4}[:：﹕︰]))/y;
const CLOSERS = /(?:[ \t\u3000*_`~"'”’」』\]】］〕)）]|<\/[a-z]{1,10}>){0,12}/iy;
const SEPARATOR =
  /就?[应應]?[该該]?(?:是|[为為爲])[ \t\u3000]{0,3}[:：﹕︰]?|[:：﹕︰]{1,2}|[|｜]|[=＝]>?|[-–—]{1,2}>?(?=[ \t])|[→⇒]/y;
/** `The Answer - live` is a title. */
const LABEL_SEPARATOR = /[:：﹕︰=＝]/y;
const BLANK_LINE_END = /[ \t\r]{0,200}(?:\n|$)/y;

/** Words that may stand between the start of a sentence and its marker. */
const LEAD_WORDS = new Set(
  "so thus therefore hence and then now finally my the our here is here's this ok okay in conclusion overall i get correct short right".split(
    ' ',
  ),
);
const LEAD_ZH =
  /^(?:因此|所以|故|[综綜]上所述|[综綜]上|那[么麼]|于是|於是|我的|[这這][个個]?(?:[问問][题題]|[题題]目|[题題])的|[该該]?(?:[问問][题題]|[题題]目|[题題])的|本[题題]的?|正[确確]|[标標][准準]|[参參]考)*$/u;
const SENTENCE_BREAK = /[.!?:;,。！？：；，、﹕︰…—→⇒)）|｜]/gu;
const LOOK_BACK = 100;
const TALKS_ABOUT =
  /\b(?:will|must|should|shall|'ll|format|begins?|starts?|finish|ends?|write|line|template|prefix|marker|phrase|words?|instruct\w*|asked)\b[^.!?\n]*$|(?:以|用|[写寫]|格式|[开開][头頭]|[结結]尾|[输輸]出)[^。\n]*$/iu;

/** "Example: FINAL ANSWER: Paris" shows the form. */
const EXAMPLE = /(?:\be\.g\.|\bfor instance|\bexample|例如|比如|示例)[\s,，:：*_`"“'(（]{0,8}$/i;

interface Lead {
  lineStart: boolean;
  begins: boolean;
  quoted: boolean;
  from: number;
  tokens: string[];
}

function isLead(fragment: string): boolean {
  const words = fragment.match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.every(
    (word) => !/\p{L}/u.test(word) || LEAD_WORDS.has(word.toLowerCase()) || LEAD_ZH.test(word),
  );
}

/** What stands between the start of the line and the marker. */
function leadOf(text: string, at: number): Lead {
  const windowStart = Math.max(0, at - LOOK_BACK);
  const line = text.slice(text.slice(windowStart, at).lastIndexOf('\n') + 1 + windowStart, at);
  const complete = line.length < at - windowStart || windowStart === 0;
  const plain = line.replace(/<\/?[a-z][a-z0-9]{0,9}>/gi, (tag) => ' '.repeat(tag.length));
  let lastBreak = -1;
  for (const hit of plain.matchAll(SENTENCE_BREAK)) lastBreak = hit.index;
  const lineStart =
    complete &&
    (!/[\p{L}\p{N}]/u.test(plain) || /^\P{L}{0,20}\d{1,3}[.)]\P{L}{0,20}$/u.test(plain));
  const begins =
    lineStart ||
    ((lastBreak >= 0 || complete) &&
      isLead(plain.slice(lastBreak + 1)) &&
      !EXAMPLE.test(plain.slice(-LOOK_BACK)));
  const decoration = /(?:[*_`~"'“‘「『(（[【［〔 \t\u3000]|<[a-z]{1,10}>)*$/i.exec(line)?.[0] ?? '';
  // `* FINAL ANSWER: 42` is a bullet, not emphasis.
  const emphasis =
    decoration.length === line.length ? decoration.replace(/^[ \t]*\*[ \t]+/, '') : decoration;
  const tokens: string[] =
    emphasis.match(/\*{1,3}|_{1,3}|`{1,3}|~~|["'“‘「『(（[【［〔]|<[a-z]{1,10}>/gi) ?? [];
  if (/[|｜]/.test(line)) tokens.unshift('|');
  const fromInLine = lineStart || lastBreak < 0 ? 0 : lastBreak + 1;
  return {
    lineStart,
    begins,
    quoted: /["'“‘「『`]$/.test(line.replace(/[*_ \t]+$/, '')),
    from: at - line.length + fromInLine,
    tokens,
  };
}

const CLOSE: Readonly<Record<string, string>> = {
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
  '(': ')',
  '（': '）',
  '[': ']',
  '【': '】',
  '［': '］',
  '〔': '〕',
};

function closing(token: string): string {
  return token.startsWith('<') ? `</${token.slice(1)}` : (CLOSE[token] ?? token);
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Reads on behind the keyword: qualifier, closing marks, separator. Null: no marker after all. */
function markerAt(
  text: string,
  hit: { kind: Marker['kind']; at: number; end: number },
): Marker | null {
  const lead = leadOf(text, hit.at);
  let after = hit.end + (match(QUALIFIER, text, hit.end)?.length ?? 0);
  const closers = match(CLOSERS, text, after) ?? '';
  after += closers.length;
  const open = lead.tokens
    .map(closing)
    .reverse()
    .filter((mark) => mark === '|' || !closers.includes(mark));
  const separator = match(hit.kind === 'label' ? LABEL_SEPARATOR : SEPARATOR, text, after);
  if (separator !== null) after += separator.length;
  else {
    const emphasised = /^[ \t]*(?:[*_]|<\/)/.test(closers) && lead.tokens.length > 0;
    const bracketed = /[】\]］〕]/.test(closers);
    const alone = match(BLANK_LINE_END, text, after) !== null;
    if (!lead.lineStart || !(emphasised || bracketed || alone)) return null;
  }
  const strong =
    hit.kind === 'final' ? lead.begins && (lead.lineStart || !lead.quoted) : lead.begins;
  if (hit.kind === 'none' && !lead.lineStart) return null;
  // `{"answer": 42}` in prose: a key, not a label.
  if (hit.kind === 'label' && (!strong || (lead.quoted && /["'”’]/.test(closers)))) return null;
  const weak = TALKS_ABOUT.test(text.slice(Math.max(0, hit.at - LOOK_BACK), hit.at))
    ? 'mention'
    : 'weak';
  if (hit.kind === 'label' && !lead.lineStart && !isLead(text.slice(lead.from, hit.at)))
    return null;
  return { kind: hit.kind, strength: strong ? 'strong' : weak, from: lead.from, after, open };
}

/** Hits looked at, from the end of the text: the last marker wins, and no real text has more. */
const MAX_HITS = 1_000;

/** All markers of the text in order: `final` and `none` together, or the weak `label` ones. */
export function findMarkers(text: string, family: 'final' | 'label'): Marker[] {
  const hits = [...text.matchAll(PATTERNS[family])].slice(-MAX_HITS);
  return hits.map((hit) => markerOf(text, family, hit)).filter((marker) => marker !== null);
}

/** The strong marker that a text begins with, if any. */
export function leadingMarker(text: string): Marker | null {
  for (const family of ['final', 'label'] as const) {
    const hit = text.slice(0, LOOK_BACK).matchAll(PATTERNS[family]).next().value;
    const marker = hit === undefined ? null : markerOf(text, family, hit);
    if (marker?.strength === 'strong' && isBlank(text.slice(0, marker.from))) return marker;
  }
  return null;
}

function markerOf(text: string, family: 'final' | 'label', hit: RegExpExecArray): Marker | null {
  const none = hit.groups?.none !== undefined || hit.groups?.noneZh !== undefined;
  const kind = family === 'label' ? 'label' : none ? 'none' : 'final';
  return markerAt(text, { kind, at: hit.index, end: hit.index + hit[0].length });
}
