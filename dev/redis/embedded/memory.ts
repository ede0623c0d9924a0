// The embedded engine without files: commands in, replies out, all of it synchronous, on a clock
// that its maker turns. The simulation drives this form; the one that keeps its data stands on it.

import { type Engine, RedisError, type Reply } from '../engine.ts';
import { type Command, fitsArity, lookUp, requireCommand } from './command.ts';
import { expiryCommands } from './commands/expiry.ts';
import { hashCommands } from './commands/hashes.ts';
import { keyCommands } from './commands/keys.ts';
import { listCommands } from './commands/lists.ts';
import { scriptCommands } from './commands/scripting.ts';
import { serverCommands } from './commands/server.ts';
import { sortedSetRangeCommands } from './commands/sorted-set-ranges.ts';
import { sortedSetCommands } from './commands/sorted-sets.ts';
import { stringCommands } from './commands/strings.ts';
import { createKeyspace, type Effect } from './keyspace.ts';
import { createLuaState } from './lua/reviving.ts';
import type { LuaLimits } from './lua/state.ts';
import type { LuaMachine } from './lua/wasm.ts';
import { snapshot } from './snapshot.ts';
import { toBinary, toReply, type Value } from './values.ts';

export interface MemoryEngine {
  /** Runs one command. Throws `RedisError` when it is refused. */
  call(args: Buffer[]): Reply;
  /** All of them or, when one cannot be queued, none; failures stay in their place. */
  transaction(commands: Buffer[][]): Reply[];
  /** Applies effects as they were recorded. Nothing expires and nothing is recorded. */
  replay(effects: Effect[]): void;
  /** Effects that make the present keys in an empty engine. */
  snapshot(): Effect[];
  /** Frees the memory of its scripts. */
  close(): void;
}

export interface MemoryEngineOptions {
  /** Milliseconds since 1970; read once a call, which then sees no time pass. */
  now: () => number;
  /** From `loadLua`; engines may share one. */
  lua: LuaMachine;
  /** Told what a call changed, once a call, before it returns. */
  onChange?: (effects: Effect[]) => void;
  /** Default: 5 s and 512 MiB; a script that takes more fails. */
  limits?: Partial<LuaLimits>;
}

const STATIC_COMMANDS: [string, Command][] = [
  ...serverCommands,
  ...keyCommands,
  ...expiryCommands,
  ...stringCommands,
  ...hashCommands,
  ...listCommands,
  ...sortedSetCommands,
  ...sortedSetRangeCommands,
];

export function createMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  let isReplaying = false;
  const keyspace = createKeyspace({ replaying: () => isReplaying });
  const lua = createLuaState(options.lua, options.limits);
  const table = new Map(STATIC_COMMANDS);
  for (const [name, command] of scriptCommands({ lua, table })) table.set(name, command);

  /** One call at one time; whatever it changed is told, also when it failed on the way. */
  function during<T>(work: () => T): T {
    keyspace.begin(options.now());
    try {
      return work();
    } finally {
      const effects = keyspace.takeEffects();
      if (effects.length > 0) options.onChange?.(effects);
    }
  }

  function execute(words: string[]): Value {
    try {
      return requireCommand(table, words).run(words, keyspace);
    } catch (error) {
      if (error instanceof RedisError) return error;
      throw error;
    }
  }

  return {
    call(args) {
      const reply = toReply(during(() => execute(args.map(toBinary))));
      if (reply instanceof RedisError) throw reply;
      return reply;
    },
    transaction(commands) {
      const queue = commands.map((args) => args.map(toBinary));
      const isSound = queue.every((words) => {
        const command = lookUp(table, words);
        return command !== undefined && fitsArity(command, words);
      });
      if (!isSound) {
        throw new RedisError('EXECABORT Transaction discarded because of previous errors.');
      }
      return during(() => queue.map(execute).map(toReply));
    },
    replay(effects) {
      isReplaying = true;
      keyspace.begin(0);
      for (const words of effects) {
        const value = execute(words);
        if (value instanceof RedisError) throw value;
      }
      isReplaying = false;
    },
    snapshot() {
      keyspace.begin(options.now());
      return snapshot(keyspace);
    },
    close: () => lua.close(),
  };
}

/** The same behind the contract that the REST front wants. Keeps nothing when it ends. */
export function toEngine(memory: MemoryEngine): Engine {
  return {
    locksDeclaredKeys: true,
    call: async (args) => memory.call(args),
    transaction: async (commands) => memory.transaction(commands),
    close: async () => memory.close(),
  };
}
