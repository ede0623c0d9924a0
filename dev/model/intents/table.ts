/**
 * The main job: one figure about a column of attached tables. The rule only finds the files (and
 * has parse_excel read workbooks); the program it sends to execute_python finds the column, the verb
 * and the answer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Conversation, pathsInListing } from '../conversation.ts';
import { failedCall, type Intent, type Move, say, withoutTool } from '../intent.ts';
import { hasVerb, tableFiles, workbooks } from '../question.ts';
import { calculateWithoutPython } from './table-calc.ts';
import {
  explainFailure,
  explainResult,
  type TableFailure,
  type TableResult,
} from './table-words.ts';
import { readWorkbooks, type Sheets } from './workbook.ts';

const PROGRAM = ['table-read.py', 'table-question.py', 'table-answer.py']
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');

/** The Python that answers `question` over `files`. JSON strings are Python strings. */
function tableProgram(question: string, files: string[], { tables, books }: Sheets): string {
  return [
    `QUESTION = ${pythonText(question)}`,
    `FILES = [${files.map(pythonText).join(', ')}]`,
    `SHEETS = ${pythonDict(tables)}`,
    `BOOKS = ${pythonDict(books)}`,
    PROGRAM,
  ].join('\n');
}

function pythonDict(entries: Record<string, string>): string {
  const pairs = Object.entries(entries).map(
    ([key, value]) => `${pythonText(key)}: ${pythonText(value)}`,
  );
  return `{${pairs.join(', ')}}`;
}

/** A JSON string is a Python string, once lone surrogates (which Python refuses to encode) are gone. */
function pythonText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** Beside the verbs: words of questions that can only be about a table. */
const TABLE_WORDS =
  /\b(?:how much|columns?|rows?|per|add up|altogether|most|least)\b|多少|几|列|行/i;

/** Reads the line that the program printed, wherever it stands in the result. */
function printedResult(text: string): TableResult | TableFailure | null {
  const line = /STRIDE_RESULT (\{[^\n]*\})/.exec(text)?.[1];
  if (line === undefined) return null;
  try {
    return JSON.parse(line) as TableResult | TableFailure;
  } catch {
    return null;
  }
}

function nextMove(conversation: Conversation, attached: string[]): Move {
  const read = readWorkbooks(conversation, workbooks(attached));
  if (read.kind !== 'sheets') return read;
  const { sheets } = read;
  const books = new Set(workbooks(attached));
  const files = [...attached.filter((path) => !books.has(path)), ...Object.keys(sheets.tables)];
  const call = conversation.calls.findLast((one) => one.name === 'execute_python');
  if (call === undefined) {
    if (conversation.tool('execute_python') === null) {
      return (
        calculateWithoutPython(conversation, { files, sheets }) ??
        withoutTool(conversation, 'execute_python')
      );
    }
    return {
      kind: 'call',
      text: say(conversation, {
        en: `I compute this with Python over ${files.join(', ')}.`,
        zh: `我用 Python 计算 ${files.join('、')}。`,
      }),
      calls: [
        {
          name: 'execute_python',
          input: { code: tableProgram(conversation.question, files, sheets) },
        },
      ],
    };
  }
  const result = printedResult(call.text);
  if (result === null) return failedCall(conversation, call);
  if (!result.ok) return { kind: 'no_answer', reason: explainFailure(conversation, result) };
  return {
    kind: 'answer',
    explanation: explainResult(conversation, result),
    answer: result.answer,
  };
}

export const table: Intent = {
  name: 'table',
  example: 'What is the total of the amount column? (with a CSV or an Excel file attached)',
  next(conversation) {
    const { question, calls } = conversation;
    if (!hasVerb(question) && !TABLE_WORDS.test(question)) return null;
    const attached = tableFiles(conversation.files);
    if (attached.length > 0) return nextMove(conversation, attached);
    // Without a list of files, only a question that speaks of a file or a column is about one.
    if (
      conversation.hasFileList ||
      !/\b(?:file|csv|excel|xlsx|spreadsheet|attached|column|table|rows?)\b|文件|附件|列|表/i.test(
        question,
      )
    ) {
      return null;
    }
    const listing = calls.findLast((call) => call.name === 'list_files');
    if (listing === undefined) {
      if (conversation.tool('list_files') === null) return withoutTool(conversation, 'list_files');
      const text = say(conversation, {
        en: 'I look for the files first.',
        zh: '我先查看有哪些文件。',
      });
      return { kind: 'call', text, calls: [{ name: 'list_files', input: {} }] };
    }
    const found = tableFiles(pathsInListing(listing.text));
    if (found.length > 0) return nextMove(conversation, found);
    return {
      kind: 'no_answer',
      reason: say(conversation, {
        en: 'No table (csv, tsv, txt, xlsx, xls, ods) is attached, so I have nothing to compute over.',
        zh: '没有附带表格文件（csv、tsv、txt、xlsx、xls、ods），所以无法计算。',
      }),
    };
  },
};
