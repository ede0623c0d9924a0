/** What a finished run still owes (the outbox): one function a kind, sent with a stable id. */
import type { Deps } from '../deps.ts';
import type { Entry } from './journal.ts';

/** Throws when it failed; the run is claimed again later until DELIVERY_GIVE_UP_MS have passed. */
export type Delivery = (
  delivery: { runId: string; owner: string; value: string; entries: readonly Entry[] },
  deps: Deps,
) => Promise<void>;
