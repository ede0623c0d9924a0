/**
 * The record that a call leaves inside the sandbox (`calls/{key}.done`), read as untrusted JSON:
 * code in the sandbox can write anything there. Sizes are bounded, names checked. No I/O.
 */
import { z } from 'zod';
import { MAX_PATH_CHARS } from '../limits.ts';
import type { PythonOutcome } from './define.ts';

/** Somewhat above what the module keeps, so that only a forged record is cut. */
const MAX_TEXT_CHARS = 80_000;
const MAX_FILES = 20;
const MAX_NOTES = 10;
const MAX_NOTE_CHARS = 1_000;

const text = z.string().transform((value) => value.slice(0, MAX_TEXT_CHARS));

const recordSchema = z.object({
  status: z.enum(['done', 'error', 'timeout', 'unknown']),
  output: text,
  stdout: text,
  stderr: text,
  result: text.nullable(),
  error: z.object({ name: text, message: text, traceback: text }).nullable(),
  files: z
    .array(z.object({ path: z.string(), bytes: z.number() }))
    .transform((files) => files.slice(0, MAX_FILES)),
  notes: z
    .array(z.string().transform((note) => note.slice(0, MAX_NOTE_CHARS)))
    .transform((notes) => notes.slice(0, MAX_NOTES)),
});

export type CallRecord = z.output<typeof recordSchema>;

/** Null when the text is no record. */
export function parseRecord(json: string): CallRecord | null {
  try {
    return recordSchema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** A relative path without steps up, safe to name a workspace file. */
export function isPlainPath(path: string): boolean {
  if (path.length === 0 || path.length > MAX_PATH_CHARS || path.startsWith('/')) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** An outcome without output, for calls that did not run. */
export function emptyOutcome(
  status: PythonOutcome['status'],
  fields: Partial<PythonOutcome> = {},
): PythonOutcome {
  return {
    status,
    output: '',
    stdout: '',
    stderr: '',
    result: null,
    error: null,
    files: [],
    notes: [],
    ...fields,
  };
}
