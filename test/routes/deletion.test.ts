import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveKey } from '../../src/loop/deliver.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, appendOf, claimed, started, text, use } from '../helpers/runs.ts';
import { reply, type Scripted } from '../helpers/world.ts';
import { createRealApp, type RealApp } from './real-app.ts';

const ANSWER = reply([text('Two and two are four.\n\nFINAL ANSWER: 4')]);
const encode = (value: string) => new TextEncoder().encode(value);

let server: TestRedis;

async function statusOf(app: RealApp, path: string, method = 'GET') {
  return (await app.request(path, { method })).status;
}

/** Every way to see a run says that there is none. */
async function expectUnknown(app: RealApp, id: string) {
  for (const path of ['', '/events', '/events?format=json', '/files', '/export']) {
    expect([path, await statusOf(app, `/v1/runs/${id}${path}`)]).toEqual([path, 404]);
  }
  expect(await statusOf(app, `/v1/runs/${id}`, 'DELETE')).toBe(404);
  const list = (await (await app.request('/v1/runs?limit=100')).json()) as {
    runs: { id: string }[];
  };
  expect(list.runs.map((run) => run.id)).not.toContain(id);
}

/** A run that wrote a file, ended and was archived. */
async function endedRun(app: RealApp) {
  app.behave = async (_, context) => {
    await context.workspace.write('out/plot.txt', encode('plot'));
    return 'written';
  };
  const id = await app.ask();
  await app.consume(id);
  // On the local stack an invocation takes one step.
  while ((await app.store.head(id))?.state === 'open') await app.consume(id);
  return id;
}

const SCRIPT: Scripted[] = [reply([use('tu_1', 'do_pure', {})]), ANSWER];

