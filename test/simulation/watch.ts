/**
 * What must be true at the very moment something happens: a tool is entered, the model is asked, a
 * worker dies. Also counts the crash points of docs/crash-points.md.
 */

import {
  BURY_ATTEMPTS,
  CLOSE_ATTEMPTS,
  LEASE_GRACE_MS,
  LEASE_MS,
  MAX_IDLE_CLAIMS,
  POISON_ATTEMPTS,
} from '../../src/limits.ts';
import type { Registry } from '../../src/tools/registry.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { eventOf, mark, type Outside } from './outside.ts';
import type { Carried } from './redis.ts';
import type { Process, Scheduler } from './scheduler.ts';
import { GUARDED_TOOL } from './tools.ts';
import type { Moment, Transport } from './transport.ts';

interface Grant {
  run: string;
  mode: string;
  attempts: number;
}

export interface Watch {
  carried(carried: Carried): void;
  heard(heard: Pick<Carried, 'process' | 'name' | 'id' | 'answer'>): void;
  crashed(process: Process, label: string, moment: Moment): void;
  asksModel(process: Process): void;
  /** The registry, with an eye on every call. */
  guarded(process: Process, registry: Registry): Registry;
  logged(event: string, fields: Record<string, unknown>): void;
}

export function createWatch(parts: {
  ledger: Ledger;
  outside: Outside;
  scheduler: Scheduler;
  transport: Transport;
  chance: Chance;
  faults: Faults;
}): Watch {
  const { ledger, outside, scheduler, transport, chance, faults } = parts;
  const grants = new Map<string, Grant>();

  function headOf(flat: unknown): Map<string, string> {
    const list = flat as string[];
    const head = new Map<string, string>();
    for (let i = 0; i < list.length; i += 2) head.set(list[i] ?? '', list[i + 1] ?? '');
    return head;
  }

  function claimed({ id, args, answer }: Carried) {
    const [kind, mode, , , flat, , lines] = answer;
    const holder = ledger.runs.get(id)?.head.get('nonce');
    if (kind === 'busy' && holder === args[1]) {
      ledger.accuse('a_claim_sent_again_is_the_same_grant', `${id}, ${holder}`);
    }
    if (kind !== 'grant') {
      mark(outside, `claim answered ${String(kind)}`);
      return;
    }
    const head = headOf(flat);
    if (head.get('lease') === '0') ledger.accuse('a_grant_is_a_lease', `${id}, ${args[1]}`);
    mark(outside, `mode ${String(mode)}`);
    const [attempts, idle] = [Number(head.get('attempts')), Number(head.get('idle'))];
    const closes = attempts >= CLOSE_ATTEMPTS || idle > MAX_IDLE_CLAIMS;
    const due = attempts >= BURY_ATTEMPTS ? 'bury' : closes ? 'close' : 'work';
    const expected = head.get('state') === 'open' ? due : 'deliver';
    if (mode === 'bury' && (lines as string[]).length > 0) {
      ledger.accuse('a_journal_to_be_buried_is_not_read', id);
    }
    if (mode !== expected) ledger.accuse('modes_follow_the_counters', `${mode}, not ${expected}`);
  }

  /** A grant counts for its holder once it has heard of it; a late copy tells it nothing. */
  function heard({ process, name, id, answer }: Parameters<Watch['heard']>[0]) {
    const [kind, mode, , length, flat] = answer;
    if (name !== 'claim' || kind !== 'grant') return;
    grants.set(process.name, {
      run: id,
      mode: String(mode),
      attempts: Number(headOf(flat).get('attempts')),
    });
    poison(process, id, { mode: String(mode), length: Number(length) });
  }

  /** A run, or a journal, that from some length on stops whoever works on it. */
  function poison(
    process: Process,
    id: string,
    { mode, length }: { mode: string; length: number },
  ) {
    const event = eventOf(id);
    if (length < chance.pick(`poison from ${event}`, [1, 3, 5])) return;
    if (mode === 'work' && faults.hit('poison_run', event)) {
      transport.kill(process, 'poison run', 'during');
    }
    if (mode !== 'bury' && mode !== 'deliver' && faults.hit('poison_journal', event)) {
      transport.kill(process, 'poison journal', 'during');
    }
  }

  function appended(carried: Carried) {
    const { process, id, args, answer } = carried;
    const [kind] = answer;
    mark(outside, `append answered ${String(kind)}`);
    const lines = args.slice(16, 16 + Number(args[13]));
    const grant = grants.get(process.name);
    if (kind === 'fenced' && grant) mark(outside, 'a late worker was fenced');
    if (args[1] !== 'holder') return;
    judgeLease(carried);
    if (kind !== 'ok') return;
    const run = ledger.runs.get(id);
    if (run && args[6] === '2') run.forgiven += 1;
    if (grant && lines.some((line) => line.includes('"type":"model_replied"'))) grant.attempts = 0;
    if (ledger.losses() === 0) judgeHolder(id, args);
  }

  /** Whoever writes keeps the run for another lease, and the run is looked at soon after its end. */
  function judgeLease({ id, args, answer: [kind], hasChanged }: Carried) {
    const run = ledger.runs.get(id);
    const gives = args[6] !== '0' || args[7] !== '';
    const entries = Number(args[13]);
    const applies = kind === 'ok' ? entries === 0 || hasChanged : kind === 'moved' && entries === 0;
    if (!run || gives || !applies) return;
    const field = (name: string) => Number(run.head.get(name));
    const leaseMs = field('lease') - Math.floor(scheduler.now());
    if (leaseMs !== LEASE_MS) ledger.accuse('an_append_renews_the_lease', `${id}: ${leaseMs} ms`);
    if (ledger.due.get(id) !== field('lease') + LEASE_GRACE_MS) {
      ledger.accuse('due_is_the_end_of_the_lease', id);
    }
    if (entries > 0 && field('attempts') !== 0) ledger.accuse('entries_reset_attempts', id);
  }

  /** What a holder writes, it writes under the newest epoch. */
  function judgeHolder(id: string, args: string[]) {
    const epoch = Number(args[2]);
    const newest = Number(ledger.runs.get(id)?.head.get('epoch') ?? 0);
    const entries = Number(args[13]);
    if (entries > 0 && epoch !== newest) {
      ledger.accuse('only_the_newest_epoch_writes', `${id}: epoch ${epoch} of ${newest}`);
    }
  }

  function entersTool(process: Process, tool: { name: string; effect: string }, callId: string) {
    const grant = grants.get(process.name);
    const run = ledger.runs.get(grant?.run ?? '');
    if (!grant || !run || ledger.losses() > 0) return;
    const has = (type: string, more = '') =>
      run.written.some(
        (line) =>
          line.includes(`"type":"${type}"`) && line.includes(`"${callId}"`) && line.includes(more),
      );
    if (!has('model_replied')) ledger.accuse('a_reply_is_on_record_before_its_tools', callId);
    if (tool.effect !== 'pure' && !has('tool_started')) {
      ledger.accuse('starts_are_on_record', `${tool.name} ${callId}`);
    }
    if (tool.name === GUARDED_TOOL && !has('approval_given', '"decision":"approve"')) {
      ledger.accuse('guarded_tools_wait_for_a_person', callId);
    }
    if (grant.mode !== 'work') ledger.accuse('no_tool_when_closing', `${grant.mode} ${callId}`);
    if (grant.attempts >= POISON_ATTEMPTS) {
      ledger.accuse('poison_is_not_run_again', `${callId} after ${grant.attempts} attempts`);
    }
  }

  return {
    carried(carried) {
      const { name, answer } = carried;
      if (name === 'claim') claimed(carried);
      else if (name === 'append') appended(carried);
      else if (name === 'accept') mark(outside, `accept answered ${String(answer[0])}`);
    },
    heard,
    crashed(process, label, moment) {
      mark(outside, `crash: ${label}, ${moment}`);
      const grant = grants.get(process.name);
      const lines = ledger.runs.get(grant?.run ?? '')?.lines ?? [];
      const since = lines.findLastIndex((line) => line.includes('"type":"model_replied"'));
      const done = lines.slice(since + 1).some((line) => line.includes('"type":"tool_finished"'));
      if (/^(tool|sandbox|poison$)/.test(label) && since >= 0 && done) {
        mark(outside, 'crash: tools, some done');
      }
    },
    asksModel(process) {
      const grant = grants.get(process.name);
      if (grant && grant.mode !== 'work') {
        ledger.accuse('no_model_call_when_closing', `${grant.mode} by ${process.name}`);
      }
    },
    guarded: (process, registry) =>
      createRegistry(
        registry.all().map((tool) => ({
          ...tool,
          run: (input, context) => {
            if (process.alive) entersTool(process, tool, context.toolUseId);
            return tool.run(input, context);
          },
        })),
      ),
    logged(event, fields) {
      mark(outside, `log ${event}`);
      const fault = String(fields.fault ?? '');
      if (event === 'step_failed' && !/did not answer in time/.test(fault)) {
        ledger.accuse('no_step_throws', fault);
      }
    },
  };
}
