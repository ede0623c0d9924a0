/**
 * A run for people: each entry as lines as it comes, what is being waited for meanwhile, and at the
 * end the explanation, the answer and what it took. Remembers open calls and the current wait;
 * prints nothing itself.
 */
import type { Entry, ModelReplied } from '../../src/loop/journal.ts';
import type { RunSummary } from '../../src/loop/summary.ts';
import {
  approvalLines,
  approvedLines,
  failedLines,
  finishedLines,
  joinFacts,
  type Page,
  preparedLines,
  repliedLines,
  startedLines,
  stepLine,
  toName,
  toWords,
} from './entry-lines.ts';
import { formatCount, formatDuration, formatUsd, toHarmless, toShortLine } from './text.ts';

const MAX_EVIDENCE_LINES = 6;
const EVIDENCE_WORDS: Record<string, string> = {
  model_only: 'the model alone',
  question: 'stands in the question',
};

export interface Renderer {
  /** Lines of one entry; `now` in Unix milliseconds, by this machine's clock. */
  entry(entry: Entry, now: number): string[];
  /** What is being waited for, for the live line; null when nothing is. */
  status(now: number): string | null;
  /** The last lines; `ms` is what the question took. */
  finish(run: RunSummary, ms: number): string[];
}

export interface RendererOptions extends Page {
  runId: string;
  /** Where the run lives, for the command that approves a call. */
  url: string;
}

interface Wait {
  label: string;
  since: number;
  /** Null: nobody knows. */
  until: number | null;
}

export function createRenderer(options: RendererOptions): Renderer {
  let wait: Wait | null = null;
  const openCalls = new Map<string, string>();
  return {
    entry(entry, now) {
      const lines = toLines(entry, { ...options, openCalls, now });
      if (entry.type === 'model_replied') openAll(openCalls, entry);
      if (entry.type === 'tool_finished') openCalls.delete(entry.tool_use_id);
      wait = toWait(entry, { openCalls, now });
      return lines;
    },
    status(now) {
      if (!wait) return null;
      const { label, since, until } = wait;
      const time = until === null ? toSeconds(now - since) : `in ${toSeconds(until - now)}`;
      return options.paint('dim', toShortLine(`${label} ${time}`, options.columns() - 3));
    },
    finish: (run, ms) => finishLines(options, { run, ms }),
  };
}

interface Moment {
  openCalls: ReadonlyMap<string, string>;
  now: number;
}

function toLines(entry: Entry, page: RendererOptions & Moment): string[] {
  const { runId, url, now, openCalls } = page;
  switch (entry.type) {
    case 'run_started':
      return startedLines(page, { entry, runId });
    case 'run_prepared':
      return preparedLines(page, entry);
    case 'model_replied':
      return repliedLines(page, entry);
    case 'tool_finished':
      return finishedLines(page, entry);
    case 'attempt_failed':
      return failedLines(page, { entry, until: toLocal(entry.retry_at, { entry, now }) });
    case 'approval_requested': {
      const until = toLocal(entry.expires_at, { entry, now });
      return approvalLines(page, { entry, until, runUrl: `${url}/v1/runs/${runId}` });
    }
    case 'approval_given':
      return approvedLines(page, { entry, name: openCalls.get(entry.tool_use_id) ?? 'the call' });
    case 'cancel_requested':
      return [stepLine(page, 'cancelling')];
    case 'tool_started':
    case 'run_finished':
      return [];
  }
}

/** What comes next, as far as the entry says. */
function toWait(entry: Entry, { openCalls, now }: Moment): Wait | null {
  const waitFor = (label: string, until: number | null = null) => ({ label, since: now, until });
  switch (entry.type) {
    case 'run_started':
      return waitFor('waiting for a worker');
    case 'run_finished':
      return null;
    case 'cancel_requested':
      return waitFor('cancelling');
    case 'approval_requested': {
      const until = toLocal(entry.expires_at, { entry, now });
      return waitFor(`${toName(entry.name)} waits for your approval, denied`, until);
    }
    case 'attempt_failed':
      if (entry.retry_at === null) return waitFor('closing the run');
      return waitFor(`${toWords(entry.kind)}, again`, toLocal(entry.retry_at, { entry, now }));
    default: {
      const names = [...openCalls.values()].join(', ');
      return waitFor(names ? `running ${names}` : 'the model is working');
    }
  }
}

function openAll(openCalls: Map<string, string>, entry: ModelReplied): void {
  if (entry.stop_reason === 'max_tokens') return;
  for (const block of entry.content) {
    if (block.type === 'tool_use') openCalls.set(block.id, toName(block.name));
  }
}

/** A time of the service's clock on ours, which may differ by any amount. */
function toLocal<At extends number | null>(
  at: At,
  { entry, now }: { entry: Entry; now: number },
): At {
  return (at === null ? null : now + Math.max(0, at - entry.at)) as At;
}

function finishLines(page: Page, { run, ms }: { run: RunSummary; ms: number }): string[] {
  const { paint } = page;
  const explanation = run.explanation ? toHarmless(run.explanation).trim() : '';
  const sources = run.sources.map(
    ({ title, url }) =>
      `${paint('dim', 'source')} ${toShortLine(`${title} ${url}`, page.columns() - 7)}`,
  );
  const took = [
    run.model === null ? null : toName(run.model),
    formatCount(run.turns, 'turn'),
    formatCount(run.tool_calls, 'tool call'),
    formatUsd(run.cost_usd),
    formatDuration(ms),
    run.id,
  ];
  return [
    '',
    ...(explanation ? [explanation, ''] : []),
    ...answerLines(page, run),
    ...evidenceLines(page, run),
    '',
    ...sources,
    paint('dim', joinFacts(took)),
  ];
}

/** An answer of several lines starts below its word, so that its own layout holds. */
function answerLines({ paint }: Page, run: RunSummary): string[] {
  if (run.status === 'succeeded' && run.answer !== null) {
    const answer = toHarmless(run.answer);
    const word = paint('green', paint('bold', 'Answer:'));
    return answer.includes('\n') ? [word, answer] : [`${word} ${paint('bold', answer)}`];
  }
  const word = run.status === 'cancelled' ? 'Cancelled:' : 'No answer:';
  const why = toHarmless(run.message ?? run.reason ?? 'the run gave no reason');
  return [`${paint('red', paint('bold', word))} ${why}`];
}

/** Where the parts of the answer stand; more than a few are left to `--json` and the API. */
function evidenceLines(page: Page, run: RunSummary): string[] {
  const { paint } = page;
  const shown = run.evidence.slice(0, MAX_EVIDENCE_LINES).map(({ text, tool_use_id, place }) => {
    const where = tool_use_id === null ? EVIDENCE_WORDS[place] : `${tool_use_id}, ${place}`;
    return paint('dim', `  ${toShortLine(`${text} ← ${where ?? place}`, page.columns() - 2)}`);
  });
  const left = run.evidence.length - shown.length;
  return left > 0 ? [...shown, paint('dim', `  and ${left} more`)] : shown;
}

function toSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(Math.max(0, ms) / 1_000)} s` : formatDuration(ms);
}
