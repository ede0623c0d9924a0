/** The queue and its consumers, and the cron: messages are lost, doubled and late; the cron is not. */
import { QUEUE_INVOCATION_MS } from '../../src/limits.ts';
import { consumeMessage, sweepDue } from '../../src/loop/drive.ts';
import { eventOf } from './outside.ts';
import type { Stage } from './stage.ts';
import type { World } from './world.ts';

/** Cloudflare delivers a message at most four times, then it is dead. */
const MAX_DELIVERIES = 4;
const MINUTE = 60_000;

/** `onMinute` is called each virtual minute. */
export function startQueue(
  world: World,
  { stage, onMinute }: { stage: Stage; onMinute: () => void },
): void {
  const { scheduler, chance, faults, ledger } = world;
  const { act } = stage;
  let messages = 0;
  let consumers = 0;

  function enqueue(
    runId: string,
    { delayMs, deliveries }: { delayMs: number; deliveries: number },
  ) {
    messages += 1;
    const where = `message ${messages}`;
    if (faults.hit('message_lost', where)) return;
    const late = faults.hit('message_late', where)
      ? chance.int(`late ${where}`, [1_000, 90_000])
      : 0;
    const delay = Math.ceil(delayMs / 1000) * 1000 + late + 5;
    act(delay, () => consume(runId, deliveries));
    if (faults.hit('message_twice', where)) {
      act(delay + chance.int(`again ${where}`, [0, 20_000]), () => consume(runId, deliveries));
    }
  }
  async function consume(runId: string, deliveries: number) {
    consumers += 1;
    // The last message of a batch finds little left of the invocation.
    const leftMs = QUEUE_INVOCATION_MS * chance.pick(`left ${consumers}`, [1, 1, 1, 0.62, 0.03]);
    const ended = await world.spawn(`${eventOf(runId)} consumer`, {
      wallMs: leftMs,
      body: (deps) => consumeMessage(runId, { deps, deadline: deps.clock.now() + leftMs }),
    });
    if (ended.kind === 'threw') ledger.accuse('a_consumer_never_throws', String(ended.error));
    if (deliveries >= MAX_DELIVERIES) return;
    if (ended.kind === 'died') enqueue(runId, { delayMs: 10_000, deliveries: deliveries + 1 });
    if (ended.kind === 'done' && ended.value.kind === 'retry') {
      enqueue(runId, { delayMs: ended.value.afterMs, deliveries: deliveries + 1 });
    }
  }

  /** Each minute, where a run is due. */
  function cron() {
    const dueAt = Math.min(...ledger.due.values());
    if (dueAt <= scheduler.now()) {
      act(0, async () => {
        await world.spawn('cron', { wallMs: QUEUE_INVOCATION_MS, body: (deps) => sweepDue(deps) });
      });
    }
    onMinute();
    scheduler.after(MINUTE, null, cron);
  }
  scheduler.after(MINUTE, null, cron);
  world.onMessage = (runId, delayMs) => enqueue(runId, { delayMs, deliveries: 1 });
  if (faults.hit('message_stray', 'the queue')) {
    act(chance.number('stray') * MINUTE, () => consume('run_q9_0000000000000_0', MAX_DELIVERIES));
  }
}
