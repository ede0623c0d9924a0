// One Lua state with the sandbox in it: compiles scripts, runs them with KEYS and ARGV, and words
// failures as Redis 7.0 does. A script cannot run or grow without end: past its bounds every
// instruction fails, so that no pcall in it can go on.

import { createHash } from 'node:crypto';
import { RedisError } from '../../engine.ts';
import { errorText, type Value } from '../values.ts';
import { popString, popValue, pushError, pushList, pushValue, readArguments } from './replies.ts';
import { SANDBOX } from './sandbox.ts';
import { HOOK_COUNT, type LuaMachine, type Pointer, REGISTRY, TYPE } from './wasm.ts';

/** Runs one command for a script. Throws `RedisError` for what the command is refused for. */
export type CallFromScript = (words: string[]) => Value;

export interface ScriptRun {
  sha: string;
  code: string;
  keys: string[];
  args: string[];
  call: CallFromScript;
}

export interface LuaState {
  /** Keeps the script under its SHA1. Throws Redis' error for one that does not compile. */
  compile(script: { sha: string; code: string }): void;
  /** What the script returns or fails with; a failure is a `RedisError` value. */
  run(run: ScriptRun): Value;
  /** Forgets all scripts. */
  flush(): void;
  close(): void;
}

export interface LuaLimits {
  maxScriptMs: number;
  maxMemoryBytes: number;
}

const INSTRUCTIONS_PER_CHECK = 100_000;
const GC_COUNT_KILOBYTES = 3;
const NO_ARGUMENT = 'ERR Please specify at least one argument for this redis lib call';
const NOT_TEXT = 'ERR Lua redis lib command arguments must be strings or integers';

export function openLuaState(lua: LuaMachine, limits: LuaLimits): LuaState {
  const { c } = lua;
  const state = c._luaL_newstate();
  c._luaL_openlibs(state);
  const bridge = createBridge(lua, limits);
  const { globals, onError } = openSandbox(lua, state, bridge.functions);
  const scripts = new Map<string, number>();

  function compile({ sha, code }: { sha: string; code: string }): number {
    const known = scripts.get(sha);
    if (known !== undefined) return known;
    if (!lua.load(state, code, '@user_script')) {
      const reason = errorText(popString(lua, state));
      throw new RedisError(`ERR Error compiling script (new function): ${reason}`);
    }
    const ref = c._luaL_ref(state, REGISTRY);
    scripts.set(sha, ref);
    return ref;
  }

  function setGlobals(lists: Record<string, string[]>): void {
    c._lua_rawgeti(state, REGISTRY, globals);
    for (const [name, items] of Object.entries(lists)) {
      lua.pushString(state, name);
      pushList(lua, state, items);
      c._lua_rawset(state, -3);
    }
    lua.pop(state, 1);
  }

  return {
    compile,
    run({ sha, code, keys, args, call }) {
      const script = compile({ sha, code });
      c._lua_rawgeti(state, REGISTRY, onError);
      setGlobals({ KEYS: keys, ARGV: args });
      c._lua_rawgeti(state, REGISTRY, script);
      bridge.begin(state, call);
      const status = c._lua_pcall(state, 0, 1, -2);
      const fault = bridge.end(state);
      const value = status === 0 ? popValue(lua, state) : popFailure(lua, state, sha);
      lua.pop(state, 1);
      if (fault) throw fault.thrown;
      return value;
    },
    flush() {
      for (const ref of scripts.values()) c._luaL_unref(state, REGISTRY, ref);
      scripts.clear();
    },
    close() {
      c._lua_close(state);
      bridge.close();
    },
  };
}

