/**
 * The ways to say "I cannot tell", in English: instead of an answer, as the rest of "The answer is
 * …", or as a whole reply. The question decides where words could be the answer itself: words that
 * it offers, titles, sentences that it asks for. Chinese: answer-admission-zh.ts. Pure, no I/O, linear.
 */
import { admitsInChinese, CANNOT_TELL_ZH } from './answer-admission-zh.ts';

/** value: marked as the answer. phrase: behind "The answer is". reply: a reply without any of these. */
export type Place = 'value' | 'phrase' | 'reply';

const CANNOT_TELL_EXACT = new Set([
  'unknown',
  'n/a',
  'not available',
  'not known',
  'unclear',
  'no answer',
  'no answer found',
  'answer not found',
  'final answer not found',
  'i do not know',
  "i don't know",
  'do not know',
  "don't know",
  'not enough information',
  'insufficient information',
  'insufficient data',
  'indeterminable',
  'undetermined',
  'null',
  '(none)',
  '[none]',
  ...CANNOT_TELL_ZH,
]);

const COULD_NOT = `(?:can ?not|can't|could not|couldn't)`;
const FAILED = `(?:${COULD_NOT}|(?:am|are|was|were|'m|'re)(?: still| also)? (?:not able|unable) to|(?:wasn't|weren't|aren't) able to|(?:have|has|had|'ve) (?:not|been unable to|not been able to)|(?:haven't|hadn't)(?: been able to)?|did not|didn't|do not|don't|failed to)`;
const FIND = `(?:(?:manage to|reliably|definitively|actually|even|fully|directly|conclusively|yet|really) )?(?:find|found|locate|determine|identify|identified|establish|answer|tell|say|know|figure out|work out|discover|retrieve|obtain|access|open|read|load|download|reach|verify|verified|confirm|derive|deduce|infer|compute|calculate|solve|complete|extract|come up with|provide|give|recogni[sz]e|make out|resolve|see|have)(?:d|ed)?`;
const FOUND = `(?:determined|answered|found|established|identified|located|known|derived|verified|confirmed|inferred|deduced|calculated|computed|given|retrieved|obtained|worked out|figured out|seen|read)`;
const GIVEN = `(?:stated|given|mentioned|specified|provided|available|known|found|clear|recorded|included|listed|reported|disclosed|contained|shown|named|indicated|determinable|visible|readable|published)`;
/** What may follow words that are whole: nothing, punctuation, or where and why. */
const WHOLE = String.raw`(?=$|[,;:.!(—–]|\s(?:[—–(-]|(?:from|based|with|without|because|since|given|using|for|due|as|at|in|on|by|until|here|yet|anywhere|either|and|so)\b))`;

