/** Clients: one drives its own run step by step, one is restless, one follows by seq. */
import { QUEUE_INVOCATION_MS } from '../../src/limits.ts';
import { driveClientStep } from '../../src/loop/drive.ts';
import { parseEntry } from '../../src/loop/journal.ts';
import { eventOf } from './outside.ts';
import { isCode, type Stage } from './stage.ts';
import type { World } from './world.ts';

export interface Clients {
  /** Step after step, as a page does it, until the run ends or the client leaves. */
  drive(id: string): Promise<void>;
  /** Asks for steps and goes away at once. */
  beRestless(id: string): Promise<void>;
  /** Reads what is new since the last entry seen, as an event stream does. */
  view(id: string): Promise<void>;
}

export function createClients(world: World, { wait }: Stage): Clients {
  const { scheduler, chance, faults, outside, ledger } = world;

  async function drive(id: string) {
    for (let steps = 1; steps < 200; steps += 1) {
      const where = `${eventOf(id)} step ${steps}`;
      if (faults.hit('client_leaves', where)) return;
      const gone = new AbortController();
      if (faults.hit('disconnect', where)) {
        scheduler.after(chance.number(`gone ${where}`) * 8_000, null, () => gone.abort());
      }
      const ended = await world.spawn(`${eventOf(id)} client`, {
        wallMs: QUEUE_INVOCATION_MS,
        body: (deps) => driveClientStep(id, { deps, signal: gone.signal, onText: () => {} }),
      });
      if (ended.kind === 'threw' && !isCode(ended.error, 'unavailable')) {
        ledger.accuse('a_step_never_throws', String(ended.error));
      }
      const step = ended.kind === 'done' ? ended.value : null;
      if (step?.kind === 'gone' || step?.kind === 'nothing') return;
      const state = ledger.runs.get(id)?.head.get('state');
      if (state !== 'open') return;
      const pause = step && 'retryAfterMs' in step ? Math.min(step.retryAfterMs, 30_000) : 300;
      await wait(step?.kind === 'queued' ? 5_000 : pause);
    }
  }

  async function beRestless(id: string) {
    for (let steps = 1; steps <= 40; steps += 1) {
      const gone = AbortSignal.abort();
      await world.spawn(`${eventOf(id)} restless client`, {
        body: (deps) => driveClientStep(id, { deps, signal: gone }),
      });
      await wait(chance.int(`restless ${id} ${steps}`, [100, 3_000]));
    }
  }

  async function view(id: string) {
    const seen: string[] = [];
    outside.seen.set(id, seen);
    for (let pollMs = 1_000; ; pollMs = Math.min(pollMs * 1.5, 60_000)) {
      const ended = await world.spawn(`${eventOf(id)} viewer`, {
        body: (deps) => deps.store.entries(id, seen.length + 1),
      });
      if (ended.kind === 'done') seen.push(...ended.value.map((entry) => JSON.stringify(entry)));
      const last = seen.at(-1);
      if (last && parseEntry(last).type === 'run_finished') return;
      const state = ledger.runs.get(id)?.head.get('state');
      // Deleted, or forgotten by Redis.
      if (state === 'deleted' || state === undefined) return;
      await wait(pollMs);
    }
  }

  return { drive, beRestless, view };
}
