/**
 * The moments at which something is killed: five phases, each in a few variants, and how each is
 * caught. What has to be true of the instant of the kill is checked, so that a phase counts only
 * when it was really hit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outside, OutsideEvent } from './outside.ts';
import type { Random, RunPlan } from './plan.ts';
import type { TrapScript } from './trap.ts';
import type { Trapped, Victim, VictimName } from './victim.ts';

export type Phase = 'between' | 'stream' | 'tools' | 'append' | 'delivery';

/**
 * What happens to the request that is in flight: never applied · applied, nobody heard · applied a
 * little after the kill · sent on when the run has long ended.
 */
export type Flight = 'lost' | 'applied' | 'late' | 'very_late';

export interface Moment {
  victim: VictimName;
  phase: Phase;
  /** For `tools` the effect of the call that runs; for traffic its fate; else unused. */
  variant: 'pure' | 'keyed' | 'once' | 'sandbox' | 'sending' | Flight | 'any';
}

const VARIANTS: Record<Phase, Moment['variant'][]> = {
  between: ['lost', 'applied', 'late'],
  stream: ['any', 'any', 'any'],
  tools: ['once', 'sandbox', 'keyed', 'pure'],
  append: ['lost', 'applied', 'late', 'very_late'],
  delivery: ['sending', 'lost', 'applied'],
};

const PHASES = Object.keys(VARIANTS) as Phase[];

/** Moments in which phases and victims come round evenly, in an order drawn from the seed. */
export function drawMoments(random: Random, count: number): Moment[] {
  const moments: Moment[] = [];
  const turns = new Map<string, number>();
  const start = random.int(0, 11);
  for (let index = 0; index < count; index += 1) {
    const phase = PHASES[index % PHASES.length] as Phase;
    const victim = Math.floor(index / PHASES.length) % 2 === 0 ? 'workerd' : 'launcher';
    // A request cannot outlive the front that holds it, and the front dies with its launcher.
    const usable = VARIANTS[phase].filter((one) => victim === 'workerd' || !/late/.test(one));
    // The two victims begin at different variants, so that together they meet all of them.
    const first = victim === 'workerd' ? start : start + 2;
    const turn = turns.get(`${phase} ${victim}`) ?? first;
    turns.set(`${phase} ${victim}`, turn + 1);
    moments.push({ victim, phase, variant: usable[turn % usable.length] ?? 'any' });
  }
  for (let from = moments.length - 1; from > 0; from -= 1) {
    const to = random.int(0, from);
    const [a, b] = [moments[from] as Moment, moments[to] as Moment];
    moments[from] = b;
    moments[to] = a;
  }
  return moments;
}

export const describeMoment = ({ phase, variant, victim }: Moment): string =>
  `${phase}${variant === 'any' ? '' : ` (${variant})`}, ${victim} killed`;

interface Scene {
  moment: Moment;
  outside: Outside;
  victim: Victim;
  plans: readonly RunPlan[];
  random: Random;
  signal: AbortSignal;
}

export interface Reached {
  /** The request that was caught, when the phase is one of traffic. */
  trapped: Trapped | null;
  /** A sentence when the phase is not what goes on at this instant, else null. */
  missed(killedAt: number): string | null;
}

/** Resolves at the instant of the kill. */
export async function reachPhase(scene: Scene): Promise<Reached> {
  const { moment } = scene;
  switch (moment.phase) {
    case 'stream':
      return reachStream(scene);
    case 'tools':
      return reachTool(scene);
    case 'between':
      return reachTraffic(scene, { script: 'claim', skip: scene.random.int(0, 8) });
    case 'append':
      return reachTraffic(scene, { script: 'append', skip: scene.random.int(0, 16) });
    case 'delivery':
      return moment.variant === 'sending'
        ? reachDelivery(scene)
        : reachTraffic(scene, { script: 'settle', skip: 0 });
  }
}

/** How long a run takes when nothing stops it, about. */
const lengthOf = ({ turns, streamMs }: RunPlan): number =>
  streamMs.reduce((total, ms) => total + ms, 0) +
  turns.reduce((total, calls) => total + Math.max(...calls.map(({ ms }) => ms)), 0);

/** In the middle of a reply of the run that ends first: until its last one the others go on. */
async function reachStream({ outside, plans, random, signal }: Scene): Promise<Reached> {
  const [plan] = plans.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  if (!plan) throw new Error('a moment needs a run');
  const turn = random.int(0, plan.turns.length);
  const call = await outside.next(
    ({ kind, run, label }) => kind === 'model_call' && run === plan.key && label === `${turn}`,
    signal,
  );
  const lastsMs = plan.streamMs[turn] ?? 0;
  await sleep((random.int(5, 85) / 100) * lastsMs);
  return {
    trapped: null,
    missed: (killedAt) => (killedAt < call.at + lastsMs ? null : 'the reply had ended'),
  };
}

/** While a call of one effect works. */
async function reachTool({ moment, outside, plans, random, signal }: Scene): Promise<Reached> {
  const skip = random.int(0, moment.variant === 'sandbox' ? 1 : 5);
  let seen = 0;
  const start = await outside.next((event) => {
    if (event.kind !== 'tool_start' || event.effect !== moment.variant) return false;
    seen += 1;
    return seen > skip;
  }, signal);
  const call = plans.flatMap(({ turns }) => turns.flat()).find((one) => one.label === start.label);
  await sleep((random.int(0, 80) / 100) * (call?.ms ?? 0));
  return { trapped: null, missed: () => endedMeanwhile(outside, start, 'tool_end') };
}

async function reachDelivery({ outside, random, signal }: Scene): Promise<Reached> {
  const start = await outside.next(({ kind }) => kind === 'delivery_start', signal);
  await sleep(random.int(0, 350));
  return { trapped: null, missed: () => endedMeanwhile(outside, start, 'delivery_end') };
}

function endedMeanwhile(outside: Outside, start: OutsideEvent, kind: OutsideEvent['kind']) {
  const ended = outside
    .events()
    .some((one) => one.kind === kind && one.run === start.run && one.label === start.label);
  return ended ? `${start.label} had ended` : null;
}

/** How long an applied request gets to be applied; its sender tries again after 100 ms. */
const APPLY_MS = 30;

async function reachTraffic(
  { moment, victim, signal }: Scene,
  { script, skip }: { script: TrapScript; skip: number },
): Promise<Reached> {
  const then = moment.variant === 'applied' ? 'drop_reply' : 'hold';
  const never = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the wanted request never came')), {
      once: true,
    });
  });
  const trapped = await Promise.race([victim.arm({ script, skip, then }), never]);
  if (then === 'drop_reply') await sleep(APPLY_MS);
  return { trapped, missed: () => null };
}
