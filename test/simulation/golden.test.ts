import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import { fold } from '../../src/loop/fold.ts';
import { parseEntry, stamp } from '../../src/loop/journal.ts';
import { runSummary } from '../../src/loop/summary.ts';
import { started } from '../helpers/runs.ts';

const FOLDER = fileURLToPath(new URL('./golden/', import.meta.url));
const NEWEST = stamp(started(), 0).v;

const linesOf = (name: string) =>
  readFileSync(`${FOLDER}${name}.jsonl`, 'utf8').split('\n').filter(Boolean);
const entriesOf = (name: string) => linesOf(name).map(parseEntry);

/** What each journal came to when it was written. A reader of a later version must see the same. */
const GOLDEN = [
  {
    name: 'v1-succeeded',
    expected: {
      status: 'succeeded',
      reason: 'answered',
      answer: '4',
      turns: 2,
      toolCalls: 3,
      tokens: 6861,
      costMicroUsd: 213602,
      roles: 'user assistant user assistant',
      outcomes: 'done done done',
    },
  },
  {
    name: 'v1-failed',
    expected: {
      status: 'failed',
      reason: 'usd_spent',
      answer: null,
      turns: 1,
      toolCalls: 1,
      tokens: 1147,
      costMicroUsd: 49999,
      roles: 'user assistant',
      outcomes: 'done',
    },
  },
  {
    name: 'v1-cancelled',
    expected: {
      status: 'cancelled',
      reason: 'cancelled',
      answer: null,
      turns: 1,
      toolCalls: 2,
      tokens: 4708,
      costMicroUsd: 210172,
      roles: 'user assistant',
      outcomes: 'done done',
    },
  },
] as const;

describe('golden journals', () => {
  it('are there for every version that was ever released, with every type of entry', () => {
    const names = readdirSync(FOLDER).map((file) => file.replace('.jsonl', ''));
    expect(names.sort()).toEqual(GOLDEN.map(({ name }) => name).sort());
    for (let version = 1; version <= NEWEST; version += 1) {
      const entries = names.filter((name) => name.startsWith(`v${version}-`)).flatMap(linesOf);
      const types = new Set(entries.map((line) => (JSON.parse(line) as { type: string }).type));
      expect([...types].sort()).toEqual([
        'approval_given',
        'approval_requested',
        'attempt_failed',
        'cancel_requested',
        'model_replied',
        'run_finished',
        'run_prepared',
        'run_started',
        'tool_finished',
        'tool_started',
      ]);
    }
  });

  it.each(GOLDEN)('$name folds to what it was', ({ name, expected }) => {
    const view = fold(entriesOf(name));
    expect({
      status: view.finished?.status,
      reason: view.finished?.reason,
      answer: view.finished?.answer,
      turns: view.turns,
      toolCalls: view.toolCalls,
      tokens: view.tokens,
      costMicroUsd: view.costMicroUsd,
      roles: view.messages.map(({ role }) => role).join(' '),
      outcomes: [...view.closedTurns.flat(), ...view.calls]
        .map(({ result }) => result?.outcome)
        .join(' '),
    }).toEqual(expected);
  });

  it.each(GOLDEN)('$name can be gone on with from every entry but the last', ({ name }) => {
    const entries = entriesOf(name);
    for (let length = 1; length < entries.length; length += 1) {
      const view = fold(entries.slice(0, length));
      const now = entries[length - 1]?.at ?? 0;
      const next = decide(view, { now, acceptedAt: now, mode: 'work', attempts: 0 });
      expect(next.kind).not.toBe('nothing');
    }
  });

  it.each(GOLDEN)('$name can be shown', ({ name, expected }) => {
    const head = {
      id: 'run_golden',
      state: 'finished',
      status: expected.status,
      drive: 'queue',
      leaseUntil: 0,
      notBefore: 0,
      spentMicroUsd: expected.costMicroUsd,
      dead: '',
    } as const;
    const summary = runSummary({ head, entries: entriesOf(name) }, 0);
    expect(summary).toMatchObject({ status: expected.status, answer: expected.answer });
  });
});
