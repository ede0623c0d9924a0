import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoModel } from '../../dev/model/start.ts';
import { extractAnswer } from '../../src/loop/answer.ts';
import { wrap } from '../../src/tools/untrusted.ts';
import { type Draw, decimal, drawTable, quotient } from '../helpers/table-draws.ts';

const run = promisify(execFile);
const DRAWS = 300;

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

async function runPython(jobs: { folder: string; code: string }[]): Promise<string[]> {
  const child = run('/usr/bin/python3', ['-c', DRIVER], { maxBuffer: 64 * 1024 * 1024 });
  child.child.stdin?.end(JSON.stringify(jobs));
  return JSON.parse((await child).stdout) as string[];
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
async function answersTo(draws: Draw[]): Promise<string[]> {
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
  const printed = await runPython(asked);
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
  it('answers every drawn question with the exact bare value', { timeout: 120_000 }, async () => {
    const seeds = Array.from({ length: DRAWS }, (_, index) => 20_261_001 + index);
    const draws = seeds.map(drawTable);
    const answers = await answersTo(draws);
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
