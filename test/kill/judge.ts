/**
 * What must be true of a run after a kill, judged from the raw journal, the head, what a client saw,
 * what the model was sent and what was counted outside. Pure: evidence in, sentences out.
 */
import { fold, type RunView } from '../../src/loop/fold.ts';
import { type Entry, parseEntry, type ToolFinished } from '../../src/loop/journal.ts';
import type { RunHead } from '../../src/loop/run-head.ts';
import type { OutsideEvent } from './outside.ts';
import { pythonStarts, type RunPlan } from './plan.ts';

export interface RunEvidence {
  id: string;
  plan: RunPlan;
  /** The journal as Redis holds it. */
  lines: readonly string[];
  head: RunHead;
  /** What the API shows, in its order. */
  shown: readonly { seq: number }[];
  /** What a client that followed the run over the kill was sent. */
  followed: readonly { seq: number; entry: Entry }[];
  /** Tool and delivery events of this run, and its model calls. */
  events: readonly OutsideEvent[];
  /** Deliveries still owed; whether it is still due. */
  owed: number;
  isDue: boolean;
}

/** Sentences that say what broke; empty when nothing did. */
export function judgeRun(evidence: RunEvidence): string[] {
  let entries: Entry[];
  let view: RunView;
  try {
    entries = evidence.lines.map(parseEntry);
    view = fold(entries);
  } catch (error) {
    return [`${evidence.id}: the journal cannot be folded: ${String(error)}`];
  }
  const faults = [
    ...judgeJournal(evidence, { entries, view }),
    ...judgeReaders(evidence, entries),
    ...judgeCalls(evidence, entries),
    ...judgeRequests(evidence, view),
    ...judgeEnd(evidence, view),
  ];
  return faults.map((fault) => `${evidence.id}: ${fault}`);
}

type Found = (string | false | null | undefined)[];
const only = (found: Found): string[] => found.filter((one) => typeof one === 'string');

function judgeJournal(
  { plan, lines }: RunEvidence,
  { entries, view }: { entries: Entry[]; view: RunView },
): string[] {
  const ends = entries.filter(({ type }) => type === 'run_finished').length;
  const replies = entries.filter(({ type }) => type === 'model_replied').length;
  return only([
    ends !== 1 && `it has ${ends} run_finished`,
    entries.at(-1)?.type !== 'run_finished' && 'run_finished is not last',
    entries.filter(({ type }) => type === 'run_prepared').length !== 1 && 'not one run_prepared',
    new Set(lines).size !== lines.length && 'an entry stands in it twice',
    replies !== plan.turns.length + 1 && `${replies} replies for ${plan.turns.length} turns + 1`,
    view.finished?.status !== 'succeeded' && `it ended as ${view.finished?.reason}`,
    view.finished?.answer !== plan.answer &&
      `the answer is ${view.finished?.answer}, not ${plan.answer}`,
    entries.some(({ at }, index) => at < (entries[index - 1]?.at ?? 0) - 1_000) &&
      'its times run backwards',
  ]);
}

/** No gap, no double, nothing that was shown once is gone: the same entries in the same places. */
function judgeReaders({ shown, followed }: RunEvidence, entries: Entry[]): string[] {
  const differs = (seen: { seq: number; entry: unknown }[]) =>
    seen.length !== entries.length ||
    seen.some(
      ({ seq, entry }, index) =>
        seq !== index + 1 || JSON.stringify(entry) !== JSON.stringify(entries[index]),
    );
  const listed = shown.map(({ seq, ...entry }) => ({ seq, entry }));
  return only([
    differs(listed) && 'the API shows other entries than Redis holds',
    differs([...followed]) && `the client that followed it saw ${followed.map(({ seq }) => seq)}`,
  ]);
}

function judgeCalls({ id, plan, events }: RunEvidence, entries: Entry[]): string[] {
  const uses = entries.flatMap((entry) =>
    entry.type === 'model_replied' ? entry.content.filter(({ type }) => type === 'tool_use') : [],
  ) as { id: string; name: string }[];
  const starts = events.filter(({ kind }) => kind === 'tool_start');
  const known = new Set(uses.map((use) => use.id));
  const strangers = starts.filter((start) => !known.has(start.id ?? ''));
  const planned = plan.turns.flat().length;
  return [
    ...only([
      uses.length !== planned && `${uses.length} calls for ${planned} planned`,
      strangers[0] && `${strangers[0].label} ran for a reply that is not on record`,
    ]),
    ...uses.flatMap((use) => judgeCall(use, { runId: id, events, entries })),
  ];
}

