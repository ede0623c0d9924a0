import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import { fold } from '../../src/loop/fold.ts';
import type { Draft } from '../../src/loop/journal.ts';
import { repetitionOf } from '../../src/loop/repetition.ts';
import {
  finishedCall,
  journal,
  LIMITS,
  prepared,
  replied,
  started,
  text,
  use,
} from '../helpers/runs.ts';

let serial = 0;

/** One turn: calls of the given [argument, result] pairs. */
function turn(...pairs: [unknown, string][]): Draft[] {
  const calls = pairs.map(([input, result]) => {
    serial += 1;
    return { id: `t${serial}`, input: { q: input }, result };
  });
  return [
    replied(calls.map(({ id, input }) => use(id, 'search', input))),
    ...calls.map(({ id, result }) => finishedCall(id, result, { name: 'search' })),
  ];
}

const begun = () => [started({ limits: { ...LIMITS, turns: 50 } }), prepared()];
const viewOf = (...turns: Draft[][]) => fold(journal(...begun(), ...turns.flat()));
const next = (...turns: Draft[][]) =>
  decide(viewOf(...turns), { now: 2_000_000, acceptedAt: 1_000_000, mode: 'work', attempts: 0 });
const times = (n: number, make: (i: number) => Draft[]) =>
  Array.from({ length: n }, (_, i) => make(i));

describe('repetitionOf', () => {
  it.each([
    ['the same call', 3, 5, 'same_call', () => turn(['x', 'nothing'])],
    [
      'other arguments with the same result',
      4,
      6,
      'same_result',
      (i: number) => turn([i, 'nothing']),
    ],
    ['two calls in turn', 4, 6, 'alternating', (i: number) => turn([i % 2, `result ${i}`])],
    ['several calls at once', 3, 5, 'same_call', () => turn(['a', '1'], ['b', '2'])],
  ])('warns of %s after %i turns and stops after %i', (_, warnAt, stopAt, kind, make) => {
    expect(repetitionOf(viewOf(...times(warnAt - 1, make)))).toBe(null);
    expect(repetitionOf(viewOf(...times(warnAt, make)))).toMatchObject({ kind, stop: false });
    expect(repetitionOf(viewOf(...times(stopAt - 1, make)))).toMatchObject({ stop: false });
    expect(repetitionOf(viewOf(...times(stopAt, make)))).toMatchObject({ kind, stop: true });
  });

  it('knows the same arguments in another order of keys', () => {
    const orders = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { b: { c: 2, d: 3 }, a: 1 },
    ];
    const turns = orders.map((input, i) => turn([input, `result ${i}`]));
    expect(repetitionOf(viewOf(...turns))).toMatchObject({ kind: 'same_call' });
  });

  it('counts eight equal calls of one turn as one', () => {
    const eight = Array.from({ length: 8 }, (): [unknown, string] => ['x', 'nothing']);
    expect(repetitionOf(viewOf(turn(...eight)))).toBe(null);
  });

  it('forgets what came before progress', () => {
    const same = () => turn(['x', 'nothing']);
    expect(repetitionOf(viewOf(same(), same(), turn(['y', 'something']), same(), same()))).toBe(
      null,
    );
  });

  it('does not mistake work on one thing after another for repetition', () => {
    expect(repetitionOf(viewOf(...times(20, (i) => turn([i, `result ${i}`]))))).toBe(null);
  });
});

describe('decide on repetition', () => {
  const same = () => turn(['x', 'nothing']);

  it('warns in the request, then takes the tools away', () => {
    expect(next(...times(2, same))).toMatchObject({ userText: null, toolChoice: 'auto' });
    const warned = next(...times(3, same));
    expect(warned).toMatchObject({ kind: 'call_model', toolChoice: 'auto' });
    expect(warned.kind === 'call_model' && warned.userText).toContain('search');
    expect(next(...times(5, same))).toMatchObject({ toolChoice: 'none' });
  });

  it('ends as no_progress when no answer comes of it, and with the answer when one does', () => {
    const stuck = times(5, same);
    const silent = [replied([text('')]), replied([text('')], { purpose: 'format' })];
    const end = next(...stuck, silent);
    expect(end).toMatchObject({
      kind: 'close',
      finish: { status: 'failed', reason: 'no_progress' },
    });
    const answered = next(...stuck, [replied([text('So.\n\nFINAL ANSWER: 4')])]);
    expect(answered).toMatchObject({ kind: 'close', finish: { status: 'succeeded', answer: '4' } });
  });
});
