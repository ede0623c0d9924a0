/**
 * The log line of a step: which run, where in its journal, how long, how it ended, what it cost.
 * Nothing of what was asked, said or computed.
 */
import type { Deps } from '../deps.ts';
import type { Entry } from './journal.ts';
import type { Lease } from './lease.ts';

/**
 * Call the result at the end of each step under `lease`. `seq` is the place of the step's first
 * entry; `cost_micro_usd` is what its entries booked, tools that ask a model included.
 */
export function createStepLog(lease: Lease, { log, clock }: Deps): (outcome: string) => void {
  const { head, mode, length } = lease.grant;
  let startedAt = clock.now();
  let logged = lease.entries().length;
  let seq = length + 1;
  return (outcome) => {
    const fresh = lease.entries().slice(logged);
    log('step', {
      run: head.id,
      seq,
      entries: fresh.length,
      epoch: head.epoch,
      mode,
      ms: clock.now() - startedAt,
      outcome,
      cost_micro_usd: fresh.reduce((sum, entry) => sum + costOf(entry), 0),
    });
    startedAt = clock.now();
    logged += fresh.length;
    seq += fresh.length;
  };
}

/** What an entry booked, micro-USD. */
function costOf(entry: Entry): number {
  return 'cost_micro_usd' in entry ? (entry.cost_micro_usd ?? 0) : 0;
}
