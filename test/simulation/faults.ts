/**
 * What can go wrong, and whether it does here. Every place where a fault may happen has a name of
 * its own, so a schedule is a list of names and can be run again with some of them left out.
 * Each seed has its own mixture: some faults often, some rarely, some not at all.
 */
import type { Chance } from './chance.ts';

/** Fault → how often, at its usual strength, at each place where it may happen; and in words. */
export const FAULTS = {
  crash: [0.02, 'the process dies'],
  evicted: [0.08, 'the platform takes the invocation away'],
  pause: [0.006, 'the process stands still for up to 150 s'],
  lost_request: [0.015, 'the request is lost'],
  lost_reply: [0.02, 'the request is carried out, its reply is lost'],
  late: [0.01, 'the request seems to fail and is carried out later'],
  twice: [0.02, 'a second copy of the request arrives later'],
  slow: [0.01, 'the request takes up to 20 s'],
  message_lost: [0.1, 'the message is lost'],
  message_twice: [0.1, 'the message arrives twice'],
  message_stray: [0.1, 'a message is about a run that never was'],
  message_late: [0.08, 'the message arrives up to 90 s late'],
  model_fails: [0.1, 'the model call fails'],
  model_hangs: [0.02, 'the model call is silent until its time is up'],
  model_slow: [0.05, 'the model call takes up to 100 s'],
  tool_slow: [0.06, 'the tool takes up to 25 s'],
  tool_hangs: [0.02, 'the tool never ends'],
  tool_throws: [0.05, 'the tool throws'],
  tool_poison: [0.02, 'the tool stops its worker each time it runs'],
  sandbox_dies: [0.6, 'the sandbox is gone'],
  storage_down: [0.06, 'R2 is out of reach for up to 45 minutes'],
  delivery_fails: [0.2, 'the delivery fails'],
  delivery_unknown: [0.02, 'the run owes a delivery that no deployment has'],
  skew: [0.7, 'the clock of the process is up to 60 s off'],
  cancel: [0.12, 'the run is cancelled'],
  delete: [0.1, 'the run is deleted'],
  accept_other: [0.1, 'the client uses its key again for another question'],
  accept_again: [0.3, 'the client asks again though it was answered'],
  deploy: [0.4, 'another deployment goes live'],
  disconnect: [0.08, 'the client that drives the step goes away'],
  client_leaves: [0.15, 'the client never comes back'],
  client_restless: [0.02, 'a client asks for steps and goes away at once, forty times'],
  nobody_approves: [0.3, 'nobody decides the approval'],
  poison_run: [0.05, 'whoever works on the run dies'],
  poison_journal: [0.04, 'whoever reads the journal dies'],
  redis_forgets: [0.025, 'Redis forgets the last writes it acknowledged'],
} as const satisfies Record<string, readonly [number, string]>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** Only when asked for, or in this share of the seeds: much of what is promised is off with it. */
const FORGETFUL_SEEDS = 0.16;

export interface Happened {
  /** Name and place: what `without` takes. */
  id: string;
  name: FaultName;
  where: string;
  /** Virtual milliseconds since the start. */
  atMs: number;
}

export interface Faults {
  /** `weight`: this much oftener than usual. */
  hit(name: FaultName, where: string, weight?: number): boolean;
  readonly happened: readonly Happened[];
  /** Whether this seed may have this fault at all. */
  isOn(name: FaultName): boolean;
}

export interface FaultOptions {
  chance: Chance;
  /** Virtual milliseconds since the start. */
  sinceStart: () => number;
  /** No fault happens after this much virtual time. */
  stopAtMs: number;
  /** Only these, each twice as often. */
  only?: readonly FaultName[];
  /** Places left out, by id. */
  without?: ReadonlySet<string>;
}

export function createFaults(options: FaultOptions): Faults {
  const { chance, sinceStart, stopAtMs, only, without } = options;
  const happened: Happened[] = [];
  const known = new Set<string>();
  const rates = new Map<FaultName, number>();
  for (const name of FAULT_NAMES) {
    const [usual] = FAULTS[name];
    if (only) rates.set(name, only.includes(name) ? usual * 2 : 0);
    else if (name === 'redis_forgets') {
      rates.set(name, chance.hit('seed forgets', FORGETFUL_SEEDS) ? usual : 0);
    } else {
      const strength = chance.pick(`strength of ${name}`, [0, 0, 0.5, 1, 1, 2, 4]);
      rates.set(name, Math.min(0.9, usual * strength));
    }
  }
  return {
    happened,
    isOn: (name) => (rates.get(name) ?? 0) > 0,
    hit(name, where, weight = 1) {
      const rate = Math.min(0.9, (rates.get(name) ?? 0) * weight);
      if (rate === 0 || sinceStart() >= stopAtMs) return false;
      if (!chance.hit(`${name} at ${where}`, rate)) return false;
      const id = `${name} @ ${where}`;
      if (without?.has(id)) return false;
      if (known.has(id)) return true;
      known.add(id);
      happened.push({ id, name, where, atMs: Math.round(sinceStart()) });
      return true;
    },
  };
}
