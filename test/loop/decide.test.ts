import { describe, expect, it } from 'vitest';
import { decide, type Moment, type Next } from '../../src/loop/decide.ts';
import { fold } from '../../src/loop/fold.ts';
import type { AttemptFailed, Draft, RunStarted, ToolStarted } from '../../src/loop/journal.ts';
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

const NOW = 2_000_000;
const WORK: Moment = { now: NOW, acceptedAt: 1_000_000, mode: 'work', attempts: 0 };

const next = (drafts: Draft[], moment: Partial<Moment> = {}): Next =>
  decide(fold(journal(...drafts)), { ...WORK, ...moment });

const limits = (fields: Partial<RunStarted['limits']>) =>
  started({ limits: { ...LIMITS, ...fields } });
const turn = (n: number) => [
  replied([use(`t${n}`, 'calc', { expression: `${n}` })]),
  finishedCall(`t${n}`, `${n}`),
];
const turns = (n: number) => Array.from({ length: n }, (_, i) => turn(i)).flat();
const answer = (value: string) => replied([text(`Because.\n\nFINAL ANSWER: ${value}`)]);
const failed = (fields: Partial<AttemptFailed> = {}): Draft => ({
  type: 'attempt_failed',
  purpose: 'turn',
  kind: 'overloaded',
  message: 'Overloaded',
  retry_at: NOW + 10_000,
  counted: true,
  ...fields,
});
const toolStarted = (id: string, effect: ToolStarted['effect']): Draft => ({
  type: 'tool_started',
  tool_use_id: id,
  name: 'calc',
  effect,
});
const finish = (found: Next) => {
  if (found.kind !== 'close') throw new Error(`expected close, got ${found.kind}`);
  return found.finish;
};
const tools = (found: Next) => {
  if (found.kind !== 'run_tools') throw new Error(`expected run_tools, got ${found.kind}`);
  const ids = (calls: { id: string }[]) => calls.map((call) => call.id);
  return {
    run: ids(found.run),
    ask: ids(found.ask),
    expire: ids(found.expire),
    settle: found.settle.map(({ call, outcome }) => `${call.id} ${outcome}`),
  };
};

