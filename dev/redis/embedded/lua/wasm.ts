// Lua 5.1 in WebAssembly, by its C interface. wasmoon's own bridge hands strings over as UTF-8 and
// keeps a JavaScript object for each value, so this goes below it: bytes are copied to and from the
// machine's memory, which loses none and leaves nothing behind.

import { LuaApi } from 'wasmoon-lua5.1';

/** Address of a lua_State or of anything else in the machine's memory. */
export type Pointer = number;

/** The C functions used here, as the machine exports them. */
interface LuaExports {
  HEAPU8: Uint8Array;
  addFunction(run: (...args: number[]) => number | undefined, signature: string): Pointer;
  removeFunction(at: Pointer): void;
  _malloc(bytes: number): Pointer;
  _free(at: Pointer): void;
  _luaL_newstate(): Pointer;
  _luaL_openlibs(state: Pointer): void;
  _luaL_loadbuffer(state: Pointer, code: Pointer, bytes: number, name: Pointer): number;
  _luaL_ref(state: Pointer, table: number): number;
  _luaL_unref(state: Pointer, table: number, ref: number): void;
  _lua_checkstack(state: Pointer, slots: number): number;
  _lua_close(state: Pointer): void;
  _lua_createtable(state: Pointer, items: number, fields: number): void;
  _lua_error(state: Pointer): number;
  _lua_gc(state: Pointer, what: number, data: number): number;
  _lua_gettop(state: Pointer): number;
  _lua_next(state: Pointer, index: number): number;
  _lua_pcall(state: Pointer, args: number, results: number, handler: number): number;
  _lua_pushboolean(state: Pointer, value: number): void;
  _lua_pushcclosure(state: Pointer, run: Pointer, upvalues: number): void;
  _lua_pushlstring(state: Pointer, text: Pointer, bytes: number): void;
  _lua_pushnil(state: Pointer): void;
  _lua_pushnumber(state: Pointer, value: number): void;
  _lua_pushvalue(state: Pointer, index: number): void;
  _lua_rawget(state: Pointer, index: number): void;
  _lua_rawgeti(state: Pointer, index: number, item: number): void;
  _lua_rawset(state: Pointer, index: number): void;
  _lua_rawseti(state: Pointer, index: number, item: number): void;
  _lua_sethook(state: Pointer, hook: Pointer, mask: number, count: number): void;
  _lua_settop(state: Pointer, top: number): void;
  _lua_toboolean(state: Pointer, index: number): number;
  _lua_tolstring(state: Pointer, index: number, length: Pointer): Pointer;
  _lua_tonumber(state: Pointer, index: number): number;
  _lua_type(state: Pointer, index: number): number;
}

export const REGISTRY = -10_000;
export const TYPE = { nil: 0, boolean: 1, number: 3, string: 4, table: 5 } as const;
export const HOOK_COUNT = 8;

export interface LuaMachine {
  c: LuaExports;
  /** A function that Lua can call; it returns how many results it left on the stack. */
  addFunction(run: (state: Pointer) => number): Pointer;
  addHook(run: (state: Pointer) => void): Pointer;
  /** Pushes a binary string. */
  pushString(state: Pointer, text: string): void;
  /** The string at this place of the stack; a number there becomes one. Null for other types. */
  toString(state: Pointer, index: number): string | null;
  /** Compiles; leaves a function or an error text on the stack. True when it compiled. */
  load(state: Pointer, code: string, name: string): boolean;
  pop(state: Pointer, count: number): void;
}

/** What the copying area may keep between calls; a larger value gets its own. */
const SCRATCH_BYTES = 64 * 1024;

/** Loads the machine, about 10 ms. One serves any number of states. */
export async function loadLua(): Promise<LuaMachine> {
  const { module } = await LuaApi.initialize();
  const c = module as LuaExports;
  const scratch = c._malloc(SCRATCH_BYTES);
  const lengthAt = c._malloc(4);
  let seen = c.HEAPU8;
  let memory = Buffer.from(seen.buffer);

  /** The machine's memory as it is now: when it grows, it moves. */
  function bytes(): Buffer {
    if (seen !== c.HEAPU8) {
      seen = c.HEAPU8;
      memory = Buffer.from(seen.buffer);
    }
    return memory;
  }

  /** Puts a text where C can read it, for as long as `use` runs. */
  function withText<T>(text: string, use: (at: Pointer) => T): T {
    if (text.length < SCRATCH_BYTES) {
      bytes().write(text, scratch, 'latin1');
      return use(scratch);
    }
    const at = c._malloc(text.length);
    if (at === 0) throw new Error('Lua has no memory left for a string.');
    try {
      bytes().write(text, at, 'latin1');
      return use(at);
    } finally {
      c._free(at);
    }
  }

  const names = new Map<string, Pointer>();
  function nameAt(name: string): Pointer {
    const known = names.get(name);
    if (known !== undefined) return known;
    const at = c._malloc(name.length + 1);
    bytes().write(`${name}\0`, at, 'latin1');
    names.set(name, at);
    return at;
  }

  return {
    c,
    addFunction: (run) => c.addFunction((state = 0) => run(state), 'ii'),
    addHook: (run) =>
      c.addFunction((state = 0) => {
        run(state);
        return undefined;
      }, 'vii'),
    pushString: (state, text) => withText(text, (at) => c._lua_pushlstring(state, at, text.length)),
    toString(state, index) {
      const at = c._lua_tolstring(state, index, lengthAt);
      if (at === 0) return null;
      const length = bytes().readUInt32LE(lengthAt);
      return bytes().toString('latin1', at, at + length);
    },
    load: (state, code, name) =>
      withText(code, (at) => c._luaL_loadbuffer(state, at, code.length, nameAt(name))) === 0,
    pop: (state, count) => c._lua_settop(state, -count - 1),
  };
}
