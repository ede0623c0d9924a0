import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stamp } from '../../src/loop/journal.ts';
import { createStore, type HolderAppend, type Store } from '../../src/loop/store.ts';
import type { RedisPort } from '../../src/redis.ts';
import { describeEngines, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, appendOf, claimed, started } from '../helpers/runs.ts';

const START = 1_790_000_000_000;
let now = START;
let server: TestRedis;
let redis: RedisPort;
let store: Store;
let serial = 0;

const line = (name: string) => JSON.stringify(stamp({ type: 'cancel_requested', by: name }, now));
const newId = () => {
  serial += 1;
  return `run_${serial}`;
};
const score = async (id: string) => {
  const value = await redis.command('ZSCORE', 'due', id);
  return value === null ? null : Number(value) - now;
};
const raw = (id: string) =>
  redis.command('LRANGE', `run:${id}:log`, '0', '-1') as Promise<string[]>;
const usage = async (owner: string) => {
  const flat = (await redis.command('HGETALL', `usage:${owner}:2026-09-21`)) as string[];
  return Object.fromEntries(
    flat.map((name, i) => [name, Number(flat[i + 1])]).filter((_, i) => i % 2 === 0),
  );
};

async function accepted(fields: Parameters<typeof acceptance>[1] = {}) {
  const id = newId();
  await store.accept(acceptance(id, { owner: `o_${id}`, ...fields }));
  return id;
}

const finishOf = (grant: Parameters<typeof appendOf>[0], fields: Partial<HolderAppend> = {}) =>
  appendOf(grant, { lines: [line('end')], finish: 'succeeded', ...fields });

