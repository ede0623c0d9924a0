/** Waking a worker for a run. A message is a hint: what it is lost for, the sweep finds later. */
import type { Deps } from '../deps.ts';
import { errorFields } from '../log.ts';

/** Hands the run to the queue. Never throws: a message that is lost costs time only. */
export async function sendStep(runId: string, deps: Deps): Promise<void> {
  try {
    await deps.queue.send(runId);
  } catch (error) {
    deps.log('step_not_sent', { run: runId, ...errorFields(error) });
  }
}
