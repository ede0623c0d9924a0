import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { consumeMessage, driveClientStep, sweepDue } from '../../src/loop/drive.ts';
import { fold } from '../../src/loop/fold.ts';
import type { Entry } from '../../src/loop/journal.ts';
import type { ModelReply } from '../../src/model/port.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { writeFile } from '../../src/tools/write-file.ts';
import { describeEngines, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, LIMITS, started, text, use } from '../helpers/runs.ts';
import { createWorld, failure, reply, type Scripted, type World } from '../helpers/world.ts';

const MINUTE = 60_000;
let server: TestRedis;
let serial = 0;

const done = (answer = '4') => reply([text(`Because.\n\nFINAL ANSWER: ${answer}`)]);
const calls = (...uses: [string, string][]) => reply(uses.map(([id, name]) => use(id, name, {})));
const types = (entries: Entry[]) => entries.map((entry) => entry.type);

async function begin(script: Scripted[], fields: Parameters<typeof acceptance>[1] = {}, env = {}) {
  const world = createWorld(server.redis, { script, env });
  serial += 1;
  const id = `run_d${serial}`;
  await world.store.accept(acceptance(id, { owner: `o_${id}`, ...fields }));
  const consume = () =>
    consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 15 * MINUTE });
  const step = (signal = new AbortController().signal) =>
    driveClientStep(id, { deps: world.deps, signal });
  return { world, id, consume, step };
}

