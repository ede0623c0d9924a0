import { describe, expect, it } from 'vitest';
import { archiveKey } from '../../src/loop/deliver.ts';
import type { FileRef } from '../../src/loop/journal.ts';
import { createTestApp, errorOf, finished, replied, type TestApp, toolUse } from './helpers.ts';

async function upload(app: TestApp, name: string): Promise<string> {
  const init = { method: 'PUT', body: 'a,b\n1,2\n' };
  const response = await app.request(`/v1/files?name=${encodeURIComponent(name)}`, init);
  return ((await response.json()) as { id: string }).id;
}

const written = (path: string, object = path): FileRef => ({
  path,
  object: `o/local/earlier/${object}`,
  bytes: 3,
  media_type: 'text/plain',
});

/** One turn whose tool wrote these files. */
function write(app: TestApp, id: string, files: FileRef[]) {
  const call = `tu_${app.store.accepted.length}_${files.length}_${files[0]?.object ?? ''}`;
  app.store.write(id, replied([toolUse(call)]), {
    type: 'tool_finished',
    tool_use_id: call,
    name: 'calc',
    outcome: 'done',
    content: [{ type: 'text', text: 'ok' }],
    is_error: false,
    files,
    ms: 1,
  });
}

const filesOfLast = (app: TestApp) => app.store.accepted.at(-1)?.entry.files ?? [];

describe('POST /v1/runs with follows', () => {
  it('carries the earlier questions and answers along', async () => {
    const app = createTestApp();
    const first = await app.ask({ question: 'one' });
    app.store.write(first, finished({ answer: '1' }));
    const second = await app.ask({ question: 'two', follows: first });
    app.store.write(second, finished({ status: 'failed', reason: 'no_answer', answer: null }));
    await app.ask({ question: 'three', follows: second });
    expect(app.store.accepted[2]?.entry).toMatchObject({
      follows: second,
      context: [
        { question: 'one', answer: '1' },
        { question: 'two', answer: null },
      ],
    });
  });

  it('carries the attached files and those that tools wrote, each in its last version', async () => {
    const app = createTestApp();
    const file = await upload(app, 'sales.csv');
    const first = await app.ask({ file_ids: [file] });
    write(app, first, [written('out/plot.png', 'v1'), written('notes.md')]);
    write(app, first, [written('out/plot.png', 'v2')]);
    app.store.write(first, finished());
    await app.ask({ follows: first });
    expect(filesOfLast(app)).toEqual([
      { path: 'sales.csv', object: `u/local/${file}`, bytes: 8, media_type: 'text/csv' },
      written('notes.md'),
      written('out/plot.png', 'v2'),
    ]);
    const second = app.store.accepted.at(-1)?.id ?? '';
    app.store.write(second, finished());
    await app.ask({ follows: second });
    expect(filesOfLast(app)).toHaveLength(3);
  });

  it('leaves long results of tools behind: they are part of the journal', async () => {
    const app = createTestApp();
    const first = await app.ask();
    write(app, first, [written('tool_results/tu_1.txt'), written('kept.txt')]);
    app.store.write(first, finished());
    await app.ask({ follows: first });
    expect(filesOfLast(app)).toEqual([written('kept.txt')]);
  });

  it('gives the name to the new upload when both have it, and carries a file once', async () => {
    const app = createTestApp();
    const [again, other] = [await upload(app, 'data.csv'), await upload(app, 'data.csv')];
    const first = await app.ask({ file_ids: [again] });
    write(app, first, [written('plot.txt')]);
    app.store.write(first, finished());
    await app.ask({ follows: first, file_ids: [other] });
    expect(filesOfLast(app).map(({ path, object }) => [path, object])).toEqual([
      ['data (2).csv', `u/local/${again}`],
      ['plot.txt', 'o/local/earlier/plot.txt'],
      ['data.csv', `u/local/${other}`],
    ]);
    await app.ask({ follows: first, file_ids: [again] });
    expect(filesOfLast(app).map(({ path }) => path)).toEqual(['plot.txt', 'data.csv']);
  });

  it('carries the 50 files that were touched last', async () => {
    const app = createTestApp();
    const first = await app.ask();
    write(
      app,
      first,
      Array.from({ length: 60 }, (_, i) => written(`f${i}`)),
    );
    write(app, first, [written('f0', 'again')]);
    app.store.write(first, finished());
    await app.ask({ follows: first });
    const paths = filesOfLast(app).map(({ path }) => path);
    expect(paths).toHaveLength(50);
    expect(paths[0]).toBe('f11');
    expect(paths.at(-1)).toBe('f0');
  });

  it('follows a run of which only the archive is left', async () => {
    const app = createTestApp();
    const first = await app.ask({ question: 'one' });
    write(app, first, [written('plot.txt')]);
    app.store.write(first, finished({ answer: '1' }));
    const lines = (await app.store.entries(first, 1)).map((entry) => JSON.stringify(entry));
    await app.objects.put(archiveKey('local', first), new TextEncoder().encode(lines.join('\n')));
    app.store.expire(first);
    await app.ask({ question: 'two', follows: first });
    expect(app.store.accepted[1]?.entry).toMatchObject({
      context: [{ question: 'one', answer: '1' }],
      files: [written('plot.txt')],
    });
  });

  it('says that the bytes are gone once the earlier run is deleted', async () => {
    const app = createTestApp();
    const first = await app.ask();
    write(app, first, [written('plot.txt')]);
    app.store.write(first, finished());
    await app.objects.put('o/local/earlier/plot.txt', new TextEncoder().encode('abc'));
    const second = await app.ask({ follows: first });
    const path = `/v1/runs/${second}/files/plot.txt`;
    expect(await (await app.request(path)).text()).toBe('abc');
    await app.objects.delete(['o/local/earlier/plot.txt']);
    const response = await app.request(path);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).message).toBe('The bytes of this file were deleted.');
  });

  it('answers 409 while the earlier run goes on', async () => {
    const app = createTestApp();
    const first = await app.ask();
    const response = await app.post('/v1/runs', { question: 'and?', follows: first });
    expect(response.status).toBe(409);
    expect(app.store.accepted).toHaveLength(1);
  });

  it('answers 404 for an unknown run and for another owner’s, in the same words', async () => {
    const app = createTestApp();
    const theirs = await app.ask();
    app.store.write(theirs, finished());
    app.store.setHead(theirs, { owner: 'other' });
    for (const follows of [theirs, 'run_00000000000000000099', 'run_x']) {
      const response = await app.post('/v1/runs', { question: 'and?', follows });
      expect(response.status).toBe(404);
      const error = await errorOf(response);
      expect(error.code).toBe('not_found');
      expect(error.message).toBe(
        `follows: there is no run "${follows}"; list yours with GET /v1/runs.`,
      );
    }
    expect(app.store.accepted).toHaveLength(1);
  });

  it('keeps the newest earlier questions when all of them are too long', async () => {
    const app = createTestApp();
    let follows: string | undefined;
    for (let i = 0; i < 4; i++) {
      const id: string = await app.ask({
        question: `${i} ${'x'.repeat(30_000)}`,
        ...(follows ? { follows } : {}),
      });
      app.store.write(id, finished());
      follows = id;
    }
    await app.ask({ question: 'last', follows });
    const context = app.store.accepted.at(-1)?.entry.context ?? [];
    expect(context.map(({ question }) => question.slice(0, 1))).toEqual(['2', '3']);
  });
});
