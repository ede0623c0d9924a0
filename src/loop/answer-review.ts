/**
 * Whether an answer has the form its question asks for. A reason costs one model call (the format
 * call), so each check fires only where the form is plainly wrong: versions, URLs, decimals with
 * dots and long titles pass. Never changes an answer. Pure, no I/O.
 */
import type { AnswerRule, ExtractedAnswer } from './answer.ts';
import { type AskedFormat, askedFormat } from './answer-asked.ts';
import { followsDateFormat } from './answer-dates.ts';

/** The worse, the higher: 1 a detail of the form, 2 another kind of answer, 3 prose, 4 no answer. */
type Severity = 1 | 2 | 3 | 4;

interface Problem {
  reason: string;
  severity: Severity;
}

/** Longest text that counts as a short answer; the seed's own bound. */
const MAX_SHORT_CHARS = 300;
const MAX_SHORT_LINES = 4;
/** A reply without any marker above this many words is prose. */
const MAX_BARE_WORDS = 15;

const PLAIN_NUMBER =
  /^[+-]?(?:\$ ?)?(?:\d{1,3}(?:,\d{2,3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d{1,3})?(?: ?%)?$/;
const YEAR_WITH_ERA = /^\d{1,4} (?:BCE?|AD|CE)$|^(?:AD|CE) \d{1,4}$/i;
const NUMBER_WITH_UNIT =
  /^[~≈]?\s?(?:US|A|C)?[$€£¥]?\s?[+-]?\d[\d,.]*\s?[\p{L}°%€£¥$²³/.·^\d\s]{1,30}$/u;

const HEDGE =
  /\b(?:could be|might be|may be|is either|are either|not (?:entirely |quite )?sure|not certain|I think|I believe|probably|most likely|it is likely|it seems|it appears)\b|可能是|也许|大概|不确定|应该是|或许/u;
/** A sentence about the answer instead of the answer. */
const SENTENCE =
  /^(?:the|this|that|it|there|they|he|she|based on|according to|after|so|therefore|in|from|i)\b.{0,200} (?:is|are|was|were|has|have|had|equals|contains|found|gives|shows)\b.+[.!]$/i;
const ASKS_FOR_WORDING =
  /sentence|quote|phrase|\bline\b|\btext\b|\bsays?\b|said|caption|slogan|motto|title|message|lyric|verse|statement|definition|theorem|\bwhy\b|\bhow\b|句|原文|台词|标题|口号|定义|内容/iu;
const ASKS_FOR_ADDRESS =
  /url|\blinks?\b|web ?(?:site|page|address)|\bsite\b|homepage|home page|repositor|\bsource\b|\bwhere\b|\bdoi\b|address|domain|endpoint|网址|链接|网站|网页|地址|来源/iu;
const NAMES_FOREIGN_SCRIPT =
  /chinese|japanese|korean|mandarin|cantonese|kanji|hanzi|characters?\b|native|original|script|translat|symbol/i;

function options(question: string, answer: string): boolean {
  return (
    answer.length <= 40 &&
    question.toLowerCase().includes(answer.toLowerCase().replace(/[.!。]$/u, ''))
  );
}

function reviewChoice(answer: string, question: string, asked: AskedFormat): Problem | null {
  if (!asked.explicit) return null;
  const plain = answer.toLowerCase().replace(/[.!。！]$/u, '');
  const english = asked.kind === 'yes_no' ? ['yes', 'no'] : ['true', 'false'];
  const chinese =
    asked.kind === 'yes_no'
      ? ['是', '否', '不是']
      : ['对', '错', '真', '假', '正确', '错误', '不正确'];
  const namesEnglish = new RegExp(`\\b${english[0]}\\b|\\bt/f\\b`, 'i').test(question);
  if (
    (namesEnglish ? english : chinese).includes(plain) ||
    (options(question, plain) && !english.includes(plain))
  )
    return null;
  const words = namesEnglish
    ? asked.kind === 'yes_no'
      ? 'Yes or No'
      : 'True or False'
    : chinese.slice(0, 2).join(' / ');
  return { reason: `the question asks for ${words} and nothing else`, severity: 2 };
}

function reviewNumber(answer: string, asked: AskedFormat): Problem | null {
  if (PLAIN_NUMBER.test(answer) && /\d/.test(answer)) {
    const decimals = /\.(\d+)/.exec(answer)?.[1]?.length ?? 0;
    if (asked.decimals === null || decimals <= asked.decimals) return null;
    return { reason: `the question asks for ${asked.decimals} decimal places`, severity: 1 };
  }
  if (YEAR_WITH_ERA.test(answer) || (asked.units && NUMBER_WITH_UNIT.test(answer))) return null;
  if (NUMBER_WITH_UNIT.test(answer))
    return { reason: 'the question asks for a bare number without a unit', severity: 1 };
  const long = answer.split(/\s+/).length > 5 || /[\u3400-\u9fff]{6,}/.test(answer);
  return { reason: 'the question asks for a number in digits', severity: long ? 3 : 2 };
}

function reviewDate(answer: string, asked: AskedFormat): Problem | null {
  if (asked.dateFormat !== null) {
    if (followsDateFormat(answer, asked.dateFormat)) return null;
    return { reason: `the question asks for a date written as ${asked.dateFormat}`, severity: 1 };
  }
  return answer.split(/\s+/).length > 10
    ? { reason: 'the question asks for a date and nothing else', severity: 3 }
    : null;
}

function reviewList(answer: string, asked: AskedFormat): Problem | null {
  if (asked.json || asked.open) return null;
  if (/(?:\.{3}|…|\betc\.?|等)$/u.test(answer.slice(-8)))
    return { reason: 'the list is cut short', severity: 2 };
  if (/\n/.test(answer))
    return { reason: 'the list should stand on one line, separated by commas', severity: 1 };
  if (!asked.explicit) return null;
  const separator = asked.separator ?? ',';
  if (!answer.includes(separator) && /\s(?:and|or|&)\s|[,;、，；]/.test(answer)) {
    return {
      reason: `the question asks for items separated by ${separator === ',' ? 'commas' : 'semicolons'}`,
      severity: 1,
    };
  }
  if (/^[[({].*[\])}]$/.test(answer) || /^(["'])[^"']*\1(?:[,;] ?\1[^"']*\1)+$/.test(answer)) {
    return { reason: 'the list should have no brackets or quotes', severity: 1 };
  }
  if (/, and /.test(answer)) return { reason: 'the list should have no "and"', severity: 1 };
  return /\p{Ll}{4}\.$/u.test(answer)
    ? { reason: 'the list should not end with a period', severity: 1 }
    : null;
}

function reviewString(answer: string, question: string): Problem | null {
  const words = answer.split(/\s+/).length;
  if (
    HEDGE.test(answer) &&
    !HEDGE.test(question) &&
    (words >= 4 || /[\u3400-\u9fff]/.test(answer))
  ) {
    return { reason: 'the answer hedges instead of naming one answer', severity: 3 };
  }
  if (words >= 5 && SENTENCE.test(answer) && !ASKS_FOR_WORDING.test(question)) {
    return { reason: 'a sentence stands where a few words were asked for', severity: 3 };
  }
  return null;
}

function reviewLanguage(answer: string, question: string): Problem | null {
  const foreign = /\p{Script=Han}|[，。；：（）]/u;
  const eastAsian = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  if (
    foreign.test(question) ||
    eastAsian.test(question) ||
    !foreign.test(answer) ||
    NAMES_FOREIGN_SCRIPT.test(question)
  )
    return null;
  return { reason: "the answer should be in the question's language", severity: 2 };
}

function reviewLength(answer: string, asked: AskedFormat): Problem | null {
  if (asked.open) return null;
  if (answer.length > MAX_SHORT_CHARS && asked.kind !== 'list')
    return { reason: 'the answer is too long for what was asked', severity: 3 };
  if (/\n\s*\n/.test(answer) || answer.split('\n').length > MAX_SHORT_LINES) {
    return { reason: 'several paragraphs stand where a short answer was asked for', severity: 3 };
  }
  return null;
}

function review(
  answer: string,
  options: { question: string; asked: AskedFormat; rule?: AnswerRule },
): Problem | null {
  const { question, asked, rule } = options;
  const general = reviewLength(answer, asked) ?? reviewLanguage(answer, question);
  if (general !== null) return general;
  if (asked.json) return null;
  if (/^https?:\/\/\S+$/i.test(answer) && !ASKS_FOR_ADDRESS.test(question)) {
    return { reason: 'a web address stands where its content was asked for', severity: 2 };
  }
  if (
    rule === 'whole_reply' &&
    !asked.open &&
    (answer.split(/\s+/).length > MAX_BARE_WORDS || /[\u3400-\u9fff]{25,}/.test(answer))
  ) {
    return { reason: 'the reply has no FINAL ANSWER line', severity: 3 };
  }
  switch (asked.kind) {
    case 'number':
      return reviewNumber(answer, asked);
    case 'date':
      return reviewDate(answer, asked) ?? reviewString(answer, question);
    case 'yes_no':
    case 'true_false':
      return reviewChoice(answer, question, asked);
    case 'list':
      return reviewList(answer, asked);
    case 'string':
      return asked.open ? null : reviewString(answer, question);
  }
}

/**
 * Why one format call is needed, in one plain clause, or null when the answer's form is right.
 * An answer of null is a reason too, except where the model said that there is none (`no_answer`).
 */
export function formatProblem(given: {
  answer: string | null;
  question: string;
  rule?: AnswerRule;
}): string | null {
  if (given.answer === null) return given.rule === 'no_answer' ? null : 'the reply has no answer';
  return (
    review(given.answer, {
      question: given.question,
      asked: askedFormat(given.question),
      rule: given.rule,
    })?.reason ?? null
  );
}

function severityOf(extracted: ExtractedAnswer, question: string): number {
  if (extracted.answer === null) return 4;
  const options = { question, asked: askedFormat(question), rule: extracted.rule };
  return review(extracted.answer, options)?.severity ?? 0;
}

/**
 * The better of an answer and what the format call made of it: the second only where its form is
 * better, so that a failed format call can never spoil an answer. A `NO ANSWER` from the format
 * call wins only over text that never was an answer (prose without a marker).
 */
export function betterAnswer(
  first: ExtractedAnswer,
  second: ExtractedAnswer,
  question: string,
): ExtractedAnswer {
  if (second.rule === 'no_answer') {
    const neverAnswered =
      first.answer === null || (first.rule === 'whole_reply' && severityOf(first, question) >= 3);
    return neverAnswered ? second : first;
  }
  return severityOf(second, question) < severityOf(first, question) ? second : first;
}
