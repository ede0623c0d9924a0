/**
 * What a follow-up takes from the run it follows: question, answer and files, not the journal.
 * Files come as references to the same immutable objects, not as copies, so they go when the
 * earlier run (or the upload) is deleted; a tool that reads one then says that its bytes are gone.
 */
import { StrideError } from '../errors.ts';
import type { Entry, FileRef, RunStarted } from '../loop/journal.ts';
import type { Asking } from './accept-run.ts';
import { loadEntries, loadRun } from './load-run.ts';

/** Earlier questions that a follow-up carries along, and what they may weigh together. */
const MAX_CONTEXT_RUNS = 10;
const MAX_CONTEXT_CHARS = 64_000;
/** Files carried along; beyond this the ones that were touched longest ago stay behind. */
const MAX_CARRIED_FILES = 50;
/** Where long results of tools are kept for reading on: part of the journal, not of the files. */
const TOOL_RESULTS = 'tool_results/';

export interface Followed {
  context: NonNullable<RunStarted['context']>;
  /** Oldest first. */
  files: FileRef[];
}

/** Throws `not_found` (other owners' runs too) or, while the run goes on, `conflict`. */
export async function loadFollowed(id: string, { deps, principal }: Asking): Promise<Followed> {
  const run = await loadRun(id, { deps, principal }).catch((error: unknown) => {
    if (!(error instanceof StrideError) || error.code !== 'not_found') throw error;
    const message = `there is no run "${id}"`;
    throw new StrideError('not_found', `follows: ${message}; list yours with GET /v1/runs.`, {
      fields: [{ field: 'follows', message }],
    });
  });
  if (run.head.state !== 'finished') {
    throw new StrideError(
      'conflict',
      `follows: the run "${id}" has not ended yet; ask again then.`,
    );
  }
  const entries = await loadEntries(run, deps);
  return { context: contextOf(entries), files: carriedFiles(entries) };
}

function contextOf(entries: readonly Entry[]): Followed['context'] {
  const [started] = entries;
  const last = entries.at(-1);
  if (started?.type !== 'run_started') return [];
  const answer = last?.type === 'run_finished' ? last.answer : null;
  const context = [...(started.context ?? []), { question: started.question, answer }];
  const recent = context.slice(-MAX_CONTEXT_RUNS);
  // The oldest go first when the questions were long; the run that is followed always stays.
  while (recent.length > 1 && JSON.stringify(recent).length > MAX_CONTEXT_CHARS) recent.shift();
  return recent;
}

/** The last version of each file, attached or written, in the order they were last touched. */
function carriedFiles(entries: readonly Entry[]): FileRef[] {
  const files = new Map<string, FileRef>();
  for (const entry of entries) {
    const isStart = entry.type === 'run_started';
    if (!isStart && entry.type !== 'tool_finished') continue;
    for (const file of entry.files ?? []) {
      if (!isStart && file.path.startsWith(TOOL_RESULTS)) continue;
      files.delete(file.path);
      files.set(file.path, file);
    }
  }
  return [...files.values()].slice(-MAX_CARRIED_FILES);
}
