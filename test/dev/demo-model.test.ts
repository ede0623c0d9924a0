import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConversation } from '../../dev/model/conversation.ts';
import { toExpression } from '../../dev/model/intents/arithmetic.ts';
import { codeIn } from '../../dev/model/intents/python.ts';
import { columnExpression } from '../../dev/model/intents/table-calc.ts';
import { INTENTS } from '../../dev/model/intents.ts';
import { replyTo } from '../../dev/model/reply.ts';
import { startDemoModel } from '../../dev/model/start.ts';
import { extractAnswer } from '../../src/loop/answer.ts';
import { formatCallText, userMessage } from '../../src/loop/prompt.ts';
import { ENGLISH } from '../../src/loop/prompt-en.ts';
import { createAnthropicModel } from '../../src/model/client.ts';
import { calc } from '../../src/tools/calc.ts';
import { runBanditExperiment } from '../../src/tools/domains/mab/run-bandit-experiment.ts';
import { executePython } from '../../src/tools/execute-python.ts';
import { grep } from '../../src/tools/grep.ts';
import { listFiles } from '../../src/tools/list-files.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { wrap } from '../../src/tools/untrusted.ts';
import { writeFile } from '../../src/tools/write-file.ts';

type Request = Parameters<typeof replyTo>[0];

const TOOLS = [calc, listFiles, readFile, grep, writeFile, executePython, runBanditExperiment].map(
  (tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema as { type: 'object' },
  }),
);

const file = (path: string) => ({
  path,
  object: `u/local/${path}`,
  bytes: 120,
  media_type: 'text/csv',
});
const languageOf = (text: string) => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en');

/** The first message as the loop writes it. */
function withFiles(question: string, files: string[]): string {
  return userMessage({
    question,
    files: files.map(file),
    context: [],
    language: languageOf(question),
  });
}

interface AskOptions {
  files?: string[];
  /** Text of the results, one for each call in order. */
  results?: (string | { text: string; isError: true })[];
  tools?: string[];
  choice?: 'auto' | 'none';
  /** tool_choice of the first request, where it differs. */
  start?: 'auto' | 'none';
  /** Text after the results of the last turn, or after the last reply. */
  userText?: string;
}

/** Plays a dialogue until the results run out and returns the last reply, its text and its calls. */
function dialogue(question: string, options: AskOptions = {}) {
  const tools = TOOLS.filter((tool) => options.tools?.includes(tool.name) ?? true);
  const request: Request = {
    model: 'stride-offline-demo',
    max_tokens: 1_000,
    ...(tools.length > 0
      ? { tools, tool_choice: { type: options.start ?? options.choice ?? 'auto' } }
      : {}),
    messages: [{ role: 'user', content: withFiles(question, options.files ?? []) }],
  };
  const reply = () => replyTo(request);
  let last = reply();
  for (const result of options.results ?? []) {
    const use = last.content.find((block) => block.type === 'tool_use');
    if (use === undefined) throw new Error('no call to answer');
    const isError = typeof result !== 'string';
    if (tools.length > 0) request.tool_choice = { type: options.choice ?? 'auto' };
    request.messages.push({ role: 'assistant', content: last.content });
    request.messages.push({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: use.id,
          is_error: isError,
          content: [{ type: 'text', text: isError ? result.text : result }],
        },
      ],
    });
    last = reply();
  }
  if (options.userText !== undefined) {
    request.messages.push({ role: 'assistant', content: last.content });
    request.messages.push({ role: 'user', content: options.userText });
    last = reply();
  }
  const text = last.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('');
  const calls = last.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
  );
  const [before = '', answer] = text.split('FINAL ANSWER: ');
  const extracted = extractAnswer({ text, question });
  return { text, before, answer, extracted, calls, message: last };
}

