/**
 * A second account of what Redis holds, kept from its effects alone, and what must be true after
 * every single call. The head's own rules are in
 * head-judge.ts; what is judged when all is over, in invariants.ts.
 */
import type { ScriptName } from '../../src/loop/scripts.ts';
import { judgeClaim, judgeDue, judgeHead } from './head-judge.ts';

export interface RunAccount {
  id: string;
  head: Map<string, string>;
  lines: string[];
  /** Every line that was ever written, those too that a deletion dropped. */
  written: string[];
  outbox: Map<string, string>;
  /** Every delivery it ever owed. */
  owed: Set<string>;
  deletedAt: number | null;
  /** True time of each entry. */
  times: number[];
  grants: number;
  deliverGrants: number;
  /** Claims that were given back without an entry and do not count as idle. */
  forgiven: number;
}

export interface Accusation {
  invariant: string;
  what: string;
  atMs: number;
}

export interface Ledger {
  apply(effects: string[][], script: ScriptName): void;
  /** Redis forgot: the account begins again with what it still holds. */
  restore(effects: string[][]): void;
  accuse(invariant: string, what: string): void;
  readonly runs: ReadonlyMap<string, RunAccount>;
  readonly due: ReadonlyMap<string, number>;
  /** usage key → reserved, spent, refunded. */
  readonly usage: ReadonlyMap<string, Map<string, number>>;
  readonly active: ReadonlyMap<string, Set<string>>;
  readonly accusations: readonly Accusation[];
  /** Times that Redis forgot something. */
  losses(): number;
}

interface Options {
  now: () => number;
  startedAt: number;
  dayLimitMicroUsd: number;
  maxActive: number;
}

const bytesToText = (binary: string) => Buffer.from(binary, 'latin1').toString();

