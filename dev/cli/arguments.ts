/**
 * The arguments of `npm run ask`. A mistake is a returned sentence, shown with the usage. No I/O.
 */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/errors.ts';
import { MAX_QUESTION_BYTES } from '../../src/limits.ts';

export interface AskArguments {
  /** Null: read it from stdin (`-`). */
  question: string | null;
  files: string[];
  json: boolean;
  follows: string | null;
  model: string | null;
  color: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm run ask -- "question" [options]

  --file PATH       a file or folder to send along; may be repeated
  --follows ID      a run whose question and answer this one builds on
  --model NAME      another model than the deployment's
  --json            one JSON object on stdout, everything else on stderr
  --no-color        no colours (also: NO_COLOR=1)
  --help            this text

The question may be - to read it from stdin.
Without a running stack one is started here and stopped at the end; with STRIDE_URL
(and STRIDE_API_KEY) the question goes to that deployment.

Exit code: 0 answered, 1 failed or no answer, 2 wrong usage, 130 cancelled.`;

const OPTIONS = {
  file: { type: 'string', multiple: true, short: 'f' },
  follows: { type: 'string' },
  model: { type: 'string' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export function parseAskArguments(args: string[]): Result<AskArguments> {
  let parsed: ReturnType<typeof parseStrictly>;
  try {
    parsed = parseStrictly(args);
  } catch (error) {
    return fault(toPlainFault(error));
  }
  const { values, positionals } = parsed;
  const value: AskArguments = {
    question: positionals[0] ?? null,
    files: values.file ?? [],
    json: values.json ?? false,
    follows: values.follows ?? null,
    model: values.model ?? null,
    color: !values['no-color'],
    help: values.help ?? false,
  };
  if (value.help) return { ok: true, value };
  for (const name of ['file', 'follows', 'model'] as const) {
    if ([values[name] ?? 'set'].flat().some((text) => text.trim() === '')) {
      return fault(`--${name} needs a value.`);
    }
  }
  if (positionals.length > 1) {
    return fault(
      `One question at a time: put it in quotes, and files after --file (got "${positionals[1]}" besides).`,
    );
  }
  if (value.question === null) return fault('The question is missing.');
  if (value.question === '-') return { ok: true, value: { ...value, question: null } };
  const checked = checkQuestion(value.question);
  return checked.ok ? { ok: true, value: { ...value, question: checked.value } } : checked;
}

/** The question without blanks around it; empty and too long ones are refused as the API would. */
export function checkQuestion(text: string): Result<string> {
  const question = text.trim();
  if (question === '') return fault('The question is empty.');
  const bytes = new TextEncoder().encode(question).length;
  if (bytes > MAX_QUESTION_BYTES) {
    return fault(
      `The question has ${bytes} bytes and at most ${MAX_QUESTION_BYTES} are taken; send long text as a file.`,
    );
  }
  return { ok: true, value: question };
}

function parseStrictly(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
}

/** Node's own sentences explain its parser; ours say what to change. */
function toPlainFault(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  const option = /'(?:-\w, )?(-[^' ]*)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option ${option}.`;
  if (message.includes('does not take an argument')) return `${option} takes no value.`;
  return `${option} needs a value.`;
}

function fault(message: string): { ok: false; error: { code: 'invalid_input'; message: string } } {
  return { ok: false, error: { code: 'invalid_input', message } };
}
