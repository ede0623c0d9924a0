/**
 * A trap in the Redis traffic of the launcher under test: the first request that fits is held, or
 * applied with its reply lost, and the test is told. It runs in the launcher's process and talks to
 * the test over Node's channel between parent and child.
 */
import type { Fault, Intercept } from '../../dev/redis/front.ts';

/** `settle`: the append that says which deliveries are done. */
export type TrapScript = 'claim' | 'append' | 'settle';

export interface Trap {
  script: TrapScript;
  /** So many that fit pass first. */
  skip: number;
  /** `hold`: nothing happens until the test lets go. `drop_reply`: applied, and nobody hears of it. */
  then: 'hold' | 'drop_reply';
}

export type ToLauncher = { kind: 'arm'; trap: Trap } | { kind: 'let'; fault: Fault };
export type FromLauncher =
  | { kind: 'ready'; url: string }
  | { kind: 'failed'; message: string }
  | { kind: 'trapped'; run: string; lines: string[] };

interface Traffic {
  script: TrapScript;
  /** False: by its digest, which a server that does not know it yet answers with NOSCRIPT. */
  hasText: boolean;
  run: string;
  lines: string[];
  finishes: boolean;
}

/** The scripts by their number of keys and the order of their arguments (src/loop/scripts.ts). */
export function trafficOf(command: readonly string[] = []): Traffic | null {
  if (!/^eval(sha)?$/i.test(command[0] ?? '')) return null;
  const hasText = /^eval$/i.test(command[0] ?? '');
  const keys = Number(command[2]);
  const args = command.slice(3 + keys);
  const run = args[0] ?? '';
  if (keys === 4) return { script: 'claim', hasText, run, lines: [], finishes: false };
  if (keys !== 6 || args[1] !== 'holder') return null;
  const [entries, deletes] = [Number(args[13]), Number(args[14])];
  if (entries > 0) {
    const lines = args.slice(16, 16 + entries);
    return { script: 'append', hasText, run, lines, finishes: args[7] !== '' };
  }
  return deletes > 0 ? { script: 'settle', hasText, run, lines: [], finishes: false } : null;
}

export function createTrap(tell: (message: FromLauncher) => void): {
  intercept: Intercept;
  receive(message: ToLauncher): void;
} {
  let armed: Trap | null = null;
  let skipped = 0;
  let letGo: (fault: Fault) => void = () => {};
  const finished = new Set<string>();
  /** Whether Redis knows claim (true) and append (false): what comes before changes nothing there. */
  const known = new Set<boolean>();

  /** A claim of a run that has ended is for its deliveries, which are another phase. */
  const fits = (traffic: Traffic) =>
    traffic.script === armed?.script && !(traffic.script === 'claim' && finished.has(traffic.run));

  return {
    receive(message) {
      if (message.kind === 'let') return letGo(message.fault);
      armed = message.trap;
      skipped = 0;
    },
    async intercept({ commands }) {
      const traffic = trafficOf(commands[0]);
      if (!traffic) return 'pass';
      const isClaim = traffic.script === 'claim';
      if (traffic.hasText) known.add(isClaim);
      if (!known.has(isClaim)) return 'pass';
      if (traffic.finishes) finished.add(traffic.run);
      if (!armed || !fits(traffic)) return 'pass';
      if (skipped < armed.skip) {
        skipped += 1;
        return 'pass';
      }
      const { then } = armed;
      armed = null;
      const held = new Promise<Fault>((resolve) => {
        letGo = resolve;
      });
      tell({ kind: 'trapped', run: traffic.run, lines: traffic.lines });
      return then === 'drop_reply' ? 'drop_reply' : await held;
    },
  };
}
