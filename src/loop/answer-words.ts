/**
 * What is no answer although it stands where one should: template placeholders, and the ways to say
 * "I cannot tell". Both yield to the question: words it offers itself are an answer. Pure, no I/O.
 */

/** `[YOUR FINAL ANSWER]`, `<answer>`, `{number}`: a bracketed word that names the gap to be filled. */
const BRACKETED_GAP =
  /^[[<{(（【「]\s*(?:(?:your|the|my|insert|put|write|give)\s+)*(?:final\s+|short\s+|bare\s+)*(?:answer|number|value|result|text|list|date|reason|explanation|one sentence|你的答案|最终答案|答案|一句话说明原因|原因|数字)s?(?:\s+(?:here|goes here|only|itself|in one sentence))?\s*[\]>})）】」]/iu;
const NAMED_GAP = /^your (?:final |short )?answer(?: here| goes here)?[.]?$/i;
/** Nothing but dots, dashes, question marks or blanks to fill in. */
const ONLY_MARKS = /^(?:\[\s*[.…?_-]*\s*\]|[.…?_–—-]+|\*{1,3}|tbd)$/iu;
const ASKS_FOR_MARKS =
  /punctuation|symbol|character|operator|\bmark|\bsign\b|glyph|string|\bprints?\b|output|morse|符号|字符|标点|输出|运算/iu;

export function isPlaceholder(answer: string, question: string): boolean {
  if (answer.length > 400) return false;
  if (ONLY_MARKS.test(answer)) return !ASKS_FOR_MARKS.test(question);
  const gap = BRACKETED_GAP.exec(answer);
  // `(number) of x` is an answer that begins with a bracket; an echo goes on with a sentence end.
  if (gap !== null)
    return gap[0].length === answer.length || /^[\s]*[.。,，]/.test(answer.slice(gap[0].length));
  return NAMED_GAP.test(answer);
}

const CANNOT_TELL_EXACT = new Set([
  'unknown',
  'n/a',
  'not available',
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
  '无法获取答案',
  '无法确定',
  '无法回答',
  '无法判断',
  '无法得出答案',
  '无法得知',
  '不知道',
  '未知',
  '信息不足',
  '没有答案',
  '无答案',
]);
const CANNOT_TELL_START =
  /^(?:(?:i am |i'm |it is |we are |the answer )?(?:unable|not able|impossible) to (?:determine|answer|tell|say)\b|(?:it |this |that |the answer |the question |i )?(?:can ?not|can't|could not|couldn't) (?:be )?(?:determined?|answer(?:ed)?|tell)\b|no answer[:.,-]|(?:there is |i have )?(?:not enough|insufficient) (?:information|data|evidence) (?:to|for)\b)/i;
const CANNOT_TELL_START_ZH = /^(?:我)?(?:无法|不能)(?:确定|回答|判断|得出|获取|得知|找到答案)/u;
const APOLOGY =
  /^(?:i'm sorry|i am sorry|sorry|unfortunately|i apologi[sz]e|很?抱歉|对不起)[,，.。!！\s][\s\S]{0,200}?(?:cannot|can't|unable|could not|couldn't|not able|do not|don't|did not|didn't|no (?:way|information|data|result)|无法|不能|没有|未能|不知道)|\bI (?:have|found) no answer\b|没有答案|得不出答案/iu;

/** The words of an explicit "cannot answer", or null. `bare`: a whole reply, where an apology counts too. */
export function cannotTell(
  answer: string,
  options: { question: string; bare: boolean },
): string | null {
  const words = answer.replace(/[’‘]/g, "'").replace(/[.!。！]$/u, '');
  if (words === '' || answer.length > 2_000) return null;
  const lower = words.toLowerCase();
  const says =
    CANNOT_TELL_EXACT.has(lower) ||
    CANNOT_TELL_START.test(words) ||
    CANNOT_TELL_START_ZH.test(words) ||
    (options.bare && APOLOGY.test(words));
  if (
    lower === 'null' &&
    /print|output|return|evaluat|value|code|program|script|sql|json|输出|返回/i.test(
      options.question,
    )
  )
    return null;
  // Offered by the question ("… or 'cannot be determined'"): then it is one of the answers.
  return says && !options.question.toLowerCase().includes(lower) ? answer : null;
}

/** A reply that only says what comes next ("Let me search for it."): the work, not its answer. */
const ANNOUNCES =
  /^(?:(?:okay|ok|sure|first|next|now|great)[,.!]? )*(?:i will|i'll|let me|let's|i'm going to|i am going to|i need to|i should|i have to) (?:first |now |also |then )?(?:search|look|start|begin|check|use|find|read|open|calculate|compute|query|call|try|fetch|analy|examine|download|load|inspect|run|verify)[\s\S]*[.:…]$/i;
const ANNOUNCES_ZH =
  /^(?:好的[，,]?)?(?:首先[，,]?)?(?:我(?:先|将|会|来|需要)|让我)(?:先)?(?:来)?(?:搜索|搜一|查|读|打开|计算|看|分析|使用|调用)[\s\S]*[.:…。：]$/u;

export function announcesWork(reply: string): boolean {
  if (reply.length > 600 || reply.includes('\n\n')) return false;
  const words = reply.replace(/[’‘]/g, "'");
  return ANNOUNCES.test(words) || ANNOUNCES_ZH.test(words);
}
