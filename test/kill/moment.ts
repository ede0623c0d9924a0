/**
 * One moment: runs are under way, something is killed, and everything is judged once all of them
 * have ended and owe nothing any more.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { keysOf } from '../../src/loop/store.ts';
import { drawCohort, gather, type RunTimes, type Started, startRun, timesOf } from './cohort.ts';
import { judgeRun, type RunEvidence } from './judge.ts';
import type { Outside } from './outside.ts';
import { type Moment, type Reached, reachPhase } from './phases.ts';
import type { Random, RunPlan } from './plan.ts';
import type { Victim } from './victim.ts';

/** From the kill; the lease takes 30 s of it to run out. */
const FINISH_WITHIN_MS = 90_000;
/** How long the launcher may take until a new workerd answers, while it can have a core. */
const HEALTH_WITHIN_MS = 2_000;
/** Processes that wait for a core, for each core, from which on the bound grows with them. */
const CROWDED_LOAD = 2;
/** What a start of the whole stack may take. */
const RESTART_WITHIN_MS = 30_000;
const REACH_WITHIN_MS = 40_000;
const LATE_MS = 300;
/** Fewer runs under way at the kill do not count. */
const MIN_OPEN = 2;
const POLL_MS = 400;

export interface MomentReport {
  moment: Moment;
  /** From the kill to the next good answer of /health. */
  healthMs: number;
  /** From the kill until every run had ended and owed nothing. */
  settledMs: number;
  runs: RunTimes[];
  faults: string[];
  /** Why the moment does not count as its phase. */
  missed: string | null;
  evidence: RunEvidence[];
}

export interface MomentOptions {
  outside: Outside;
  victim: Victim;
  random: Random;
  /** Unique in the lane; part of the runs' names. */
  name: string;
  /** Ends it early: Ctrl-C. */
  signal: AbortSignal;
  /** One lane at a time: how soon something answers again says nothing while others start too. */
  exclusively<Value>(task: () => Promise<Value>): Promise<Value>;
}

export async function runMoment(moment: Moment, options: MomentOptions): Promise<MomentReport> {
  const { victim, outside } = options;
  const plans = drawCohort(moment, options);
  for (const plan of plans) outside.add(plan);
  const followers = new AbortController();
  try {
    const { runs, reached, missed, killedAt, answeredAt } = await options.exclusively(async () => {
      const begun = await startAndReach(moment, { ...options, plans, followers });
      const late = begun.reached.missed(Date.now());
      const killed = victim.kill(moment.victim);
      const answered = await recover(moment, { ...options, reached: begun.reached });
      return { ...begun, missed: late, killedAt: killed, answeredAt: answered };
    });
    const settledAt = await waitUntilSettled(runs, { victim, killedAt });
    await lateRequest(moment, { victim, reached });
    await Promise.race([Promise.all(runs.map((run) => run.following)), sleep(5_000)]);
    const evidence = await Promise.all(runs.map((run) => gather(run, options)));
    const healthMs = answeredAt - killedAt;
    const times = evidence.map((one) => timesOf(one, { killedAt, lateMs: 2 * LATE_MS }));
    const open = times.filter(({ finishedMs }) => finishedMs !== null).length;
    return {
      moment,
      healthMs,
      settledMs: settledAt - killedAt,
      runs: times,
      missed: missed ?? (open < MIN_OPEN ? `only ${open} runs were under way` : null),
      evidence,
      faults: [
        ...evidence.flatMap(judgeRun),
        ...judgeTimes(moment, { healthMs, settledMs: settledAt - killedAt }),
        ...judgeFlight(moment, { reached, evidence }),
      ],
    };
  } finally {
    followers.abort();
  }
}

async function startAndReach(
  moment: Moment,
  options: MomentOptions & { plans: RunPlan[]; followers: AbortController },
): Promise<{ runs: Started[]; reached: Reached }> {
  const { plans } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(REACH_WITHIN_MS)]);
  const scene = { ...options, moment, signal };
  const start = () => Promise.all(plans.map((plan) => startRun(plan, options)));
  // Events must not be missed; a request must not be held before all runs are accepted.
  const early =
    moment.phase === 'stream' || moment.phase === 'tools' || moment.variant === 'sending';
  if (early) {
    const [reached, runs] = await Promise.all([reachPhase(scene), start()]);
    return { runs, reached };
  }
  const runs = await start();
  return { runs, reached: await reachPhase(scene) };
}

/** Lets go of what is held, starts the launcher again where it was killed, waits for an answer. */
async function recover(
  moment: Moment,
  { victim, reached, signal }: MomentOptions & { reached: Reached },
): Promise<number> {
  if (moment.victim === 'launcher') {
    await victim.restart();
  } else if (reached.trapped && moment.variant === 'lost') {
    victim.letGo('drop_before');
  } else if (reached.trapped && moment.variant === 'late') {
    setTimeout(() => victim.letGo('pass'), LATE_MS);
  }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(RESTART_WITHIN_MS)]);
  return victim.waitForHealth(deadline);
}

async function lateRequest(
  moment: Moment,
  { victim, reached }: { victim: Victim; reached: Reached },
): Promise<void> {
  if (!reached.trapped || moment.variant !== 'very_late') return;
  victim.letGo('pass');
  await sleep(LATE_MS);
}

/** Resolves when no run is open or owes anything, or when the time is up. */
async function waitUntilSettled(
  runs: Started[],
  { victim, killedAt }: { victim: Victim; killedAt: number },
): Promise<number> {
  const isSettled = async ({ id }: Started) => {
    const { run, outbox } = keysOf(id);
    const state = await victim.redis('HGET', run, 'state');
    return state === 'finished' && (await victim.redis('EXISTS', outbox)) === 0;
  };
  while (Date.now() - killedAt <= FINISH_WITHIN_MS) {
    const settled = await Promise.all(runs.map(isSettled)).catch(() => [false]);
    if (settled.every(Boolean)) return Date.now();
    await sleep(POLL_MS);
  }
  return Date.now();
}

function judgeTimes(
  { victim }: Moment,
  { healthMs, settledMs }: { healthMs: number; settledMs: number },
): string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const load = loadavg()[0] ?? 0;
  const crowding = Math.max(1, load / (CROWDED_LOAD * availableParallelism()));
  const healthWithinMs = HEALTH_WITHIN_MS * crowding;
  const faults: string[] = [];
  if (settledMs > FINISH_WITHIN_MS) {
    faults.push(`not every run had ended and settled ${seconds(settledMs)} after the kill`);
  }
  if (victim === 'workerd' && healthMs > healthWithinMs) {
    const bound = `${seconds(healthWithinMs)} at a load of ${load.toFixed(1)}`;
    faults.push(`a dead workerd was back only after ${seconds(healthMs)}, not ${bound}`);
  }
  return faults;
}

/** The lines of the request that was in flight: on record exactly when they should be. */
function judgeFlight(
  moment: Moment,
  { reached, evidence }: { reached: Reached; evidence: RunEvidence[] },
): string[] {
  const { trapped } = reached;
  if (!trapped || trapped.lines.length === 0) return [];
  const lines = evidence.find(({ id }) => id === trapped.run)?.lines ?? [];
  const found = trapped.lines.filter((line) => lines.includes(line)).length;
  const isApplied = moment.variant === 'applied' || moment.variant === 'late';
  // A launcher that is killed takes Redis' front along: nobody knows how far the request came.
  if (isApplied && moment.victim === 'launcher') return [];
  const expected = isApplied ? trapped.lines.length : 0;
  return found === expected
    ? []
    : [`${trapped.run}: ${found} lines of the request in flight are on record, not ${expected}`];
}
