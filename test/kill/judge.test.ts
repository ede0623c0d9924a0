import { describe, expect, it } from 'vitest';
import { type Draft, type Entry, stamp } from '../../src/loop/journal.ts';
import { toHead } from '../../src/loop/run-head.ts';
import { finishedCall, prepared, replied, started, text, use } from '../helpers/runs.ts';
import { judgeMoney, judgeRun, type RunEvidence } from './judge.ts';
import type { OutsideEvent } from './outside.ts';

const RUN = 'run_1';
const PURE = 'toolu_a';
const ONCE = 'toolu_b';

const DRAFTS: Draft[] = [
  started({ question: 'Q' }),
  prepared(),
  replied([use(PURE, 'count_pure', {}), use(ONCE, 'count_once', {})]),
  { type: 'tool_started', tool_use_id: ONCE, name: 'count_once', effect: 'once' },
  finishedCall(PURE, 'one', { name: 'count_pure' }),
  finishedCall(ONCE, 'two', { name: 'count_once' }),
  replied([text('FINAL ANSWER: 5')]),
  {
    type: 'run_finished',
    status: 'succeeded',
    reason: 'answered',
    message: 'Answered.',
    raw: '5',
    answer: '5',
    rule: null,
    explanation: null,
    evidence: [],
    sources: [],
  },
];

const HEAD = toHead(
  RUN,
  new Map([
    ['state', 'finished'],
    ['limit', '1000000'],
    ['spent', '2000'],
  ]),
);

const tell = (kind: OutsideEvent['kind'], id: string, more: Partial<OutsideEvent> = {}) => ({
  kind,
  id,
  at: 1_002_500,
  run: RUN,
  label: id,
  key: `${RUN}:${id}`,
  ...more,
});

const EVENTS: OutsideEvent[] = [
  ...[PURE, ONCE].flatMap((id) => [tell('tool_start', id), tell('tool_end', id)]),
  tell('delivery_end', '', { label: 'archive' }),
  tell('model_call', '', {
    label: '0',
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Q', cache_control: { type: 'ephemeral' } }],
      },
    ],
  }),
];

/** A run as it should be, with its drafts, events or other facts changed. */
function evidence(
  change: { drafts?: Draft[]; events?: OutsideEvent[] } & Partial<RunEvidence> = {},
): RunEvidence {
  const { drafts = DRAFTS, events = EVENTS, ...facts } = change;
  const entries = drafts.map((draft, index): Entry => stamp(draft, 1_000_000 + index * 1_000));
  const numbered = entries.map((entry, index) => ({ seq: index + 1, entry }));
  return {
    id: RUN,
    plan: {
      key: 'k',
      answer: '5',
      streamMs: [1, 1],
      turns: [
        [
          { tool: 'count_pure', label: 'a', ms: 1 },
          { tool: 'count_once', label: 'b', ms: 1 },
        ],
      ],
    },
    lines: entries.map((entry) => JSON.stringify(entry)),
    head: HEAD,
    shown: numbered.map(({ seq, entry }) => ({ seq, ...entry })),
    followed: numbered,
    events,
    owed: 0,
    isDue: false,
    ...facts,
  };
}

const without = (index: number) => DRAFTS.filter((_, at) => at !== index);
const withDouble = (index: number) =>
  DRAFTS.flatMap((one, at) => (at === index ? [one, one] : one));
const swapped = (index: number, draft: Draft) =>
  DRAFTS.map((one, at) => (at === index ? draft : one));
const onceResult = (outcome: 'unknown' | 'failed') =>
  swapped(5, finishedCall(ONCE, 'two', { name: 'count_once', outcome }));
const onceNeverEnded = EVENTS.filter(({ kind, id }) => kind !== 'tool_end' || id !== ONCE);

describe('judgeRun', () => {
  it('finds nothing wrong with a run as it should be', () => {
    expect(judgeRun(evidence())).toEqual([]);
  });

  it('accepts a once call that began, never ended and is told as unknown', () => {
    expect(judgeRun(evidence({ drafts: onceResult('unknown'), events: onceNeverEnded }))).toEqual(
      [],
    );
  });

  it('accepts a pure call that began twice', () => {
    expect(judgeRun(evidence({ events: [...EVENTS, tell('tool_start', PURE)] }))).toEqual([]);
  });

  it.each<[string, Parameters<typeof evidence>[0], string]>([
    ['two results for a call', { drafts: withDouble(4) }, 'cannot be folded'],
    ['an open call before a reply', { drafts: without(4) }, 'cannot be folded'],
    ['an open call at the end', { drafts: without(6).toSpliced(4, 1) }, '0 results'],
    ['no end', { drafts: DRAFTS.slice(0, -1) }, 'run_finished is not last'],
    ['two ends', { drafts: withDouble(7) }, '2 run_finished'],
    ['an entry after the end', { drafts: [...DRAFTS, prepared()] }, 'not last'],
    ['two preparations', { drafts: withDouble(1) }, 'not one run_prepared'],
    ['a start that is not on record', { drafts: without(3) }, '0 tool_started'],
    ['a once call that began twice', { events: [...EVENTS, tell('tool_start', ONCE)] }, 'once'],
    ['a once call that never ended and is done', { events: onceNeverEnded }, `${ONCE} is done`],
    ['a once call that failed', { drafts: onceResult('failed') }, 'ended as failed'],
    [
      'another idempotency key',
      { events: [...EVENTS, tell('tool_start', PURE, { key: 'other' })] },
      'another key',
    ],
    [
      'a call of a reply that was never committed',
      { events: [...EVENTS, tell('tool_start', 'toolu_z')] },
      'not on record',
    ],
    [
      'a model that was told what is not on record',
      { events: [...EVENTS, tell('model_call', '', { messages: [{ role: 'user' }] })] },
      'not on record',
    ],
    ['no archive', { events: EVENTS.slice(0, 4) }, 'no archive'],
    ['a client that saw a gap', { followed: evidence().followed.slice(1) }, 'followed it saw'],
    ['an API with another order', { shown: evidence().shown.toReversed() }, 'the API shows'],
    ['money that is not on record', { head: { ...HEAD, spentMicroUsd: 1 } }, 'are booked'],
    ['a lease that is held', { head: { ...HEAD, leaseUntil: 1 } }, 'lease'],
    ['a delivery that is owed', { owed: 1 }, 'still owed'],
    ['a run that is still due', { isDue: true }, 'still due'],
  ])('finds %s', (_, change, sentence) => {
    const faults = judgeRun(evidence(change));
    expect(faults.join('\n')).toContain(sentence);
  });
});

describe('judgeMoney', () => {
  const good = { reserved: '1000000', spent: '2000', refunded: '998000' };
  const judge = (usage: Record<string, string>, active = 0) =>
    judgeMoney(new Map(Object.entries(usage)), { heads: [HEAD], active });

  it('finds nothing wrong when what was reserved is spent or came back', () => {
    expect(judge(good)).toEqual([]);
  });

  it.each([
    ['money that did not come back', { ...good, refunded: '997999' }, '≠ reserved'],
    ['money that nobody spent', { ...good, spent: '2001', refunded: '997999' }, 'sum of the runs'],
    ['a run that reserved nothing', { ...good, reserved: '0' }, 'limits'],
  ])('finds %s', (_, usage, sentence) => {
    expect(judge(usage).join('\n')).toContain(sentence);
  });

  it('finds a slot that is still held', () => {
    expect(judge(good, 1).join()).toContain('active slot');
  });
});
