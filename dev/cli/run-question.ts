/**
 * One question from upload to answer, shown step by step. Knows no processes and no arguments:
 * a client, a terminal and a clock are all it has.
 */
import { randomUUID } from 'node:crypto';
import type { RunSummary } from '../../src/loop/summary.ts';
import type { Client } from './client.ts';
import type { LocalFile } from './files.ts';
import type { Paint, Terminal } from './paint.ts';
import { createRenderer } from './render.ts';
import { formatBytes, formatCount, toShortLine } from './text.ts';

export interface Question {
  text: string;
  files: LocalFile[];
  follows: string | null;
  model: string | null;
}

export interface RunQuestionOptions {
  client: Client;
  url: string;
  terminal: Terminal;
  paint: Paint;
  signal: AbortSignal;
  now(): number;
  /** Told as soon as the run exists, so that it can be cancelled. */
  onAccepted(id: string): void;
}

export interface Asked {
  run: RunSummary;
  /** From the first upload to the end of the run, milliseconds. */
  ms: number;
  /** The closing lines: explanation, answer, cost. */
  lines: string[];
}

const STATUS_MS = 250;

/** Throws StrideError when the service refuses or goes away, AbortError when the signal aborts. */
export async function runQuestion(question: Question, options: RunQuestionOptions): Promise<Asked> {
  const { client, terminal, paint, signal, now } = options;
  const begun = now();
  const fileIds: string[] = [];
  for (const file of question.files) {
    const name = toShortLine(file.name, 80);
    terminal.status(paint('dim', `  sending ${name}`));
    fileIds.push(await client.uploadFile(file, signal));
    terminal.print([paint('dim', `  sent ${name}, ${formatBytes(file.bytes)}`)]);
  }
  const { text, follows, model } = question;
  const run = await client.createRun(
    { question: text, fileIds, follows, model, idempotencyKey: randomUUID() },
    signal,
  );
  options.onAccepted(run.id);
  const renderer = createRenderer({
    paint,
    columns: terminal.columns,
    runId: run.id,
    url: options.url,
  });
  const ticker = setInterval(() => terminal.status(renderer.status(now())), STATUS_MS);
  try {
    for await (const { entry } of client.followRun(run.id, signal)) {
      terminal.print(renderer.entry(entry, now()));
      terminal.status(renderer.status(now()));
    }
  } finally {
    clearInterval(ticker);
    terminal.status(null);
  }
  const finished = await client.getRun(run.id, signal);
  const ms = now() - begun;
  return { run: finished, ms, lines: renderer.finish(finished, ms) };
}

/** Left-out entries of folders: a few by name, the rest by number. */
export function describeSkipped(skipped: { name: string; reason: string }[]): string | null {
  if (skipped.length === 0) return null;
  const named = skipped
    .slice(0, 3)
    .map(({ name, reason }) => `${toShortLine(name, 60)} (${reason})`);
  const more = skipped.length - named.length;
  return `not sent: ${named.join(', ')}${more > 0 ? ` and ${formatCount(more, 'other')}` : ''}`;
}

/** The one object of `--json`; a run that never came to be has null for its id. */
export function toJsonResult(outcome: { asked: Asked } | { failure: string; reason: string }) {
  if ('failure' in outcome) {
    return {
      id: null,
      status: 'failed',
      answer: null,
      explanation: null,
      reason: outcome.reason,
      message: outcome.failure,
      turns: 0,
      cost_usd: 0,
      files: [],
    };
  }
  const { run, ms } = outcome.asked;
  return {
    id: run.id,
    status: run.status,
    question: run.question,
    answer: run.answer,
    explanation: run.explanation,
    reason: run.reason,
    message: run.message,
    model: run.model,
    turns: run.turns,
    tool_calls: run.tool_calls,
    cost_usd: run.cost_usd,
    usage: run.usage,
    evidence: run.evidence,
    sources: run.sources,
    files: run.files,
    ms,
  };
}
