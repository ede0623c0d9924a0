/**
 * The simplest table questions where Python is not offered: read_file brings a small file, the rule
 * copies the numbers of one column into an expression, and calc works it out. Anything with
 * conditions, groups, gaps in the numbers or more than one file is left to Python.
 */
import type { Conversation } from '../conversation.ts';
import { failedCall, fieldOf, type Move, say } from '../intent.ts';
import { explainFailure, type TableFailure } from './table-words.ts';
import type { Sheets } from './workbook.ts';

/** calc takes 4,000 characters. */
const MAX_EXPRESSION_CHARS = 4_000;

const FUNCTIONS: [RegExp, string][] = [
  [/\bmedian\b|中位数/i, 'median'],
  [/\b(?:mean|average|avg)\b|平均/i, 'mean'],
  [/\b(?:totals?|sum)\b|总和|合计|总计|求和/i, 'sum'],
  [/\b(?:max(?:imum)?|largest|highest)\b|最大|最高/i, 'max'],
  [/\b(?:min(?:imum)?|smallest|lowest)\b|最小|最低/i, 'min'],
];
const TOO_MUCH =
  /\b(?:per|by|each|every|where|for|only|except|round(?:ed)?|distinct|unique)\b|按|每|其中|各|保留/i;

/** RFC 4180 rows; blank lines dropped. */
function parseRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((one) => one.trim() !== '')) rows.push(row);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quoted && char === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (quoted || cell === '')) quoted = !quoted;
    else if (quoted) cell += char;
    else if (char === delimiter) {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

/** The name stands in the question as a word of its own; Chinese puts no spaces between words. */
function isNamed(name: string, question: string): boolean {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const isHan = /\p{Script=Han}/u.test(name);
  return new RegExp(isHan ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'u').test(
    question,
  );
}

/**
 * `sum(1, 2.5)` for the one column that the question names, the failure when several bear that
 * name, or null when it is not that simple.
 */
export function columnExpression(question: string, text: string): string | TableFailure | null {
  const asked = question.toLowerCase();
  for (const delimiter of [',', ';', '\t', '|']) {
    const [header, ...rows] = parseRows(text.replace(/^\ufeff/, ''), delimiter);
    if (header === undefined || rows.length === 0) return null;
    if (rows.some((row) => row.length !== header.length)) continue;
    const names = header.map((name) => name.trim().toLowerCase());
    const named = names
      .filter((name) => name !== '' && isNamed(name, asked))
      .sort((a, b) => b.length - a.length);
    const [name] = named;
    if (name === undefined) continue;
    const rest = asked.replace(name, ' ');
    const verb = FUNCTIONS.find(([pattern]) => pattern.test(rest))?.[1];
    if (verb === undefined || TOO_MUCH.test(rest)) return null;
    const places = names.flatMap((other, at) => (other === name ? [at + 1] : []));
    const [place = 0] = places;
    if (places.length > 1) {
      const column = header[place - 1]?.trim() ?? name;
      return { ok: false, code: 'same_name', column, places };
    }
    const values = rows.map((row) => (row[place - 1] ?? '').trim());
    if (!values.every((value) => /^-?\d+(?:\.\d+)?$/.test(value))) return null;
    const expression = `${verb}(${values.join(', ')})`;
    return expression.length <= MAX_EXPRESSION_CHARS ? expression : null;
  }
  return null;
}

/** The next move, or null when the question needs Python. */
export function calculateWithoutPython(
  conversation: Conversation,
  { files, sheets }: { files: string[]; sheets: Sheets },
): Move | null {
  const [path, ...others] = files;
  const calc = conversation.tool('calc');
  const done = conversation.calls.findLast((call) => call.name === 'calc');
  if (path === undefined || others.length > 0) return null;
  if (done !== undefined) {
    if (done.isError) return failedCall(conversation, done);
    const answer = done.text.trim().replace(/ \(.*\)$/s, '');
    const reader = path in sheets.tables ? 'parse_excel' : 'read_file';
    const explanation = say(conversation, {
      en: `Python is not offered here, so ${reader} read ${path} and calc worked the figure out.`,
      zh: `这里没有 Python，所以用 ${reader} 读取 ${path}，由 calc 计算。`,
    });
    return { kind: 'answer', explanation, answer };
  }
  if (calc === null) return null;
  const sheet = sheets.tables[path];
  if (sheet === undefined && conversation.tool('read_file') === null) return null;
  const read = conversation.calls.findLast((call) => call.name === 'read_file');
  if (sheet === undefined && read === undefined)
    return { kind: 'call', text: '', calls: [{ name: 'read_file', input: { path } }] };
  // A note in brackets at the end says that this is not the whole file.
  if (read !== undefined && (read.isError || /\n\[[^\n]*\]\s*$/.test(read.text))) return null;
  const expression = columnExpression(conversation.question, sheet ?? read?.text ?? '');
  if (expression === null) return null;
  if (typeof expression !== 'string') {
    return { kind: 'no_answer', reason: explainFailure(conversation, { ...expression, path }) };
  }
  return {
    kind: 'call',
    text: '',
    calls: [{ name: 'calc', input: { [fieldOf(calc, ['expression'])]: expression } }],
  };
}
