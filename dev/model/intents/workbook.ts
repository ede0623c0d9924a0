/**
 * Spreadsheets for the table rule: parse_excel brings the cells, page by page, and they become the
 * tables that the rule's program computes over.
 */
import type { Conversation, FinishedCall } from '../conversation.ts';
import { failedCall, type Move, say, withoutTool } from '../intent.ts';
import { leftOut, readGrids, type SheetTable, toCsv } from './sheet-grid.ts';

/** A run has ten turns by default: these, one for Python and one for the answer fit. */
const MAX_CALLS = 7;

/** Tables by the path that the program knows them under, and the workbook of each. */
export interface Sheets {
  tables: Record<string, string>;
  books: Record<string, string>;
}

const ofBook = (conversation: Conversation, path: string): FinishedCall[] =>
  conversation.calls.filter((call) => call.name === 'parse_excel' && call.input.path === path);

/** The cells of all workbooks, or the call that brings the next of them. */
export function readWorkbooks(
  conversation: Conversation,
  paths: readonly string[],
): { kind: 'sheets'; sheets: Sheets } | Move {
  const sheets: Sheets = { tables: {}, books: {} };
  for (const path of paths) {
    const calls = ofBook(conversation, path);
    const failed = calls.find((call) => call.isError);
    if (failed !== undefined) return failedCall(conversation, failed);
    const move = nextCall(conversation, { path, calls });
    if (move !== null) return move;
    const asked = conversation.question.toLowerCase();
    const named = readGrids(calls.map(({ text }) => text)).filter(
      // A hidden sheet counts only when somebody asks for it.
      ({ hidden, name, rows }) =>
        rows.length > 0 && (!hidden || asked.includes(name.toLowerCase())),
    );
    addTables(sheets, { path, named });
  }
  return { kind: 'sheets', sheets };
}

function addTables(sheets: Sheets, book: { path: string; named: SheetTable[] }): void {
  for (const { name, rows } of book.named) {
    const path = book.named.length === 1 ? book.path : `${book.path}/${name}`;
    sheets.tables[path] = toCsv(rows);
    sheets.books[path] = book.path;
  }
}

/** Null when all that was named as left out has been read. */
function nextCall(
  conversation: Conversation,
  { path, calls }: { path: string; calls: FinishedCall[] },
): Move | null {
  const done = new Set(calls.map(({ input }) => `${input.sheet}!${input.range}`));
  const [next] = calls
    .flatMap(({ text }) => leftOut(text))
    .filter(({ sheet, range }) => !done.has(`${sheet}!${range}`));
  if (calls.length > 0 && next === undefined) return null;
  if (conversation.tool('parse_excel') === null) return withoutTool(conversation, 'parse_excel');
  if (calls.length >= MAX_CALLS) {
    return {
      kind: 'no_answer',
      reason: say(conversation, {
        en: `${path} is too large for the demo model to read cell by cell.`,
        zh: `${path} 太大，演示模型无法逐格读取。`,
      }),
    };
  }
  return {
    kind: 'call',
    text: say(conversation, { en: `I read ${path}.`, zh: `我先读取 ${path}。` }),
    calls: [{ name: 'parse_excel', input: { path, ...next } }],
  };
}