describe('INTENTS', () => {
  it('has one example each, and each example gets its first call from its own rule', () => {
    const files = ['sales.csv', 'notes.txt'];
    for (const intent of INTENTS) {
      const question = intent.example.replace(/ \(.*\)$/, '');
      const { calls } = dialogue(question, {
        files: intent.name === 'table' ? ['sales.csv'] : files,
      });
      const expected = { arithmetic: 'calc', table: 'execute_python' }[intent.name] ?? intent.name;
      expect([intent.name, ...calls.map((call) => call.name)]).toEqual([intent.name, expected]);
    }
  });
});

describe('replyTo: who speaks', () => {
  it('says before the marker that it is offline and no language model, and the bare value after it', () => {
    const { before, answer, message } = dialogue('What is 2^10?', { results: ['1024'] });
    expect(before).toMatch(/offline demo model.*not a language model/);
    expect(answer).toBe('1024');
    expect(message.model).toBe('stride-offline-demo');
    expect(message.stop_reason).toBe('end_turn');
  });

  it.each(['Hello', 'Who won the 1998 world cup?', '你好', 'What is love?'])(
    'says to "%s" what it can do, without inventing an answer',
    (question) => {
      const { extracted, answer, calls } = dialogue(question);
      expect(calls).toEqual([]);
      expect(answer).toBeUndefined();
      expect(extracted).toMatchObject({ answer: null, rule: 'no_answer' });
      expect(extracted.reason).toContain('ANTHROPIC_API_KEY');
    },
  );

  it('gives the same reply, ids included, to the same request, and other ids to another', () => {
    const first = dialogue('What is 17% of 240?').message;
    expect(dialogue('What is 17% of 240?').message).toEqual(first);
    expect(dialogue('What is 18% of 240?').message.id).not.toBe(first.id);
  });

  it('repeats its answer when asked for the format, and still has none when it had none', () => {
    const again = formatCallText({ question: 'What is 2^10?', language: 'en' });
    const chinese = formatCallText({ question: '2的10次方是多少？', language: 'zh' });
    expect(dialogue('What is 2^10?', { results: ['1024'], userText: again }).answer).toBe('1024');
    expect(dialogue('Hello', { userText: again }).answer).toBeUndefined();
    expect(dialogue('What is 2^10?', { results: ['1024'], userText: chinese }).answer).toBe('1024');
  });

  it('answers the newest question of a conversation', () => {
    const { calls } = dialogue('What is 2^10?', { results: ['1024'], userText: 'What is 3^5?' });
    expect(calls).toEqual([{ name: 'calc', input: { expression: '3^5' } }]);
  });
});

describe('replyTo: tools', () => {
  it.each([
    ['no such tool', { tools: ['calc'] }],
    ['no tool at all', { tools: [] }],
    ['tool_choice none', { choice: 'none' as const }],
  ])('with %s says what it lacks and gives no answer', (_, options) => {
    const { text, answer, calls } = dialogue('What is the total of the amount column per region?', {
      files: ['sales.csv'],
      ...options,
    });
    expect(calls).toEqual([]);
    expect(answer).toBeUndefined();
    expect(text).toContain('execute_python');
  });

  it('says why when a call failed', () => {
    const { extracted } = dialogue('What is 1/0?', {
      results: [{ text: 'Division by zero.', isError: true }],
    });
    expect(extracted).toMatchObject({ answer: null, rule: 'no_answer' });
    expect(extracted.reason).toContain('Division by zero.');
  });

  it('uses what the tool returned, whatever that is', () => {
    expect(dialogue('What is 2 + 2?', { results: ['5'] }).answer).toBe('5');
    const rounded = dialogue('What is 1/3?', { results: ['0.3333 (rounded; exactly 1/3)'] });
    expect(rounded.answer).toBe('0.3333');
    expect(rounded.before).toContain('exactly 1/3');
  });

  it('looks for the files first when the message lists none', () => {
    const question = 'What is the total of the amount column in the attached file?';
    expect(dialogue(question).calls).toEqual([{ name: 'list_files', input: {} }]);
    const { calls } = dialogue(question, {
      results: ['data/sales 1.csv  1,024 bytes  text/csv\nphoto.png  20 bytes  image/png'],
    });
    expect(calls[0]?.name).toBe('execute_python');
    expect(JSON.stringify(calls)).toContain('data/sales 1.csv');
    expect(JSON.stringify(calls)).not.toContain('photo.png');
    expect(dialogue(question, { results: ['This run has no files.'] }).answer).toBeUndefined();
  });

  it('without Python works a plain column out with read_file and calc', () => {
    const options = { files: ['sales.csv'], tools: ['calc', 'read_file'] };
    const question = 'What is the total of the amount column?';
    expect(dialogue(question, options).calls).toEqual([
      { name: 'read_file', input: { path: 'sales.csv' } },
    ]);
    const file = wrap('region,amount\nNorth,1.5\nSouth,2\n', 'read_file');
    expect(dialogue(question, { ...options, results: [file] }).calls).toEqual([
      { name: 'calc', input: { expression: 'sum(1.5, 2)' } },
    ]);
    expect(dialogue(question, { ...options, results: [file, '3.5'] }).answer).toBe('3.5');
  });
});

