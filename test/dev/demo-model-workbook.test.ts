import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOut, readGrids, toCsv } from '../../dev/model/intents/sheet-grid.ts';
import { startDemoModel } from '../../dev/model/start.ts';
import { findPython } from '../../dev/sandbox/bubblewrap.ts';
import { StrideError } from '../../src/errors.ts';
import { extractAnswer } from '../../src/loop/answer.ts';
import { calc } from '../../src/tools/calc.ts';
import { parseExcel } from '../../src/tools/parse-excel.ts';
import { openBook } from '../../src/tools/sheets/open-book.ts';
import { wrap } from '../../src/tools/untrusted.ts';
import { drawTable } from '../helpers/table-draws.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';
import { MAIN, OFFICE, relationships, worksheet, xlsx } from '../tools/sheets/xlsx/book.ts';

const run = promisify(execFile);
const DRAWS = 120;
/** The demo model declines to read more cells than some pages of them. */
const MAX_BYTES = 60_000;

let demo: Awaited<ReturnType<typeof startDemoModel>>;
beforeAll(async () => {
  demo = await startDemoModel();
});
afterAll(() => demo.stop());

const tool = (name: string, ...fields: string[]) => ({
  name,
  description: 'For a test.',
  input_schema: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields.slice(0, 1),
  },
});
const PARSE = tool('parse_excel', 'path', 'sheet', 'range');
const PYTHON = tool('execute_python', 'code');
const CALC = tool('calc', 'expression');

interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  input?: Record<string, string>;
}

interface Played {
  answer: string | null;
  /** The last text. */
  said: string;
  calls: string[];
}

/** The whole dialogue: the real parse_excel and Python answer the demo model's calls. */
async function play(
  question: string,
  files: Record<string, Uint8Array>,
  { tools = [PARSE, PYTHON], previewBytes = 32_768 } = {},
): Promise<Played> {
  const list = Object.entries(files).map(
    ([path, { length }]) => `- ${path} (${length} bytes, x/y)`,
  );
  const { context } = await createToolContext(files, { previewBytes });
  const content = `${question}\n\nFiles attached to this run:\n${list.join('\n')}`;
  const messages: unknown[] = [{ role: 'user', content }];
  const calls: string[] = [];
  for (;;) {
    const reply = await ask(messages, tools);
    const call = reply.find((block) => block.type === 'tool_use');
    if (call === undefined) {
      const said = reply.map(({ text = '' }) => text).join('');
      return { answer: extractAnswer({ text: said, question }).answer, said, calls };
    }
    calls.push(call.name ?? '');
    const { text, isError } = await answerTo(call, context);
    messages.push(
      { role: 'assistant', content: reply },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.id, content: text, is_error: isError }],
      },
    );
  }
}

