/**
 * What form of answer a question asks for, read off its words. It decides only whether one format
 * call is worth making (answer-review.ts) and what that call says, so it prefers `string` to a
 * wrong guess. Pure, no I/O. English and Chinese.
 */
import { askedDateFormat } from './answer-dates.ts';

export type AnswerKind = 'number' | 'list' | 'date' | 'yes_no' | 'true_false' | 'string';

export interface AskedFormat {
  kind: AnswerKind;
  /** The question itself says how to write it ("yes or no", a date pattern, "comma separated"). */
  explicit: boolean;
  /** The pattern as the question writes it, e.g. `YYYY-MM-DD`, `Month D, YYYY`; null when it names none. */
  dateFormat: string | null;
  /** Digits after the point that are asked for; null when the question says nothing. */
  decimals: number | null;
  /** A unit or currency sign belongs to the answer. */
  units: boolean;
  separator: ',' | ';' | null;
  /** Prose, code, lines or a document are asked for: length and line breaks are not judged. */
  open: boolean;
  /** A JSON literal is asked for: braces and quotes are the answer. */
  json: boolean;
  /** HTML or XML is asked for: tags are the answer. */
  markup: boolean;
}

const TRUE_FALSE =
  /\btrue\s*(?:or|\/|\|)\s*false\b|\bt\/f\b|对(?:还是|或者?|\/)错|真(?:还是|或者?|\/)假|正确(?:还是|或者?|\/)(?:错误|不正确)|判断(?:对错|正误|真假)/iu;
const YES_NO = /\byes\s*(?:or|\/|\||,)\s*(?:a )?no\b|是(?:还是|或者?|\/)(?:否|不是)/iu;
const YES_NO_FORM =
  /^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b[^?]*\?\s*$/i;
const YES_NO_FORM_ZH = /吗[？?]?\s*$|^[^，。？]{0,40}是否/u;
const SEPARATED =
  /\b(comma|semicolon)[- ]?(?:separated|delimited)|(?:separated?|delimited|split|joined) (?:by|with) (?:an? )?(comma|semicolon)s?\b|(?:用|以)?(逗号|分号)(?:分隔|隔开|分开)/iu;
const LIST =
  /(?:^|[.?!:;,\n]\s*|\bplease |\bthen |\band )(?:list|enumerate|name (?:all|the (?:two|three|four|five|six|\d+)|two|three|four|five|\d+)|give (?:me )?(?:all|a list|the list|the names))\b|\bas a list\b|列出|列举|有哪些|分别是|分别为/iu;