describe('replyTo: columns of one name without Python', () => {
  it('says that two columns bear the name and takes neither', () => {
    const options = { files: ['sales.csv'], tools: ['calc', 'read_file'] };
    const file = wrap('amount,item,Amount\n1,a,10\n2,b,20\n', 'read_file');
    const ask = (question: string) => dialogue(question, { ...options, results: [file] });
    const asked = ask('What is the total of the amount column?');
    expect(asked.calls).toEqual([]);
    expect(asked.text.split('\n').at(-1)).toBe(
      'NO ANSWER: Two columns of sales.csv are named "amount" (1 and 3); rename one and ask again.',
    );
  });
});

describe('replyTo: table results', () => {
  const ask = (text: string, question = 'What is the total of the amount column?') =>
    dialogue(question, { files: ['sales.csv'], results: [text] });
  const result = (more: object) =>
    `noise\nSTRIDE_RESULT ${JSON.stringify({ ok: true, answer: '0.3', verb: 'sum', inner: null, column: 'amount', group: null, picked: false, without: [], where: [], files: [{ path: 'sales.csv', rows: 3, kept: 3, used: 2, missing: 1, not_numbers: 0, example: null }], ...more })}\nNote: x`;

  it('finds the printed line anywhere in wrapped text', () => {
    const { answer, before } = ask(wrap(result({}), 'execute_python'));
    expect(answer).toBe('0.3');
    expect(before).toContain('the total of "amount" over 3 rows of sales.csv');
    expect(before).toContain('1 empty cell');
  });

  it('explains in Chinese to a Chinese question', () => {
    const { before, answer } = ask(result({}), '金额列的总和是多少？');
    expect(before).toContain('离线演示模型');
    expect(before).toContain('1 个空单元格');
    expect(answer).toBe('0.3');
  });

  it('has no answer when the program found none, and says which columns there are', () => {
    const line = `STRIDE_RESULT ${JSON.stringify({ ok: false, code: 'no_column', columns: ['a', 'b'] })}`;
    const { text, answer } = ask(line);
    expect(answer).toBeUndefined();
    expect(text).toContain('"a", "b"');
  });

  it('has no answer when the line is missing or damaged', () => {
    expect(ask('Traceback: MemoryError').answer).toBeUndefined();
    expect(ask('STRIDE_RESULT {"ok": true, "ans').answer).toBeUndefined();
  });
});

