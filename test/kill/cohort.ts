/**
 * The runs of one moment: drawn, accepted and followed by a client before the kill; read back from
 * Redis and from the API after it.
 */
import { createClient } from '../../dev/cli/client.ts';
import type { Entry } from '../../src/loop/journal.ts';
import { toHead } from '../../src/loop/run-head.ts';
import { keysOf } from '../../src/loop/store.ts';
import { toFields } from '../../src/redis.ts';
import type { RunEvidence } from './judge.ts';
import type { Outside } from './outside.ts';
import type { Moment } from './phases.ts';
import { drawRun, questionOf, type Random, type RunPlan } from './plan.ts';
import type { Victim } from './victim.ts';

const RUNS = 4;
/** How long a client bears with a service that is not there. */
const CLIENT_PATIENCE_MS = 90_000;

export interface Started {
  id: string;
  plan: RunPlan;
  followed: { seq: number; entry: Entry }[];
  /** Settles when the client has seen the end of the run, or gave up. */
  following: Promise<void>;
}

export interface RunTimes {
  id: string;
  /** From the kill to the run's next entry and to its end; null when it had ended before. */
  resumedMs: number | null;
  finishedMs: number | null;
}

/** One run of each kind at least; a short one where a delivery must come while others work. */
export function drawCohort(
  moment: Moment,
  { random, name }: { random: Random; name: string },
): RunPlan[] {
  return Array.from({ length: RUNS }, (_, index) => {
    const python = index === 0 || (index === 1 && moment.variant === 'sandbox');
    const short = index === RUNS - 1 && moment.phase === 'delivery';
    const kind = short ? 'short' : python ? 'python' : 'counted';
    return drawRun(random, { key: `${name}r${index}`, kind });
  });
}

export async function startRun(
  plan: RunPlan,
  { victim, outside, followers }: { victim: Victim; outside: Outside; followers: AbortController },
): Promise<Started> {
  const metadata = { counter: outside.counterUrl };
  const response = await fetch(new URL('/v1/runs', victim.url()), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: questionOf(plan), metadata }),
  });
  if (response.status !== 202) throw new Error(`a run was refused: ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  const followed: Started['followed'] = [];
  const follow = async () => {
    const client = createClient({
      url: victim.url(),
      apiKey: null,
      patienceMs: CLIENT_PATIENCE_MS,
    });
    for await (const { seq, entry } of client.followRun(id, followers.signal)) {
      const { seq: _, ...told } = entry as Entry & { seq: number };
      followed.push({ seq, entry: told });
    }
  };
  // Whatever ends it, what it has seen until then is judged.
  return { id, plan, followed, following: follow().catch(() => {}) };
}

export async function gather(
  { id, plan, followed }: Started,
  { victim, outside }: { victim: Victim; outside: Outside },
): Promise<RunEvidence> {
  const { run, log, outbox } = keysOf(id);
  const [lines, head, owed, score, listed] = await Promise.all([
    victim.redis('LRANGE', log, '0', '-1'),
    victim.redis('HGETALL', run),
    victim.redis('HLEN', outbox),
    victim.redis('ZSCORE', 'due', id),
    fetch(new URL(`/v1/runs/${id}/events?format=json`, victim.url())),
  ]);
  const { events: shown } = (await listed.json()) as { events: { seq: number }[] };
  return {
    id,
    plan,
    lines: lines as string[],
    head: toHead(id, toFields(head)),
    shown,
    followed,
    events: outside.events().filter(({ run: name }) => name === id || name === plan.key),
    owed: Number(owed),
    isDue: score !== null,
  };
}

/** Redis' clock is this machine's, so its times and ours can be compared. */
export function timesOf(
  { id, lines }: RunEvidence,
  { killedAt, lateMs }: { killedAt: number; lateMs: number },
): RunTimes {
  const entries = lines.map((line) => JSON.parse(line) as { at: number; type: string });
  const end = entries.find(({ type }) => type === 'run_finished');
  if (!end || end.at <= killedAt) return { id, resumedMs: null, finishedMs: null };
  // An append that was late by intention is not yet anybody's work.
  const next = entries.find(({ at }) => at > killedAt + lateMs);
  return {
    id,
    resumedMs: next ? next.at - killedAt : null,
    finishedMs: end.at - killedAt,
  };
}
