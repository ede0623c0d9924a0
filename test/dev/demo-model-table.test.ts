import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Sandbox } from '@e2b/code-interpreter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoModel } from '../../dev/model/start.ts';
import { findPython } from '../../dev/sandbox/bubblewrap.ts';
import { startSandboxService } from '../../dev/sandbox/start.ts';
import { extractAnswer } from '../../src/loop/answer.ts';
import { wrap } from '../../src/tools/untrusted.ts';
import { type Draw, decimal, drawTable, quotient } from '../helpers/table-draws.ts';
import { hasPyodide } from '../tools/e2b-fixture.ts';

const run = promisify(execFile);
const DRAWS = 300;
/** Under Pyodide, which takes some five times as long. */
const PYODIDE_DRAWS = 15;

/** Runs many programs, each in its folder and its own namespace, in one interpreter. */
const DRIVER = `
import contextlib, io, json, os, sys
out = []
for job in json.load(sys.stdin):
    os.chdir(job['folder'])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(job['code'], 'cell', 'exec'), {'__name__': '__main__'})
    out.append(printed.getvalue())
print(json.dumps(out))
`;

type Job = { folder: string; code: string; draw: Draw };

async function runPython(jobs: Job[]): Promise<string[]> {
  const python = findPython() ?? 'python3';
  const child = run(python, ['-c', DRIVER], { maxBuffer: 64 * 1024 * 1024 });
  child.child.stdin?.end(JSON.stringify(jobs));
  return JSON.parse((await child).stdout) as string[];
}

/** The same in one sandbox of the local service. */
async function runPyodide(jobs: Job[]): Promise<string[]> {
  const service = await startSandboxService({ dataDir: root, python: 'pyodide' });
  try {
    const connection = { apiKey: service.apiKey, apiUrl: service.url, sandboxUrl: service.url };
    const sandbox = await Sandbox.create({ ...connection, timeoutMs: 120_000 });
    const moved = jobs.map(({ code }, index) => ({ folder: `/home/user/${index}`, code }));
    for (const [index, { draw }] of jobs.entries()) {
      for (const file of draw.files) {
        const bytes = new Uint8Array(file.bytes).buffer;
        await sandbox.files.write(`/home/user/${index}/${file.path}`, bytes);
      }
    }
    await sandbox.files.write('/home/user/jobs.json', JSON.stringify(moved));
    const driver = DRIVER.replace('sys.stdin', "open('/home/user/jobs.json')");
    const { logs, error } = await sandbox.runCode(driver, { timeoutMs: 60_000 });
    if (error) throw new Error(error.traceback);
    return JSON.parse(logs.stdout.join('')) as string[];
  } finally {
    await service.stop();
  }
}

const TOOLS = [
  {
    name: 'execute_python',
    description: 'Runs Python.',
    input_schema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  },
];

let demo: Awaited<ReturnType<typeof startDemoModel>>;
let root: string;
beforeAll(async () => {
  demo = await startDemoModel();
  root = await mkdtemp(join(tmpdir(), 'stride-demo-'));
});
afterAll(async () => {
  await demo.stop();
  await rm(root, { recursive: true, force: true });
});

interface Reply {
  content: { type: string; text?: string; id?: string; input?: { code: string } }[];
}

