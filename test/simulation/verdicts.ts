/** Approvals: somebody sees the request and decides, or nobody does. */
import type { Deps } from '../../src/deps.ts';
import { fold } from '../../src/loop/fold.ts';
import { sendStep } from '../../src/routes/send-step.ts';
import { eventOf } from './outside.ts';
import { MAX_TRIES, type Stage } from './stage.ts';
import type { World } from './world.ts';

/** Times the journal may grow between reading it and adding a verdict. */
const MAX_ROUNDS = 8;

/** Gives a verdict on a call that waits, as the route does it. */
export function createVerdicts(
  world: World,
  { wait }: Stage,
): (id: string, callId: string) => Promise<void> {
  const { chance } = world;

  /** As the route does it: read, judge, add the verdict where the journal has not grown since. */
  async function decide(
    deps: Deps,
    { id, callId, decision }: { id: string; callId: string; decision: 'approve' | 'deny' },
  ): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ROUNDS; attempt += 1) {
      const entries = await deps.store.entries(id, 1);
      if (entries.length === 0) return true;
      const view = fold(entries);
      const call = view.calls.find((one) => one.id === callId);
      const isOpen = !view.finished && call?.approval === 'asked' && !call.result;
      if (isOpen) {
        const draft = {
          type: 'approval_given',
          tool_use_id: callId,
          decision,
          by: 'person',
          ...(chance.hit(`says why ${callId}`, 0.5) ? { note: 'Not today.' } : {}),
        } as const;
        const answer = await deps.store.approve(id, { base: entries.length, draft });
        if (answer === 'moved') continue;
      }
      await sendStep(id, deps);
      return true;
    }
    return false;
  }

  return async function approve(id, callId) {
    const decision = chance.hit(`denies ${callId}`, 0.3) ? 'deny' : 'approve';
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const ended = await world.spawn(`${eventOf(id)} approve`, {
        body: (deps) => decide(deps, { id, callId, decision }),
      });
      if (ended.kind === 'done' && ended.value) return;
      await wait(2_000);
    }
  };
}
