import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import type { FileBlock, ToolFinished } from '../../src/loop/journal.ts';
import {
  type MessagesServer,
  type ReceivedRequest,
  type Scripted,
  startMessagesServer,
} from '../helpers/messages-server.ts';
import { countBars, scannedPdf } from '../helpers/scanned-pdf.ts';
import { zipBomb } from '../tools/zip-bombs.ts';
import { startTestStack, type TestStack } from './harness.ts';

const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
const answer = (value: string): Scripted => ({
  content: [{ type: 'text', text: `FINAL ANSWER: ${value}` }],
});

interface Block {
  type: string;
  tool_use_id?: string;
  text?: string;
  content?: Block[];
  source?: { media_type: string; data: string };
  title?: string;
}

/** The blocks of a call's result as the server received them. */
function resultOf(request: ReceivedRequest, id: string): Block[] {
  const messages = request.body.messages as { content: Block[] }[];
  const block = messages.flatMap(({ content }) => content).find((one) => one.tool_use_id === id);
  return block?.content ?? [];
}

const textOf = (blocks: Block[]) => blocks.map(({ text = '' }) => text).join('\n');

/** A model that reads what it is given: `turns` by the number of its request. */
type Model = (request: ReceivedRequest, turn: number) => Scripted;

describe.skipIf(!hasRedisServer)('documents, with any Messages API server', () => {
  let stack: TestStack;
  let server: MessagesServer;
  const models = new Map<string, Model>();
  const turns = new Map<string, number>();

  beforeAll(async () => {
    server = await startMessagesServer((request) => {
      const name = [...models.keys()].find((one) => request.raw.includes(`[${one}]`)) ?? '';
      const turn = turns.get(name) ?? 0;
      turns.set(name, turn + 1);
      return models.get(name)?.(request, turn) ?? answer('no script');
    });
    stack = await startTestStack({
      env: { ANTHROPIC_API_KEY: 'sk-test-documents', ANTHROPIC_BASE_URL: server.url },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await server.stop();
  });

  async function run(name: string, model: Model, files: Record<string, Uint8Array | string>) {
    models.set(name, model);
    const ids = [];
    for (const [path, content] of Object.entries(files))
      ids.push(await stack.upload(path, content));
    const id = await stack.ask(`A question [${name}]`, { file_ids: ids });
    const run = await stack.waitForEnd(id);
    const events = await stack.events(id);
    const calls = events.filter((entry) => entry.type === 'tool_finished');
    return { id, run, calls, events };
  }

  it('finds the yellow cells of a workbook and their sum', async () => {
    const sales = new Uint8Array(readFileSync('examples/sales.xlsx'));
    const { run: ended, calls } = await run(
      'yellow',
      (request, turn) => {
        if (turn === 0) {
          return {
            content: [
              use('t1', 'fetch_task_files', {}),
              use('t2', 'parse_excel', { file_path: 'sales.xlsx', with: ['colors'] }),
            ],
          };
        }
        if (turn === 1) {
          // Only what the result says is used: the addresses and their values.
          const text = textOf(resultOf(request, 't2'));
          const line = /^fill #[0-9A-F]{6} \(yellow\).*\n\s+values: (.*)$/m.exec(text)?.[1] ?? '';
          const values = [...line.matchAll(/[A-Z]+\d+ ([\d.]+)/g)].map(([, value]) => value);
          return { content: [use('t3', 'calc', { expression: values.join(' + ') })] };
        }
        return answer(textOf(resultOf(request, 't3')).trim());
      },
      { 'sales.xlsx': sales },
    );
    // E14, E18, E20 and E23 hold more than 400 each; by hand over examples/sales.csv.
    expect(ended).toMatchObject({ status: 'succeeded', answer: '1946.8' });
    expect(JSON.stringify(calls[0]?.content)).toContain('parse_excel');
    expect(textOf(calls[1]?.content as Block[])).toMatch(/yellow.*E14.*E18.*E20.*E23/s);
  });

  it('looks at the right page of a scan as an image', async () => {
    const {
      run: ended,
      calls,
      id,
    } = await run(
      'scan',
      (request, turn) => {
        if (turn === 0) return { content: [use('t1', 'parse_pdf', { path: 'scan.pdf' })] };
        if (turn === 1) {
          // The call that the text names for the pages without text.
          const offered = /parse_pdf path="scan.pdf" pages="([^"]+)" as="image"/.exec(
            textOf(resultOf(request, 't1')),
          );
          if (offered === null) return answer('no image was offered');
          return {
            content: [use('t2', 'parse_pdf', { path: 'scan.pdf', pages: '3', as: 'image' })],
          };
        }
        const image = resultOf(request, 't2').find(({ type }) => type === 'image');
        const png = Buffer.from(image?.source?.data ?? '', 'base64');
        return answer(String(countBars(png)));
      },
      { 'scan.pdf': scannedPdf(4) },
    );
    expect(ended).toMatchObject({ status: 'succeeded', answer: '3' });
    const shown = calls[1] as ToolFinished;
    const file = shown.content.find((block) => block.type === 'file') as FileBlock;
    expect(file).toMatchObject({ as: 'image', media_type: 'image/png' });
    // The journal holds a reference; the bytes can be had as a file of the run.
    expect(JSON.stringify(shown).length).toBeLessThan(3_000);
    const served = await stack.fetch(`/v1/runs/${id}/files/${encodeURIComponent(file.path)}`);
    expect(countBars(Buffer.from(await served.arrayBuffer()))).toBe(3);
  });

  it('opens an attached file in Python under the same name', async () => {
    const code = 'print(open("数据/sales.xlsx", "rb").read(2))';
    const { run: ended } = await run(
      'python',
      (request, turn) =>
        turn === 0
          ? { content: [use('t1', 'execute_python', { code })] }
          : answer(/b'(PK)'/.exec(textOf(resultOf(request, 't1')))?.[1] ?? 'not opened'),
      { '数据/sales.xlsx': new Uint8Array(readFileSync('examples/sales.xlsx')) },
    );
    expect(ended).toMatchObject({ status: 'succeeded', answer: 'PK' });
  });

  it('survives every hostile file: one sentence or what is whole, and the run goes on', async () => {
    const pid = stack.stack.workerPid();
    for (const [at, files] of batches(hostileFiles()).entries()) {
      const names = Object.keys(files);
      const { run: ended, calls } = await run(
        `hostile ${at}`,
        (_, turn) =>
          turn === 0
            ? { content: names.map((path, i) => use(`t${i}`, toolFor(path), { path })) }
            : answer('still here'),
        files,
      );
      expect(ended).toMatchObject({ status: 'succeeded', answer: 'still here' });
      expect(calls).toHaveLength(names.length);
      for (const call of calls) {
        const path = names[Number(call.tool_use_id.slice(1))] ?? '';
        const said = textOf(call.content as Block[]);
        expect(said, path).toContain(path);
        if (call.is_error) expect(said, path).toMatch(/^[^\n]{20,400}[.)]$/);
      }
    }
    expect(stack.stack.workerPid()).toBe(pid);
  });
});