/** What Lua calls in JavaScript: the commands of one running script, and the look at its bounds. */
function createBridge(lua: LuaMachine, limits: LuaLimits) {
  const { c } = lua;
  let current: CallFromScript | null = null;
  let endsAt = 0;
  /** A fault of ours inside a call: Lua must unwind before it can be thrown. */
  let fault: { thrown: unknown } | null = null;

  function answer(words: string[] | null): Value {
    if (words === null) return new RedisError(NOT_TEXT);
    if (words.length === 0) return new RedisError(NO_ARGUMENT);
    try {
      return current?.(words) ?? null;
    } catch (error) {
      if (error instanceof RedisError) return error;
      fault = { thrown: error };
      return new RedisError('ERR the engine failed inside a script');
    }
  }

  // lua_error leaves by a jump that goes through these functions, so it comes last in each.
  const hook = lua.addHook((L) => {
    const isLate = performance.now() >= endsAt;
    const bytes = c._lua_gc(L, GC_COUNT_KILOBYTES, 0) * 1024;
    if (!isLate && bytes < limits.maxMemoryBytes) return;
    c._lua_sethook(L, hook, HOOK_COUNT, 1);
    const why = isLate ? `ended after ${limits.maxScriptMs} ms` : 'took too much memory';
    lua.pushString(L, `Script ${why}: it is not allowed more`);
    c._lua_error(L);
  });
  const caller = (raises: boolean) =>
    lua.addFunction((L) => {
      // Commands take longer than instructions, so the hook alone would look too seldom.
      if (performance.now() >= endsAt) c._lua_sethook(L, hook, HOOK_COUNT, 1);
      const value = answer(readArguments(lua, L));
      pushValue(lua, L, value);
      return raises && value instanceof RedisError ? c._lua_error(L) : 1;
    });
  const sha1hex = lua.addFunction((L) => {
    const text = c._lua_gettop(L) === 1 ? lua.toString(L, 1) : null;
    if (text !== null) lua.pushString(L, sha1(text));
    else pushError(lua, L, new RedisError('ERR wrong number of arguments'));
    return text === null ? c._lua_error(L) : 1;
  });
  /** In the order the sandbox takes them. */
  const functions = [caller(true), caller(false), sha1hex];

  return {
    functions,
    begin(state: Pointer, call: CallFromScript): void {
      current = call;
      endsAt = performance.now() + limits.maxScriptMs;
      c._lua_sethook(state, hook, HOOK_COUNT, INSTRUCTIONS_PER_CHECK);
    },
    end(state: Pointer): { thrown: unknown } | null {
      c._lua_sethook(state, 0, 0, 0);
      const met = fault;
      current = null;
      fault = null;
      return met;
    },
    close() {
      for (const at of [...functions, hook]) c.removeFunction(at);
    },
  };
}

/** Runs the sandbox's own code once; what it returns stays in the registry. */
function openSandbox(lua: LuaMachine, state: Pointer, functions: Pointer[]) {
  const { c } = lua;
  if (!lua.load(state, SANDBOX, '=sandbox')) throw new Error(popString(lua, state));
  for (const run of functions) c._lua_pushcclosure(state, run, 0);
  if (c._lua_pcall(state, functions.length, 2, 0) !== 0) throw new Error(popString(lua, state));
  const onError = c._luaL_ref(state, REGISTRY);
  const globals = c._luaL_ref(state, REGISTRY);
  return { globals, onError };
}

/** What the error handler left: {err, line}, or a bare text when Lua itself gave up. */
function popFailure(lua: LuaMachine, state: Pointer, sha: string): RedisError {
  const { c } = lua;
  if (c._lua_type(state, -1) !== TYPE.table) {
    return new RedisError(`ERR Error running script: ${errorText(popString(lua, state))}`);
  }
  const field = (name: string) => {
    lua.pushString(state, name);
    c._lua_rawget(state, -2);
    return popString(lua, state);
  };
  const message = field('err') || 'ERR unknown error';
  const line = field('line');
  lua.pop(state, 1);
  const place = line === '' ? '' : ` script: ${sha}, on @user_script:${line}.`;
  return new RedisError(errorText(message.split('\0', 1)[0] + place));
}

export function sha1(text: string): string {
  return createHash('sha1').update(text, 'latin1').digest('hex');
}