describe.skipIf(!hasRedisServer)('what goes and what stays, over the real scripts', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.redis.command('FLUSHALL');
  });

  describe('a run that Redis has let go', () => {
    it('is served from the archive, whole, until it is deleted', async () => {
      const app = createRealApp(server.redis, { script: SCRIPT });
      const id = await endedRun(app);
      const paths = [
        '',
        '/events?format=json',
        '/events',
        '/files',
        '/files/out/plot.txt',
        '/export',
      ];
      const read = async (path: string) => (await app.request(`/v1/runs/${id}${path}`)).text();
      const before = await Promise.all(paths.map(read));
      expect(before[0]).toContain('"answer":"4"');
      expect(before[4]).toBe('plot');
      await app.redis.command('DEL', `run:${id}`, `run:${id}:log`, `outbox:${id}`);
      expect(await Promise.all(paths.map(read))).toEqual(before);
      expect(await statusOf(app, `/v1/runs/${id}/cancel`, 'POST')).toBe(200);
      expect(await statusOf(app, `/v1/runs/${id}/step`, 'POST')).toBe(200);

      expect(await statusOf(app, `/v1/runs/${id}`, 'DELETE')).toBe(204);
      await expectUnknown(app, id);
      const left = [...app.objects.stored.keys()].filter((key) => !key.startsWith('prompts/'));
      expect(left).toEqual([]);
    });
  });

  describe('DELETE /v1/runs/:id', () => {
    it('takes the journal at once and the objects with the next message', async () => {
      const app = createRealApp(server.redis, { script: SCRIPT });
      const id = await endedRun(app);
      app.queue.length = 0;
      expect(await statusOf(app, `/v1/runs/${id}`, 'DELETE')).toBe(204);
      await expectUnknown(app, id);
      expect(app.queue).toEqual([{ runId: id, delayMs: 0 }]);
      await app.consume(id);
      expect([...app.objects.stored.keys()].filter((key) => key.includes(id))).toEqual([]);
      expect(await app.keysOf(id)).toEqual([`run:${id}`]);
      expect(await app.redis.command('ZSCORE', 'due', id)).toBe(null);
    });

    it('stops the holder first, and counts what its call may have cost', async () => {
      const app = createRealApp(server.redis, {
        script: [
          (_request, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () =>
                resolve({
                  kind: 'failed',
                  failure: 'aborted',
                  message: 'The call was stopped.',
                  status: null,
                  retryAfterMs: null,
                  usage: null,
                }),
              );
            }),
        ],
      });
      const id = await app.ask();
      const holding = app.consume(id);
      while (app.requests.length === 0) await app.clock.advance(1);
      const before = app.clock.now();
      expect(await app.settle(app.request(`/v1/runs/${id}`, { method: 'DELETE' }))).toMatchObject({
        status: 204,
      });
      // With the holder's next heartbeat, not with the end of its lease.
      expect(app.clock.now() - before).toBeLessThanOrEqual(11_000);
      await holding;
      const { reserved, spent = 0, refunded = 0 } = await app.usage('local');
      expect(spent).toBeGreaterThan(0);
      expect(spent + refunded).toBe(reserved);
      await expectUnknown(app, id);
    });

    it('waits a moment only for a holder that is dead, and settles the money', async () => {
      const app = createRealApp(server.redis, { script: [] });
      const id = await app.ask();
      await claimed(app.store, id, 'dead');
      const before = app.clock.now();
      const response = await app.settle(app.request(`/v1/runs/${id}`, { method: 'DELETE' }));
      expect(response.status).toBe(204);
      expect(app.clock.now() - before).toBeLessThanOrEqual(15_000);
      expect(await app.usage('local')).toEqual({
        reserved: 1_000_000,
        spent: 0,
        refunded: 1_000_000,
      });
      expect(await app.redis.command('ZCARD', 'active:local')).toBe(0);
    });

    it('answers at once while nobody holds the run', async () => {
      const app = createRealApp(server.redis, { script: [] });
      const id = await app.ask({ drive: 'client' });
      const before = app.clock.now();
      expect(await statusOf(app, `/v1/runs/${id}`, 'DELETE')).toBe(204);
      expect(app.clock.now()).toBe(before);
      await app.consume(id);
      expect(app.requests).toEqual([]);
    });
  });

  describe('after a deletion', () => {
    it('no late accept, append, claim, approval or cancel brings anything back', async () => {
      const app = createRealApp(server.redis, { script: [] });
      const id = await app.ask();
      const grant = await claimed(app.store, id, 'holder');
      const entry = started();
      await app.settle(app.request(`/v1/runs/${id}`, { method: 'DELETE' }));
      const usage = await app.usage('local');

      const lines = [JSON.stringify({ v: 1, at: 1, type: 'cancel_requested', by: 'x' })];
      expect(await app.store.accept(acceptance(id, { entry }))).toEqual({ kind: 'exists', id });
      expect((await app.store.append(appendOf(grant, { lines }))).kind).toBe('gone');
      const end = appendOf(grant, { lines, finish: 'succeeded', costMicroUsd: 5 });
      expect((await app.store.append(end)).kind).toBe('gone');
      expect((await app.store.append(appendOf(grant))).kind).toBe('fenced');
      expect(await app.store.requestCancel(id, { by: 'x' })).toBe('gone');
      expect(await app.store.remove(id)).toBe('gone');
      await app.clock.advance(30_000);
      await app.consume(id);
      expect(await app.store.claim(id, 'late')).toEqual({ kind: 'gone' });

      await expectUnknown(app, id);
      expect(await app.keysOf(id)).toEqual([`run:${id}`]);
      expect(await app.usage('local')).toEqual(usage);
      expect(await app.redis.command('ZCARD', 'active:local')).toBe(0);
      expect(await app.redis.command('ZSCORE', 'due', id)).toBe(null);
    });

    it('an archive that was on its way is never shown, and goes with the purge', async () => {
      const app = createRealApp(server.redis, { script: [ANSWER] });
      const gate = Promise.withResolvers<void>();
      const waiting = Promise.withResolvers<void>();
      const { put } = app.objects;
      app.objects.put = async (key, body, mediaType) => {
        if (key.startsWith('archive/')) {
          waiting.resolve();
          await gate.promise;
        }
        await put(key, body, mediaType);
      };
      const id = await app.ask();
      const delivering = app.consume(id);
      await waiting.promise;
      const response = await app.settle(app.request(`/v1/runs/${id}`, { method: 'DELETE' }));
      expect(response.status).toBe(204);
      // The message that the deletion sent comes too early: the deliverer may still be writing.
      await app.consume(id);
      gate.resolve();
      await delivering;
      expect(app.objects.stored.has(archiveKey('local', id))).toBe(true);
      await expectUnknown(app, id);
      await app.clock.advance(30_000);
      await app.consume(id);
      expect(app.objects.stored.has(archiveKey('local', id))).toBe(false);
      expect(await app.keysOf(id)).toEqual([`run:${id}`]);
    });
  });

  describe('DELETE /v1/owners/:id', () => {
    interface Deleted {
      owner: string;
      deleted: { runs: number; files: number; objects: number };
      more: boolean;
    }

    async function deleteAll(app: RealApp) {
      const answers: Deleted[] = [];
      do {
        const response = await app.settle(app.request('/v1/owners/local', { method: 'DELETE' }));
        expect(response.status).toBe(200);
        answers.push((await response.json()) as Deleted);
      } while (answers.at(-1)?.more && answers.length < 20);
      return answers;
    }

    const sum = (answers: Deleted[], name: keyof Deleted['deleted']) =>
      answers.reduce((total, { deleted }) => total + deleted[name], 0);

    it('deletes 500 runs, archives, objects and uploads over several calls, and nothing of others', async () => {
      const app = createRealApp(server.redis, { script: [] });
      const many = { dayLimitMicroUsd: 1e12, maxActive: 1_000 };
      for (let from = 0; from < 500; from += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            app.store.accept(acceptance(`run_many_${String(from + i).padStart(16, '0')}`, many)),
          ),
        );
      }
      // One that is only an archive any more, and one that is only listed any more.
      const archived = 'run_archived_00000000000001';
      await app.objects.put(archiveKey('local', archived), encode('{}\n'));
      await app.redis.command('ZADD', 'runs:local', '1', 'run_expired_00000000000001');
      for (let i = 0; i < 1_200; i += 1) {
        await app.objects.put(`o/local/run_x/${String(i).padStart(5, '0')}`, encode('x'));
      }
      const upload = await app.request('/v1/files?name=a.csv', { method: 'PUT', body: 'a,b' });
      const { id: fileId } = (await upload.json()) as { id: string };
      const theirs = acceptance('run_theirs_0000000000000001', { owner: 'localx', ...many });
      await app.store.accept(theirs);
      const kept = ['o/localx/run_x/1', 'u/localx/f', archiveKey('localx', 'run_y')];
      for (const key of kept) await app.objects.put(key, encode('x'));

      const answers = await deleteAll(app);
      expect(answers.length).toBeGreaterThan(1);
      expect(answers.every(({ deleted }) => deleted.runs <= 200)).toBe(true);
      expect(sum(answers, 'runs')).toBe(501);
      expect(sum(answers, 'objects')).toBe(1_200);
      expect(sum(answers, 'files')).toBe(1);

      expect([...app.objects.stored.keys()].sort()).toEqual([...kept].sort());
      expect(await app.store.loadFile(fileId)).toBe(null);
      for (const key of ['runs:local', 'active:local']) {
        expect(await app.redis.command('EXISTS', key)).toBe(0);
      }
      const { reserved, spent = 0, refunded = 0 } = await app.usage('local');
      expect(reserved).toBe(500_000_000);
      expect(spent + refunded).toBe(reserved);
      expect((await app.store.head(theirs.id))?.state).toBe('open');
      const [again] = await deleteAll(app);
      expect(again).toEqual({
        owner: 'local',
        deleted: { runs: 0, files: 0, objects: 0 },
        more: false,
      });
    });

    it('purges what a holder wrote behind its back', async () => {
      const app = createRealApp(server.redis, { script: [] });
      const id = await app.ask();
      await claimed(app.store, id, 'holder');
      const [answer] = await deleteAll(app);
      expect(answer).toMatchObject({ deleted: { runs: 1 }, more: false });
      await app.objects.put(`o/local/${id}/late`, encode('late'));
      await app.clock.advance(30_000);
      for (const { runId } of app.queue.splice(0)) await app.consume(runId);
      expect([...app.objects.stored.keys()]).toEqual([]);
    });

    it('stops between pages when a call takes too long, and says so', async () => {
      const app = createRealApp(server.redis, { script: [] });
      for (let i = 0; i < 120; i += 1) {
        const id = `run_slow_${String(i).padStart(16, '0')}`;
        await app.store.accept(acceptance(id, { dayLimitMicroUsd: 1e12, maxActive: 1_000 }));
        if (i % 60 === 0) await claimed(app.store, id, 'silent');
      }
      const answers = await deleteAll(app);
      expect(answers.map(({ more }) => more)).toEqual([true, false]);
      expect(sum(answers, 'runs')).toBe(120);
    });
  });
});
