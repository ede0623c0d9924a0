/**
 * One seed from its first request to the rest after its last: builds the world, lets everybody act
 * until nothing is left to do, and judges. The same seed gives the same world, event for event.
 */
import { createHash } from 'node:crypto';
import type { LuaMachine } from '../../dev/redis/embedded/lua/wasm.ts';
import { startActors } from './actors.ts';
import type { FaultName, Happened } from './faults.ts';
import { judge } from './invariants.ts';
import type { Accusation } from './ledger.ts';
import type { BranchCounts } from './lua-branches.ts';
import { mark } from './outside.ts';
import { createWorld, FAULTS_STOP_MS, type World } from './world.ts';

const MINUTE = 60_000;
/** After the last fault, every run has ended by then; the longest waits are those for a person. */
export const RUNS_END_MS = FAULTS_STOP_MS + 90 * MINUTE;
/** A delivery that nobody takes is given up after a day. */
export const ALL_ENDS_MS = FAULTS_STOP_MS + 27 * 60 * MINUTE;
/** Late copies of requests arrive within this much time of quiet. */
const QUIET_MINUTES = 5;

export interface SeedOptions {
  seed: number;
  lua: LuaMachine;
  only?: readonly FaultName[];
  without?: ReadonlySet<string>;
}

export interface SeedResult {
  seed: number;
  broken: Accusation[];
  happened: readonly Happened[];
  branches: BranchCounts;
  marks: ReadonlyMap<string, number>;
  runs: number;
  losses: number;
  events: number;
  /** Virtual time it took, milliseconds. */
  lastedMs: number;
  /** Of everything that was written: equal for equal seeds. */
  digest: string;
}

export async function simulate(options: SeedOptions): Promise<SeedResult> {
  const restore = useSynchronousDigests();
  const { stackTraceLimit } = Error;
  // Thousands of requests fail on purpose: where is known.
  Error.stackTraceLimit = 0;
  const world = createWorld(options);
  try {
    return await live(world);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    world.redis.close();
    restore();
  }
}

async function live(world: World): Promise<SeedResult> {
  const { ledger, scheduler, outside } = world;
  let quietMinutes = 0;
  let isOver = false;
  startActors(world, (isQuiet) => {
    const open = [...ledger.runs.values()].filter(({ head }) => head.get('state') === 'open');
    if (world.sinceStart() > RUNS_END_MS && open.length > 0) isOver = true;
    if (world.sinceStart() > ALL_ENDS_MS) isOver = true;
    const quiet = isQuiet && ledger.due.size === 0;
    quietMinutes = quiet ? quietMinutes + 1 : 0;
    if (quietMinutes >= QUIET_MINUTES) isOver = true;
  });
  await scheduler.run(() => isOver);
  const atMs = Math.round(world.sinceStart());
  const broken = [...ledger.accusations, ...judge(world).map((one) => ({ ...one, atMs }))];
  if (ledger.losses() > 0) countResiduals(world);
  const hash = createHash('sha256');
  for (const run of ledger.runs.values()) hash.update(run.written.join('\n'));
  return {
    seed: world.seed,
    broken,
    happened: world.faults.happened,
    branches: world.branches,
    marks: outside.marks,
    runs: ledger.runs.size,
    losses: ledger.losses(),
    events: scheduler.events(),
    lastedMs: atMs,
    digest: hash.digest('hex').slice(0, 16),
  };
}

/** What Redis' own loss may cost: a `once` tool that started twice. Documented, and counted. */
function countResiduals({ outside }: World): void {
  const started = new Set<string>();
  for (const { effect, callId } of outside.toolStarts) {
    if (effect === 'once' && started.has(callId))
      mark(outside, 'residual: a once tool started twice');
    started.add(callId);
  }
}

/**
 * WebCrypto works in a thread of its own, whose time is not virtual: while a world lives, digests
 * are computed at once.
 */
function useSynchronousDigests(): () => void {
  const { subtle } = crypto;
  const original = subtle.digest.bind(subtle);
  subtle.digest = async (algorithm, data) => {
    const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const digest = createHash(name.replace('-', '').toLowerCase()).update(bytes).digest();
    return digest.buffer.slice(digest.byteOffset, digest.byteOffset + digest.length) as ArrayBuffer;
  };
  return () => {
    subtle.digest = original;
  };
}
