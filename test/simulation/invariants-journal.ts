/** The journals: whole, in order, with one end; bounded; the same for whoever follows. */
import { eventOf } from './outside.ts';
import { eachRun, field, type Invariant, stateOf } from './told.ts';

export const JOURNAL_INVARIANTS: readonly Invariant[] = [
  {
    name: 'every_run_ends',
    check: eachRun((told) => [stateOf(told) === 'open' && 'it is still open']),
  },
  {
    name: 'a_journal_can_be_folded',
    check: eachRun((told) => [stateOf(told) === 'finished' && !told.view && 'it cannot']),
  },
  {
    name: 'the_account_is_what_redis_holds',
    check: eachRun((told) => [
      told.lines.join('\n') !== told.run.lines.join('\n') && 'the journal differs',
    ]),
  },
  {
    name: 'one_end_and_it_is_last',
    check: eachRun((told) => {
      if (stateOf(told) !== 'finished') return [];
      const ends = told.entries.filter(({ type }) => type === 'run_finished').length;
      const last = told.entries.at(-1);
      const status = told.run.head.get('status');
      return [
        ends !== 1 && `${ends} run_finished`,
        last?.type !== 'run_finished' && `${last?.type} is last`,
        last?.type === 'run_finished' &&
          status !== last.status &&
          `the head says ${status}, the journal ${last.status}`,
      ];
    }),
  },
  {
    name: 'no_entry_stands_twice',
    check: eachRun(({ lines, entries }) => {
      // A person may send a verdict or a cancel twice; the second changes nothing.
      const own = lines.filter(
        (_, i) => !['approval_given', 'cancel_requested'].includes(entries[i]?.type ?? ''),
      );
      const prepared = entries.filter(({ type }) => type === 'run_prepared').length;
      return [
        new Set(own).size !== own.length && 'an entry stands twice',
        prepared > 1 && `${prepared} run_prepared`,
      ];
    }),
  },
  {
    name: 'each_call_has_one_result',
    check: eachRun((told) => {
      if (stateOf(told) !== 'finished' || told.isBuried || !told.view) return [];
      const calls = [...told.view.closedTurns.flat(), ...told.view.calls];
      return calls.map(({ id, result }) => !result && `${id} has no result`);
    }),
  },
  {
    name: 'starts_come_once_and_before_results',
    check: eachRun(({ entries }) => {
      const started = new Set<string>();
      const finished = new Set<string>();
      const found: string[] = [];
      for (const entry of entries) {
        if (entry.type === 'tool_finished') finished.add(entry.tool_use_id);
        if (entry.type !== 'tool_started') continue;
        if (started.has(entry.tool_use_id)) found.push(`${entry.tool_use_id} started twice`);
        if (finished.has(entry.tool_use_id)) found.push(`${entry.tool_use_id} started late`);
        started.add(entry.tool_use_id);
      }
      return found;
    }),
  },
  {
    name: 'a_holder_writes_the_time_of_redis',
    check: eachRun(({ run, entries }) =>
      entries.map((entry, i) => {
        // People's entries carry the clock of the Worker that took them, which may be a minute off.
        if (entry.type === 'run_started' || entry.type === 'cancel_requested') return false;
        if (entry.type === 'approval_given' && entry.by === 'person') return false;
        const earlyMs = entry.at - (run.times[i] ?? 0);
        return earlyMs > 0 && `${entry.type} says ${Math.ceil(earlyMs)} ms later than it was`;
      }),
    ),
  },
  {
    name: 'a_cancelled_run_ends_as_cancelled',
    check: eachRun((told) => {
      const cancelled = told.entries.some(({ type }) => type === 'cancel_requested');
      const status = told.view?.finished?.status;
      return [cancelled && status && !told.isBuried && status !== 'cancelled' && `it is ${status}`];
    }),
  },
  {
    name: 'claims_are_bounded',
    isOffAfterLoss: true,
    check: eachRun((told) => {
      if (stateOf(told) !== 'finished') return [];
      const { grants, deliverGrants, forgiven, written } = told.run;
      const most = written.length + field(told, 'idle') + 1 + deliverGrants + forgiven;
      return [grants > most && `${grants} claims for ${written.length} entries`];
    }),
  },
  {
    name: 'limits_are_kept',
    check: eachRun(({ view }) => {
      if (!view) return [];
      const { limits } = view.started;
      return [
        view.turns > limits.turns && `${view.turns} turns of ${limits.turns}`,
        view.failures > 5 && `${view.failures} failures in a row`,
      ];
    }),
  },
  {
    name: 'no_run_idles_away',
    check: eachRun((told, world) => [
      told.view?.finished?.reason === 'no_headway' &&
        !world.faults.happened.some(({ name }) => name === 'storage_down') &&
        'it came to nothing though storage was there',
    ]),
  },
  {
    name: 'an_event_is_one_run',
    check: (world) =>
      [...world.outside.answers].flatMap(([event, { ids }]) => {
        const all = [...world.ledger.runs.values()];
        // Redis may have forgotten a run that somebody was told of.
        const runs = all.filter(({ id, head }) => eventOf(id) === event && head.size > 0);
        const isKnown = (id: string) => runs.some((run) => run.id === id);
        const stranger = world.ledger.losses() === 0 && [...ids].find((id) => !isKnown(id));
        return [
          ...(runs.length > 1 ? [`${event} became ${runs.map(({ id }) => id)}`] : []),
          ...(stranger ? [`${event} was answered with ${stranger}, which does not exist`] : []),
        ];
      }),
  },
  {
    name: 'who_follows_sees_the_journal',
    isOffAfterLoss: true,
    check: eachRun((told, world) => {
      const seen = world.outside.seen.get(told.run.id);
      if (!seen || stateOf(told) !== 'finished') return [];
      return [seen.join('\n') !== told.lines.join('\n') && `${seen.length} seen, another story`];
    }),
  },
];