function judgeCall(
  use: { id: string; name: string },
  { runId, events, entries }: { runId: string; events: readonly OutsideEvent[]; entries: Entry[] },
): string[] {
  const own = events.filter((event) => event.id === use.id);
  const starts = own.filter(({ kind }) => kind === 'tool_start');
  const ends = own.filter(({ kind }) => kind === 'tool_end').length;
  const results = entries.filter(
    (entry): entry is ToolFinished =>
      entry.type === 'tool_finished' && entry.tool_use_id === use.id,
  );
  const marks = entries.filter(
    (entry) => entry.type === 'tool_started' && entry.tool_use_id === use.id,
  ).length;
  const [result] = results;
  if (!result || results.length !== 1) return [`${use.id} has ${results.length} results`];
  const isOnce = use.name === 'count_once';
  const marked = use.name === 'count_pure' ? 0 : 1;
  const expected = isOnce ? ['done', 'unknown'] : ['done'];
  const mayLose = use.name === 'execute_python';
  return only([
    starts.some(({ key }) => key !== `${runId}:${use.id}`) && `${use.id} ran with another key`,
    marks !== marked && `${use.id} has ${marks} tool_started`,
    isOnce && starts.length > 1 && `${use.id} is once and started ${starts.length} times`,
    !mayLose && !expected.includes(result.outcome) && `${use.id} ended as ${result.outcome}`,
    result.outcome === 'done' && ends === 0 && `${use.id} is done and never ended`,
    // What began and never ended must be told as unknown, not as anything else.
    isOnce && ends === 0 && result.outcome !== 'unknown' && `${use.id} is ${result.outcome}`,
    mayLose && judgePython(result),
  ]);
}

function judgePython(result: ToolFinished): string | null {
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (result.outcome !== 'done') {
    // A sandbox ends with the launcher; then nobody can say what its code had done.
    return /sandbox/i.test(text) ? null : `${result.tool_use_id} failed: ${text.slice(0, 200)}`;
  }
  const starts = pythonStarts(text) ?? [];
  if (starts.length === 0) return `${result.tool_use_id} does not say what ran`;
  return new Set(starts).size === starts.length ? null : `code ran twice: ${starts.join(' ')}`;
}

/** Everything the model was ever sent is on record, unchanged: it knew of nothing that was lost. */
function judgeRequests({ events }: RunEvidence, view: RunView): string[] {
  const record = view.messages.map(plain);
  return events.flatMap(({ kind, label, messages = [] }) => {
    if (kind !== 'model_call') return [];
    const same = messages.every((message, index) => plain(message) === record[index]);
    return same ? [] : [`turn ${label} was asked with messages that are not on record`];
  });
}

/** A message without cache markers, which are set for each request anew. */
function plain(message: unknown): string {
  return JSON.stringify(message, (name, value) => (name === 'cache_control' ? undefined : value));
}

function judgeEnd({ head, owed, isDue, events, plan }: RunEvidence, view: RunView): string[] {
  const kinds = ['archive', 'kill_sandbox'];
  const done = new Set(
    events.filter(({ kind }) => kind === 'delivery_end').map(({ label }) => label),
  );
  const usesPython = plan.turns.flat().some(({ tool }) => tool === 'execute_python');
  return only([
    head.state !== 'finished' && `its head says ${head.state}`,
    head.leaseUntil !== 0 && 'its lease was not released',
    head.spentMicroUsd !== view.costMicroUsd &&
      `${head.spentMicroUsd} micro-USD are booked, ${view.costMicroUsd} on record`,
    owed > 0 && `${owed} deliveries are still owed`,
    isDue && 'it is still due',
    ...kinds.map(
      (kind) => (kind === 'archive' || usesPython) && !done.has(kind) && `no ${kind} was delivered`,
    ),
  ]);
}

/** The owner's day: everything reserved is spent or came back. */
export function judgeMoney(
  usage: ReadonlyMap<string, string>,
  { heads, active }: { heads: readonly RunHead[]; active: number },
): string[] {
  const number = (name: string) => Number(usage.get(name) ?? 0);
  const sum = (pick: (head: RunHead) => number) =>
    heads.reduce((total, head) => total + pick(head), 0);
  return only([
    number('reserved') !== sum((head) => head.limitMicroUsd) && 'reserved is not the runs’ limits',
    number('spent') !== sum((head) => head.spentMicroUsd) && 'spent is not the sum of the runs',
    number('spent') + number('refunded') !== number('reserved') &&
      `spent ${number('spent')} + refunded ${number('refunded')} ≠ reserved ${number('reserved')}`,
    active > 0 && `${active} runs still hold an active slot`,
  ]);
}