/** "What country had the least number of athletes?" asks for a country: the number must be what is asked. */
const HOW_MANY =
  /\bhow (?:many|much|old)\b|\b(?:what|which) year\b|\b(?:what(?:'s| is| was)|give|find|state|report|determine|calculate|count)(?: me)? the (?:(?:total|exact|smallest|largest|highest|lowest|minimum|maximum|atomic) ){0,2}number of\b|\batomic number\b/i;
const QUANTITY =
  /\bwhat(?:'s| is| are| was| were)(?: the| its| their)?(?: \w+){0,2} (?:total|sum|mean|average|median|count|percentage|percent|population|probability|standard deviation|variance|square root|quotient|remainder|(?:minimum|maximum|smallest|largest|highest|lowest) (?:value|amount|price|number|of))\b/i;
const SAYS_NUMBER =
  /\b(?:as|give|provide|return|answer with|respond with|report|just|only)\b[^.?!\n]{0,25}\b(?:an integer|a whole number|whole number|(?:a|the) (?:single |plain |bare )?number|a decimal|numeric(?:al)? (?:answer|value))\b|\bround(?:ed)? (?:it |the \w+ |your \w+ )?(?:to|up|down|off)\b|\bdecimal places?\b|\bnearest (?:integer|whole|tenth|hundredth|thousandth|cent|dollar|ten|hundred|thousand|million|percent)|\bsignificant (?:figures|digits)\b/i;
const NUMBER_ZH =
  /多少(?!人名)|几(?:个|次|人|年|天|种|位|条|只|本|岁|小时|分钟|秒|公里|千米|米|名|张|座|部|场|页|行|列)|百分之几|哪一?年|保留[\d一二两三四五六]+位小数|四舍五入|等于几|是几|只(?:要|写|给出?|回答)数字/u;
/** 销售总额最高的城市是哪个？ asks for a city. */
const QUANTITY_ZH = /总(?:和|数|额|计)|平均(?:值|数|分)|中位数/u;
const NAME_ZH = /哪(?!一?年)|谁|什么/u;
/** Forms of a number that are no plain decimal: judged as text. */
const OTHER_NOTATION =
  /\bin (?:english )?words\b|\bspell(?:ed)? (?:it |them )?out\b|roman numeral|\b(?:in|to) binary\b|hexadecimal|\bbase[- ]?\d+|\bfraction|in terms of|\bexact (?:form|value|answer)|simpl(?:est|ified) (?:form|radical)|\bexpression\b|scientific notation|\bratio\b|\brange\b|\binterval\b|中文数字|大写数字|罗马数字|二进制|十六进制|分数表示|表达式|比值|区间/iu;
/** A second question beside the number: neither form alone fits. */
const COMPOSITE =
  /\b(?:and|then),? (?:also )?(?:who|which|what|where|when|name|list|how (?:many|much))\b|\brespectively\b|分别|(?:以及|和|并)(?:说出|写出|列出)?(?:谁|哪|什么)/iu;
const UNITS =
  /\b(?:with|includ(?:e|ing)|and|state|specify|give) (?:the |its |their |your |a )?(?:\w+ )?units?\b|\b(?:with|includ(?:e|ing)) (?:the |a |an )?(?:currency|dollar sign|percent sign|%|\$|€|£)|(?:带|包括|注明|写明|加上)(?:上)?单位/iu;

const DATE_ASKED =
  /\b(?:what|which|exact|full|calendar)(?: \w+){0,2} date\b|\bdate (?:of|when|on which)\b[^.]*\?|哪一?天|什么日期|几月几[日号]|哪一?日/iu;
const WHEN = /^(?:and )?when (?:did|was|were|is|are|will|does)\b|什么时候|何时/iu;

const PROSE =
  /(?:^|[.?!:;\n]\s*|\bplease |\bcan you |\bcould you |\band )(?:explain|describe|summari[sz]e|draft|compose|translate|transcribe|elaborate|discuss|outline|prove|derive|rewrite|paraphrase|implement|compare|write (?:me )?(?:an?|some|python|sql|code|javascript|java|bash)\b(?! (?:number|integer|single|date|comma))|give (?:me )?an? (?:short |brief |detailed )?(?:summary|overview|explanation|description|proof|outline|introduction))\b|^(?:why|how (?:do|does|did|can|could|should|would|to))\b|\bin (?:an? |one |two |three |\d+ )(?:short |brief )?(?:sentence|paragraph)s?\b|(?:^|[，。；：,.\s请并再])(?:详细|简要|简单)?(?:解释|说明(?!书)|描述|总结|概括|翻译(?!者|家)|证明|写一(?:篇|段|首|个|封))|为什么|如何|怎么/iu;
const LINES =
  /\bone (?:\w+ )?per line\b|\beach (?:\w+ )?on (?:its|a) (?:own|new|separate) line\b|\bseparate lines\b|\bline by line\b|\bbullet|\bnumbered list\b|\bas a (?:markdown )?table\b|\bmarkdown\b|\b(?:in|as) (?:csv|yaml|latex)\b|每行一个|逐行|项目符号|表格形式/iu;
const JSON_ASKED =
  /(?:\b(?:as|in|into|valid|return|output|respond with|reply with|only|formatted)\s+(?:an? |the |valid |only )*json\b(?! file)|\bjson (?:object|array|list|literal|format|string)\b|(?:用|以|输出|返回|写成|按)\s*json|json\s*(?:格式|对象|数组))/iu;
const MARKUP_ASKED = /(?<![.\w])(?:html|xml|svg)\b(?! file)|\btags?\b|标签/iu;

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  no: 0,
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
};
const NEAREST: Readonly<Record<string, number>> = {
  tenth: 1,
  hundredth: 2,
  cent: 2,
  thousandth: 3,
};

function askedDecimals(question: string): number | null {
  const places =
    /\b(\d{1,2}|no|zero|one|two|three|four|five|six) (?:decimal|digits? after)|保留\s*(?:到|至)?(?:小数点后)?\s*(\d{1,2}|[一二两三四五六])\s*位小数|小数点后\s*(\d{1,2}|[一二两三四五六])\s*位/iu.exec(
      question,
    );
  const word = places?.[1] ?? places?.[2] ?? places?.[3];
  if (word !== undefined) return NUMBER_WORDS[word.toLowerCase()] ?? Number(word);
  const nearest =
    /\bnearest (integer|whole|tenth|hundredth|thousandth|cent|ten|hundred|thousand|million)\b/i.exec(
      question,
    )?.[1];
  if (nearest !== undefined) return NEAREST[nearest.toLowerCase()] ?? 0;
  return /\b(?:an integer|a whole number)\b|取整|整数/i.test(question) ? 0 : null;
}

function numberAsked(question: string): boolean {
  if (OTHER_NOTATION.test(question) || COMPOSITE.test(question)) return false;
  const chinese = NUMBER_ZH.test(question) || QUANTITY_ZH.test(question);
  if (chinese && NAME_ZH.test(question)) return false;
  return (
    chinese || HOW_MANY.test(question) || QUANTITY.test(question) || SAYS_NUMBER.test(question)
  );
}

function kindOf(
  question: string,
  found: { dateFormat: string | null; separated: boolean },
): { kind: AnswerKind; explicit: boolean } {
  if (TRUE_FALSE.test(question)) return { kind: 'true_false', explicit: true };
  if (YES_NO.test(question)) return { kind: 'yes_no', explicit: true };
  if (found.separated) return { kind: 'list', explicit: true };
  // "How many days from 2020-01-01 …" and "what year": numbers although dates are named.
  if (numberAsked(question)) return { kind: 'number', explicit: SAYS_NUMBER.test(question) };
  if (found.dateFormat !== null || DATE_ASKED.test(question))
    return { kind: 'date', explicit: found.dateFormat !== null };
  if (LIST.test(question)) return { kind: 'list', explicit: false };
  if (WHEN.test(question)) return { kind: 'date', explicit: false };
  if ((YES_NO_FORM.test(question) && !/\bor\b/i.test(question)) || YES_NO_FORM_ZH.test(question)) {
    return { kind: 'yes_no', explicit: false };
  }
  return { kind: 'string', explicit: false };
}

/** Questions are judged by their beginning and end: what lies between is material. */
const JUDGED_CHARS = 4_000;

/** The form a question asks for. Unknown forms are `string`, not explicit: nothing is demanded of them. */
export function askedFormat(question: string): AskedFormat {
  const judged =
    question.length > 2 * JUDGED_CHARS
      ? `${question.slice(0, JUDGED_CHARS)}\n${question.slice(-JUDGED_CHARS)}`
      : question;
  const plain = judged.trim().replace(/["“”'‘’`*]/g, '');
  const separated = SEPARATED.exec(plain);
  const separatorWord = (separated?.[1] ?? separated?.[2] ?? separated?.[3] ?? '').toLowerCase();
  const separator = separated === null ? null : /semicolon|分号/.test(separatorWord) ? ';' : ',';
  const named = askedDateFormat(plain);
  const { kind, explicit } = kindOf(plain, { dateFormat: named, separated: separator !== null });
  const json = JSON_ASKED.test(plain);
  const literal = json || LINES.test(plain);
  return {
    kind,
    explicit,
    dateFormat: kind === 'date' ? named : null,
    decimals: kind === 'number' ? askedDecimals(plain) : null,
    units: UNITS.test(plain),
    separator,
    open: literal || (!explicit && (kind === 'string' || kind === 'list') && PROSE.test(plain)),
    json,
    markup: MARKUP_ASKED.test(plain),
  };
}
