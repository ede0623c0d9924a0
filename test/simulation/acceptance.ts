/** What is asked for in a world: limits tight and wide, with a key or without, owing this and that. */
import type { Draft, RunStarted } from '../../src/loop/journal.ts';
import type { AcceptRun } from '../../src/loop/store.ts';
import { DAY_LIMIT_MICRO_USD } from './invocation.ts';
import { OWNER } from './stage.ts';
import type { World } from './world.ts';

const KEY_SECONDS = 48 * 3600;

/** The same for every request of one event but for the id. */
export function acceptanceOf(
  world: World,
  { event, id }: { event: string; id: string },
): AcceptRun {
  const { chance, faults, outside } = world;
  const limits = {
    turns: chance.pick(`turns ${event}`, [1, 2, 4, 6, 8, 8]),
    tool_calls: chance.pick(`calls ${event}`, [3, 60, 60]),
    tokens: chance.pick(`tokens ${event}`, [20_000, 1_000_000, 1_000_000]),
    usd: chance.pick(`usd ${event}`, [0.05, 0.3, 1, 1, 1]),
    seconds: chance.pick(`seconds ${event}`, [120, 1800, 1800, 1800, 1800]),
  };
  const entry: Draft<RunStarted> = {
    type: 'run_started',
    question: `[${event}] What is 2 + 2?`,
    files: [],
    options: chance.hit(`guard ${event}`, 0.5) ? { approvals: ['send'] } : {},
    limits,
    source: 'api',
    owner: OWNER,
  };
  const hasKey = chance.hit(`key ${event}`, 0.7);
  const owesNothing = chance.hit(`owes ${event}`, 0.05);
  const outbox: Record<string, string> = owesNothing ? {} : { archive: '1', kill_sandbox: '1' };
  if (chance.hit(`post ${event}`, 0.5)) outbox.post = event;
  if (faults.hit('delivery_unknown', event)) outbox.pigeon = '1';
  outside.asked.set(event, Object.keys(outbox));
  return {
    id,
    owner: OWNER,
    entry,
    drive: chance.hit(`client ${event}`, 0.3) ? 'client' : 'queue',
    limitMicroUsd: Math.round(limits.usd * 1e6),
    dayLimitMicroUsd: DAY_LIMIT_MICRO_USD,
    maxActive: world.maxActive,
    dedupe: hasKey
      ? { key: `idem:${OWNER}:${event}`, bodyHash: event, ttlSeconds: KEY_SECONDS }
      : null,
    outbox,
  };
}
