import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { consumeMessage, driveClientStep } from '../../src/loop/drive.ts';
import type { ModelReply } from '../../src/model/port.ts';
import type { ToolContext } from '../../src/tools/define.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, started, text, use } from '../helpers/runs.ts';
import { createWorld, failure, reply, type Scripted, type World } from '../helpers/world.ts';

let server: TestRedis;
let serial = 0;

const done = reply([text('So.\n\nFINAL ANSWER: 4')]);
const calls = (...uses: [string, string][]) => reply(uses.map(([id, name]) => use(id, name, {})));
const gate = <T>() => Promise.withResolvers<T>();
/** A model call that lasts until it is aborted. */
const hang: Scripted = (_, { signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(failure({ failure: 'aborted' })));
  });
/** A tool that ends when it is told to. */
const untilAborted = (_: string, { signal }: ToolContext) =>
  new Promise<string>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('told to stop')));
  });

interface Run {
  world: World;
  id: string;
  consume: () => Promise<unknown>;
  cancel: () => Promise<string>;
  approve: (call: string, decision: 'approve' | 'deny') => Promise<string>;
}

async function begin(script: Scripted[], approvals: string[] = []): Promise<Run> {
  serial += 1;
  const id = `run_r${serial}`;
  const world = createWorld(server.redis, { script });
  const entry = started({ options: { approvals } });
  await world.store.accept(acceptance(id, { owner: `o_${id}`, entry, outbox: { archive: '1' } }));
  return {
    world,
    id,
    consume: () => consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 }),
    cancel: () => world.store.requestCancel(id, { by: 'me' }),
    async approve(call, decision) {
      for (;;) {
        const base = (await world.journal(id)).length;
        const draft = {
          type: 'approval_given',
          tool_use_id: call,
          decision,
          by: 'person',
        } as const;
        const answer = await world.store.approve(id, { base, draft });
        if (answer !== 'moved') return answer;
      }
    },
  };
}

/** What the journal says became of the run and of its calls. */
async function ended({ world, id }: Run) {
  const entries = await world.journal(id);
  const last = entries.at(-1);
  const seen = entries.flatMap((entry) =>
    entry.type === 'tool_finished' ? [`${entry.tool_use_id} ${entry.outcome}`] : [],
  );
  expect(entries.filter((entry) => entry.type === 'run_finished')).toHaveLength(1);
  return { status: last?.type === 'run_finished' ? last.status : 'open', calls: seen.sort() };
}

const asked = (world: World, times = 1) =>
  vi.waitFor(() => expect(world.requests).toHaveLength(times));
const running = (world: World, count: number) =>
  vi.waitFor(() => expect(world.runs.size).toBe(count));