export function createLedger({ now, startedAt, dayLimitMicroUsd, maxActive }: Options): Ledger {
  const runs = new Map<string, RunAccount>();
  const due = new Map<string, number>();
  const usage = new Map<string, Map<string, number>>();
  const active = new Map<string, Set<string>>();
  const accusations: Accusation[] = [];
  let losses = 0;
  let isRestoring = false;

  function accuse(invariant: string, what: string) {
    if (isRestoring) return;
    accusations.push({ invariant, what, atMs: Math.round(now() - startedAt) });
  }

  function runOf(id: string): RunAccount {
    const known = runs.get(id);
    if (known) return known;
    const run: RunAccount = {
      id,
      head: new Map(),
      lines: [],
      written: [],
      outbox: new Map(),
      owed: new Set(),
      deletedAt: null,
      times: [],
      grants: 0,
      deliverGrants: 0,
      forgiven: 0,
    };
    runs.set(id, run);
    return run;
  }

  function changeHead(run: RunAccount, fields: string[], script: ScriptName) {
    const before = new Map(run.head);
    for (let i = 0; i < fields.length; i += 2) {
      run.head.set(fields[i] ?? '', bytesToText(fields[i + 1] ?? ''));
    }
    if (run.head.get('state') === 'deleted') run.deletedAt ??= now();
    if (before.size === 0 || isRestoring) return;
    const change = { run, before, now: now(), accuse };
    if (script === 'claim') {
      run.grants += 1;
      if (before.get('state') !== 'open') run.deliverGrants += 1;
      judgeClaim(change);
    }
    judgeHead(change);
  }

  function push(run: RunAccount, lines: string[]) {
    const fresh = lines.map(bytesToText);
    if (!isRestoring) {
      if (run.deletedAt !== null) accuse('deleted_runs_never_return', `${run.id} got an entry`);
      if (run.lines.at(-1)?.includes('"type":"run_finished"')) {
        accuse('nothing_after_the_end', `${run.id} got ${fresh[0]?.slice(0, 80)}`);
      }
      run.written.push(...fresh);
    }
    run.lines.push(...fresh);
    for (const _ of fresh) run.times.push(now());
  }

  function applyOne(effect: string[], script: ScriptName) {
    const [command = '', key = '', ...words] = effect;
    if (command === 'DEL' && words.length > 0) {
      for (const one of [key, ...words]) applyOne(['DEL', one], script);
      return;
    }
    const log = /^run:(.+):log$/.exec(key)?.[1];
    if (log !== undefined) {
      const run = runOf(log);
      if (command === 'RPUSH') push(run, words);
      else if (command === 'DEL') run.lines = [];
      else if (command !== 'PEXPIREAT') accuse('a_journal_only_grows', `${command} ${key}`);
      return;
    }
    const [kind, id = ''] = key.split(/:(.*)/s);
    if (kind === 'run') {
      if (command === 'HSET') changeHead(runOf(id), words, script);
      else if (command === 'DEL') forgetHead(runOf(id));
    } else if (kind === 'outbox') changeOutbox(runOf(id), command, words);
    else if (kind === 'due') changeSorted(due, command, words);
    else if (kind === 'usage' && command.startsWith('HINCRBY')) addUsage(key, words);
    else if (kind === 'usage' && command === 'HSET') setUsage(key, words);
    else if (kind === 'active') changeActive(key, command, words);
  }

  function forgetHead(run: RunAccount) {
    // `delete` drops the head and writes the tombstone in one script; expiry drops it for good.
    run.head.delete('ended');
    run.head.delete('dead');
  }

  function changeOutbox({ outbox, owed }: RunAccount, command: string, words: string[]) {
    if (command === 'DEL') outbox.clear();
    else if (command === 'HDEL') for (const kind of words) outbox.delete(kind);
    else if (command === 'HSET') {
      for (let i = 0; i < words.length; i += 2) {
        outbox.set(words[i] ?? '', words[i + 1] ?? '');
        owed.add(words[i] ?? '');
      }
    }
  }

  function changeSorted(map: Map<string, number>, command: string, words: string[]) {
    if (command === 'DEL') map.clear();
    else if (command === 'ZREM') for (const member of words) map.delete(member);
    else if (command === 'ZADD') {
      for (let i = 0; i < words.length; i += 2) map.set(words[i + 1] ?? '', Number(words[i]));
    }
  }

  function addUsage(key: string, [field = '', amount = '0']: string[]) {
    const sums = usage.get(key) ?? new Map<string, number>();
    sums.set(field, (sums.get(field) ?? 0) + Number(amount));
    usage.set(key, sums);
    const held = (sums.get('reserved') ?? 0) - (sums.get('refunded') ?? 0);
    if (held > dayLimitMicroUsd) accuse('the_day_has_a_limit', `${key} holds ${held}`);
  }

  function setUsage(key: string, words: string[]) {
    const sums = new Map<string, number>();
    for (let i = 0; i < words.length; i += 2) sums.set(words[i] ?? '', Number(words[i + 1]));
    usage.set(key, sums);
  }

  function changeActive(key: string, command: string, words: string[]) {
    const members = active.get(key) ?? new Set<string>();
    active.set(key, members);
    if (command === 'DEL') members.clear();
    else if (command === 'ZREM') for (const member of words) members.delete(member);
    else if (command === 'ZADD') {
      for (let i = 1; i < words.length; i += 2) members.add(words[i] ?? '');
    }
    if (members.size > maxActive) accuse('active_runs_are_limited', `${members.size} in ${key}`);
  }

  return {
    apply(effects, script) {
      if (effects.length === 0) return;
      for (const effect of effects) applyOne(effect, script);
      for (const run of runs.values()) {
        judgeDue(run, { dueAt: due.get(run.id), now: now(), accuse });
      }
    },
    restore(effects) {
      losses += 1;
      isRestoring = true;
      due.clear();
      usage.clear();
      active.clear();
      for (const run of runs.values()) {
        run.head.clear();
        run.lines = [];
        run.times = [];
        run.outbox.clear();
        run.deletedAt = null;
      }
      for (const effect of effects) applyOne(effect, 'accept');
      isRestoring = false;
    },
    accuse,
    runs,
    due,
    usage,
    active,
    accusations,
    losses: () => losses,
  };
}
