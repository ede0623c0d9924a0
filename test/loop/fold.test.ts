import { describe, expect, it } from 'vitest';
import { fold, openCalls, pendingUserMessage } from '../../src/loop/fold.ts';
import { parseEntry, stamp } from '../../src/loop/journal.ts';
import { finishedCall, journal, prepared, replied, started, text, use } from '../helpers/runs.ts';

const FILE = { path: 'a.csv', object: 'u/local/file_1', bytes: 3, media_type: 'text/csv' };

describe('fold', () => {
  it('sends the question and what prepare put after it first', () => {
    const view = fold(journal(started({ question: 'Q?' }), prepared({ user_suffix: '\n\nFiles' })));
    expect(pendingUserMessage(view, 'hint')).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Q?\n\nFiles' },
        { type: 'text', text: 'hint' },
      ],
    });
  });

  it('answers every call once, in call order, before any text, whatever order they finished in', () => {
    const view = fold(
      journal(
        started(),
        prepared(),
        replied([text('two calls'), use('t1'), use('t2'), use('t3')]),
        finishedCall('t3', 'three'),
        finishedCall('t1', 'one', { is_error: true }),
        finishedCall('t2', 'two'),
      ),
    );
    expect(pendingUserMessage(view, 'last turn')?.content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'text', text: 'one' }],
        is_error: true,
      },
      { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'two' }] },
      { type: 'tool_result', tool_use_id: 't3', content: [{ type: 'text', text: 'three' }] },
      { type: 'text', text: 'last turn' },
    ]);
  });

  it('keeps content blocks and the text sent with a request exactly as they were', () => {
    const thinking = { type: 'thinking' as const, thinking: '', signature: 'c2ln' };
    const view = fold(
      journal(started(), prepared(), replied([thinking, text('hi')], { user_text: 'warn' })),
    );
    expect(view.messages[0]?.content).toContainEqual({ type: 'text', text: 'warn' });
    expect(view.messages[1]).toEqual({ role: 'assistant', content: [thinking, text('hi')] });
  });

  it('leaves a reply cut off by max_tokens out of the conversation and out of the turns', () => {
    const cut = replied([text('half'), use('t1')], { stop_reason: 'max_tokens' });
    const view = fold(journal(started(), prepared(), cut));
    expect(view).toMatchObject({ turns: 0, cuts: 1, messages: [], calls: [], toolCalls: 0 });
    expect(view.costMicroUsd).toBe(1_000);
    const after = fold(journal(started(), prepared(), cut, replied([text('whole')])));
    expect(after).toMatchObject({ turns: 1, cuts: 0 });
    expect(after.messages).toHaveLength(2);
  });

  it('repeats the question after an empty reply instead of sending an empty message', () => {
    const view = fold(journal(started(), prepared(), replied([])));
    expect(view.messages).toEqual([]);
    expect(view.turns).toBe(1);
  });

  it('leaves out empty text blocks, which the API refuses', () => {
    const view = fold(journal(started(), prepared(), replied([text(''), use('t1'), text('')])));
    expect(view.messages[1]?.content).toEqual([use('t1')]);
  });

  it('gives a call that uses an earlier id again a key of its own', () => {
    const view = fold(
      journal(
        started(),
        prepared(),
        replied([use('t1'), use('t2')]),
        finishedCall('t1'),
        finishedCall('t2'),
        replied([use('t1')]),
      ),
    );
    expect(view.calls[0]).toMatchObject({ id: 't1', key: 't1.3', ordinal: 3 });
    expect(view.closedTurns[0]?.map((call) => call.key)).toEqual(['t1', 't2']);
  });

  it('counts calls, tokens and money over turns', () => {
    const view = fold(
      journal(
        started(),
        prepared(),
        replied([use('t1'), use('t2')]),
        finishedCall('t1', 'x', { cost_micro_usd: 7 }),
        finishedCall('t2'),
        replied([use('t3')]),
      ),
    );
    expect(view).toMatchObject({ turns: 2, toolCalls: 3, tokens: 300, costMicroUsd: 2_007 });
    expect(openCalls(view).map((call) => [call.id, call.ordinal])).toEqual([['t3', 3]]);
  });

  it('computes the workspace: attached files, then what calls wrote, the last one by path', () => {
    const newer = { ...FILE, object: 'o/local/r/2' };
    const plot = { ...FILE, path: 'plot.png' };
    const view = fold(
      journal(
        started({ files: [FILE] }),
        prepared(),
        replied([use('t1')]),
        finishedCall('t1', 'x', { files: [newer, plot] }),
      ),
    );
    expect([...view.files.values()]).toEqual([newer, plot]);
  });

  it('remembers where a call started and the newest sandbox', () => {
    const view = fold(
      journal(started(), prepared(), replied([use('t1', 'execute_python')]), {
        type: 'tool_started',
        tool_use_id: 't1',
        name: 'execute_python',
        effect: 'sandbox',
        sandbox_id: 'sb1',
      }),
    );
    expect(view.sandboxId).toBe('sb1');
    expect(view.calls[0]?.started).toEqual({ effect: 'sandbox', sandboxId: 'sb1' });
  });

  it('lets the first verdict stand and counts the wait for people once', () => {
    const view = fold(
      journal(
        started(),
        prepared(),
        replied([use('t1'), use('t2')]),
        { type: 'approval_requested', tool_use_id: 't1', name: 'calc', expires_at: 9 },
        { type: 'approval_requested', tool_use_id: 't2', name: 'calc', expires_at: 9 },
        { type: 'approval_given', tool_use_id: 't1', decision: 'deny', by: 'expiry' },
        { type: 'approval_given', tool_use_id: 't1', decision: 'approve', by: 'person' },
        { type: 'approval_given', tool_use_id: 't2', decision: 'approve', by: 'person' },
      ),
    );
    expect(view.calls.map((call) => call.approval)).toEqual(['deny', 'approve']);
    expect(view.approvalWaitMs).toBe(4_000);
    expect(view.waitingSince).toBe(null);
  });

  it('counts failures in a row and forgets them with a reply', () => {
    const failed = {
      type: 'attempt_failed',
      purpose: 'turn',
      kind: 'overloaded',
      message: 'busy',
      retry_at: 5,
      counted: true,
      cost_micro_usd: 3,
    } as const;
    const entries = journal(started(), prepared(), failed, { ...failed, counted: false });
    expect(fold(entries)).toMatchObject({ failures: 1, costMicroUsd: 6 });
    const after = fold(journal(started(), prepared(), failed, replied([text('x')])));
    expect(after).toMatchObject({ failures: 0, failure: null });
  });

  it('refuses journals that no writer wrote', () => {
    expect(() => fold([])).toThrow(/begins with run_started/);
    expect(() => fold(journal(started(), started()))).toThrow(/one run_started/);
    expect(() => fold(journal(started(), finishedCall('t9')))).toThrow(/no open call/);
    const twice = [replied([use('t1')]), finishedCall('t1'), finishedCall('t1')];
    expect(() => fold(journal(started(), ...twice))).toThrow(/two results/);
  });

  it('does not touch the entries it reads', () => {
    const entries = journal(
      started({ files: [FILE] }),
      prepared(),
      replied([use('t1')]),
      finishedCall('t1'),
    );
    const before = JSON.stringify(entries);
    fold(entries);
    fold(entries);
    expect(JSON.stringify(entries)).toBe(before);
  });
});

describe('parseEntry', () => {
  it('reads what stamp wrote and refuses other versions and types', () => {
    const entry = stamp(started(), 5);
    expect(parseEntry(JSON.stringify(entry))).toEqual(entry);
    expect(() => parseEntry('{"v":99,"type":"run_started"}')).toThrow(/unreadable/);
    expect(() => parseEntry('{"v":1,"type":"constructor"}')).toThrow(/unreadable/);
  });
});
