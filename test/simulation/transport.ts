/**
 * Requests from a process to something outside it, and everything that can happen to them on the
 * way: lost, answered and not heard, late, twice, slow; the sender dead or asleep meanwhile. What
 * was sent may arrive although its sender is gone.
 */
import { StrideError } from '../../src/errors.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Process, Scheduler } from './scheduler.ts';

/** Where a process was when it died: the request not sent, carried out, or answered and unheard. */
export type Moment = 'before' | 'during' | 'after';

export interface Transport {
  /**
   * Sends a request that `apply` carries out. `label` says what it is, without numbers that differ
   * between runs of one seed. Rejects with `unavailable` where it seems to fail.
   */
  call<T>(process: Process, label: string, apply: () => T): Promise<T>;
  kill(process: Process, label: string, moment: Moment): void;
  /** The platform takes it away, whatever it is doing. */
  evict(process: Process, why: string): void;
  /** The name of this place: label, process, and how often it was passed. */
  place(process: Process, label: string): string;
}

/** Moments that come once a run or less: they would hardly ever be hit. */
const RARE = /accept|delete|approval|cancel_requested|tool_started|run_finished|^tool|^sandbox/;

const never = new Promise<never>(() => {});
const unavailable = (label: string) =>
  new StrideError('unavailable', `${label} did not answer in time.`);

export function createTransport(options: {
  scheduler: Scheduler;
  chance: Chance;
  faults: Faults;
  onCrash: (process: Process, label: string, moment: Moment) => void;
}): Transport {
  const { scheduler, chance, faults, onCrash } = options;
  const passed = new Map<string, number>();

  function place(process: Process, label: string): string {
    const name = `${label} by ${process.name}`;
    const count = (passed.get(name) ?? 0) + 1;
    passed.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  }

  function kill(process: Process, label: string, moment: Moment) {
    if (!process.alive) return;
    scheduler.end(process);
    onCrash(process, label, moment);
  }

  function evict(process: Process, why: string) {
    if (!process.alive) return;
    scheduler.end(process);
    onCrash(process, why, 'during');
    for (const label of process.doing) onCrash(process, label, 'during');
  }

  function call<T>(process: Process, label: string, apply: () => T): Promise<T> {
    if (!process.alive) return never;
    const where = place(process, label);
    const dies = faults.hit('crash', where, RARE.test(label) ? 6 : 1)
      ? chance.pick(`dies ${where}`, ['before', 'during', 'after'] as const)
      : null;
    if (dies === 'before') {
      kill(process, label, 'before');
      return never;
    }
    if (faults.hit('pause', where)) {
      process.pausedUntil = scheduler.now() + chance.int(`pause ${where}`, [5_000, 150_000]);
    }
    const slow = faults.hit('slow', where) ? chance.int(`slow ${where}`, [1_000, 20_000]) : 0;
    const there = 1 + chance.number(`there ${where}`) * 15 + slow * chance.number(`split ${where}`);
    const back = 1 + chance.number(`back ${where}`) * 15 + slow / 2;
    const patience = chance.pick(`patience ${where}`, [120, 400, 8_000, 24_000]);
    /** As a copy, or when nobody listens any more. */
    const carryOut = () => {
      try {
        apply();
      } catch {
        // Told to nobody.
      }
    };
    process.doing.add(label);
    return new Promise<T>((resolve, reject) => {
      const seemToFail = () =>
        scheduler.after(patience, process, () => {
          process.doing.delete(label);
          reject(unavailable(label));
        });
      if (faults.hit('lost_request', where)) return void seemToFail();
      if (faults.hit('late', where)) {
        seemToFail();
        const later = patience + chance.int(`late ${where}`, [1, 200_000]);
        return void scheduler.after(later, null, carryOut);
      }
      if (faults.hit('lost_reply', where)) {
        seemToFail();
        return void scheduler.after(there, null, carryOut);
      }
      if (faults.hit('twice', where)) {
        const later = there + chance.int(`twice ${where}`, [1, 200_000]);
        scheduler.after(later, null, carryOut);
      }
      scheduler.after(there, null, () => {
        // Of what a dead process had sent, some was still on its way out.
        if (!process.alive && chance.hit(`stopped ${where}`, 0.4)) return;
        let answer: () => void;
        try {
          const value = apply();
          answer = () => resolve(value);
        } catch (error) {
          answer = () => reject(error);
        }
        if (dies === 'during') return kill(process, label, 'during');
        scheduler.after(back, process, () => {
          process.doing.delete(label);
          if (dies === 'after') kill(process, label, 'after');
          else answer();
        });
      });
    });
  }

  return { call, kill, evict, place };
}
