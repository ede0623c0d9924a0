/** A clock that tests turn by hand: sleepers wake in order as it is advanced. */
import type { Clock } from '../../src/deps.ts';

export interface TestClock extends Clock {
  /** Moves time on, waking sleepers in order and letting what they do settle. */
  advance(ms: number): Promise<void>;
  sleepers(): number;
}

interface TestClockOptions {
  /** Unix milliseconds. */
  start?: number;
  /** True while real I/O is under way: the clock stands still until it has been answered. */
  isBusy?: () => boolean;
}

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 2));

export function createTestClock(options: TestClockOptions = {}): TestClock {
  const { start = 1_790_000_000_000, isBusy = () => false } = options;
  let time = start;

  /** Lets what waits for I/O or microtasks go on, without moving the clock. */
  async function settle() {
    await tick();
    for (let calm = 0; calm < 2; calm = isBusy() ? 0 : calm + 1) await tick();
  }

  const sleeping = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => time,
    sleep(ms, signal) {
      if (signal?.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = { at: time + ms, wake: () => {} };
        sleeper.wake = () => {
          sleeping.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        };
        signal?.addEventListener('abort', sleeper.wake, { once: true });
        sleeping.add(sleeper);
      });
    },
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = [...sleeping].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = end;
      await settle();
    },
    sleepers: () => sleeping.size,
  };
}