describe('replyTo: files', () => {
  it.each([
    ['Which files are attached?', 'list_files', {}],
    ['列出附件', 'list_files', {}],
    ['How many files are attached?', 'list_files', {}],
    ['Read notes.txt', 'read_file', { path: 'notes.txt' }],
    [
      'Show the first 3 lines of notes.txt',
      'read_file',
      { path: 'notes.txt', from_line: 1, to_line: 3 },
    ],
    ['显示 notes.txt 的前三行', 'read_file', { path: 'notes.txt', from_line: 1, to_line: 3 }],
    ['Which lines contain "a.b"?', 'grep', { pattern: 'a\\.b' }],
    ['Which lines match the regex `^x+$`?', 'grep', { pattern: '^x+$' }],
    ['哪些行包含“错误”？', 'grep', { pattern: '错误' }],
    [
      'Write "two words" to the file out/a.txt',
      'write_file',
      { path: 'out/a.txt', content: 'two words' },
    ],
    ['Run this Python: ```python\nprint(1)\n```', 'execute_python', { code: 'print(1)' }],
  ])('%s → %s', (question, name, input) => {
    expect(dialogue(question, { files: ['sales.csv', 'notes.txt'] }).calls).toEqual([
      { name, input },
    ]);
  });

  it.each([
    'What is the total of the files column?',
    'What is the sum of the contains column?',
    'Show the total amount per region',
    'What is the mean of the first lines column?',
    '文件数列的总和是多少？',
  ])('%s is about the table, not about files', (question) => {
    expect(dialogue(question, { files: ['sales.csv'] }).calls[0]?.name).toBe('execute_python');
  });

  it('reads answers from results', () => {
    const files = ['notes.txt', 'b.csv'];
    expect(
      dialogue('Which files are attached?', {
        files,
        results: ['notes.txt  12 bytes  text/plain\nb.csv  3 bytes  text/csv'],
      }).answer,
    ).toBe('notes.txt, b.csv');
    expect(
      dialogue('Show the first 2 lines of notes.txt', {
        files,
        results: [wrap('one\ntwo\n[lines 1–2 of 9]', 'read_file')],
      }).answer,
    ).toBe('one\ntwo');
    expect(
      dialogue('Which lines contain "o"?', { files, results: [wrap('notes.txt:1:one', 'grep')] })
        .answer,
    ).toBe('notes.txt:1: one');
    expect(
      dialogue('Run this Python: ```6*7```', {
        results: [wrap('hello\nResult: 42\nNote: x', 'execute_python')],
      }).answer,
    ).toBe('42');
  });
});

describe('toExpression', () => {
  it.each([
    ['What is 2^200 + 1?', '2^200 + 1'],
    ['17% of 240', '(17/100)*240'],
    ['What is 17 percent of 240?', '(17/100)*240'],
    ['12 times 13', '12 * 13'],
    ['Please calculate (3 + 4) × 5 ÷ 2', '(3 + 4) * 5 / 2'],
    ['What is the square root of 2?', 'sqrt(2)'],
    ['1,234,567 - 1', '1234567 - 1'],
    ['2的10次方是多少？', '2^10'],
    ['240的17%是多少？', '(17/100)*240'],
    ['请计算 3加5乘以2', '3+5*2'],
    ['7 squared minus 1 =', '7 ^2 - 1'],
  ])('%s → %s', (question, expression) => {
    expect(toExpression(question)).toBe(expression);
  });

  it.each([
    'What is 42?',
    'What is the total of 2024?',
    'How old is 3-PO?',
    'hello',
    '-5',
    '1,2 + 3',
  ])('%s is no arithmetic', (question) => {
    expect(toExpression(question)).toBeNull();
  });
});

describe('codeIn', () => {
  it('takes the fence, or the rest of the line after the colon', () => {
    expect(codeIn('Run:\n```py\na = 1\nprint(a)\n```\nthanks')).toBe('a = 1\nprint(a)');
    expect(codeIn('run this Python: print(2)')).toBe('print(2)');
    expect(codeIn('run this')).toBeNull();
  });
});

describe('columnExpression', () => {
  it('leaves anything but a plain column to Python', () => {
    expect(columnExpression('mean of b', '\ufeffa;"b"\r\n1;2\r\n3;4\r\n')).toBe('mean(2, 4)');
    expect(columnExpression('total of b per a', 'a,b\n1,2\n')).toBeNull();
    expect(columnExpression('total of b', 'a,b\n1,\n')).toBeNull();
    expect(columnExpression('total of c', 'a,b\n1,2\n')).toBeNull();
    expect(columnExpression('total of b', `a,b\n${'1,123456\n'.repeat(600)}`)).toBeNull();
  });
});

