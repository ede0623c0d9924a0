/**
 * How long one tool call may run: until its time is up, the caller aborts, or the tool ends. The
 * tool hears of it through its signal; one that does not listen is no longer waited for.
 */
import type { Clock } from '../deps.ts';
import { StrideError } from '../errors.ts';

export type Stop = 'timeout' | 'cancelled';

export interface ToolLimit {
  /** The tool's own signal. */
  signal: AbortSignal;
  /** Resolves with what stopped the call, right after the signal was aborted. */
  reached: Promise<{ kind: Stop }>;
  /** What stopped the call before the tool ended, if anything. */
  state(): 'armed' | 'disarmed' | Stop;
  /** The tool is done: from here on its time no longer counts. */
  disarm(): void;
  /** Stops what the tool may have left behind. */
  abort(): void;
}

/** Starts the tool's time and listens to the caller's signal, whichever comes first. */
export function startLimit(options: {
  clock: Clock;
  signal: AbortSignal;
  timeoutMs: number;
}): ToolLimit {
  const controller = new AbortController();
  const timer = new AbortController();
  let state: ReturnType<ToolLimit['state']> = 'armed';
  let onAbort = () => {};
  const cancelled = new Promise<'cancelled'>((resolve) => {
    onAbort = () => resolve('cancelled');
    options.signal.addEventListener('abort', onAbort, { once: true });
  });
  const timedOut = options.clock
    .sleep(options.timeoutMs, timer.signal)
    .then(() => 'timeout' as const);
  const reached = Promise.race([cancelled, timedOut]).then((kind) => {
    // An aborted sleep resolves too; by then the call is over.
    if (state === 'armed') {
      state = kind;
      controller.abort(new StrideError('timeout', 'The tool was stopped.'));
    }
    return { kind };
  });
  return {
    signal: controller.signal,
    reached,
    state: () => state,
    disarm() {
      if (state === 'armed') state = 'disarmed';
      options.signal.removeEventListener('abort', onAbort);
      timer.abort();
    },
    abort: () => controller.abort(new StrideError('timeout', 'The tool call is over.')),
  };
}