async function ask(messages: unknown[]): Promise<Reply> {
  const response = await fetch(`${demo.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer local', 'anthropic-version': '2026-10-21' },
    body: JSON.stringify({ model: demo.model, max_tokens: 4096, tools: TOOLS, messages }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Reply;
}

function firstMessage(draw: Draw) {
  const list = draw.files.map((file) => `- ${file.path} (${file.bytes.length} bytes, text/csv)`);
  const isChinese = /[？列]/.test(draw.question);
  const heading = isChinese ? '本次任务的附件：' : 'Files attached to this run:';
  return { role: 'user', content: `${draw.question}\n\n${heading}\n${list.join('\n')}` };
}

/** What stands behind the marker when the whole dialogue is played with real Python. */
async function answersTo(draws: Draw[], execute = runPython): Promise<string[]> {
  const asked = await Promise.all(
    draws.map(async (draw, index) => {
      const folder = join(root, String(index));
      for (const file of draw.files) {
        await mkdir(dirname(join(folder, file.path)), { recursive: true });
        await writeFile(join(folder, file.path), file.bytes);
      }
      const reply = await ask([firstMessage(draw)]);
      const call = reply.content.find((block) => block.type === 'tool_use');
      if (call?.input === undefined) throw new Error(`no call for: ${draw.question}`);
      return { draw, folder, reply, call, code: call.input.code };
    }),
  );
  const printed = await execute(asked);
  return Promise.all(
    asked.map(async ({ draw, reply, call }, index) => {
      const content = [
        {
          type: 'tool_result',
          tool_use_id: call.id,
          content: [
            {
              type: 'text',
              text: wrap(`status: done\nstdout:\n${printed[index]}`, 'execute_python'),
            },
          ],
        },
      ];
      const last = await ask([
        firstMessage(draw),
        { role: 'assistant', content: reply.content },
        { role: 'user', content },
      ]);
      const text = last.content.map((block) => block.text ?? '').join('');
      return extractAnswer({ text, question: draw.question }).answer ?? `(none) ${text}`;
    }),
  );
}

describe('the demo model on tables', () => {
  const engines = [
    { engine: 'python3', execute: runPython, count: DRAWS, isMissing: findPython() === null },
    { engine: 'Pyodide', execute: runPyodide, count: PYODIDE_DRAWS, isMissing: !hasPyodide },
  ];
  it.for(engines)(
    'answers every drawn question exactly with $engine',
    {
      timeout: 120_000,
    },
    async ({ execute, count, isMissing }, { skip }) => {
      skip(isMissing, 'this Python is not here');
      const seeds = Array.from({ length: count }, (_, index) => 20_261_001 + index);
      const draws = seeds.map(drawTable);
      const answers = await answersTo(draws, execute);
      const wrong = draws.flatMap((draw, index) =>
        answers[index] === draw.expected
          ? []
          : [
              {
                seed: seeds[index],
                question: draw.question,
                expected: draw.expected,
                got: answers[index],
              },
            ],
      );
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(wrong).toHaveLength(0);
    },
  );
});

describe.skipIf(findPython() === null)('the demo model on columns of one name', () => {
  const draw = (question: string, csv: string): Draw => ({
    question,
    files: [{ path: 'sales.csv', bytes: new TextEncoder().encode(csv) }],
    expected: '',
  });

  it('says that two columns bear the name and takes neither', async () => {
    const twice = 'amount,item,amount\n1,a,10\n2,b,20\n';
    const answers = await answersTo([
      draw('What is the total of the amount column?', twice),
      draw('amount 列的总和是多少？', twice),
      draw('What is the total of the amount column?', 'amount,Amount \n1,10\n'),
      draw('What is the total of price per region?', 'region,price,region\na,1,x\nb,2,y\n'),
      draw('What is the total?', 'n,n\n1,10\n'),
      draw('Which item has the largest price?', 'item,price,item\na,1,x\nb,2,y\n'),
    ]);
    const english = (name: string, labels: string) =>
      `NO ANSWER: Two columns of sales.csv are named "${name}" (${labels}); rename one and ask again.`;
    expect(answers.map((text) => text.split('\n').at(-1))).toEqual([
      english('amount', '1 and 3'),
      'NO ANSWER: sales.csv 中有两列都叫“amount”（第 1、3 列）；请改名后再问。',
      english('amount', '1 and 2'),
      english('region', '1 and 3'),
      english('n', '1 and 2'),
      english('item', '1 and 3'),
    ]);
  });

  it('does not mind columns of one name that the question is not about', async () => {
    const csv = 'note,amount,note\nx,1,y\nx,2,y\n';
    expect(await answersTo([draw('What is the total of the amount column?', csv)])).toEqual(['3']);
  });
});

describe('drawTable', () => {
  it('works its expectations out in whole numbers', () => {
    expect(decimal(30n, 2)).toBe('0.3');
    expect(decimal(-5n, 1)).toBe('-0.5');
    expect(decimal(1200n, 0)).toBe('1200');
    expect(quotient(1n, 3n)).toBe('0.3333333333');
    expect(quotient(1n, 4096n)).toBe('0.000244140625');
    expect(quotient(-2n, 3n)).toBe('-0.6666666667');
  });
});