async function ask(messages: unknown[], tools: unknown[]): Promise<Block[]> {
  const response = await fetch(`${demo.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer local', 'anthropic-version': '2026-10-21' },
    body: JSON.stringify({ model: demo.model, max_tokens: 16_000, tools, messages }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { content: Block[] }).content;
}

async function answerTo(
  { name = '', input = {} }: Block,
  context: Parameters<typeof runTool>[2],
): Promise<{ text: string; isError: boolean }> {
  try {
    return { text: await output({ name, input }, context), isError: false };
  } catch (error) {
    if (!(error instanceof StrideError)) throw error;
    return { text: error.message, isError: true };
  }
}

async function output(
  { name, input }: { name: string; input: Record<string, string> },
  context: Parameters<typeof runTool>[2],
): Promise<string> {
  if (name === 'parse_excel') return wrap(await runTool(parseExcel, input, context), name);
  if (name === 'calc') return await runTool(calc, input, context);
  const python = findPython() ?? 'python3';
  const child = run(python, ['-'], { maxBuffer: 2 ** 24 });
  child.child.stdin?.end(input.code ?? '');
  const { stdout } = await child;
  return wrap(`status: done\nstdout:\n${stdout}`, name);
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const cell = (text: string, isNumber: boolean) =>
  isNumber
    ? `<c><v>${text}</v></c>`
    : `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

const rowsOf = (rows: (string | number)[][]) =>
  rows
    .map(
      (row) =>
        `<row>${row.map((one) => cell(String(one), typeof one === 'number')).join('')}</row>`,
    )
    .join('');

/** Sheets by name; a name that begins with `!` is hidden. */
function workbook(sheets: Record<string, string>): Uint8Array {
  const names = Object.keys(sheets);
  const list = names.map((name, at) => {
    const state = name.startsWith('!') ? ' state="hidden"' : '';
    return `<sheet name="${escaped(name.replace(/^!/, ''))}" sheetId="${at + 1}" r:id="s${at}"${state}/>`;
  });
  const rels = names.map((_, at) => [`s${at}`, 'worksheet', `worksheets/s${at}.xml`] as const);
  return xlsx({
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      rels.map((rel): [string, string, string] => [...rel]),
    ),
    ...Object.fromEntries(
      names.map((name, at) => [`xl/worksheets/s${at}.xml`, worksheet(sheets[name] ?? '')]),
    ),
  });
}

/** The same table as a workbook: numbers as numbers, everything else as text. */
async function asWorkbook(csv: Uint8Array, name: string): Promise<Uint8Array> {
  const book = await openBook(csv, name);
  const rows: string[][] = [];
  await book.scan(
    0,
    ({ row, column, kind, text }) => {
      while (rows.length <= row) rows.push([]);
      const cells = rows[row] ?? [];
      while (cells.length < column) cells.push('<c/>');
      cells.push(cell(text, kind === 'number'));
      return true;
    },
    { signal: new AbortController().signal },
  );
  return workbook({ Data: rows.map((cells) => `<row>${cells.join('')}</row>`).join('') });
}

describe.skipIf(findPython() === null)('the demo model on workbooks', () => {
  it('answers drawn questions exactly as over the same table in a csv', {
    timeout: 120_000,
  }, async () => {
    const draws = [];
    for (const draw of Array.from({ length: DRAWS }, (_, index) => drawTable(20_262_001 + index))) {
      const books = await Promise.all(draw.files.map(({ bytes, path }) => openBook(bytes, path)));
      // A decimal comma is told by the delimiter, which a workbook has not.
      const delimiters = books.map(({ notes }) => /\((?:;|\||tab)/i.test(notes.join(' ')));
      const isLong = draw.files.some(({ bytes }) => bytes.length > MAX_BYTES);
      if (!delimiters.includes(true) && !isLong) draws.push(draw);
    }
    expect(draws.length).toBeGreaterThan(20);
    const wrong = [];
    for (const { question, files, expected } of draws) {
      const books: Record<string, Uint8Array> = {};
      let asked = question;
      for (const { path, bytes } of files) {
        const name = path.replace(/\.\w+$/, '.xlsx');
        books[name] = await asWorkbook(bytes, path);
        asked = asked.replaceAll(path.split('/').at(-1) ?? path, name.split('/').at(-1) ?? name);
      }
      const { answer, said, calls } = await play(asked, books);
      if (answer !== expected) wrong.push({ asked, expected, answer, said, calls });
    }
    expect(wrong).toEqual([]);
  });

  const ORDERS = [
    ['item', 'amount'],
    ['Lamp', 12.5],
    ['Pen', 3],
  ];

  it('leaves out a last row that repeats the total, and says so', async () => {
    const book = workbook({ Data: rowsOf([...ORDERS, ['Total', 15.5]]) });
    const { answer, said } = await play('What is the total of the amount column?', {
      'a.xlsx': book,
    });
    expect(answer).toBe('15.5');
    expect(said).toContain('the total row of a.xlsx');
  });

  it('reads a long sheet page by page', async () => {
    const rows = Array.from({ length: 600 }, (_, at) => [`Item number ${at}`, at]);
    const book = workbook({ Data: rowsOf([['item', 'amount'], ...rows]) });
    const { answer, calls } = await play(
      'What is the total of the amount column?',
      { 'a.xlsx': book },
      { previewBytes: 8_192 },
    );
    expect(answer).toBe('179700');
    expect(calls.filter((name) => name === 'parse_excel').length).toBeGreaterThan(1);
  });

  it('takes the sheet that the question names, and no hidden one unasked', async () => {
    const other = [
      ['item', 'amount'],
      ['Desk', 100],
    ];
    const book = workbook({ North: rowsOf(ORDERS), South: rowsOf(other), '!Old': rowsOf(other) });
    const ask = async (question: string) => (await play(question, { 'a.xlsx': book })).answer;
    expect(await ask('What is the total of the amount column?')).toBe('115.5');
    expect(await ask('What is the total of the amount column in the sheet South?')).toBe('100');
    expect(await ask('What is the total of the amount column in the sheet Old?')).toBe('100');
  });

  it('gives no total over formulas that nobody has computed', async () => {
    const book = workbook({ Data: `${rowsOf(ORDERS)}<row><c/><c><f>B2*2</f></c></row>` });
    const { answer, said } = await play('What is the total of the amount column?', {
      'a.xlsx': book,
    });
    expect(answer).toBeNull();
    expect(said).toContain('formulas that nobody has computed: (no stored value: =B2*2)');
  });

  it('works with calc alone where Python is not offered', async () => {
    const book = workbook({
      Data: rowsOf([
        ['item', 'amount'],
        ['Lamp', 12],
        ['Pen', 3],
      ]),
    });
    const { answer, calls } = await play(
      'What is the total of the amount column?',
      { 'a.xlsx': book },
      { tools: [PARSE, CALC] },
    );
    expect(answer).toBe('15');
    expect(calls).toEqual(['parse_excel', 'calc']);
  });

  it('says that a file is no workbook instead of guessing', async () => {
    const page = new TextEncoder().encode('<!doctype html><title>404</title>');
    const { answer, said } = await play('What is the total of amount?', { 'a.xlsx': page });
    expect(answer).toBeNull();
    expect(said).toContain('HTML');
  });
});

describe('readGrids', () => {
  it('joins the pages of a sheet and reads quoted texts back', () => {
    const first =
      'Sheet "A b" (hidden), A1:B3:\nrow\tA\tB\n1\tid\tn\n2\t"007"\t1\n[rows 3 left out]';
    const second = 'Sheet "A b" (hidden), A3:B3:\nrow\tA\tB\n3 (hidden)\t"a\\tb"';
    expect(readGrids([first, second])).toEqual([
      {
        name: 'A b',
        hidden: true,
        rows: [
          ['id', 'n'],
          ['007', '1'],
          ['a\tb', ''],
        ],
      },
    ]);
  });

  it('finds the calls for what was left out, and quotes CSV', () => {
    const note =
      '[rows 6–9 of "A" are left out: parse_excel path="x.xlsx" sheet="A" range="A6:C9"]';
    expect(leftOut(note)).toEqual([{ sheet: 'A', range: 'A6:C9' }]);
    expect(toCsv([['a"b', '1,5']])).toBe('"a""b","1,5"\n');
  });
});
