/**
 * The end of a run's existence. An unfinished run is cancelled first, and whoever holds it gets a
 * moment to stop: then what it spent is booked to the micro-dollar and nothing is written behind
 * our back. What the loop leaves is a tombstone that owes the purge of all objects.
 */
import type { Deps } from '../deps.ts';
import { HEARTBEAT_MS } from '../limits.ts';
import { archiveKey, objectPrefix } from '../loop/deliver.ts';
import type { RunHead } from '../loop/run-head.ts';
import type { Principal } from './context.ts';
import { loadRun, unknownRun } from './load-run.ts';
import { sendStep } from './send-step.ts';

/** A holder hears of a cancel with its next heartbeat, and then only has to say what came of it. */
const MAX_STOP_MS = HEARTBEAT_MS + 3_000;
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 1_000;
const POLL_GROWTH = 1.5;

/** Throws `not_found` for what is not there, deleted, or another owner's. */
export async function deleteRun(
  id: string,
  { deps, principal }: { deps: Deps; principal: Principal },
): Promise<void> {
  const run = await loadRun(id, { deps, principal });
  const archive = archiveKey(principal.owner, id);
  if (run.kind === 'live') {
    await stopRuns([run.head], { deps, by: principal.owner });
    if ((await deps.store.remove(id)) === 'gone') throw unknownRun();
    // The tombstone owes the purge of all objects; what is here already need not wait for it.
    await deps.objects.delete([archive]);
    await sendStep(id, deps);
    return;
  }
  // Redis has let the run go long ago: nothing owes the purge, so it is done here.
  const written = await deps.objects.list(objectPrefix(principal.owner, id));
  await deps.objects.delete([...written, archive]);
}

/**
 * Cancels what is unfinished and waits until nobody holds it, at most MAX_STOP_MS for all
 * together: a holder that is silent for longer is dead, and the tombstone fences it.
 */
export async function stopRuns(
  heads: readonly RunHead[],
  { deps, by }: { deps: Deps; by: string },
): Promise<void> {
  const { store, clock } = deps;
  let ids = heads.filter(({ state }) => state === 'open').map(({ id }) => id);
  await Promise.all(ids.map((id) => store.requestCancel(id, { by })));
  const until = clock.now() + MAX_STOP_MS;
  for (let pollMs = FIRST_POLL_MS; ids.length > 0; pollMs *= POLL_GROWTH) {
    const now = clock.now();
    // Read after the cancel: who claims later finds it in the journal and only closes the run.
    const found = await store.heads(ids);
    ids = found.flatMap((head) =>
      head?.state === 'open' && head.leaseUntil > now ? [head.id] : [],
    );
    if (ids.length === 0 || now >= until) return;
    await clock.sleep(Math.min(pollMs, MAX_POLL_MS));
  }
}