/** Says that this question has no answer here: an admission wherever it stands. */
const SURE_EN: readonly RegExp[] = [
  /^(?:i am |i'm |it is |we are |it was |i was |i have been )?(?:unable|not able|impossible) to (?:determine|answer)\b/i,
  new RegExp(
    String.raw`^(?:i am |i'm |it is |we are |it was |i was )?(?:unable|not able|impossible) to (?:tell|say|know)(?:${WHOLE}|\s(?:which|who|what|whether|if|how|where|when)\b)`,
    'i',
  ),
  new RegExp(
    String.raw`^(?:(?:it|this|that|the (?:final |correct |exact )?answer|(?:the|this) question|i|we) )?${COULD_NOT} (?:be )?(?:determined?|answer(?:ed)?|(?:tell|say|know)${WHOLE})\b`,
    'i',
  ),
  new RegExp(
    String.raw`^(?:i|we) ?${FAILED} ${FIND} (?:(?:the|an|any|a|this|that|your) )?(?:[a-z-]{1,20} )?(?:answer|question|task)\b`,
    'i',
  ),
  new RegExp(`^(?:i|we) (?:do not|don't) know(?: the answer)?${WHOLE}`, 'i'),
  /^(?:i|we) have no (?:idea|answer|way of (?:knowing|telling)|way to (?:know|tell|answer))\b/i,
  /^no answer(?:[:.,-]| (?:was|is|could|can|exists)\b)/i,
  /^(?:there is |i have )?(?:not enough|insufficient) (?:information|data|evidence) (?:to|for)\b/i,
  new RegExp(
    String.raw`^(?:the|an?|any|this|that|my)? ?(?:(?:final|correct|exact|right|definitive) )?(?:answer|question)(?: to (?:this|the|that|your) question)? (?:(?:is|was|remains)(?: still| currently| simply| also)? (?:un(?:known|clear|certain|determined|available|disclosed|specified|answerable)|missing|not (?:explicitly |directly |clearly |actually |yet )?(?:${GIVEN}|in (?:the|this|any)|there|to be found))|(?:isn't|wasn't) (?:${GIVEN}|in (?:the|this|any))|${COULD_NOT} be ${FOUND}|(?:has not|hasn't) been ${FOUND})\b`,
    'i',
  ),
];

/** Says what was not found or not readable: an admission unless such words were asked for. */
const LIKELY_EN: readonly RegExp[] = [
  new RegExp(String.raw`^(?:i|we) ?${FAILED} ${FIND}\b`, 'i'),
  new RegExp(
    String.raw`^(?:was |were )?(?:unable|not able|failed) to ${FIND} (?:the|any|an?|this|that)\b`,
    'i',
  ),
  /^i(?: am|'m) not sure$/i,
  /^(?:i|we) (?:have |had )?(?:found|see|saw) (?:nothing|no (?:\w+ )?(?:answer|information|data|mention|record|evidence|indication|details?|source|reference|result)s?)\b/i,
  /^(?:there (?:is|was|are|were) no|no) (?:\w+ ){0,2}(?:information|data|mention|records?|evidence|indication|details?|sources?|results?|way to (?:tell|know|determine|say|find))\b.{0,80}$/i,
  new RegExp(
    String.raw`^(?:it|this|that) (?:is|was) not (?:${GIVEN}) (?:in|by|on|anywhere)\b`,
    'i',
  ),
  new RegExp(String.raw`^not (?:${GIVEN}) (?:in|by|on|anywhere)\b`, 'i'),
  /^(?:the|this|that|none of the|neither|no) (?:\w+ ){0,3}(?:paper|article|file|document|page|source|text|table|report|image|picture|video|audio|recording|spreadsheet|data|dataset|website|site|attachment|proceedings|record)s? (?:(?:does not|do not|doesn't|don't|did not|didn't) (?:\w+ly )?(?:state|say|give|mention|specify|contain|include|provide|report|list|name|show|tell|answer|disclose|indicate|identify|reveal|open|load)|(?:could not|cannot|can't|couldn't) be (?:opened|read|loaded|accessed|found|downloaded|parsed|reached))\b/i,
];

/** "The host city could not be found.": its subject must be what the question asks for. */
const SUBJECT = new RegExp(
  String.raw`^(?:the|its|his|her|their|this|that) ([\w' -]{1,60}?) (?:(?:is|was|are|were|remains?)(?: not|n't) (?:explicitly |directly |clearly |yet )?${GIVEN}|(?:is|was|are|were|remains?) un(?:known|clear|available|specified)|${COULD_NOT} be ${FOUND}|(?:has not|hasn't|have not|haven't) been ${FOUND})\b`,
  'i',
);
const MISSING_WORD =
  /^(?:still |currently |simply )?(?:unknown|unclear|uncertain|undetermined|undisclosed|unavailable|unspecified|missing)(?:$|\s*[,;:(—–-]|\s(?:because|since|as|due|for|to me|to us|at|from|in|until|without|given|and|so|here|yet)\b)/i;
const MISSING_VALUE =
  /^(?:unknown|n\/a|not available|not known|undetermined|unclear|uncertain)\s*(?:[,;:(—–-]\s*|\s)(?:because|since|as|due to|the|no|not|it|there|this|i|data|file|cannot|could)\b/i;
const ENDS_SO = new RegExp(
  String.raw`\b(?:so|but|and|therefore|thus|hence),? (?:i|we) (?:still |simply |really )?(?:${COULD_NOT}|(?:am|are|was|were) (?:not able|unable) to|do not|don't) (?:tell|say|know|answer|determine|give)(?: (?:it|this|that|which|what|(?:the|an|any) answer|the question|one))?$`,
  'i',
);
const APOLOGY =
  /^(?:i'm sorry|i am sorry|sorry|unfortunately|i apologi[sz]e)[,，.。!！\s][\s\S]{0,200}?(?:cannot|can't|unable|could not|couldn't|not able|do not|don't|did not|didn't|no (?:way|information|data|result))|\bI (?:have|found) no answer\b/i;

/** What may stand before an admission. */
const LEAD =
  /^(?:(?:unfortunately|sadly|regrettably|sorry|apologies|honestly|i'm sorry|i am sorry|i'm afraid|i am afraid|so|thus|therefore|hence|overall|in conclusion|in summary|to be honest|as a result|currently|at this point)(?:,? (?:but|that))?[,.:]? ){1,3}/i;
const LEAD_CLAUSE =
  /^(?:after|despite|with|without|based on|from|given|although|while|since|because|as) [^,.!?\n]{1,160}, (?=(?:i|we|it|the answer|there)\b)/i;
/** The sentence goes on to an answer after all. */
const TURNS =
  /\b(?:but|however|though|nevertheless|nonetheless|instead|guess|estimate|probably|likely|presumably|may be|might be|could be|must be|suggests?|appears? to be|i (?:think|believe))\b/i;

const ASKS_FOR_WORDING =
  /sentence|quot|phrase|\blines?\b|(?<!\bthe )\btext\b|\bsay|\bsaid\b|\bspeak|shout|repl(?:y|ies|ied)|\bresponds?|caption|slogan|motto|message|lyric|verse|statement|definition|theorem|\bwhy\b|\bhow (?!many|much|old|long|far|tall)|\blog(?:ged|s)?\b|error|\bprint|output|wrong|problem|issue|reason|flaw|critici|limitation|status|happen|句|原文|[台臺][词詞]|[标標][题題]|口[号號]|定[义義]|歌|[书書]名|[诗詩]|[电電]影|小[说說]|[剧劇]|成[语語]|[输輸]出|[报報][错錯]|日[志誌]|提示|[为為]什[么麼]|原因/iu;
/** "What does 'no sé' mean?": the sentence is the answer. The mean of a column is something else. */
const TRANSLATES = /translat|\bdo(?:es)? .{1,80}\bmean\b|\bmeaning of\b|翻[译譯]|什[么麼]意思/iu;
/** A record whose entry may itself read "Unknown" or "N/A". */
const ASKS_FOR_ENTRY =
  /\b(?:certificate|field|cell|form|register|entry|label|card|ledger|plate)\b.{0,60}\b(?:gives?|says?|reads?|states?|lists?|shows?|contains?|holds?|entered|written|printed|recorded)\b|\b(?:entered|written|printed|recorded) (?:in|on|into) (?:the|its|his|her) .{0,40}\b(?:certificate|field|cell|form|register|entry|label|card|ledger|plate)\b/i;
const PRINTS = /print|output|return|evaluat|value|code|program|script|sql|json|[输輸]出|返回/i;
const ASKS_FOR_TITLE =
  /\btitles?\b|\bentitled\b|\balbum|\bsong|\bsingle\b|\bfilm|\bmovie|\bbook|\bnovel|\bband\b|\bgame\b|\bepisode|\bpoem|\bplay\b|\btrack\b|\bpainting|[标標][题題]|片名|歌|[书書]名|[专專][辑輯]/i;

/** `No Answer` in the capitals of a title where one is asked for; the refusal is `NO ANSWER: reason`. */
export function isTitleNoAnswer(words: string, question: string): boolean {
  return /^\W*No Answer\W*$/.test(words) && !/[:：]/.test(words) && ASKS_FOR_TITLE.test(question);
}

/** Words in the capitals of a title: "I Can't Tell You Why". */
function isTitled(words: string): boolean {
  const long = words.split(/\s+/).filter((word) => /^[\p{L}']{4,}$/u.test(word));
  return long.length >= 2 && long.every((word) => /^\p{Lu}.*\p{Ll}/u.test(word));
}

function namesAsked(subject: string, question: string): boolean {
  const asked = question.toLowerCase();
  return subject
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word.length >= 4 && asked.includes(word));
}

interface Asked {
  question: string;
  place: Place;
  /** A long text is asked for: sentences are its stuff. */
  open: boolean;
}

type Verdict = 'sure' | 'likely' | null;

/** What one sentence, or a marked answer, says. */
function verdict(sentence: string, asked: Asked): Verdict {
  const words = sentence.replace(LEAD, '').replace(LEAD_CLAUSE, '');
  if (isTitled(words)) return null;
  const chinese = admitsInChinese(sentence);
  if (chinese !== null) return chinese;
  if (ENDS_SO.test(words) || MISSING_VALUE.test(words)) return 'sure';
  if (asked.place === 'phrase' && MISSING_WORD.test(words)) return 'sure';
  if (TURNS.test(words)) return null;
  if (SURE_EN.some((pattern) => pattern.test(words))) return 'sure';
  const subject = SUBJECT.exec(words)?.[1];
  const likely =
    LIKELY_EN.some((pattern) => pattern.test(words)) ||
    (subject !== undefined && namesAsked(subject, asked.question));
  return likely ? 'likely' : null;
}

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/u;

function admits(words: string, asked: Asked): boolean {
  const spared = asked.open || ASKS_FOR_WORDING.test(asked.question);
  const says = (sentence: string) => {
    const said = verdict(sentence.replace(/^[\s*_>-]+|[\s*_.!。！]+$/gu, ''), asked);
    return said === 'likely' && spared ? null : said;
  };
  if (asked.place !== 'reply') return says(words) !== null;
  if (!asked.open && APOLOGY.test(words)) return true;
  const sentences = words.split(SENTENCE_END).filter((sentence) => /\p{L}/u.test(sentence));
  const verdicts = sentences.map(says);
  if (verdicts.length > 0 && verdicts.every((said) => said !== null)) return true;
  // With an excuse before or behind it, only words about the answer itself are surely meant.
  return verdicts.at(-1) === 'sure' || (verdicts[0] === 'sure' && !TURNS.test(words));
}

/** The words of an explicit "cannot answer", or null. */
export function cannotTell(answer: string, asked: Asked): string | null {
  const { question } = asked;
  const words = answer.replace(/[’‘]/g, "'").replace(/[.!。！]$/u, '');
  if (words === '' || answer.length > 2_000) return null;
  const lower = words.toLowerCase();
  if (isTitleNoAnswer(words, question)) return null;
  // Offered by the question ("… or 'cannot be determined'"): then it is one of the answers.
  if (question.toLowerCase().includes(lower)) return null;
  if (TRANSLATES.test(question) && lower.includes(' ')) return null;
  if (!CANNOT_TELL_EXACT.has(lower)) return admits(words, asked) ? answer : null;
  if (lower === 'null' && PRINTS.test(question)) return null;
  return ASKS_FOR_ENTRY.test(question) ? null : answer;
}
