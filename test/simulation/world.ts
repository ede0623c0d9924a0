/**
 * One seed's world: the real store, step, drivers and deliveries over stand-ins for the model,
 * tools, sandboxes, objects, queue and clock. `spawn` runs one invocation in it, as a Worker would:
 * with a clock and connections of its own, alive until it returns, dies, or its time is up.
 */

import type { LuaMachine } from '../../dev/redis/embedded/lua/wasm.ts';
import type { Deps } from '../../src/deps.ts';
import { type Chance, createChance } from './chance.ts';
import { createFaults, type FaultName, type Faults } from './faults.ts';
import { configFor, createDepsMaker, DAY_LIMIT_MICRO_USD } from './invocation.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type BranchCounts, noBranches } from './lua-branches.ts';
import { createModels } from './model.ts';
import { type Bucket, createBucket } from './objects.ts';
import { createOutside, mark, type Outside } from './outside.ts';
import { type Carried, COUNTED, createSimulatedRedis, type SimulatedRedis } from './redis.ts';
import { createScheduler, type Process, type Scheduler, START } from './scheduler.ts';
import { createToolbox } from './tools.ts';
import { createTransport, type Moment } from './transport.ts';
import { createWatch } from './watch.ts';

/** No fault happens after this much virtual time. */
export const FAULTS_STOP_MS = 20 * 60_000;

export type Ended<T> =
  | { kind: 'done'; value: T }
  | { kind: 'threw'; error: unknown }
  | { kind: 'died' };

export interface SpawnOptions<T> {
  body: (deps: Deps, process: Process) => Promise<T>;
  /** The platform ends it after this long. */
  wallMs?: number;
}

export interface World {
  seed: number;
  scheduler: Scheduler;
  chance: Chance;
  faults: Faults;
  ledger: Ledger;
  outside: Outside;
  redis: SimulatedRedis;
  bucket: Bucket;
  branches: BranchCounts;
  maxActive: number;
  /** Virtual milliseconds since the start. */
  sinceStart(): number;
  /** Index of the deployment that new invocations get. */
  deployment: number;
  /** Sends a message as the queue does; set by the actors. */
  onMessage: (runId: string, delayMs: number) => void;
  onCarried: (carried: Carried) => void;
  /** True time at which a process began. */
  startOf(name: string): number;
  spawn<T>(name: string, options: SpawnOptions<T>): Promise<Ended<T>>;
}

export interface WorldOptions {
  seed: number;
  lua: LuaMachine;
  only?: readonly FaultName[];
  without?: ReadonlySet<string>;
}

export function createWorld({ seed, lua, only, without }: WorldOptions): World {
  const chance = createChance(seed);
  const scheduler = createScheduler();
  const sinceStart = () => scheduler.now() - START;
  const faults = createFaults({ chance, sinceStart, stopAtMs: FAULTS_STOP_MS, only, without });
  const outside = createOutside();
  const maxActive = chance.pick('max active', [1, 2, 20]);
  const ledger = createLedger({
    now: scheduler.now,
    startedAt: START,
    dayLimitMicroUsd: DAY_LIMIT_MICRO_USD,
    maxActive,
  });
  const config = configFor(chance, maxActive);
  const onCrash = (process: Process, label: string, moment: Moment) =>
    watch.crashed(process, label, moment);
  const transport = createTransport({ scheduler, chance, faults, onCrash });
  const watch = createWatch({ ledger, outside, scheduler, transport, chance, faults });
  const branches = noBranches(COUNTED);
  const redis = createSimulatedRedis({
    lua,
    now: scheduler.now,
    ledger,
    transport,
    faults,
    branches,
    pageBytes: chance.pick('page', [null, 1, 1_500]),
    onCarried: (carried) => {
      watch.carried(carried);
      world.onCarried(carried);
    },
    onHeard: (heard) => watch.heard(heard),
    onForgot: () => mark(outside, 'Redis forgot'),
  });
  const isStorageDown = faults.hit('storage_down', 'r2');
  const downFrom = isStorageDown ? chance.int('r2 goes', [0, 60_000]) : Number.POSITIVE_INFINITY;
  const downUntil = downFrom + chance.int('r2 returns', [60_000, 45 * 60_000]);
  const bucket = createBucket({
    transport,
    now: scheduler.now,
    isDown: () => sinceStart() >= downFrom && sinceStart() < downUntil,
  });
  const parts = { scheduler, chance, faults, transport, outside, ledger, sinceStart };
  const toolbox = createToolbox(parts);
  const models = createModels({ ...parts, model: config.model });
  const depsOf = createDepsMaker({
    ...parts,
    redis,
    bucket,
    toolbox,
    models,
    watch,
    config,
    deployment: () => world.deployment,
    sendMessage: (runId, delayMs) => world.onMessage(runId, delayMs),
  });

  const names = new Map<string, number>();
  const starts = new Map<string, number>();
  const world: World = {
    seed,
    scheduler,
    chance,
    faults,
    ledger,
    outside,
    redis,
    bucket,
    branches,
    maxActive,
    sinceStart,
    deployment: 0,
    onMessage: () => {},
    onCarried: () => {},
    startOf: (name) => starts.get(name) ?? 0,
    spawn<T>(kind: string, { body, wallMs }: SpawnOptions<T>) {
      const count = (names.get(kind) ?? 0) + 1;
      names.set(kind, count);
      const name = `${kind} ${count}`;
      const skewMs = faults.hit('skew', name) ? chance.int(`skew ${name}`, [-60_000, 60_000]) : 0;
      const process = scheduler.start(name, { skewMs });
      starts.set(name, scheduler.now());
      return new Promise<Ended<T>>((resolve) => {
        let isOver = false;
        const end = (ended: Ended<T>) => {
          if (isOver) return;
          isOver = true;
          scheduler.end(process);
          resolve(ended);
        };
        process.onEnd.push(() => end({ kind: 'died' }));
        if (wallMs !== undefined) {
          const goes = faults.hit('evicted', name) ? chance.number(`evicts ${name}`) ** 2 : 1;
          const afterMs = goes < 1 ? goes * 40_000 : wallMs;
          scheduler.after(afterMs, null, () =>
            transport.evict(process, goes < 1 ? 'evicted' : 'wall'),
          );
        }
        body(depsOf(process), process).then(
          (value) => end({ kind: 'done', value }),
          (error: unknown) => end({ kind: 'threw', error }),
        );
      });
    },
  };
  return world;
}
