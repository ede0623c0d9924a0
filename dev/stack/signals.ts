/**
 * The end of a command that started processes: on Ctrl-C, SIGTERM, SIGHUP and a fatal error the
 * given clean-up runs once, then whatever still hangs below this process is killed, then it exits
 * with 130, 143, 129 or 1. A second Ctrl-C does not wait.
 */
import { killDescendants } from './processes.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndSignal = keyof typeof EXIT_CODES;

/** npm passes a Ctrl-C on that the terminal has already sent: the same one, not a second. */
const ECHO_MS = 500;
/** A clean-up that hangs must not keep the terminal. */
const CLEAN_UP_MS = 10_000;

export interface Ending {
  /** Cleans up and exits with this code; used for the ordinary end too. */
  exit(code: number): Promise<never>;
}

export interface EndingOptions {
  /** Ends what was started. Called once, with the reason. */
  cleanUp(reason: EndSignal | 'exit' | 'fatal'): Promise<void>;
  /** Prints one line about a fatal error. */
  onFatal(message: string): void;
}

export function handleEnding(options: EndingOptions): Ending {
  let firstAt: number | null = null;

  async function end(
    reason: Parameters<EndingOptions['cleanUp']>[0],
    code: number,
  ): Promise<never> {
    // Whoever comes second (an error that the ending itself caused, say) waits for the exit.
    if (firstAt !== null) return new Promise(() => {});
    firstAt = Date.now();
    // Timers of the clean-up must not be the reason to stay: a race with the deadline decides.
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, CLEAN_UP_MS));
    await Promise.race([options.cleanUp(reason).catch(() => {}), deadline]);
    killDescendants();
    process.exit(code);
  }

  for (const signal of Object.keys(EXIT_CODES) as EndSignal[]) {
    process.on(signal, () => {
      if (firstAt === null) {
        void end(signal, EXIT_CODES[signal]);
      } else if (Date.now() - firstAt > ECHO_MS) {
        killDescendants();
        process.exit(EXIT_CODES[signal]);
      }
    });
  }
  const fatal = (error: unknown) => {
    options.onFatal(error instanceof Error ? (error.stack ?? error.message) : String(error));
    void end('fatal', 1);
  };
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  return { exit: (code) => end('exit', code) };
}