/** Promise whose end the test decides. */
function gate<T>() {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Real I/O (Redis) has its own pace: until the model was asked. */
const asked = (world: World, times = 1) =>
  vi.waitFor(() => expect(world.requests).toHaveLength(times));

const head = (world: World, id: string) => world.store.head(id);

describeEngines('drive', (engine) => {
  beforeAll(async () => {
    server = await startTestRedis(undefined, engine);
  });
  afterAll(() => server.stop());

  it('takes a question to its answer in one message, and journals every step', async () => {
    const { world, id, consume } = await begin([
      calls(['t1', 'do_pure'], ['t2', 'do_once']),
      done(),
    ]);
    expect(await consume()).toEqual({ kind: 'ack' });
    expect(types(await world.journal(id))).toEqual([
      'run_started',
      'run_prepared',
      'model_replied',
      'tool_started',
      'tool_finished',
      'tool_finished',
      'model_replied',
      'run_finished',
    ]);
    expect(await head(world, id)).toMatchObject({
      state: 'finished',
      status: 'succeeded',
      leaseUntil: 0,
    });
    expect(world.queue).toEqual([]);
  });

  it('sends each request as a continuation of the one before', async () => {
    const script = [calls(['t1', 'do_pure']), calls(['t2', 'do_pure']), done()];
    const { world, consume } = await begin(script);
    await consume();
    const sent = world.requests.map((request) => JSON.stringify(request.messages).slice(0, -1));
    expect(sent).toHaveLength(3);
    for (let i = 1; i < sent.length; i += 1)
      expect(sent[i]?.startsWith(sent[i - 1] ?? 'x')).toBe(true);
    const prompts = world.requests.map(({ system, tools, model }) =>
      JSON.stringify({ system, tools, model }),
    );
    expect(new Set(prompts).size).toBe(1);
  });

  it('lets one of two consumers and a client in; the losers hear when to come back', async () => {
    const waiting = gate<ModelReply>();
    const { world, id, consume, step } = await begin([() => waiting.passed]);
    const first = consume();
    await asked(world);
    expect(await consume()).toEqual({ kind: 'ack' });
    expect(await step()).toMatchObject({ kind: 'busy', retryAfterMs: expect.any(Number) });
    waiting.open(done());
    await first;
    expect(types(await world.journal(id))).toEqual([
      'run_started',
      'run_prepared',
      'model_replied',
      'run_finished',
    ]);
    expect(world.requests).toHaveLength(1);
  });

  it('drives one step at a time for a client, then says that nothing is left', async () => {
    const { world, id, step } = await begin([calls(['t1', 'do_pure']), done()], {
      drive: 'client',
    });
    const seen = [await step(), await step(), await step()];
    expect(
      seen.map((each) => each.kind === 'stepped' && types(each.entries.map(({ entry }) => entry))),
    ).toEqual([
      ['run_prepared', 'model_replied'],
      ['tool_finished'],
      ['model_replied', 'run_finished'],
    ]);
    expect(seen[1]?.kind === 'stepped' && seen[1].entries[0]?.seq).toBe(4);
    expect(await step()).toEqual({ kind: 'nothing' });
    expect((await head(world, id))?.state).toBe('finished');
  });

  it('gives the client two minutes before the queue steps in, and the queue is told nothing', async () => {
    const { world, id, step } = await begin([calls(['t1', 'do_pure'])], { drive: 'client' });
    await step();
    const due = Number(await server.redis.command('ZSCORE', 'due', id));
    expect(due - world.clock.now()).toBe(120_000);
    expect(world.queue).toEqual([]);
  });

  it('releases the lease when the client goes away, books the call’s worst case, and goes on', async () => {
    const gone = new AbortController();
    const hang: Scripted = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(failure({ failure: 'aborted' })));
      });
    const { world, id, consume, step } = await begin([hang, done()], { drive: 'client' });
    const stepping = step(gone.signal);
    await asked(world);
    gone.abort();
    await stepping;
    expect((await head(world, id))?.leaseUntil).toBe(0);
    const failed = (await world.journal(id)).find((entry) => entry.type === 'attempt_failed');
    expect(failed).toMatchObject({ kind: 'aborted', counted: false });
    expect(failed?.type === 'attempt_failed' && failed.cost_micro_usd).toBeGreaterThan(100_000);
    await consume();
    expect((await head(world, id))?.status).toBe('succeeded');
  });

  it('waits for a retry without a lease, by a delayed message, and comes back', async () => {
    const { world, id, consume } = await begin([failure(), done()]);
    await consume();
    expect(world.queue).toEqual([{ runId: id, delayMs: 10_000 }]);
    expect(await head(world, id)).toMatchObject({
      leaseUntil: 0,
      notBefore: world.clock.now() + 10_000,
    });
    expect(await consume()).toEqual({ kind: 'retry', afterMs: 10_000 });
    await world.clock.advance(10_000);
    await consume();
    expect((await head(world, id))?.status).toBe('succeeded');
  });

  it('drops a message that comes long before the wait ends', async () => {
    const { world, consume } = await begin([failure({ retryAfterMs: 120_000 })]);
    await consume();
    expect(await consume()).toEqual({ kind: 'ack' });
    expect(world.requests).toHaveLength(1);
  });

  it('is found again by the sweep when every message was lost', async () => {
    const { world, id } = await begin([done()]);
    await world.clock.advance(29_000);
    await sweepDue(world.deps);
    expect(world.queue.filter(({ runId }) => runId === id)).toEqual([]);
    await world.clock.advance(1_001);
    await sweepDue(world.deps);
    expect(world.queue.filter(({ runId }) => runId === id)).toHaveLength(1);
  });

  it('waits for storage that is out of reach, pays nothing and gives no attempt away', async () => {
    const { world, id, consume } = await begin([done()]);
    const { get } = world.deps.objects;
    world.deps.objects.get = () => Promise.reject(new Error('R2 is down'));
    for (let i = 0; i < 5; i += 1) {
      await consume();
      expect(await head(world, id)).toMatchObject({ state: 'open', attempts: 0, leaseUntil: 0 });
      await world.clock.advance(60_000);
    }
    world.deps.objects.get = get;
    await consume();
    expect(await head(world, id)).toMatchObject({
      status: 'succeeded',
      spentMicroUsd: expect.any(Number),
    });
    expect(world.requests).toHaveLength(1);
  });

  it('lets a client ask for steps as often as it likes', async () => {
    const gone = AbortSignal.abort();
    const { world, id, consume, step } = await begin([done()], { drive: 'client' });
    for (let i = 0; i < 40; i += 1) await step(gone);
    expect(await head(world, id)).toMatchObject({ state: 'open', idle: 0 });
    await consume();
    expect((await head(world, id))?.status).toBe('succeeded');
  });

  it('does not spin when no call fits what the invocation has left', async () => {
    const { world, id, consume } = await begin(
      [calls(['t1', 'do_pure'])],
      {},
      { TOOL_TIMEOUT: '600' },
    );
    await consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 10 * MINUTE });
    expect(world.queue.at(-1)).toEqual({ runId: id, delayMs: 0 });
    expect(await head(world, id)).toMatchObject({ state: 'open', leaseUntil: 0 });
    void consume;
  });

  it('starts no further model call that the platform would cut short', async () => {
    const { world, id } = await begin([calls(['t1', 'do_pure']), done()]);
    await consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 8 * MINUTE });
    expect(world.requests).toHaveLength(1);
    expect(world.queue.at(-1)).toEqual({ runId: id, delayMs: 0 });
  });

  it('judges the run’s time by Redis’ clock, whatever the Worker that accepted it said', async () => {
    const slow = started({ limits: { ...LIMITS, seconds: 30 } });
    const { world, id, consume } = await begin([done()], { entry: slow });
    // As if accepted by a Worker whose clock is an hour behind: only the entry's own time says so.
    const [first] = (await server.redis.command('LRANGE', `run:${id}:log`, '0', '0')) as string[];
    const early = JSON.stringify({ ...JSON.parse(first ?? ''), at: world.clock.now() - 3_600_000 });
    await server.redis.command('DEL', `run:${id}:log`);
    await server.redis.command('RPUSH', `run:${id}:log`, early);
    await consume();
    expect((await head(world, id))?.status).toBe('succeeded');
  });

  it('answers 30 calls of one turn in order, at most four at once', async () => {
    const uses = Array.from({ length: 30 }, (_, i): [string, string] => [`t${i}`, 'do_pure']);
    const { world, consume } = await begin([calls(...uses), done()]);
    let running = 0;
    let most = 0;
    world.behave = async (name, context) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 3));
      running -= 1;
      if (context.toolUseId === 't7') throw new Error('seven is broken');
      return name;
    };
    await consume();
    expect(most).toBe(4);
    const results = world.requests[1]?.messages.at(-1)?.content;
    const ids = Array.isArray(results)
      ? results.map((block) => block.type === 'tool_result' && block.tool_use_id)
      : [];
    expect(ids).toEqual(uses.map(([call]) => call));
  });

  it('commits results as they finish, in few appends', async () => {
    const { world, id, consume } = await begin([calls(['a', 'do_pure'], ['b', 'do_pure']), done()]);
    const slow = gate<string>();
    world.behave = (_, context) =>
      context.toolUseId === 'b' ? slow.passed : Promise.resolve('fast');
    const consuming = consume();
    await vi.waitFor(async () =>
      expect(types(await world.journal(id)).at(-1)).toBe('tool_finished'),
    );
    slow.open('slow');
    await consuming;
    expect(types(await world.journal(id)).filter((type) => type === 'tool_finished')).toHaveLength(
      2,
    );
  });

  it('lets each of two appends to one file in one turn see the other', async () => {
    const append = (id: string, content: string) =>
      use(id, 'write_file', { path: 'notes.txt', content, append: true });
    const script = [reply([append('w1', 'one\n'), append('w2', 'two\n')]), done()];
    const { world, id, consume } = await begin(script);
    world.deps.tools = createRegistry([writeFile]);
    await consume();
    const files = [...fold(await world.journal(id)).files.values()];
    const stored = world.objects.stored.get(files[0]?.object ?? '');
    expect(new TextDecoder().decode(stored)).toBe('one\ntwo\n');
  });

  describe('after a crash', () => {
    /** A worker that stops dead while its tools run: its promise never ends, its lease runs out. */
    async function crashed(uses: [string, string][]) {
      const begun = await begin([calls(...uses), done()]);
      const { world, consume } = begun;
      const never = gate<string>();
      world.behave = (_, context) =>
        context.toolUseId.startsWith('ok') ? Promise.resolve('ok') : never.passed;
      const store = world.deps.store;
      let dead = false;
      const deadDeps = {
        ...world.deps,
        store: {
          ...store,
          append: (request: Parameters<typeof store.append>[0]) =>
            dead ? new Promise<never>(() => {}) : store.append(request),
        },
      };
      void consumeMessage(begun.id, { deps: deadDeps, deadline: world.clock.now() + 15 * MINUTE });
      await vi.waitFor(async () =>
        expect(types(await world.journal(begun.id))).toContain('tool_finished'),
      );
      await vi.waitFor(() => expect(world.runs.size).toBe(uses.length));
      dead = true;
      await world.clock.advance(31_000);
      world.behave = async (name) => `${name} again`;
      return { ...begun, consume };
    }

    it('runs only unfinished calls again, by their effect; once calls never', async () => {
      const { world, id, consume } = await crashed([
        ['ok1', 'do_pure'],
        ['p', 'do_pure'],
        ['k', 'do_keyed'],
        ['o', 'do_once'],
      ]);
      await consume();
      expect(Object.fromEntries(world.runs)).toEqual({ ok1: 1, p: 2, k: 2, o: 1 });
      const outcomes = (await world.journal(id)).flatMap((entry) =>
        entry.type === 'tool_finished' ? [`${entry.tool_use_id} ${entry.outcome}`] : [],
      );
      expect(outcomes.sort()).toEqual(['k done', 'o unknown', 'ok1 done', 'p done']);
      expect((await head(world, id))?.status).toBe('succeeded');
    });

    it('fences the worker that wakes late: nothing it sends gets in', async () => {
      const waiting = gate<ModelReply>();
      const { world, id, consume } = await begin([() => waiting.passed, done('5')]);
      const store = world.deps.store;
      let asleep = true;
      const sleepy = {
        ...world.deps,
        store: {
          ...store,
          append: (request: Parameters<typeof store.append>[0]) =>
            asleep && request.lines.length === 0
              ? new Promise<never>(() => {})
              : store.append(request),
        },
      };
      const late = consumeMessage(id, { deps: sleepy, deadline: world.clock.now() + 15 * MINUTE });
      await asked(world);
      await world.clock.advance(31_000);
      await consume();
      asleep = false;
      waiting.open(done('4'));
      // The late worker's heartbeat hangs with the network it lost; nobody waits for it.
      void late;
      await world.clock.advance(1_000);
      const answers = (await world.journal(id)).flatMap((entry) =>
        entry.type === 'run_finished' ? [entry.answer] : [],
      );
      expect(answers).toEqual(['5']);
    });
  });

  it('cancels a running step at the next heartbeat: stream aborted, run closed with its cost', async () => {
    const hang: Scripted = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(failure({ failure: 'aborted' })));
      });
    const { world, id, consume } = await begin([hang]);
    const consuming = consume();
    await asked(world);
    await world.store.requestCancel(id, { by: 'me' });
    await world.clock.advance(10_000);
    await consuming;
    const entries = await world.journal(id);
    expect(types(entries).slice(-3)).toEqual([
      'cancel_requested',
      'attempt_failed',
      'run_finished',
    ]);
    expect(entries.at(-1)).toMatchObject({ status: 'cancelled' });
    expect((await head(world, id))?.spentMicroUsd).toBeGreaterThan(100_000);
  });

  it('closes a cancelled run that nobody holds with the next claim', async () => {
    const { world, id, consume } = await begin([]);
    await world.store.requestCancel(id, { by: 'me' });
    await consume();
    expect(types(await world.journal(id))).toEqual([
      'run_started',
      'cancel_requested',
      'run_finished',
    ]);
  });

  it('parks a run that waits for a person and goes on with the verdict', async () => {
    const entry = started({ options: { approvals: ['do_once'] } });
    const { world, id, consume } = await begin(
      [calls(['a', 'do_once'], ['b', 'do_pure']), done()],
      { entry },
    );
    await consume();
    expect(await head(world, id)).toMatchObject({
      leaseUntil: 0,
      notBefore: world.clock.now() + 86_400_000,
    });
    expect(Object.fromEntries(world.runs)).toEqual({ b: 1 });
    const base = (await world.journal(id)).length;
    const draft = {
      type: 'approval_given',
      tool_use_id: 'a',
      decision: 'approve',
      by: 'person',
    } as const;
    expect(await world.store.approve(id, { base, draft })).toBe('ok');
    await consume();
    expect(Object.fromEntries(world.runs)).toEqual({ b: 1, a: 1 });
    expect((await head(world, id))?.status).toBe('succeeded');
  });

  it('guards the tools that the deployment names in every run', async () => {
    const script = [calls(['a', 'do_once'], ['b', 'do_pure'])];
    const { world, id, consume } = await begin(script, {}, { APPROVAL_TOOLS: 'do_once, no_such' });
    await consume();
    expect(Object.fromEntries(world.runs)).toEqual({ b: 1 });
    const prepared = (await world.journal(id)).find((entry) => entry.type === 'run_prepared');
    expect(prepared).toMatchObject({ approvals: ['do_once'] });
  });

  it('denies by itself when nobody answers in time', async () => {
    const entry = started({ options: { approvals: ['do_once'] } });
    const { world, id, consume } = await begin([calls(['a', 'do_once']), done()], { entry });
    await consume();
    await world.clock.advance(86_400_000);
    await consume();
    expect(world.runs.size).toBe(0);
    expect(await world.journal(id)).toContainEqual(
      expect.objectContaining({ type: 'approval_given', by: 'expiry' }),
    );
  });

  it('buries a run whose journal cannot be read, without folding it', async () => {
    const { world, id, consume } = await begin([]);
    await server.redis.command('RPUSH', `run:${id}:log`, '{"v":1,"type":"nonsense"}');
    for (let i = 0; i < 9; i += 1) {
      expect(await consume()).toEqual({ kind: 'ack' });
      await world.clock.advance(31_000);
    }
    await consume();
    expect(await head(world, id)).toMatchObject({
      state: 'finished',
      status: 'failed',
      attempts: 0,
    });
    const lines = (await server.redis.command('LRANGE', `run:${id}:log`, '-1', '-1')) as string[];
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      type: 'run_finished',
      reason: 'unreadable',
    });
  });

  describe('deliveries', () => {
    it('writes the archive of a finished run in the same invocation, and owes nothing after', async () => {
      const { world, id, consume } = await begin([done()], { outbox: { archive: '1' } });
      await consume();
      const stored = world.objects.stored.get(`archive/o_${id}/${id}`);
      const lines = new TextDecoder().decode(stored).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(await world.journal(id));
      expect(await server.redis.command('ZSCORE', 'due', id)).toBe(null);
    });

    it('tries a failed delivery again later and gives it up after a day', async () => {
      const { world, id, consume } = await begin([done()], { outbox: { archive: '1' } });
      world.objects.put = () => Promise.reject(new Error('R2 is down'));
      const put = world.deps.objects.put;
      world.deps.objects.put = async (key, ...rest) => {
        if (key.startsWith('archive/')) throw new Error('R2 is down');
        return await put(key, ...rest);
      };
      // Prompts are pinned before the fault begins.
      world.deps.objects.put = async (key, body, mediaType) => {
        if (key.startsWith('archive/')) throw new Error('R2 is down');
        world.objects.stored.set(key, body as Uint8Array);
        void mediaType;
      };
      await consume();
      expect(world.queue).toEqual([{ runId: id, delayMs: 60_000 }]);
      for (let i = 0; i < 40; i += 1) {
        await world.clock.advance(3_600_000);
        await consume();
      }
      expect(await head(world, id)).toMatchObject({ dead: 'archive' });
      expect(await server.redis.command('ZSCORE', 'due', id)).toBe(null);
    });

    it('purges what a deleted run left behind', async () => {
      const { world, id, consume } = await begin([done()], { outbox: { archive: '1' } });
      await consume();
      world.objects.stored.set(`o/o_${id}/${id}/abc`, new Uint8Array(1));
      await world.store.remove(id);
      await consume();
      expect([...world.objects.stored.keys()].filter((key) => key.includes(id))).toEqual([]);
    });
  });
});
