import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { inputTokensOf } from '../../src/loop/converge.ts';
import type { CallModel } from '../../src/loop/decide.ts';
import { fold } from '../../src/loop/fold.ts';
import type { FileBlock, ToolContent } from '../../src/loop/journal.ts';
import { NotReady } from '../../src/loop/prepare.ts';
import { buildRequest } from '../../src/loop/request.ts';
import { loadRequestFiles } from '../../src/loop/request-files.ts';
import { shapeContent } from '../../src/loop/tool-result.ts';
import type { ShownFile } from '../../src/tools/define.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';
import { finishedCall, journal, prepared, replied, started, use } from '../helpers/runs.ts';
import { createToolContext } from '../helpers/tool-context.ts';

const NEXT: CallModel = {
  kind: 'call_model',
  purpose: 'turn',
  userText: null,
  toolChoice: 'auto',
  maxTokens: 1_000,
  lostMicroUsd: 0,
  worstMicroUsd: 0,
};
const PROMPT = { system: 'You are a test.', tools: [] };
const PNG = new Uint8Array(30_000).map((_, i) => i % 251);

const file = (n: number, fields: Partial<FileBlock> = {}): FileBlock => ({
  type: 'file',
  as: 'image',
  path: `pages/p${n}.png`,
  object: `o/local/run_1/${n}`,
  bytes: PNG.length,
  media_type: 'image/png',
  tokens: 1_500,
  ...fields,
});

/** A run whose turns each showed the given blocks. */
const viewOf = (...turns: ToolContent[][]) =>
  fold(
    journal(
      started(),
      prepared(),
      ...turns.flatMap((content, i) => [
        replied([use(`t${i}`)]),
        finishedCall(`t${i}`, '', { content }),
      ]),
    ),
  );

const requestOf = (...turns: ToolContent[][]) =>
  buildRequest(viewOf(...turns), { next: NEXT, prompt: PROMPT });

async function objectsWith(...blocks: FileBlock[]) {
  const objects = createMemoryObjects();
  for (const block of blocks) await objects.put(block.object, PNG);
  return objects;
}

/** Types of the blocks of each result, in order. */
const shownBy = (messages: { content: unknown }[]) =>
  messages
    .flatMap(({ content }) => content as ToolResultBlockParam[])
    .filter((block) => block.type === 'tool_result')
    .map(({ content }) => (content as { type: string }[]).map(({ type }) => type).join(' '));

