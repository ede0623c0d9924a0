// Keeps redis-server running: starts it again when it dies on its own, a little later each time it
// does not come up, and ends it for good on `stop`. How it is started is the caller's matter.

import { setTimeout as sleep } from 'node:timers/promises';

const STOP_WAIT_MS = 5_000;
const RESTART_MIN_MS = 50;
const RESTART_MAX_MS = 5_000;

export interface Running {
  /** Settles when the process has ended, with how: an exit code or a signal. */
  ended: Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** Keeps one process running until `stop`. `started` rejects when it does not come up at first. */
export function supervise(options: {
  launch: () => { process: Running; ready: Promise<void> };
  mayRestart: () => boolean;
  log: (line: string) => void;
}) {
  const { launch, mayRestart, log } = options;
  const stopping = new AbortController();
  let current: Running | null = null;
  const killAtExit = () => current?.kill('SIGTERM');
  process.once('exit', killAtExit);

  async function start(): Promise<void> {
    const { process: running, ready } = launch();
    current = running;
    await ready;
    void running.ended.then((how) => {
      if (!stopping.signal.aborted) reviving = revive(how);
    });
  }

  async function revive(how: string): Promise<void> {
    log(`redis-server ended (${how}); starting it again`);
    for (let wait = RESTART_MIN_MS; ; wait = Math.min(wait * 2, RESTART_MAX_MS)) {
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      if (!mayRestart()) return log('Another Stride has taken the data directory; giving up');
      try {
        await start();
        return log('redis-server answers again');
      } catch (error) {
        if (stopping.signal.aborted) return;
        log(error instanceof Error ? error.message : String(error));
      }
    }
  }

  let reviving: Promise<void> = Promise.resolve();
  const started = start();
  return {
    started,
    async stop() {
      stopping.abort();
      process.off('exit', killAtExit);
      current?.kill('SIGTERM');
      const patience = sleep(STOP_WAIT_MS, 'still running', { ref: false });
      if (current && (await Promise.race([current.ended, patience])) === 'still running') {
        current.kill('SIGKILL');
        await current.ended;
      }
      await reviving;
    },
  };
}
