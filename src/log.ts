/**
 * Structured log: one JSON line an event. Callers pass no secrets and no user content; a configured
 * key that slips into a value (an error text, say) is cut out all the same.
 */
import type { Log } from './deps.ts';

/** Below this a "secret" would cut ordinary words to pieces. */
const MIN_SECRET_CHARS = 6;

/**
 * Builds the log. `write` gets one line without its line end; `now` gives Unix milliseconds.
 * The order of fields is: at, event, then as given.
 */
export function createLog(options: {
  write: (line: string) => void;
  now: () => number;
  secrets: readonly string[];
}): Log {
  const secrets = options.secrets.filter(({ length }) => length >= MIN_SECRET_CHARS);

  function redact(value: string | number | boolean | null) {
    if (typeof value !== 'string') return value;
    let text = value;
    for (const secret of secrets) text = text.replaceAll(secret, '[redacted]');
    return text;
  }

  return function log(event, fields) {
    const line: Record<string, string | number | boolean | null> = {
      at: new Date(options.now()).toISOString(),
      event,
    };
    for (const [name, value] of Object.entries(fields)) line[name] = redact(value);
    options.write(JSON.stringify(line));
  };
}

/**
 * What a log may say of a thrown value: its kind, its message cut short, and where it came from.
 * Messages of clients may quote what was sent; `createLog` takes keys out of them.
 */
export function errorFields(error: unknown): { error: string; reason: string; place: string } {
  if (!(error instanceof Error)) return { error: typeof error, reason: '', place: '' };
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';
  return { error: error.name, reason: error.message.slice(0, 200), place: place.trim() };
}
