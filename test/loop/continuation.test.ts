import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { consumeMessage } from '../../src/loop/drive.ts';
import type * as Prompt from '../../src/loop/prompt.ts';
import type { ModelRequest } from '../../src/model/port.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, LIMITS, started, text, use } from '../helpers/runs.ts';
import { createWorld, failure, reply } from '../helpers/world.ts';

/** A deploy with other texts: switched on in the middle of a run. */
const deploy = vi.hoisted(() => ({ changed: false }));
vi.mock('../../src/loop/prompt.ts', async (original) => {
  const real = await original<typeof Prompt>();
  return {
    ...real,
    buildSystemPrompt: (options: Parameters<typeof real.buildSystemPrompt>[0]) =>
      deploy.changed ? 'another prompt' : real.buildSystemPrompt(options),
    userMessage: (options: Parameters<typeof real.userMessage>[0]) =>
      real.userMessage(options) + (deploy.changed ? ' changed' : ''),
  };
});

/** Everything sent but what is said anew with each request, as bytes. */
const bytesOf = ({ system, tools, model, messages }: ModelRequest) =>
  JSON.stringify({ system, tools, model, messages }).slice(0, -2);

describe.skipIf(!hasRedisServer)('the request of each turn', () => {
  let server: TestRedis;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it.each([3, 30, 100])(
    'continues the bytes of the one before, over %i turns and a deploy',
    async (turns) => {
      serial += 1;
      deploy.changed = false;
      const id = `run_c${serial}`;
      const thinking = { type: 'thinking' as const, thinking: 'hm', signature: 'c2ln' };
      const script = Array.from({ length: turns - 1 }, (_, i) => [
        // Every tenth call fails once: its repeat must be the same request.
        ...(i % 10 === 5 ? [failure()] : []),
        reply([thinking, text(`turn ${i}`), use(`t${i}`, i % 2 ? 'do_pure' : 'do_once', { i })]),
      ]).flat();
      script.push(reply([text('So.\n\nFINAL ANSWER: 4')]));
      const world = createWorld(server.redis, { script });
      const entry = started({ limits: { ...LIMITS, turns: turns + 5, tool_calls: 500, usd: 50 } });
      await world.store.accept(
        acceptance(id, {
          owner: `o_${id}`,
          entry,
          limitMicroUsd: 50_000_000,
          dayLimitMicroUsd: 1e9,
        }),
      );
      // One turn an invocation, as after a restart: nothing is kept but the journal.
      world.deps.config = { ...world.deps.config, local: true };
      for (let i = 0; i < 4 * turns; i += 1) {
        await consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 });
        const head = await world.store.head(id);
        if (head?.state === 'finished') break;
        await world.clock.advance(Math.max(0, (head?.notBefore ?? 0) - world.clock.now()));
        if (world.requests.length === Math.ceil(turns / 2)) {
          deploy.changed = true;
          world.deps.tools = createRegistry(
            world.deps.tools.all().map((tool) => ({ ...tool, description: 'new words' })),
          );
        }
      }
      expect((await world.store.head(id))?.status).toBe('succeeded');
      expect(deploy.changed).toBe(true);
      const sent = world.requests.map(bytesOf);
      expect(sent).toHaveLength(script.length);
      for (let i = 1; i < sent.length; i += 1) {
        expect(sent[i]?.startsWith(sent[i - 1] ?? 'nothing'), `request ${i}`).toBe(true);
      }
    },
  );
});