describe.skipIf(!hasRedisServer)('races', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  describe('a cancel ends the run as cancelled', () => {
    it('before anybody claimed it', async () => {
      const run = await begin([]);
      await run.cancel();
      await run.consume();
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: [] });
      expect(run.world.requests).toHaveLength(0);
    });

    it('while it is prepared', async () => {
      const run = await begin([hang]);
      const held = gate<void>();
      const put = run.world.deps.objects.put;
      run.world.deps.objects = {
        ...run.world.deps.objects,
        put: async (...args) => {
          await held.promise;
          await put(...args);
        },
      };
      const consuming = run.consume();
      await vi.waitFor(async () => expect((await run.world.store.head(run.id))?.epoch).toBe(1));
      await run.cancel();
      held.resolve();
      await consuming;
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: [] });
      expect(run.world.requests).toHaveLength(0);
    });

    it('while the model streams: the stream is aborted within ten seconds', async () => {
      const run = await begin([hang]);
      const consuming = run.consume();
      await asked(run.world);
      await run.cancel();
      await run.world.clock.advance(10_000);
      await consuming;
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: [] });
    });

    it('when it comes just before the last reply is written', async () => {
      const held = gate<ModelReply>();
      const run = await begin([() => held.promise]);
      const consuming = run.consume();
      await asked(run.world);
      await run.cancel();
      held.resolve(done);
      await consuming;
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: [] });
      // The reply was paid for: it is on record all the same.
      expect((await run.world.journal(run.id)).map(({ type }) => type)).toContain('model_replied');
    });

    it('while tools run: they are told, and a once call that started is unknown', async () => {
      const run = await begin([calls(['p', 'do_pure'], ['k', 'do_keyed'], ['o', 'do_once'])]);
      run.world.behave = untilAborted;
      const consuming = run.consume();
      await running(run.world, 3);
      await run.cancel();
      await run.world.clock.advance(10_000);
      await consuming;
      const expected = ['k cancelled', 'o unknown', 'p cancelled'];
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: expected });
    });

    it('keeps the results of calls that had ended', async () => {
      const run = await begin([calls(['a', 'do_pure'], ['b', 'do_pure'])]);
      run.world.behave = (name, context) =>
        context.toolUseId === 'a' ? Promise.resolve('fast') : untilAborted(name, context);
      const consuming = run.consume();
      await vi.waitFor(async () =>
        expect((await run.world.journal(run.id)).at(-1)?.type).toBe('tool_finished'),
      );
      await run.cancel();
      await run.world.clock.advance(10_000);
      await consuming;
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: ['a done', 'b cancelled'] });
    });

    it('while it waits for a retry', async () => {
      const run = await begin([failure()]);
      await run.consume();
      await run.cancel();
      await run.consume();
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: [] });
    });

    it('while it waits for a person', async () => {
      const run = await begin([calls(['a', 'do_once'])], ['do_once']);
      await run.consume();
      await run.cancel();
      await run.consume();
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: ['a cancelled'] });
      expect(run.world.runs.size).toBe(0);
    });

    it('between two steps', async () => {
      const run = await begin([calls(['a', 'do_pure'])]);
      run.world.deps.config = { ...run.world.deps.config, local: true };
      await run.consume();
      await run.cancel();
      await run.consume();
      expect(await ended(run)).toEqual({ status: 'cancelled', calls: ['a cancelled'] });
    });

    it('asked for twice, once', async () => {
      const run = await begin([]);
      await Promise.all([run.cancel(), run.cancel()]);
      await run.consume();
      expect((await ended(run)).status).toBe('cancelled');
    });
  });

  it('a cancel after the end changes nothing', async () => {
    const run = await begin([done]);
    await run.consume();
    expect(await run.cancel()).toBe('finished');
    expect(await ended(run)).toEqual({ status: 'succeeded', calls: [] });
  });

  describe('a verdict', () => {
    const guarded = () => begin([calls(['a', 'do_once'], ['b', 'do_pure']), done], ['do_once']);

    it('given while other calls of the turn still run is acted on by the same holder', async () => {
      const run = await guarded();
      const slow = gate<string>();
      run.world.behave = (_, context) =>
        context.toolUseId === 'b' ? slow.promise : Promise.resolve('ok');
      const consuming = run.consume();
      await running(run.world, 1);
      expect(await run.approve('a', 'approve')).toBe('ok');
      slow.resolve('slow');
      await consuming;
      expect(await ended(run)).toEqual({ status: 'succeeded', calls: ['a done', 'b done'] });
      expect((await run.world.store.head(run.id))?.epoch).toBeLessThanOrEqual(2);
    });

    it.each([
      ['approve', 'a done', 1],
      ['deny', 'a denied', 0],
    ] as const)('to %s wakes a run that waits', async (decision, outcome, runs) => {
      const run = await guarded();
      await run.consume();
      await run.approve('a', decision);
      await run.consume();
      expect(await ended(run)).toEqual({ status: 'succeeded', calls: [outcome, 'b done'] });
      expect(run.world.runs.get('a') ?? 0).toBe(runs);
    });

    it('given twice counts once, the first one', async () => {
      const run = await guarded();
      await run.consume();
      await run.approve('a', 'deny');
      await run.approve('a', 'approve');
      await run.consume();
      expect(run.world.runs.get('a')).toBe(undefined);
      expect((await ended(run)).calls).toEqual(['a denied', 'b done']);
    });

    it('that comes after the expiry was noted changes nothing', async () => {
      const run = await guarded();
      run.world.deps.config = { ...run.world.deps.config, local: true };
      await run.consume();
      await run.consume();
      await run.world.clock.advance(86_400_001);
      await run.consume();
      await run.approve('a', 'approve');
      for (let i = 0; i < 4; i += 1) await run.consume();
      expect(run.world.runs.get('a')).toBe(undefined);
      expect((await ended(run)).calls).toEqual(['a denied', 'b done']);
    });

    it('loses to a cancel, whatever their order', async () => {
      for (const order of ['cancel first', 'verdict first']) {
        const run = await guarded();
        await run.consume();
        if (order === 'cancel first') await run.cancel();
        await run.approve('a', 'approve');
        if (order === 'verdict first') await run.cancel();
        await run.consume();
        expect(await ended(run)).toEqual({ status: 'cancelled', calls: ['a cancelled', 'b done'] });
      }
    });
  });

  it('answers 30 calls of one turn, five failing in five ways, one beyond the step budget', async () => {
    const uses = Array.from({ length: 30 }, (_, i): [string, string] => [`t${i}`, 'do_pure']);
    uses[3] = ['t3', 'no_such_tool'];
    const content = uses.map(([id, name]) => use(id, name, id === 't5' ? 'not an object' : {}));
    const run = await begin([reply(content), done]);
    const { world } = run;
    world.behave = async (_, context) => {
      if (context.toolUseId === 't9') throw new Error('nine is broken');
      if (context.toolUseId === 't12') return await new Promise<never>(() => {});
      if (context.toolUseId === 't20') throw Object.assign(new Error(), { message: undefined });
      if (['t16', 't17', 't18'].includes(context.toolUseId)) {
        await world.clock.sleep(29_000, context.signal);
        return 'late but in time';
      }
      return `${context.toolUseId} ok`;
    };
    const step = () =>
      driveClientStep(run.id, { deps: world.deps, signal: new AbortController().signal });
    await step();
    const stepping = step();
    for (let i = 0; i < 60; i += 1) await world.clock.advance(1_000);
    const first = await stepping;
    // Four calls outlast the 25 s in which a step over HTTP starts calls: the rest is the next step.
    const finished = first.kind === 'stepped' ? first.entries.length : 0;
    expect(finished).toBeGreaterThan(15);
    expect(finished).toBeLessThan(30);
    for (let i = 0; i < 3; i += 1) await step();
    const results = world.requests[1]?.messages.at(-1)?.content;
    const blocks = Array.isArray(results) ? results : [];
    expect(blocks.map((block) => block.type === 'tool_result' && block.tool_use_id)).toEqual(
      uses.map(([id]) => id),
    );
    const failed = blocks.flatMap((block) =>
      block.type === 'tool_result' && block.is_error ? [block.tool_use_id] : [],
    );
    expect(failed).toEqual(['t3', 't5', 't9', 't12', 't20']);
    expect((await ended(run)).status).toBe('succeeded');
  });
});
