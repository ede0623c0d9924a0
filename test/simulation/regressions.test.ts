import { expect, it } from 'vitest';
import { loadLua } from '../../dev/redis/embedded/lua/wasm.ts';
import { HEARTBEAT_MS } from '../../src/limits.ts';
import { createLease } from '../../src/loop/lease.ts';
import { createStore, type Store } from '../../src/loop/store.ts';
import { createTestClock } from '../helpers/clock.ts';
import { acceptance, claimed } from '../helpers/runs.ts';
import { createPlainRedis } from './plain-redis.ts';

/** A store whose next append waits until it is let go. */
function gated(store: Store): { store: Store; letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    store: {
      ...store,
      append: async (request) => {
        await gate.promise;
        return await store.append(request);
      },
    },
    letGo: gate.resolve,
  };
}

// Seed 13028 of an earlier form: a cancel that a heartbeat had just heard of was run over by an end
// that was decided before, and a run could go to sleep over its approval in the same way.
it.each(['release', 'finish'] as const)(
  'a %s is not carried out on entries that came after it was decided',
  async (kind) => {
    const clock = createTestClock();
    const redis = createPlainRedis(await loadLua(), clock.now);
    const plain = createStore(redis, { retentionDays: 30, now: clock.now });
    await plain.accept(acceptance('run_1'));
    const grant = await claimed(plain, 'run_1', 'n1');
    const { store, letGo } = gated(plain);
    const lease = createLease({ store, clock }, { grant, lines: grant.lines });
    await clock.advance(HEARTBEAT_MS);
    await plain.requestCancel('run_1', { by: 'ada' });

    const ended =
      kind === 'release'
        ? lease.release({ waitMs: 60_000, dueMs: 90_000 })
        : lease.finish([], { status: 'failed' });
    letGo();

    expect(await ended).toBe('moved');
    expect(lease.view().cancelled).toBe(true);
    expect((await plain.head('run_1'))?.state).toBe('open');
    lease.stop();
    redis.close();
  },
);
