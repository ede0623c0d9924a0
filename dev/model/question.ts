/** What several rules need to know about a question. Pure. */
import type { Conversation } from './conversation.ts';

const DELIMITED = /\.(?:csv|tsv|psv|tab|txt|dat)$/i;

export function delimitedFiles(paths: string[]): string[] {
  return paths.filter((path) => DELIMITED.test(path));
}

const WORKBOOK = /\.(?:xls[xmb]?|ods)$/i;

export function workbooks(paths: string[]): string[] {
  return paths.filter((path) => WORKBOOK.test(path));
}

/** Files that hold tables, whatever their format. */
export function tableFiles(paths: string[]): string[] {
  return paths.filter((path) => DELIMITED.test(path) || WORKBOOK.test(path));
}

const MENTIONED =
  /"[^"\n]*"|“[^”\n]*”|'[^'\n]*'|`[^`\n]*`|「[^」\n]*」|[\p{L}\p{N}_./-]{1,120}\.[a-z0-9]{1,5}\b/giu;
const VERB =
  /\b(?:totals?|sum|mean|average|avg|median|count|how many|number of|distinct|unique|max(?:imum)?|min(?:imum)?|largest|smallest|highest|lowest)\b|总|合计|求和|之和|平均|中位数|最大|最小|最高|最低|计数|多少[行条个笔项]|几[行条个笔项]/i;

/** True when the question names something to compute, outside quotes and file names. */
export function hasVerb(question: string): boolean {
  return VERB.test(question.replace(MENTIONED, ' '));
}

/** True for a computation over an attached table, which then is no question about files. */
export function isTableQuestion(conversation: Conversation): boolean {
  return hasVerb(conversation.question) && tableFiles(conversation.files).length > 0;
}
