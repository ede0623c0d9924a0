/** Money, what is owed, and what is left behind. */
import { archiveKey, objectPrefix } from '../../src/loop/deliver.ts';
import { eventOf } from './outside.ts';
import { OWNER } from './stage.ts';
import { eachRun, field, type Invariant, stateOf } from './told.ts';

export const ACCOUNT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'what_is_booked_is_on_record',
    check: eachRun((told) => {
      if (stateOf(told) !== 'finished' || !told.view) return [];
      const { costMicroUsd } = told.view;
      return [field(told, 'spent') !== costMicroUsd && `${field(told, 'spent')} ≠ ${costMicroUsd}`];
    }),
  },
  {
    name: 'really_spent_within_the_limit',
    isOffAfterLoss: true,
    check: eachRun((told, world) => {
      const event = eventOf(told.run.id);
      const real = world.outside.modelCalls
        .filter((call) => call.event === event)
        .reduce((sum, { realMicroUsd }) => sum + realMicroUsd, 0);
      const limit = field(told, 'limit');
      return [real > limit && `${real} micro-USD of ${limit}`];
    }),
  },
  {
    name: 'reserved_is_spent_or_refunded',
    check: ({ ledger }) =>
      [...ledger.usage].flatMap(([key, sums]) => {
        const get = (name: string) => sums.get(name) ?? 0;
        const [reserved, spent, refunded] = [get('reserved'), get('spent'), get('refunded')];
        return spent + refunded === reserved
          ? []
          : [`${key}: ${spent} + ${refunded} ≠ ${reserved}`];
      }),
  },
  {
    name: 'the_day_is_what_its_runs_spent',
    check: ({ ledger }, told) => {
      const spent = told.reduce((sum, one) => sum + field(one, 'spent'), 0);
      const days = [...ledger.usage.values()];
      const booked = days.reduce((sum, day) => sum + (day.get('spent') ?? 0), 0);
      return booked === spent ? [] : [`booked ${booked}, the runs say ${spent}`];
    },
  },
  {
    name: 'ended_runs_hold_no_slot',
    check: ({ ledger }) =>
      [...ledger.active].flatMap(([key, ids]) => (ids.size > 0 ? [`${key}: ${[...ids]}`] : [])),
  },
  {
    name: 'nothing_is_owed_or_due_at_the_end',
    check: eachRun((told, { ledger }) => [
      told.run.outbox.size > 0 && `owes ${[...told.run.outbox.keys()]}`,
      ledger.due.has(told.run.id) && 'is still due',
      stateOf(told) === 'finished' && field(told, 'lease') !== 0 && 'is still leased',
    ]),
  },
  {
    name: 'nothing_else_is_due',
    check: ({ ledger }) => {
      const strangers = [...ledger.due.keys()].filter((id) => !ledger.runs.has(id));
      return strangers.length > 0 ? [`${strangers} is due and does not exist`] : [];
    },
  },
  {
    name: 'runs_are_listed_while_they_exist',
    check: eachRun((told, world) => {
      const listed = world.redis.read('ZRANGE', `runs:${OWNER}`, '0', '-1') as string[];
      const isListed = listed.includes(told.run.id);
      return [isListed === (stateOf(told) === 'deleted') && `listed: ${isListed}`];
    }),
  },
  {
    name: 'what_is_over_expires',
    check: eachRun(({ run }, world) => {
      const keys = [`run:${run.id}`, `run:${run.id}:log`, `idem:${OWNER}:${eventOf(run.id)}`];
      return keys.map((key) => world.redis.read('PTTL', key) === -1 && `${key} stays for ever`);
    }),
  },
  {
    name: 'deliveries_are_made_or_dead',
    // A deletion that was forgotten brings a run back whose archive is gone.
    isOffAfterLoss: true,
    check: eachRun((told, { outside, bucket }) => {
      if (stateOf(told) !== 'finished') return [];
      const { id, head } = told.run;
      const dead = (head.get('dead') ?? '').split(',');
      const asked = outside.asked.get(eventOf(id)) ?? [];
      const owes = (kind: string) => asked.includes(kind) && !dead.includes(kind);
      const archive = bucket.stored.get(archiveKey(OWNER, id));
      const text = archive && new TextDecoder().decode(archive.bytes);
      const posts = outside.posts.get(id) ?? [];
      return [
        owes('archive') && text !== `${told.lines.join('\n')}\n` && 'the archive differs',
        owes('kill_sandbox') && !outside.killedAt.has(id) && 'its sandboxes were not killed',
        owes('post') && posts.length === 0 && 'its end was not posted',
        owes('pigeon') && 'what nobody could deliver is not dead',
        new Set(posts).size > 1 && `posted as ${posts}`,
      ];
    }),
  },
  {
    name: 'no_sandbox_outlives_its_run',
    check: ({ outside, ledger }) =>
      [...outside.sandboxes].flatMap(([id, { run, madeAt, goneAt }]) => {
        if (!ledger.runs.get(run)?.owed.has('kill_sandbox')) return [];
        // One that a late worker made after the last kill ends by the service's own timeout.
        const killedAt = outside.killedAt.get(run) ?? Number.POSITIVE_INFINITY;
        return goneAt === null && madeAt < killedAt ? [`${id} of ${run} is still there`] : [];
      }),
  },
  {
    name: 'deleted_runs_leave_nothing',
    check: eachRun((told, { outside, bucket }) => {
      if (stateOf(told) !== 'deleted') return [];
      const prefix = objectPrefix(OWNER, told.run.id);
      const purgedAt = outside.purgedAt.get(told.run.id) ?? 0;
      const left = [...bucket.stored].filter(
        ([key, { putAt }]) => key.startsWith(prefix) && putAt < purgedAt,
      );
      return [
        told.lines.length > 0 && `${told.lines.length} entries are left`,
        purgedAt === 0 && 'nobody purged its objects',
        left.length > 0 && `${left.map(([key]) => key)} outlived the purge`,
      ];
    }),
  },
];
