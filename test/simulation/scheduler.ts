/**
 * Virtual time, and the processes that live in it. Whatever waits for something outside itself
 * waits here; events are released one by one, and before the next one every microtask has run.
 * A process that was killed hears of nothing any more: its promises never go on.
 */

/** Start of every simulation, Unix milliseconds; a few minutes before a UTC midnight. */
export const START = 1_790_034_900_000;

export interface Process {
  readonly name: string;
  alive: boolean;
  /** Virtual time until which nothing of this process goes on. */
  pausedUntil: number;
  /** What its clock shows more than the true time, milliseconds. */
  readonly skewMs: number;
  readonly startedAt: number;
  readonly onEnd: (() => void)[];
  /** What it waits for, in words. */
  readonly doing: Set<string>;
}

export interface Event {
  at: number;
  cancelled: boolean;
}

export interface Scheduler {
  /** True time with a fraction, Unix milliseconds; Redis' clock. */
  now(): number;
  /** `process`: whose event this is; null: the world's, which nothing stops. */
  after(delayMs: number, process: Process | null, run: () => void): Event;
  /** Runs events until `isOver` or none is left. */
  run(isOver: () => boolean): Promise<void>;
  start(name: string, options: { skewMs: number }): Process;
  end(process: Process): void;
  events(): number;
}

interface Queued extends Event {
  order: number;
  process: Process | null;
  run: () => void;
}

/** A macrotask: everything that waits in microtasks has run by then. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export function createScheduler(): Scheduler {
  const queue: Queued[] = [];
  let time = START;
  let order = 0;
  let count = 0;

  const isBefore = (a: Queued, b: Queued) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(event: Queued) {
    let at = queue.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, queue[parent] as Queued)) break;
      queue[at] = queue[parent] as Queued;
      at = parent;
    }
    queue[at] = event;
  }

  function pop(): Queued | undefined {
    const first = queue[0];
    const last = queue.pop();
    if (!first || !last || first === last) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= queue.length) break;
      const right = queue[child + 1];
      if (right && isBefore(right, queue[child] as Queued)) child += 1;
      if (!isBefore(queue[child] as Queued, last)) break;
      queue[at] = queue[child] as Queued;
      at = child;
    }
    queue[at] = last;
    return first;
  }

  return {
    now: () => time,
    events: () => count,
    after(delayMs, process, run) {
      order += 1;
      const event = { at: time + Math.max(0, delayMs), order, process, run, cancelled: false };
      push(event);
      return event;
    },
    async run(isOver) {
      await settle();
      while (!isOver()) {
        const event = pop();
        if (!event) return;
        if (event.cancelled || event.process?.alive === false) continue;
        if (event.process && event.process.pausedUntil > event.at) {
          order += 1;
          push(Object.assign(event, { order, at: event.process.pausedUntil }));
          continue;
        }
        time = Math.max(time, event.at);
        count += 1;
        event.run();
        await settle();
      }
    },
    start: (name, { skewMs }) => ({
      name,
      alive: true,
      pausedUntil: 0,
      skewMs,
      startedAt: time,
      onEnd: [],
      doing: new Set(),
    }),
    end(process) {
      if (!process.alive) return;
      process.alive = false;
      for (const tell of process.onEnd) tell();
    },
  };
}
