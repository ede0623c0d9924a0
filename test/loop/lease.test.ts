import { afterEach, describe, expect, it } from 'vitest';
import { stamp } from '../../src/loop/journal.ts';
import { createLease, type Lease, LeaseLost } from '../../src/loop/lease.ts';
import { toHead } from '../../src/loop/run-head.ts';
import type { AppendAnswer, Grant, HolderAppend, Store } from '../../src/loop/store.ts';
import { createTestClock } from '../helpers/clock.ts';
import { journal, prepared, replied, started, text } from '../helpers/runs.ts';

const lines = journal(started()).map((entry) => JSON.stringify(entry));
const cancel = JSON.stringify(stamp({ type: 'cancel_requested', by: 'me' }, 1));
const grant: Grant = {
  kind: 'grant',
  mode: 'work',
  now: 5_000_000,
  length: 1,
  head: { ...toHead('run_1', new Map()), epoch: 3, nonce: 'n', attempts: 2 },
  outbox: {},
  lines,
};

let lease: Lease;
afterEach(() => lease.stop());

/** A lease over a store whose appends are answered by `answer`; keeps what was sent. */
function held(answer: (request: HolderAppend, index: number) => AppendAnswer | Error) {
  const sent: HolderAppend[] = [];
  const clock = createTestClock();
  const append = async (request: HolderAppend) => {
    sent.push(request);
    const result = answer(request, sent.length - 1);
    if (result instanceof Error) throw result;
    return result;
  };
  // Only `append` is used by a lease.
  const store = { append } as unknown as Store;
  lease = createLease({ store, clock }, { grant, lines });
  return { sent, clock, lease };
}

const ok = (request: HolderAppend): AppendAnswer => ({
  kind: 'ok',
  now: 1,
  length: request.base + request.lines.length,
});

describe('createLease', () => {
  it('stamps entries with Redis’ time, not with the Worker’s', async () => {
    const { sent, clock, lease } = held(ok);
    await clock.advance(1_500);
    await lease.commit([prepared()]);
    expect(JSON.parse(sent[0]?.lines[0] ?? '').at).toBe(5_001_500);
  });

  it('numbers appends by base and commit, and forgets attempts with the first entry', async () => {
    const { sent, lease } = held(ok);
    expect(lease.attempts()).toBe(2);
    await lease.commit([prepared()]);
    await lease.commit([replied([text('a')])]);
    expect(sent.map(({ base, commit, epoch, nonce }) => [base, commit, epoch, nonce])).toEqual([
      [1, 1, 3, 'n'],
      [2, 2, 3, 'n'],
    ]);
    expect(lease.attempts()).toBe(0);
    expect(lease.view().length).toBe(3);
  });

  it('writes all that waits in one append, costs added up', async () => {
    const { sent, lease } = held(ok);
    const first = lease.commit([prepared()], { costMicroUsd: 1 });
    const second = lease.commit([replied([text('a')])], { costMicroUsd: 2 });
    await Promise.all([first, second]);
    expect(sent.map((request) => [request.lines.length, request.costMicroUsd])).toEqual([[2, 3]]);
  });

  it('sends an append again under the same numbers when its answer was lost', async () => {
    const { sent, clock, lease } = held((request, i) =>
      i === 0 ? new Error('lost') : ok(request),
    );
    const written = lease.commit([prepared()]);
    await clock.advance(300);
    await written;
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('keeps sending while nobody else may hold the run, then gives up', async () => {
    const { sent, clock, lease } = held(() => new Error('down'));
    const written = lease.commit([prepared()]).catch((error: unknown) => error);
    await clock.advance(29_000);
    expect(sent.length).toBeGreaterThan(6);
    await clock.advance(10_000);
    expect(await written).toBeInstanceOf(Error);
  });

  it('folds what others wrote and sends its entries again under the same commit', async () => {
    const { sent, lease } = held((request, i) =>
      i === 0 ? { kind: 'moved', now: 1, length: 2, lines: [cancel] } : ok(request),
    );
    await lease.commit([prepared()]);
    expect(sent.map(({ base, commit }) => [base, commit])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(lease.entries().map((entry) => entry.type)).toEqual([
      'run_started',
      'cancel_requested',
      'run_prepared',
    ]);
    expect(lease.signal.aborted).toBe(true);
  });

  it.each([
    ['release', (held: Lease) => held.release({ waitMs: 0, dueMs: 1 })],
    ['finish', (held: Lease) => held.finish([prepared()], { status: 'failed' })],
  ])('leaves a %s that others overtook unwritten, to be decided anew', async (_, act) => {
    const { sent, lease } = held(() => ({ kind: 'moved', now: 1, length: 2, lines: [cancel] }));
    expect(await act(lease)).toBe('moved');
    expect(sent).toHaveLength(1);
  });

  it.each(['fenced', 'finished', 'gone'] as const)(
    'stops everything when the answer is %s',
    async (kind) => {
      const { sent, lease } = held(() => ({ kind }));
      await expect(lease.commit([prepared()])).rejects.toThrow(LeaseLost);
      expect(lease.signal.aborted).toBe(true);
      await expect(lease.release({ waitMs: 0, dueMs: 1 })).rejects.toThrow(LeaseLost);
      expect(sent).toHaveLength(1);
    },
  );

  it('sends an empty append after ten silent seconds, and none while entries flow', async () => {
    const { sent, clock, lease } = held(ok);
    await clock.advance(9_000);
    await lease.commit([prepared()]);
    await clock.advance(9_000);
    expect(sent).toHaveLength(1);
    await clock.advance(1_500);
    expect(sent.map((request) => request.lines.length)).toEqual([1, 0]);
    expect(sent[1]?.commit).toBe(1);
  });

  it('learns of a cancel by its heartbeat', async () => {
    const { clock, lease } = held(() => ({ kind: 'moved', now: 1, length: 2, lines: [cancel] }));
    await clock.advance(10_000);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.view().cancelled).toBe(true);
  });

  it('stops the work when no heartbeat reaches Redis', async () => {
    const { clock, lease } = held(() => new Error('down'));
    await clock.advance(35_000);
    expect(lease.signal.aborted).toBe(true);
    await expect(lease.commit([prepared()])).rejects.toThrow(LeaseLost);
  });

  it.each([
    ['release', (held: Lease) => held.release({ waitMs: 0, dueMs: 1 })],
    ['finish', (held: Lease) => held.finish([prepared()], { status: 'failed' })],
    ['stop', async (held: Lease) => held.stop()],
  ])('beats no more after %s', async (_, act) => {
    const { sent, clock, lease } = held(ok);
    await act(lease);
    const before = sent.length;
    await clock.advance(60_000);
    expect(sent).toHaveLength(before);
  });
});
