// A Lua state that outlives its accidents. A pattern such as a hundred thousand times `a?` needs
// more stack than WebAssembly has; that leaves a machine nobody should use again. It is replaced by
// a new one, which takes about 10 ms; scripts are compiled again as they come.

import { RedisError } from '../../engine.ts';
import { type LuaLimits, type LuaState, openLuaState } from './state.ts';
import { type LuaMachine, loadLua } from './wasm.ts';

/** Redis calls a script slow after 5 s and lets people kill it; nobody is there to do so here. */
const LIMITS: LuaLimits = { maxScriptMs: 5_000, maxMemoryBytes: 512 * 1024 * 1024 };

export function createLuaState(lua: LuaMachine, limits: Partial<LuaLimits> = {}): LuaState {
  const open = (machine: LuaMachine) => openLuaState(machine, { ...LIMITS, ...limits });
  let state: LuaState | null = open(lua);
  let isClosed = false;

  function guarded<T>(use: (state: LuaState) => T): T {
    if (state === null) {
      throw new RedisError('ERR Lua starts again after a script that exhausted it; send it again');
    }
    try {
      return use(state);
    } catch (error) {
      if (!isAccident(error)) throw error;
      state = null;
      void loadLua().then((machine) => {
        if (!isClosed) state = open(machine);
      });
      throw new RedisError('ERR Error running script: it exhausted the stack of Lua');
    }
  }

  return {
    compile: (script) => guarded((live) => live.compile(script)),
    run: (run) => guarded((live) => live.run(run)),
    flush: () => state?.flush(),
    close() {
      isClosed = true;
      state?.close();
      state = null;
    },
  };
}

/** The stack ran out in JavaScript or in WebAssembly, or the machine's memory is spoilt. */
function isAccident(error: unknown): boolean {
  return error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
}