const HOSTILE = 'test/fixtures/documents/hostile';
/** A run takes at most so many files. */
const BATCH = 20;

function hostileFiles(): [string, Uint8Array][] {
  const names = readdirSync(HOSTILE).filter((name) => !name.endsWith('.expected.json'));
  const files = names.map((name): [string, Uint8Array] => [
    name,
    new Uint8Array(readFileSync(`${HOSTILE}/${name}`)),
  ]);
  return [
    ...files,
    ['bomb.xlsx', zipBomb({ megabytes: 1024, lies: false })],
    ['lying-bomb.xlsx', zipBomb({ megabytes: 1024, lies: true })],
  ];
}

function batches(files: [string, Uint8Array][]): Record<string, Uint8Array>[] {
  return Array.from({ length: Math.ceil(files.length / BATCH) }, (_, at) =>
    Object.fromEntries(files.slice(at * BATCH, (at + 1) * BATCH)),
  );
}

const toolFor = (path: string) => (path.endsWith('.pdf') ? 'parse_pdf' : 'parse_excel');

describe('documents, with the demo model and no key', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack.stop());

  it('gives a total from a workbook, hidden row included and its own total row left out', async () => {
    const file = await stack.upload(
      'sales.xlsx',
      new Uint8Array(readFileSync('examples/sales.xlsx')),
    );
    const question = 'What is the total of the amount column?';
    const ended = await stack.waitForEnd(await stack.ask(question, { file_ids: [file] }));
    expect(ended).toMatchObject({ status: 'succeeded', answer: '7995.56' });
    expect(ended.explanation).toContain('the total row of sales.xlsx');
  });
});
