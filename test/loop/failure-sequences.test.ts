import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumeMessage } from '../../src/loop/drive.ts';
import type { FailureKind } from '../../src/model/port.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { acceptance, text } from '../helpers/runs.ts';
import { createRandom } from '../helpers/table-draws.ts';
import { createWorld, failure, reply } from '../helpers/world.ts';

type Policy = 'waits' | 'once more' | 'ends';

/** The table of docs/retries.md, read from the page itself: class → what follows. */
function documentedPolicies(): Map<FailureKind, Policy> {
  const page = readFileSync(new URL('../../docs/retries.md', import.meta.url), 'utf8');
  const policies = new Map<FailureKind, Policy>();
  let last: Policy = 'waits';
  for (const [, names = '', , then = ''] of page.matchAll(/^\| (`.*?`) \| (.*?) \| (.*?) \|$/gm)) {
    if (then.startsWith('not counted')) continue;
    if (then.startsWith('waits')) last = 'waits';
    else if (then.startsWith('once more')) last = 'once more';
    else if (then.startsWith('the run ends')) last = 'ends';
    for (const [, name] of names.matchAll(/`(\w+)`/g)) policies.set(name as FailureKind, last);
  }
  return policies;
}

const policies = documentedPolicies();
const kinds = [...policies.keys()];
const MAX_RETRIES = 5;

/** What the page promises for a row of failures that a good reply follows: attempts and end. */
function promised(row: readonly FailureKind[]): { attempts: FailureKind[]; ends: string } {
  const attempts: FailureKind[] = [];
  for (const kind of row) {
    const before = attempts.at(-1);
    attempts.push(kind);
    const policy = policies.get(kind);
    if (policy === 'ends' || (policy === 'once more' && before === kind))
      return { attempts, ends: kind };
    if (policy === 'waits' && attempts.length > MAX_RETRIES) return { attempts, ends: kind };
  }
  return { attempts, ends: 'answered' };
}

describe.skipIf(!hasRedisServer)('rows of failures end as docs/retries.md says', () => {
  let server: TestRedis;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  async function play(row: readonly FailureKind[]) {
    serial += 1;
    const id = `run_f${serial}`;
    const answer = reply([text('Sum.\n\nFINAL ANSWER: 4')]);
    const script = [
      ...row.map((kind) => failure({ failure: kind, message: `said ${kind}` })),
      answer,
    ];
    const world = createWorld(server.redis, { script });
    await world.store.accept(acceptance(id, { owner: `o_${id}` }));
    for (let i = 0; i <= row.length; i += 1) {
      await consumeMessage(id, { deps: world.deps, deadline: world.clock.now() + 900_000 });
      const head = await world.store.head(id);
      if (head?.state === 'finished') break;
      await world.clock.advance(Math.max(0, (head?.notBefore ?? 0) - world.clock.now()));
    }
    const entries = await world.journal(id);
    const attempts = entries.flatMap((entry) => (entry.type === 'attempt_failed' ? [entry] : []));
    return { attempts, end: entries.at(-1), asked: world.requests };
  }

  async function expectPromise(row: readonly FailureKind[]) {
    const { attempts, end, asked } = await play(row);
    const { attempts: kept, ends } = promised(row);
    const seen = { attempts: attempts.map(({ kind }) => kind), end };
    const message = ends === 'answered' ? 'Answered.' : `said ${ends}`;
    expect(seen, row.join(' → ')).toMatchObject({
      attempts: kept,
      end: { type: 'run_finished', reason: ends, message },
    });
    for (const [i, attempt] of attempts.entries()) {
      const policy = policies.get(attempt.kind as FailureKind);
      if (policy === 'waits' && attempt.retry_at !== null) {
        expect(attempt.retry_at - attempt.at).toBeGreaterThanOrEqual(9_000);
      }
      // After a request that was too large, the next one goes out as on the last turn.
      if (policy === 'once more' && attempt.retry_at !== null) {
        expect(asked[i + 1]?.toolChoice).toBe('none');
      }
    }
  }

  it('reads every class of the page', () => {
    expect(kinds).toHaveLength(13);
  });

  it.each(kinds)('%s, then each other class', async (first) => {
    for (const second of kinds) await expectPromise([first, second]);
  });

  it('triples and longer rows at random', async () => {
    const random = createRandom(20_261_130);
    for (let i = 0; i < 40; i += 1) {
      const row = Array.from({ length: random.int(3, 7) }, () => random.pick(kinds));
      await expectPromise(row);
    }
  });
});
