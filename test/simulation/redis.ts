/**
 * Redis as the simulation has it: the embedded engine on the virtual clock, one for the world, and
 * a port of its own for each process, whose calls go over the transport. It can forget its last
 * acknowledged writes, as a failover does. A script that fails is a broken invariant.
 */

import type { LuaMachine } from '../../dev/redis/embedded/lua/wasm.ts';
import { createMemoryEngine } from '../../dev/redis/embedded/memory.ts';
import { RedisError, type Reply } from '../../dev/redis/engine.ts';
import { StrideError } from '../../src/errors.ts';
import { SCRIPTS, type ScriptName } from '../../src/loop/scripts.ts';
import type { RedisPort } from '../../src/redis.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { type BranchCounts, type CountedScript, countBranches } from './lua-branches.ts';
import type { Process } from './scheduler.ts';
import type { Transport } from './transport.ts';

export type Answer = null | number | string | Answer[];

/** A script that was carried out, heard or not. */
export interface Carried {
  process: Process;
  name: ScriptName;
  id: string;
  args: string[];
  answer: Answer[];
  /** Whether it wrote anything. */
  hasChanged: boolean;
}

export interface SimulatedRedis {
  port(process: Process): RedisPort;
  /** For judges: no transport, no faults, no time. */
  read(...words: string[]): Answer;
  close(): void;
}

/** Scripts with counted branches, by their text as the store sends it. */
export const COUNTED: ReadonlyMap<ScriptName, CountedScript> = new Map(
  (Object.keys(SCRIPTS) as ScriptName[]).map((name) => [name, countBranches(name, SCRIPTS[name])]),
);
const NAME_OF = new Map<string, ScriptName>(
  (Object.keys(SCRIPTS) as ScriptName[]).map((name) => [SCRIPTS[name], name]),
);

export const decodeReply = (reply: Reply): Answer => {
  if (Buffer.isBuffer(reply)) return reply.toString();
  if (reply instanceof RedisError) throw reply;
  return Array.isArray(reply) ? reply.map(decodeReply) : reply;
};

export function createSimulatedRedis(options: {
  lua: LuaMachine;
  now: () => number;
  ledger: Ledger;
  transport: Transport;
  faults: Faults;
  branches: BranchCounts;
  /** Bytes of a claim's first page in this world; null: as the store asks. */
  pageBytes: number | null;
  onCarried: (carried: Carried) => void;
  /** Its sender has the answer. */
  onHeard: (heard: Pick<Carried, 'process' | 'name' | 'id' | 'answer'>) => void;
  onForgot: () => void;
}): SimulatedRedis {
  const { ledger, transport, faults, branches, pageBytes, onCarried, onHeard, onForgot } = options;
  let effects: string[][] = [];
  let writes = 0;
  let forget: { snapshot: string[][]; inCalls: number } | null = null;
  const engine = createMemoryEngine({
    now: options.now,
    lua: options.lua,
    onChange: (fresh) => {
      effects = fresh;
    },
  });
  const shas = new Map<ScriptName, string>();
  for (const [name, { text }] of COUNTED) {
    shas.set(name, String(send('SCRIPT', 'LOAD', text)));
  }

  function send(...words: string[]): Answer {
    return decodeReply(engine.call(words.map((word) => Buffer.from(word))));
  }

  function run(process: Process, name: ScriptName, sent: { keys: string[]; args: string[] }) {
    const { keys, args } = sent;
    startForgetting(name);
    const asked =
      name === 'claim' && pageBytes !== null ? [...args.slice(0, 2), String(pageBytes)] : args;
    effects = [];
    try {
      const [answer, passed] = send(
        'EVALSHA',
        shas.get(name) ?? '',
        String(keys.length),
        ...keys,
        ...asked,
      ) as [Answer[], number[]];
      for (const branch of passed) count(name, branch);
      ledger.apply(effects, name);
      onCarried({
        process,
        name,
        id: args[0] ?? '',
        args,
        answer,
        hasChanged: effects.length > 0,
      });
      return answer;
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      ledger.accuse('scripts_never_fail', `${name} answered ${error.message}`);
      throw new StrideError('unavailable', `Redis did not do what it was asked: ${error.message}`);
    } finally {
      endForgetting();
    }
  }

  function count(name: ScriptName, passed: number) {
    const branch = COUNTED.get(name)?.branches[passed] ?? '';
    branches.set(branch, (branches.get(branch) ?? 0) + 1);
  }

  function startForgetting(name: ScriptName) {
    if (!faults.isOn('redis_forgets') || forget) return;
    writes += 1;
    // A run that was just accepted is the rarest write, and not the least worth losing.
    const chances = name === 'accept' ? 6 : 1;
    const places = Array.from({ length: chances }, (_, i) => `write ${writes}, ${name}, ${i + 1}`);
    if (!places.some((place) => faults.hit('redis_forgets', place))) return;
    forget = { snapshot: engine.snapshot(), inCalls: writes % 3 };
  }

  function endForgetting() {
    if (!forget) return;
    forget.inCalls -= 1;
    if (forget.inCalls >= 0) return;
    engine.replay([['FLUSHALL'], ...forget.snapshot]);
    ledger.restore(forget.snapshot);
    onForgot();
    forget = null;
  }

  return {
    port: (process) => ({
      script(text, keys, args) {
        const name = NAME_OF.get(text);
        if (!name) throw new Error('a script that is none of ours');
        const id = args[0] ?? '';
        return transport
          .call(process, labelOf(name, args), () => run(process, name, { keys, args }))
          .then((answer) => {
            onHeard({ process, name, id, answer });
            // What it heard may have killed it.
            return process.alive ? answer : new Promise<never>(() => {});
          });
      },
      command: (...words) => transport.call(process, `redis ${words[0]}`, () => send(...words)),
    }),
    read: send,
    close: () => engine.close(),
  };
}

const TYPE = /"type":"(\w+)"/;

/** What a script is about to do, in words. */
function labelOf(name: ScriptName, args: string[]): string {
  if (name !== 'append') return `redis ${name}`;
  const entries = Number(args[13]);
  const types = args.slice(16, 16 + entries).map((line) => TYPE.exec(line)?.[1] ?? 'entry');
  const changes = Number(args[14]) + Number(args[15]) > 0 || args[12] !== '';
  const parts = [...new Set(types)];
  if (args[6] === '1') parts.push(changes ? 'settle and release' : 'release');
  if (parts.length === 0) parts.push('heartbeat');
  return `redis append ${parts.join(' + ')}`;
}