describe('decide', () => {
  it('prepares first, then calls the model', () => {
    expect(next([started()])).toEqual({ kind: 'prepare' });
    expect(next([started(), prepared()])).toMatchObject({
      kind: 'call_model',
      purpose: 'turn',
      userText: null,
      toolChoice: 'auto',
      maxTokens: 16_000,
    });
  });

  it('does nothing after the end', () => {
    const end = finish(next([started(), prepared(), answer('4')]));
    expect(next([started(), prepared(), answer('4'), end])).toEqual({ kind: 'nothing' });
  });

  it.each([
    [1, ['off']],
    [2, ['warned', 'off']],
    [3, ['free', 'warned', 'off']],
    [10, [...Array(8).fill('free'), 'warned', 'off']],
  ])('converges for MAX = %i', (max, expected) => {
    const seen = Array.from({ length: max }, (_, n) => {
      const found = next([limits({ turns: max }), prepared(), ...turns(n)]);
      if (found.kind !== 'call_model') return found.kind;
      if (found.toolChoice === 'none') return found.userText ? 'off' : 'off without a word';
      return found.userText ? 'warned' : 'free';
    });
    expect(seen).toEqual(expected);
  });

  it('answers calls of the last turn with results and asks once more, with tools off', () => {
    const last = [limits({ turns: 2 }), prepared(), ...turns(1), replied([use('x'), use('y')])];
    expect(tools(next(last))).toEqual({
      run: [],
      ask: [],
      expire: [],
      settle: ['x denied', 'y denied'],
    });
    const settled = [...last, finishedCall('x'), finishedCall('y')];
    expect(next(settled)).toMatchObject({
      kind: 'call_model',
      purpose: 'format',
      toolChoice: 'none',
    });
    const silent = [...settled, replied([text('')], { purpose: 'format' })];
    expect(finish(next(silent))).toMatchObject({
      status: 'failed',
      reason: 'turns_spent',
      answer: null,
    });
  });

  it('runs open calls and leaves finished ones alone', () => {
    const open = [started(), prepared(), replied([use('a'), use('b')]), finishedCall('a')];
    expect(tools(next(open))).toMatchObject({ run: ['b'], settle: [] });
  });

  it('closes a once call that was started as unknown, and runs the others again', () => {
    const calls = [started(), prepared(), replied([use('o'), use('k'), use('s'), use('p')])];
    const begun = [
      toolStarted('o', 'once'),
      toolStarted('k', 'keyed'),
      toolStarted('s', 'sandbox'),
    ];
    expect(tools(next([...calls, ...begun]))).toMatchObject({
      run: ['k', 's', 'p'],
      settle: ['o unknown'],
    });
  });

  it('stops running calls that stopped the worker three times', () => {
    const calls = [started(), prepared(), replied([use('a'), use('b')]), toolStarted('b', 'once')];
    expect(tools(next(calls, { attempts: 2 }))).toMatchObject({ run: ['a'] });
    expect(tools(next(calls, { attempts: 3 }))).toMatchObject({
      run: [],
      settle: ['a failed', 'b unknown'],
    });
  });

  it('refuses calls beyond the run’s number of tool calls and then turns tools off', () => {
    const many = [limits({ tool_calls: 1 }), prepared(), replied([use('a'), use('b')])];
    expect(tools(next(many))).toMatchObject({ run: ['a'], settle: ['b denied'] });
    const done = [...many, finishedCall('a'), finishedCall('b')];
    expect(next(done)).toMatchObject({ kind: 'call_model', toolChoice: 'none' });
  });

  describe('with approvals', () => {
    const guarded = [
      started(),
      prepared({ approvals: ['calc'] }),
      replied([use('a'), use('b', 'read_file')]),
    ];
    const asked: Draft = {
      type: 'approval_requested',
      tool_use_id: 'a',
      name: 'calc',
      expires_at: NOW + 5,
    };
    const given = (decision: 'approve' | 'deny'): Draft => ({
      type: 'approval_given',
      tool_use_id: 'a',
      decision,
      by: 'person',
      note: 'why not',
    });

    it('asks and runs meanwhile what may run', () => {
      expect(tools(next(guarded))).toMatchObject({ ask: ['a'], run: ['b'] });
    });

    it('waits until the first expiry when nothing else is left to do', () => {
      const waiting = [...guarded, asked, finishedCall('b')];
      expect(next(waiting)).toEqual({ kind: 'wait', until: NOW + 5 });
      expect(tools(next(waiting, { now: NOW + 5 }))).toMatchObject({ expire: ['a'], run: [] });
    });

    it('does as it was told', () => {
      const waiting = [...guarded, asked, finishedCall('b')];
      expect(tools(next([...waiting, given('approve')]))).toMatchObject({ run: ['a'] });
      const denied = next([...waiting, given('deny')]);
      expect(tools(denied)).toMatchObject({ settle: ['a denied'], run: [] });
      expect(denied.kind === 'run_tools' && denied.settle[0]?.text).toContain('why not');
    });
  });

  it('closes a cancelled run: open calls cancelled, started once calls unknown', () => {
    const found = next([
      started(),
      prepared(),
      replied([use('a'), use('b')]),
      toolStarted('b', 'once'),
      { type: 'cancel_requested', by: 'me' },
    ]);
    expect(finish(found)).toMatchObject({ status: 'cancelled', reason: 'cancelled', answer: null });
    expect(found.kind === 'close' && found.settle.map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'unknown',
    ]);
  });

  it('closes without model or tool when the run stopped its worker too often', () => {
    const drafts = [started(), prepared(), replied([use('a')])];
    const found = next(drafts, { mode: 'close', attempts: 6 });
    expect(finish(found)).toMatchObject({ status: 'failed', reason: 'worker_crashed' });
    expect(finish(next(drafts, { mode: 'close' }))).toMatchObject({ reason: 'no_headway' });
    expect(found.kind === 'close' && found.settle).toHaveLength(1);
  });

  describe('with money', () => {
    // 4,000 prompt bytes and a short question: about 2,050 input tokens at 3.75 a token.
    const INPUT = 8_000;

    it('lowers max_tokens to what is left and stops below the floor', () => {
      const afford = (tokens: number) => limits({ usd: (INPUT + 15 * tokens) / 1e6 });
      const found = next([afford(5_000), prepared()]);
      if (found.kind !== 'call_model') throw new Error('expected call_model');
      expect(found.maxTokens).toBeGreaterThan(4_900);
      expect(found.maxTokens).toBeLessThan(5_100);
      expect(found.worstMicroUsd).toBeLessThanOrEqual(INPUT + 15 * 5_000);
      expect(finish(next([afford(900), prepared()]))).toMatchObject({
        reason: 'usd_spent',
        status: 'failed',
      });
    });

    it('holds back the worst case of each lost attempt and hands it on to be booked', () => {
      const found = next([started(), prepared()], { attempts: 2 });
      expect(found).toMatchObject({ kind: 'call_model' });
      const once = next([started(), prepared()], { attempts: 1 });
      if (found.kind !== 'call_model' || once.kind !== 'call_model')
        throw new Error('expected calls');
      expect(found.lostMicroUsd).toBe(2 * once.lostMicroUsd);
      expect(once.lostMicroUsd).toBeGreaterThan(16_000 * 15);
      const poor = next([limits({ usd: 0.3 }), prepared()], { attempts: 1 });
      if (poor.kind !== 'call_model') throw new Error('expected a call');
      expect(poor.maxTokens).toBeLessThan(4_000);
    });

    it('books model calls that were lost when the run closes, up to its limit', () => {
      const closed = next([started(), prepared()], { mode: 'close', attempts: 6 });
      expect(finish(closed).cost_micro_usd).toBeGreaterThan(900_000);
      expect(finish(closed).cost_micro_usd).toBeLessThanOrEqual(1_000_000);
      const inTools = next([started(), prepared(), replied([use('a')])], {
        mode: 'close',
        attempts: 6,
      });
      expect(finish(inTools).cost_micro_usd).toBe(undefined);
      const calm = finish(next([started(), prepared(), answer('4')]));
      expect(calm.cost_micro_usd).toBe(undefined);
    });

    it('does not count money for a free model', () => {
      const prices = { input: 0, output: 0, cache_write: 0, cache_read: 0, known: true };
      expect(next([started(), prepared({ prices })])).toMatchObject({ maxTokens: 16_000 });
    });
  });

  it.each([
    ['tokens_spent', { tokens: 100 }, [started(), prepared(), ...turns(1)]],
    ['seconds_spent', { seconds: 1 }, [started(), prepared()]],
  ])('stops with %s before the next model call', (reason, limit, drafts) => {
    const [, ...rest] = drafts;
    expect(finish(next([limits(limit), ...rest]))).toMatchObject({ status: 'failed', reason });
  });

  it('does not count the wait for a person as the run’s time', () => {
    const drafts = [
      limits({ seconds: 5 }),
      prepared({ approvals: ['calc'] }),
      replied([use('a')]),
      { type: 'approval_requested', tool_use_id: 'a', name: 'calc', expires_at: 9e12 } as const,
      { type: 'approval_given', tool_use_id: 'a', decision: 'approve', by: 'person' } as const,
      finishedCall('a'),
    ];
    const entries = journal(...drafts);
    const late = entries.map((entry, i) =>
      i > 3 ? { ...entry, at: entry.at + 1_000_000 } : entry,
    );
    const at = late.at(-1)?.at ?? 0;
    expect(decide(fold(late), { ...WORK, now: at }).kind).toBe('call_model');
  });

  it('behaves as on its last turn near the end of the window', () => {
    const usage = {
      input_tokens: 170_000,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const drafts = [started(), prepared(), replied([use('a')], { usage }), finishedCall('a')];
    expect(next(drafts)).toMatchObject({ kind: 'call_model', purpose: 'turn', toolChoice: 'none' });
  });

  describe('after a failed attempt', () => {
    it('waits until the retry, then calls again', () => {
      const drafts = [started(), prepared(), failed()];
      expect(next(drafts)).toEqual({ kind: 'wait', until: NOW + 10_000 });
      expect(next(drafts, { now: NOW + 10_000 })).toMatchObject({ kind: 'call_model' });
    });

    it('ends with the service’s own reason when the kind is not repeated', () => {
      const refused = failed({
        kind: 'unauthorized',
        message: 'Set ANTHROPIC_API_KEY.',
        retry_at: null,
      });
      expect(finish(next([started(), prepared(), refused]))).toMatchObject({
        status: 'failed',
        reason: 'unauthorized',
        message: 'Set ANTHROPIC_API_KEY.',
      });
    });

    it('makes the last try with tools off when the request was too large', () => {
      const large = failed({ kind: 'context_exceeded', retry_at: NOW });
      expect(next([started(), prepared(), ...turns(1), large])).toMatchObject({
        toolChoice: 'none',
      });
    });

    it('keeps an answer that was given before the format call failed', () => {
      const drafts = [
        started({ question: 'How many? Answer with a number.' }),
        prepared(),
        answer('The answer could be 42 or 43; I am not sure'),
      ];
      expect(next(drafts)).toMatchObject({ purpose: 'format' });
      const end = finish(next([...drafts, failed({ retry_at: null, purpose: 'format' })]));
      expect(end).toMatchObject({ status: 'succeeded', reason: 'answered' });
    });
  });

  describe('after a reply', () => {
    it('concludes with the answer, its rule, the raw text and the explanation', () => {
      expect(finish(next([started(), prepared(), answer('4')]))).toMatchObject({
        status: 'succeeded',
        reason: 'answered',
        answer: '4',
        raw: 'Because.\n\nFINAL ANSWER: 4',
        explanation: 'Because.',
        rule: 'final_answer',
      });
    });

    it('asks once for the answer when there is none, then fails with no_answer', () => {
      const drafts = [
        started(),
        prepared(),
        replied([text('I will start by looking at the file.')]),
      ];
      expect(next(drafts)).toMatchObject({
        kind: 'call_model',
        purpose: 'format',
        toolChoice: 'none',
      });
      const again = [...drafts, replied([text('Let me look.')], { purpose: 'format' })];
      expect(finish(next(again))).toMatchObject({
        status: 'failed',
        reason: 'no_answer',
        answer: null,
      });
    });

    it('takes the model’s word that it cannot answer', () => {
      const drafts = [
        started(),
        prepared(),
        replied([text('The file is empty.\n\nNO ANSWER: no data')]),
      ];
      expect(finish(next(drafts))).toMatchObject({
        status: 'failed',
        reason: 'no_answer',
        answer: null,
      });
    });

    it('asks for the answer after an empty reply, whose results still stand before the question', () => {
      const empty = next([started(), prepared(), ...turns(1), replied([])]);
      expect(empty).toMatchObject({ kind: 'call_model', purpose: 'format', toolChoice: 'none' });
      const silent = [started(), prepared(), replied([]), replied([], { purpose: 'format' })];
      expect(finish(next(silent))).toMatchObject({ reason: 'no_answer' });
    });

    it('goes on after a pause, and takes a paused format call for no answer', () => {
      const paused9 = replied([text('FINAL ANSWER: 9')], {
        purpose: 'format',
        stop_reason: 'pause_turn',
      });
      const prose = replied([text('I will look.')]);
      expect(finish(next([started(), prepared(), prose, paused9]))).toMatchObject({ answer: null });
      const paused = replied([text('…')], { stop_reason: 'pause_turn' });
      expect(next([started(), prepared(), paused])).toMatchObject({
        kind: 'call_model',
        purpose: 'turn',
      });
    });

    it('repeats a reply that was cut off with a larger cap, once', () => {
      const cut = replied([text('half'), use('t')], { stop_reason: 'max_tokens' });
      expect(next([limits({ usd: 9 }), prepared(), cut])).toMatchObject({
        kind: 'call_model',
        maxTokens: 32_000,
      });
      expect(finish(next([limits({ usd: 9 }), prepared(), cut, cut]))).toMatchObject({
        reason: 'output_cut_off',
      });
    });

    it('runs no tool of a refused reply and says that the model refused', () => {
      const refused = replied([use('a')], { stop_reason: 'refusal' });
      expect(tools(next([started(), prepared(), refused]))).toMatchObject({
        run: [],
        settle: ['a denied'],
      });
      const settled = [started(), prepared(), refused, finishedCall('a')];
      expect(finish(next(settled))).toMatchObject({ status: 'failed', reason: 'model_refused' });
    });
  });
});
