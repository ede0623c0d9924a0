/** How things are done in a world: later, one after another, and counted until they are over. */
import { StrideError } from '../../src/errors.ts';
import type { World } from './world.ts';

export const OWNER = 'ada';
/** People try a request that failed this often. */
export const MAX_TRIES = 6;

export interface Stage {
  /** Something somebody does; the world is not quiet before it is done. */
  act(delayMs: number, doing: () => Promise<void>): void;
  wait(ms: number): Promise<void>;
  isQuiet(): boolean;
}

export function createStage({ scheduler }: World): Stage {
  let busy = 0;
  return {
    act(delayMs, doing) {
      busy += 1;
      scheduler.after(delayMs, null, () => {
        doing().finally(() => {
          busy -= 1;
        });
      });
    },
    wait: (ms) => new Promise<void>((resolve) => scheduler.after(ms, null, resolve)),
    isQuiet: () => busy === 0,
  };
}

export const isCode = (error: unknown, code: string) =>
  error instanceof StrideError && error.code === code;
