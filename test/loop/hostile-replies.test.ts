import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { consumeMessage } from '../../src/loop/drive.ts';
import type { ToolContext } from '../../src/tools/define.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, started, text, use } from '../helpers/runs.ts';
import { createWorld, reply, type Scripted } from '../helpers/world.ts';

let server: TestRedis;
let serial = 0;

const done = (answer: string) => reply([text(`So.\n\nFINAL ANSWER: ${answer}`)]);
/** The window was full before the model had said everything. */
const cutByWindow = (content: ContentBlock[]) =>
  reply(content, { stopReason: 'model_context_window_exceeded' });

async function begin(script: Scripted[]) {
  serial += 1;
  const id = `run_h${serial}`;
  const world = createWorld(server.redis, { script });
  const entry = started({ question: 'How many are there?' });
  await world.store.accept(acceptance(id, { owner: `o_${id}`, entry }));
  const consume = () =>
    consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 });
  const last = async () => (await world.journal(id)).at(-1);
  return { world, id, consume, last };
}

describe.skipIf(!hasRedisServer)('a reply that the window cut off', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('is no answer, since its answer may be cut off too', async () => {
    const cut = cutByWindow([text('So.\n\nFINAL ANSWER: 12')]);
    const { consume, last } = await begin([cut, done('1234')]);
    await consume();
    expect(await last()).toMatchObject({ status: 'succeeded', answer: '1234' });
  });

  it('ends the run without an answer when the format call is cut off as well', async () => {
    const cut = cutByWindow([text('FINAL ANSWER: 12')]);
    const { consume, last } = await begin([cut, cut]);
    await consume();
    expect(await last()).toMatchObject({ status: 'failed', reason: 'context_exceeded' });
  });

  it('runs no tool, since the input of the call may be cut off', async () => {
    const cut = cutByWindow([use('t1', 'do_once', {})]);
    const { world, id, consume } = await begin([cut, done('4')]);
    await consume();
    expect(world.runs.size).toBe(0);
    const results = (await world.journal(id)).filter((entry) => entry.type === 'tool_finished');
    expect(results).toMatchObject([{ tool_use_id: 't1', outcome: 'denied' }]);
  });
});

describe.skipIf(!hasRedisServer)('runTools', () => {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('stops with the lease: a run that is deleted under a tool starts nothing more', async () => {
    const { world, id, consume } = await begin([reply([use('t1', 'do_pure', {})])]);
    let looks = 0;
    const registry = world.deps.tools;
    world.deps.tools = {
      ...registry,
      get(name) {
        looks += 1;
        // Without an end the look-ups go on for ever, and no timer gets its turn.
        if (looks > 1_000) throw new Error('the loop spins');
        return registry.get(name);
      },
    };
    world.behave = (_: string, { signal }: ToolContext) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('told to stop')));
      });
    const consumed = consume();
    await vi.waitFor(() => expect(world.runs.size).toBe(1));
    await world.store.remove(id);
    await world.clock.advance(11_000);
    expect(await consumed).toEqual({ kind: 'ack' });
    expect(looks).toBeLessThan(20);
  });
});