describeEngines('the scripts', (engine) => {
  beforeAll(async () => {
    server = await startTestRedis(undefined, engine);
    now = START;
    redis = server.redis;
    const clock = () => now;
    store = createStore(redis, { retentionDays: 30, now: clock, scriptClock: clock });
  });
  afterAll(() => server.stop());

  describe('accept', () => {
    it('creates head, first entry, due, listing, reservation and active slot at once', async () => {
      const id = await accepted({ outbox: { archive: '1' } });
      const head = await store.head(id);
      expect(head).toMatchObject({
        state: 'open',
        epoch: 0,
        limitMicroUsd: 1_000_000,
        createdAt: now,
      });
      expect(await raw(id)).toEqual([JSON.stringify(stamp(started(), now))]);
      expect(await score(id)).toBe(30_000);
      expect((await store.list(`o_${id}`, { limit: 10 })).ids).toEqual([id]);
      expect(await usage(`o_${id}`)).toEqual({ reserved: 1_000_000 });
      expect(await redis.command('ZCARD', `active:o_${id}`)).toBe(1);
      expect(await redis.command('HGETALL', `outbox:${id}`)).toEqual(['archive', '1']);
    });

    it('changes nothing when it is sent again', async () => {
      const id = newId();
      const run = acceptance(id, { owner: `o_${id}` });
      expect(await store.accept(run)).toEqual({ kind: 'ok', id });
      expect(await store.accept(run)).toEqual({ kind: 'exists', id });
      expect(await raw(id)).toHaveLength(1);
      expect(await usage(`o_${id}`)).toEqual({ reserved: 1_000_000 });
    });

    it('answers the first run for the same idempotency key, and conflict for another body', async () => {
      const id = newId();
      const dedupe = { key: `idem:o:${id}`, bodyHash: 'a', ttlSeconds: 60 };
      await store.accept(acceptance(id, { dedupe }));
      const second = newId();
      expect(await store.accept(acceptance(second, { dedupe }))).toEqual({ kind: 'exists', id });
      const other = { ...dedupe, bodyHash: 'b' };
      expect(await store.accept(acceptance(second, { dedupe: other }))).toEqual({
        kind: 'conflict',
        id,
      });
      expect(await store.head(second)).toBe(null);
      expect(await redis.command('TTL', dedupe.key)).toBe(60);
    });

    it('keeps the day’s money and the number of active runs', async () => {
      const owner = `o_${newId()}`;
      const money = { owner, limitMicroUsd: 600_000, dayLimitMicroUsd: 1_500_000, maxActive: 2 };
      expect((await store.accept(acceptance(newId(), money))).kind).toBe('ok');
      expect((await store.accept(acceptance(newId(), money))).kind).toBe('ok');
      expect(await store.accept(acceptance(newId(), money))).toEqual({
        kind: 'budget_spent',
        reservedMicroUsd: 1_200_000,
        limitMicroUsd: 1_500_000,
      });
      const rich = { ...money, dayLimitMicroUsd: 9_000_000 };
      expect(await store.accept(acceptance(newId(), rich))).toEqual({
        kind: 'too_many',
        active: 2,
        limit: 2,
      });
    });

    it('stores entries byte for byte', async () => {
      const question = 'ünï 🦊 "\\" \u0000 {"a":1.0, "b":[]} \u2028';
      const id = await accepted({ entry: started({ question }) });
      const [entry] = await store.entries(id, 1);
      expect(entry).toMatchObject({ question });
    });
  });

  describe('claim', () => {
    it('grants with epoch 1, a lease of 30 s, due at its end + 5 s, and the journal', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      expect(grant).toMatchObject({ mode: 'work', now, length: 1, lines: await raw(id) });
      expect(grant.head).toMatchObject({
        epoch: 1,
        nonce: 'n1',
        leaseUntil: now + 30_000,
        attempts: 0,
      });
      expect(await score(id)).toBe(35_000);
    });

    it('gives the same grant to the same nonce and changes nothing', async () => {
      const id = await accepted();
      const first = await claimed(store, id, 'n1');
      now += 1_000;
      const again = await claimed(store, id, 'n1');
      expect(again.head).toEqual(first.head);
    });

    it('tells losers until when the run is leased, and takes nothing', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      expect(await store.claim(id, 'n2')).toEqual({
        kind: 'busy',
        until: grant.head.leaseUntil,
        now,
      });
      expect((await store.head(id))?.nonce).toBe('n1');
    });

    it('counts a takeover of a lease that ran out, not a released one', async () => {
      const id = await accepted();
      const first = await claimed(store, id, 'n1');
      await store.append(appendOf(first, { release: { waitMs: 0, dueMs: 30_000 } }));
      expect((await claimed(store, id, 'n2')).head.attempts).toBe(0);
      now += 30_001;
      expect((await claimed(store, id, 'n3')).head.attempts).toBe(1);
    });

    it('counts claims that added no entry, and never forgets them', async () => {
      const id = await accepted();
      const first = await claimed(store, id, 'n1');
      await store.append(appendOf(first, { release: { waitMs: 0, dueMs: 0 } }));
      const second = await claimed(store, id, 'n2');
      expect(second.head.idle).toBe(1);
      await store.append(
        appendOf(second, { lines: [line('x')], release: { waitMs: 0, dueMs: 0 } }),
      );
      expect((await claimed(store, id, 'n3')).head.idle).toBe(1);
    });

    it('waits without counting before not_before', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.append(appendOf(grant, { release: { waitMs: 60_000, dueMs: 90_000 } }));
      for (const nonce of ['n2', 'n3']) {
        expect(await store.claim(id, nonce)).toEqual({ kind: 'wait', until: now + 60_000, now });
      }
      expect(await store.head(id)).toMatchObject({ epoch: 1, idle: 0, attempts: 0 });
      expect(await score(id)).toBe(90_000);
      now += 60_000;
      expect((await claimed(store, id, 'n4')).mode).toBe('work');
    });

    it('closes at 6 attempts and buries at 9, without entries', async () => {
      const id = await accepted();
      const modes: string[] = [];
      let lines = -1;
      for (let i = 0; i < 11; i += 1) {
        const grant = await claimed(store, id, `n${i}`);
        modes.push(grant.mode);
        lines = grant.lines.length;
        now += 31_000;
      }
      expect(modes.slice(0, 6)).toEqual(Array(6).fill('work'));
      expect(modes.slice(6, 9)).toEqual(Array(3).fill('close'));
      expect(modes.slice(9)).toEqual(['bury', 'bury']);
      expect(lines).toBe(0);
    });

    it('does not count a claim as idle that was released with forgiveness', async () => {
      const id = await accepted();
      const first = await claimed(store, id, 'n1');
      await store.append(appendOf(first, { release: { waitMs: 0, dueMs: 0, forgive: true } }));
      expect((await claimed(store, id, 'n2')).head.idle).toBe(0);
    });

    it('closes after more than 30 idle claims', async () => {
      const id = await accepted();
      const modes = new Set<string>();
      for (let i = 0; i < 32; i += 1) {
        const grant = await claimed(store, id, `n${i}`);
        if (i <= 30) modes.add(grant.mode);
        else expect(grant.mode).toBe('close');
        await store.append(appendOf(grant, { release: { waitMs: 0, dueMs: 0 } }));
      }
      expect([...modes]).toEqual(['work']);
    });

    it('answers gone for an unknown run and takes it out of due', async () => {
      await redis.command('ZADD', 'due', '1', 'run_nobody');
      expect(await store.claim('run_nobody', 'n')).toEqual({ kind: 'gone' });
      expect(await redis.command('ZSCORE', 'due', 'run_nobody')).toBe(null);
    });

    it('grants nothing to a late copy of a claim whose lease was released', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.append(appendOf(grant, { release: { waitMs: 0, dueMs: 0 } }));
      expect(await store.claim(id, 'n1')).toEqual({ kind: 'nothing' });
    });

    it('returns a first page of 512 KB; the rest comes by readRest', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      const big = Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(20_000, '.'));
      await store.append(appendOf(grant, { lines: big, release: { waitMs: 0, dueMs: 0 } }));
      const next = await claimed(store, id, 'n2');
      expect(next.length).toBe(41);
      expect(next.lines.length).toBe(32);
      const rest = await store.readRest(id, { have: next.lines.length, length: next.length });
      expect([...next.lines, ...(rest ?? [])].slice(1)).toEqual(big);
      expect(await store.readRest(id, { have: 32, length: 42 })).toBe(null);
    });
  });

  describe('append', () => {
    it('adds entries, books cost, resets attempts, renews the lease and due', async () => {
      const id = await accepted();
      await claimed(store, id, 'n0');
      now += 31_000;
      const grant = await claimed(store, id, 'n1');
      expect(grant.head.attempts).toBe(1);
      now += 7_000;
      const lines = [line('a'), line('b')];
      expect(await store.append(appendOf(grant, { lines, costMicroUsd: 42 }))).toEqual({
        kind: 'ok',
        now,
        length: 3,
      });
      expect(await store.head(id)).toMatchObject({
        attempts: 0,
        spentMicroUsd: 42,
        leaseUntil: now + 30_000,
      });
      expect(await score(id)).toBe(35_000);
      expect((await raw(id)).slice(1)).toEqual(lines);
    });

    it('changes nothing when it is sent again, however late within the epoch', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      const first = appendOf(grant, { lines: [line('a')], costMicroUsd: 5 });
      await store.append(first);
      expect((await store.append(first)).kind).toBe('ok');
      await store.append(appendOf(grant, { commit: 2, base: 2, lines: [line('b')] }));
      expect((await store.append(first)).kind).toBe('ok');
      expect(await raw(id)).toHaveLength(3);
      expect((await store.head(id))?.spentMicroUsd).toBe(5);
    });

    it('fences another epoch, another nonce, a skipped commit and a base beyond the list', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      const lines = [line('a')];
      const wrong: Partial<HolderAppend>[] = [
        { epoch: 9 },
        { nonce: 'x' },
        { commit: 2 },
        { base: 7 },
      ];
      for (const fields of wrong) {
        expect(await store.append(appendOf(grant, { lines, ...fields }))).toEqual({
          kind: 'fenced',
        });
      }
      expect(await raw(id)).toHaveLength(1);
    });

    it('fences the old holder once another one claimed', async () => {
      const id = await accepted();
      const old = await claimed(store, id, 'n1');
      now += 30_001;
      await claimed(store, id, 'n2');
      expect(await store.append(appendOf(old, { lines: [line('a')] }))).toEqual({ kind: 'fenced' });
      expect(await store.append(appendOf(old))).toEqual({ kind: 'fenced' });
    });

    it('takes an append under a lease that ran out but that nobody took', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      now += 40_000;
      expect((await store.append(appendOf(grant, { lines: [line('a')] }))).kind).toBe('ok');
      expect((await store.head(id))?.leaseUntil).toBe(now + 30_000);
    });

    it('answers moved with what others wrote, writes nothing, and takes the same commit after', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.requestCancel(id, { by: 'me' });
      const mine = appendOf(grant, { lines: [line('a')] });
      const answer = await store.append(mine);
      expect(answer).toMatchObject({ kind: 'moved', length: 2 });
      if (answer.kind !== 'moved') throw new Error('expected moved');
      expect(answer.lines.map((entry) => JSON.parse(entry).type)).toEqual(['cancel_requested']);
      expect(await raw(id)).toHaveLength(2);
      expect((await store.append({ ...mine, base: 2 })).kind).toBe('ok');
      expect((await store.append(mine)).kind).toBe('ok');
      expect(await raw(id)).toHaveLength(3);
    });

    it('renews the lease on a heartbeat, also on one that learns of others’ entries', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      now += 9_000;
      expect((await store.append(appendOf(grant))).kind).toBe('ok');
      expect((await store.head(id))?.leaseUntil).toBe(now + 30_000);
      await store.requestCancel(id, { by: 'me' });
      now += 9_000;
      expect((await store.append(appendOf(grant))).kind).toBe('moved');
      expect((await store.head(id))?.leaseUntil).toBe(now + 30_000);
      expect(await score(id)).toBe(35_000);
    });

    it('does not let a holder go to sleep over an approval', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      const verdict = {
        type: 'approval_given',
        tool_use_id: 't',
        decision: 'approve',
        by: 'person',
      } as const;
      expect(await store.approve(id, { base: 1, draft: verdict })).toBe('ok');
      const release = { waitMs: 86_400_000, dueMs: 86_430_000 };
      now += 5_000;
      expect((await store.append(appendOf(grant, { release }))).kind).toBe('moved');
      expect((await store.head(id))?.leaseUntil).toBe(grant.head.leaseUntil);
    });

    it('gives the lease back on release and fences what that holder sends after', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      const release = appendOf(grant, { release: { waitMs: 0, dueMs: 30_000 } });
      expect((await store.append(release)).kind).toBe('ok');
      expect(await score(id)).toBe(30_000);
      expect(await store.append(release)).toEqual({ kind: 'fenced' });
      expect(await store.append(appendOf(grant))).toEqual({ kind: 'fenced' });
    });

    it('counts no money without entries, so a late copy of a heartbeat adds none', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.append(appendOf(grant, { costMicroUsd: 77 }));
      expect((await store.head(id))?.spentMicroUsd).toBe(0);
    });

    it('counts commits anew in each epoch', async () => {
      const id = await accepted();
      const first = await claimed(store, id, 'n1');
      await store.append(appendOf(first, { lines: [line('a')], release: { waitMs: 0, dueMs: 0 } }));
      const second = await claimed(store, id, 'n2');
      await store.append(appendOf(second, { lines: [line('b')] }));
      expect(await raw(id)).toHaveLength(3);
    });

    it('answers gone for a run that nobody accepted', async () => {
      const grant = await claimed(store, await accepted(), 'n1');
      const stray = { id: 'run_nobody', lines: [line('a')] };
      expect(await store.append(appendOf(grant, stray))).toEqual({ kind: 'gone' });
      expect(await raw('run_nobody')).toEqual([]);
    });

    it('refuses usage keys that are not the head’s before it writes anything', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await expect(store.append(finishOf(grant, { usageKey: 'usage:x:1' }))).rejects.toThrow(
        /usage and active/,
      );
      expect(await raw(id)).toHaveLength(1);
    });
  });

  describe('the end of a run', () => {
    it('refunds what was not spent, frees the slot, arms the outbox and sets the expiry', async () => {
      const id = await accepted({ outbox: { archive: '1' } });
      const grant = await claimed(store, id, 'n1');
      await store.append(finishOf(grant, { costMicroUsd: 300_000 }));
      expect(await store.head(id)).toMatchObject({
        state: 'finished',
        status: 'succeeded',
        leaseUntil: 0,
      });
      expect(await usage(`o_${id}`)).toEqual({
        reserved: 1_000_000,
        spent: 300_000,
        refunded: 700_000,
      });
      expect(await redis.command('ZCARD', `active:o_${id}`)).toBe(0);
      for (const key of [`run:${id}`, `run:${id}:log`, `outbox:${id}`]) {
        expect(await redis.command('TTL', key)).toBe(30 * 86_400);
      }
      expect(await score(id)).toBe(30_000);
    });

    it('is refunded once, and nothing is appended after it by anyone', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.append(finishOf(grant));
      expect(await store.append(finishOf(grant))).toEqual({ kind: 'finished' });
      expect(
        await store.append(appendOf(grant, { commit: 2, base: 2, lines: [line('late')] })),
      ).toEqual({ kind: 'finished' });
      expect(await store.requestCancel(id, { by: 'me' })).toBe('finished');
      expect(await raw(id)).toHaveLength(2);
      expect(await usage(`o_${id}`)).toMatchObject({ refunded: 1_000_000 });
    });

    it('leaves due when nothing is owed', async () => {
      const id = await accepted();
      await store.append(finishOf(await claimed(store, id, 'n1')));
      expect(await score(id)).toBe(null);
      expect(await store.claim(id, 'n2')).toEqual({ kind: 'nothing' });
    });

    it('grants one deliverer at a time, keeps what failed, and ends with an empty outbox', async () => {
      const id = await accepted({ outbox: { archive: '1', slack: '2' } });
      await store.append(finishOf(await claimed(store, id, 'n1')));
      const deliver = await claimed(store, id, 'n2');
      expect(deliver).toMatchObject({ mode: 'deliver', outbox: { archive: '1', slack: '2' } });
      expect((await store.claim(id, 'n3')).kind).toBe('busy');
      const release = { waitMs: 60_000, dueMs: 90_000 };
      await store.append(
        appendOf(deliver, { release, outboxDeletes: ['archive'], outboxSets: { slack: 'retry' } }),
      );
      expect(await score(id)).toBe(90_000);
      expect((await store.claim(id, 'n4')).kind).toBe('wait');
      now += 60_000;
      const last = await claimed(store, id, 'n5');
      await store.append(
        appendOf(last, {
          release: { waitMs: 0, dueMs: 0 },
          outboxDeletes: ['slack'],
          dead: 'slack',
        }),
      );
      expect(await score(id)).toBe(null);
      expect((await store.head(id))?.dead).toBe('slack');
    });

    it('sets the expiry again on an outbox that was emptied and refilled', async () => {
      const id = await accepted({ outbox: { archive: '1' } });
      await store.append(finishOf(await claimed(store, id, 'n1')));
      const deliver = await claimed(store, id, 'n2');
      await store.append(appendOf(deliver, { outboxDeletes: ['archive'] }));
      await store.append(appendOf(deliver, { outboxSets: { archive: '1' } }));
      expect(await redis.command('TTL', `outbox:${id}`)).toBe(30 * 86_400);
    });
  });

  describe('approve and requestCancel', () => {
    it('clears the wait and sets due while nobody holds the run', async () => {
      const id = await accepted();
      const grant = await claimed(store, id, 'n1');
      await store.append(appendOf(grant, { release: { waitMs: 86_400_000, dueMs: 86_430_000 } }));
      await store.requestCancel(id, { by: 'me' });
      expect(await score(id)).toBe(30_000);
      expect((await claimed(store, id, 'n2')).head.epoch).toBe(2);
    });

    it('leaves due and epoch alone while a lease lives', async () => {
      const id = await accepted();
      await claimed(store, id, 'n1');
      await store.requestCancel(id, { by: 'me' });
      expect(await score(id)).toBe(35_000);
      now += 10_000;
      await store.requestCancel(id, { by: 'me' });
      expect(await score(id)).toBe(25_000);
      expect((await store.head(id))?.epoch).toBe(1);
    });

    it('is due at the end of a lease that ran out, when that is sooner', async () => {
      const id = await accepted();
      await claimed(store, id, 'n1');
      now += 31_000;
      await store.requestCancel(id, { by: 'me' });
      expect(await score(id)).toBe(4_000);
    });

    it('answers moved to a verdict on a journal that went on', async () => {
      const id = await accepted();
      await store.requestCancel(id, { by: 'me' });
      const draft = {
        type: 'approval_given',
        tool_use_id: 't',
        decision: 'deny',
        by: 'person',
      } as const;
      expect(await store.approve(id, { base: 1, draft })).toBe('moved');
      expect(await store.approve('run_none', { base: 1, draft })).toBe('gone');
    });
  });

  describe('sweep', () => {
    it('takes at most 100 due members, oldest first, and looks again after a minute', async () => {
      await redis.command('DEL', 'due');
      for (let i = 0; i < 101; i += 1)
        await redis.command('ZADD', 'due', `${now - 1000 + i}`, `run_s${i}`);
      await redis.command('ZADD', 'due', `${now + 1}`, 'run_later');
      const ids = await store.sweep();
      expect(ids).toHaveLength(100);
      expect(ids[0]).toBe('run_s0');
      expect(await score('run_s0')).toBe(60_000);
      expect(await store.sweep()).toEqual(['run_s100']);
      expect(await store.sweep()).toEqual([]);
      await redis.command('DEL', 'due');
    });
  });

  describe('remove', () => {
    it('settles an unfinished run, leaves a tombstone that owes the purge, and fences the holder', async () => {
      const id = await accepted({ outbox: { slack: '1' } });
      const grant = await claimed(store, id, 'n1');
      await store.append(appendOf(grant, { lines: [line('a')], costMicroUsd: 10 }));
      expect(await store.remove(id)).toBe('ok');
      expect(await usage(`o_${id}`)).toEqual({ reserved: 1_000_000, spent: 10, refunded: 999_990 });
      expect(await redis.command('ZCARD', `active:o_${id}`)).toBe(0);
      expect((await store.list(`o_${id}`, { limit: 10 })).ids).toEqual([]);
      expect(await store.head(id)).toBe(null);
      expect(
        await store.append(appendOf(grant, { commit: 2, base: 2, lines: [line('b')] })),
      ).toEqual({ kind: 'gone' });
      expect(await store.append(appendOf(grant, { base: 2 }))).toEqual({ kind: 'fenced' });
      expect(await redis.command('EXISTS', `run:${id}:log`)).toBe(0);
      expect(await redis.command('TTL', `run:${id}`)).toBe(7 * 86_400);
      // Whoever held the run may put an object until its lease would have ended.
      expect(await store.claim(id, 'n2')).toMatchObject({ kind: 'wait', until: now + 30_000 });
      now += 30_000;
      const deliver = await claimed(store, id, 'n2');
      expect(deliver).toMatchObject({
        mode: 'deliver',
        outbox: { purge: '1', kill_sandbox: '1' },
        lines: [],
      });
      await store.append(
        appendOf(deliver, {
          release: { waitMs: 0, dueMs: 0 },
          outboxDeletes: ['purge', 'kill_sandbox'],
        }),
      );
      expect(await store.claim(id, 'n3')).toEqual({ kind: 'gone' });
      expect(await score(id)).toBe(null);
    });

    it('brings nothing back: a late accept finds the tombstone', async () => {
      const id = newId();
      const run = acceptance(id, { owner: `o_${id}` });
      await store.accept(run);
      await store.remove(id);
      expect(await store.accept(run)).toEqual({ kind: 'exists', id });
      expect(await store.head(id)).toBe(null);
      expect(await store.remove(id)).toBe('gone');
    });

    it('does not refund a finished run again', async () => {
      const id = await accepted();
      await store.append(finishOf(await claimed(store, id, 'n1')));
      await store.remove(id);
      expect(await usage(`o_${id}`)).toMatchObject({ reserved: 1_000_000, refunded: 1_000_000 });
    });
  });

  describe('list', () => {
    it('pages newest first, and survives the deletion of the run its cursor names', async () => {
      const owner = `o_${newId()}`;
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1) {
        now += 10;
        ids.unshift(newId());
        await store.accept(acceptance(ids[0] ?? '', { owner }));
      }
      const first = await store.list(owner, { limit: 2 });
      expect(first.ids).toEqual(ids.slice(0, 2));
      await store.remove(ids[1] ?? '');
      const second = await store.list(owner, { limit: 2, before: first.next ?? '' });
      expect(second.ids).toEqual(ids.slice(2, 4));
      const third = await store.list(owner, { limit: 2, before: second.next ?? '' });
      expect(third).toEqual({ ids: ids.slice(4), next: null });
    });
  });
});

describeEngines('the scripts on Redis’ own clock', (engine) => {
  it('take the time from the server', async () => {
    const own = await startTestRedis(undefined, engine);
    try {
      const real = createStore(own.redis, { retentionDays: 1, now: Date.now });
      await real.accept(acceptance('run_t'));
      const grant = await claimed(real, 'run_t', 'n');
      expect(Math.abs(grant.now - Date.now())).toBeLessThan(5_000);
      expect(await real.ping()).toBeGreaterThanOrEqual(grant.now);
    } finally {
      await own.stop();
    }
  });
});
