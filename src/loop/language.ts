/**
 * Which of the two prompt languages a question is written in. Pure, no I/O.
 * A Chinese name in an English question, or an English term in a Chinese one, does not decide:
 * the words that hold a sentence together do, then the letters.
 */

export type Language = 'en' | 'zh';

const HAN = /\p{Script=Han}/gu;
const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LATIN = /\p{Script=Latin}/gu;
const ENGLISH_GRAMMAR =
  /\b(?:the|of|is|are|was|were|has|have|can|does|do|did|who|whom|what|which|when|where|why|how|many|much|in|on|to|for|from|and|or|an?|by|with|into|please|translate|mean|give|list|find|calculate)\b/gi;
/** Only characters that seldom stand in names: 中 and 和 do. */
const CHINESE_GRAMMAR = /多少|什么|哪|谁|几|请|吗|呢|的|是|了|这|那|把|如何|怎|列出|计算|翻译/gu;

/** Text that is talked about rather than written in the asker's language: quotes, code, addresses, file names. */
const MENTIONED =
  /`[^`\n]{1,200}`|"[^"\n]{1,200}"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|《[^》\n]{1,200}》|https?:\/\/[!-~]{1,300}|[\w.-]{1,80}\.[a-z]{2,5}\b/giu;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/**
 * 'zh' when the question's own words are Chinese, else 'en' (also for every other language: the
 * English prompt asks for an answer in the question's language).
 */
export function questionLanguage(text: string): Language {
  const own = text.replace(MENTIONED, ' ');
  const judged = count(own, HAN) + count(own, LATIN) > 0 ? own : text;
  const han = count(judged, HAN);
  if (han === 0 || count(judged, KANA_OR_HANGUL) * 4 > han) return 'en';
  const latin = count(judged, LATIN);
  if (latin === 0) return 'zh';
  const lead = count(judged, CHINESE_GRAMMAR) - count(judged, ENGLISH_GRAMMAR);
  if (lead !== 0) return lead > 0 ? 'zh' : 'en';
  // One Chinese character says about as much as three Latin letters.
  return han * 3 >= latin ? 'zh' : 'en';
}