describe('readConversation', () => {
  it('parts question, files and tools', () => {
    const conversation = readConversation({
      model: 'm',
      max_tokens: 1,
      tools: TOOLS,
      messages: [
        {
          role: 'user',
          content:
            'What is it?\nSecond line.\n\nFiles attached to this run:\n- a (1).csv (1,024 bytes, text/csv)\n- 数据/b.tsv (9 bytes, text/tab-separated-values)',
        },
      ],
    });
    expect(conversation.question).toBe('What is it?\nSecond line.');
    expect(conversation.files).toEqual(['a (1).csv', '数据/b.tsv']);
    expect(conversation.tool('read_file')?.fields[0]).toBe('path');
    expect(conversation.tool('nope')).toBeNull();
  });
});

describe('replyTo: the loop', () => {
  it('is not led astray by earlier questions and answers in the first message', () => {
    const question = userMessage({
      question: 'What is 3^5?',
      files: [file('sales.csv')],
      context: [{ question: 'What is the total of the amount column?', answer: '12' }],
      language: 'en',
    });
    const request: Request = {
      model: 'm',
      max_tokens: 100,
      tools: TOOLS,
      messages: [{ role: 'user', content: question }],
    };
    expect(replyTo(request).content).toMatchObject([
      { name: 'calc', input: { expression: '3^5' } },
    ]);
  });

  it('answers from what it has when the last turn comes', () => {
    const { extracted } = dialogue('What is 2^10?', {
      results: ['1024'],
      choice: 'none',
      start: 'auto',
    });
    expect(extracted).toMatchObject({ answer: '1024', rule: 'final_answer' });
  });

  it('ends in the words that the prompt asks for', () => {
    expect(ENGLISH.lastTurn).toContain('NO ANSWER:');
    expect(ENGLISH.lastTurn).toContain('FINAL ANSWER:');
  });
});

describe('startDemoModel', () => {
  let demo: Awaited<ReturnType<typeof startDemoModel>>;
  beforeAll(async () => {
    demo = await startDemoModel();
  });
  afterAll(async () => {
    await demo.stop();
  });

  it('is a Messages API to the SDK, streaming and not', async () => {
    const client = new Anthropic({ apiKey: 'local', baseURL: demo.url, maxRetries: 0 });
    const body = {
      model: demo.model,
      max_tokens: 500,
      tools: TOOLS,
      messages: [{ role: 'user' as const, content: 'What is 2^200 + 1?' }],
    };
    const whole = await client.messages.create(body);
    const streamed = await client.messages.stream(body).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(whole).toMatchObject({ model: 'stride-offline-demo', stop_reason: 'tool_use' });
  });

  it('answers our own client', async () => {
    const model = createAnthropicModel({
      apiKey: 'local',
      baseUrl: demo.url,
      fetch,
      thinkingEffort: 'high',
      clock: {
        now: () => 0,
        sleep: (_, signal) =>
          new Promise((done) => signal?.addEventListener('abort', () => done())),
      },
    });
    const reply = await model.call(
      {
        model: demo.model,
        system: [{ type: 'text', text: 'x' }],
        tools: TOOLS,
        messages: [{ role: 'user', content: 'Hello' }],
        toolChoice: 'none',
        maxTokens: 100,
      },
      { signal: new AbortController().signal, idleMs: 1_000 },
    );
    expect(reply).toMatchObject({
      kind: 'reply',
      stopReason: 'end_turn',
      model: 'stride-offline-demo',
    });
  });

  it('refuses what the API refuses', async () => {
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${demo.url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: 'Bearer local', 'anthropic-version': '2026-10-21', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    expect((await post('{')).status).toBe(400);
    expect((await post({ model: 'm', max_tokens: 0, messages: [] })).status).toBe(400);
    expect((await post({}, { authorization: '' })).status).toBe(401);
    expect((await fetch(`${demo.url}/v1/nothing`)).status).toBe(404);
    expect(await (await fetch(`${demo.url}/v1/models`)).json()).toMatchObject({
      data: [{ id: 'stride-offline-demo' }],
    });
  });
});