describe('loadRequestFiles', () => {
  it('sends an image as the bytes of its object, and the journal holds none of them', async () => {
    const request = requestOf([{ type: 'text', text: 'page 1' }, file(1)]);
    expect(JSON.stringify(request).length).toBeLessThan(2_000);
    const sent = await loadRequestFiles(request, await objectsWith(file(1)));
    const result = sent.messages.at(-1)?.content[0] as ToolResultBlockParam;
    expect(result.content).toEqual([
      { type: 'text', text: 'page 1' },
      {
        type: 'image',
        source: {
          type: 'base64',
          media_type: 'image/png',
          data: Buffer.from(PNG).toString('base64'),
        },
      },
    ]);
  });

  it('sends a document with its path as title', async () => {
    const page = file(1, { as: 'document', media_type: 'application/pdf', path: 'p1.pdf' });
    const sent = await loadRequestFiles(requestOf([page]), await objectsWith(page));
    const result = sent.messages.at(-1)?.content[0] as ToolResultBlockParam;
    expect(result.content).toEqual([
      {
        type: 'document',
        title: 'p1.pdf',
        source: {
          type: 'base64',
          media_type: 'application/pdf',
          data: Buffer.from(PNG).toString('base64'),
        },
      },
    ]);
  });

  it('reads nothing when there is nothing to show, and an object once', async () => {
    const objects = await objectsWith(file(1));
    objects.calls.length = 0;
    await loadRequestFiles(requestOf([{ type: 'text', text: 'a' }]), objects);
    expect(objects.calls).toEqual([]);
    await loadRequestFiles(requestOf([file(1)], [file(1)]), objects);
    expect(objects.calls).toEqual(['get o/local/run_1/1']);
  });

  it('keeps the newest that fit a request and says where the older ones were', async () => {
    const big = (n: number) => file(n, { bytes: 6 * 1024 * 1024 });
    const objects = await objectsWith(big(1), big(2), big(3));
    const { messages } = await loadRequestFiles(requestOf([big(1)], [big(2)], [big(3)]), objects);
    expect(shownBy(messages)).toEqual(['text', 'image', 'image']);
    expect(JSON.stringify(messages)).toContain('pages/p1.png was shown here');
  });

  it('sends at most 60 of them', async () => {
    const many = Array.from({ length: 70 }, (_, i) => file(i));
    const { messages } = await loadRequestFiles(requestOf(many), await objectsWith(...many));
    const kinds = shownBy(messages)[0]?.split(' ') ?? [];
    expect(kinds.map((kind) => kind === 'image')).toEqual(many.map((_, i) => i >= 10));
  });

  it('says so when an object is gone, and waits when storage is out of reach', async () => {
    const gone = await loadRequestFiles(requestOf([file(1)]), createMemoryObjects());
    expect(JSON.stringify(gone.messages)).toContain('pages/p1.png is no longer stored');
    const broken = { ...createMemoryObjects(), get: async () => Promise.reject(new Error('down')) };
    await expect(loadRequestFiles(requestOf([file(1)]), broken)).rejects.toThrow(NotReady);
  });
});

describe('inputTokensOf', () => {
  it('prices what is looked at by its size on the screen', () => {
    const text = { type: 'text' as const, text: 'x'.repeat(100) };
    const base64 = 'a'.repeat(4_000_000);
    const image: ToolContent = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: base64 },
    };
    const plain = inputTokensOf(viewOf([text]));
    expect(inputTokensOf(viewOf([text, file(1)])) - plain).toBe(1_500);
    expect(inputTokensOf(viewOf([text, image])) - plain).toBe(5_000);
  });
});

describe('shapeContent: files', () => {
  async function shape(shown: Partial<ShownFile>, write: { path: string; bytes: number } | null) {
    const { workspace } = await createToolContext();
    if (write !== null) await workspace.write(write.path, new Uint8Array(write.bytes));
    const block: ShownFile = { type: 'file', as: 'image', path: 'p.png', tokens: 99.2, ...shown };
    return await shapeContent(
      { content: [{ type: 'text', text: 'page 1' }, block] },
      { tool: readFile, toolUseId: 't', workspace, previewBytes: 4_096, note: null },
    );
  }

  it('puts the reference to what the tool wrote into the journal', async () => {
    const [, block] = await shape({}, { path: 'p.png', bytes: 10 });
    expect(block).toMatchObject({
      type: 'file',
      as: 'image',
      path: 'p.png',
      bytes: 10,
      media_type: 'image/png',
      tokens: 100,
      object: expect.stringMatching(/^o\/local\/run_1\/[0-9a-f]{64}$/),
    });
  });

  it.each<[string, Partial<ShownFile>, { path: string; bytes: number } | null, string]>([
    ['that was never written', {}, null, 'there is no file p.png'],
    [
      'larger than the API takes',
      {},
      { path: 'p.png', bytes: 3_750_001 },
      'p.png was left out: it has 3750001 bytes',
    ],
    [
      'that is no image',
      { path: 'p.txt' },
      { path: 'p.txt', bytes: 3 },
      'text/plain cannot be shown as image',
    ],
    [
      'that is no document',
      { as: 'document' },
      { path: 'p.png', bytes: 3 },
      'image/png cannot be shown as document',
    ],
  ])('leaves out a file %s and says so', async (_, shown, write, expected) => {
    const blocks = await shape(shown, write);
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(JSON.stringify(blocks[1])).toContain(expected);
  });
});
