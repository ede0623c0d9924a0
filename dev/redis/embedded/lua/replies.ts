// Values between the engine and Lua, as Redis converts them: nil becomes false and false nil, a
// status {ok = …}, an error {err = …}, a number loses its fraction, an array ends at its first nil.

import { RedisError } from '../../engine.ts';
import { format17g } from '../numbers.ts';
import { errorText, isStatus, type Value } from '../values.ts';
import { type LuaMachine, type Pointer, TYPE } from './wasm.ts';

const NUL = '\0';

/** Pushes a command's reply. */
export function pushValue(lua: LuaMachine, state: Pointer, value: Value): void {
  if (value === null) lua.c._lua_pushboolean(state, 0);
  else if (typeof value === 'string') lua.pushString(state, value);
  else if (Array.isArray(value)) pushList(lua, state, value);
  else if (value instanceof RedisError) pushError(lua, state, value);
  else if (isStatus(value)) pushField(lua, state, { name: 'ok', text: value.status });
  else lua.c._lua_pushnumber(state, Number(value));
}

/** Pushes a table of the items, in order. */
export function pushList(lua: LuaMachine, state: Pointer, items: Value[]): void {
  lua.c._lua_checkstack(state, 4);
  lua.c._lua_createtable(state, items.length, 0);
  items.forEach((item, index) => {
    pushValue(lua, state, item);
    lua.c._lua_rawseti(state, -2, index + 1);
  });
}

export function pushError(lua: LuaMachine, state: Pointer, error: RedisError): void {
  pushField(lua, state, { name: 'err', text: error.message });
}

function pushField(
  lua: LuaMachine,
  state: Pointer,
  { name, text }: { name: string; text: string },
) {
  lua.c._lua_createtable(state, 0, 1);
  lua.pushString(state, name);
  lua.pushString(state, text);
  lua.c._lua_rawset(state, -3);
}

/** The arguments of redis.call, or null when one is neither text nor number. */
export function readArguments(lua: LuaMachine, state: Pointer): string[] | null {
  const { c } = lua;
  const words: string[] = [];
  for (let index = 1; index <= c._lua_gettop(state); index += 1) {
    const type = c._lua_type(state, index);
    if (type !== TYPE.number && type !== TYPE.string) return null;
    // Lua itself would print a number with 14 digits.
    const isNumber = type === TYPE.number;
    words.push(
      isNumber ? format17g(c._lua_tonumber(state, index)) : (lua.toString(state, index) ?? ''),
    );
  }
  return words;
}

/** Redis goes on for as long as Lua's stack lasts, about 2,000; JavaScript's ends before that. */
const MAX_DEPTH = 1_000;

/** Takes the value on top of the stack as a reply. */
export function popValue(lua: LuaMachine, state: Pointer, depth = 0): Value {
  const { c } = lua;
  if (c._lua_checkstack(state, 4) === 0 || depth === MAX_DEPTH) {
    lua.pop(state, 1);
    return new RedisError('ERR reached lua stack limit');
  }
  switch (c._lua_type(state, -1)) {
    case TYPE.string:
      return popString(lua, state);
    case TYPE.boolean: {
      const value = c._lua_toboolean(state, -1) === 1 ? 1 : null;
      lua.pop(state, 1);
      return value;
    }
    case TYPE.number: {
      const value = toInteger(c._lua_tonumber(state, -1));
      lua.pop(state, 1);
      return value;
    }
    case TYPE.table:
      return popTable(lua, state, depth + 1);
    default:
      lua.pop(state, 1);
      return null;
  }
}

/** As a C cast does it; what does not fit 64 bits becomes the lowest number (x86). */
function toInteger(value: number): number {
  const fits = value >= -(2 ** 63) && value < 2 ** 63;
  return fits ? Math.trunc(value) + 0 : -(2 ** 63);
}

export function popString(lua: LuaMachine, state: Pointer): string {
  const text = lua.toString(state, -1) ?? '';
  lua.pop(state, 1);
  return text;
}

/** The named field of the table on top, left on the stack when it has the type, else taken off. */
function hasField(lua: LuaMachine, state: Pointer, { name, type }: { name: string; type: number }) {
  lua.pushString(state, name);
  lua.c._lua_rawget(state, -2);
  if (lua.c._lua_type(state, -1) === type) return true;
  lua.pop(state, 1);
  return false;
}

/** A table with a reserved field is not a list. RESP2 shows doubles as text and maps as lists. */
function popTable(lua: LuaMachine, state: Pointer, depth: number): Value {
  const reserved = popReserved(lua, state, depth);
  if (reserved !== undefined) {
    lua.pop(state, 1);
    return reserved;
  }
  const items: Value[] = [];
  for (let index = 1; ; index += 1) {
    lua.c._lua_rawgeti(state, -1, index);
    if (lua.c._lua_type(state, -1) === TYPE.nil) break;
    items.push(popValue(lua, state, depth));
  }
  lua.pop(state, 2);
  return items;
}

function popReserved(lua: LuaMachine, state: Pointer, depth: number): Value | undefined {
  const has = (name: string, type: number) => hasField(lua, state, { name, type });
  if (has('err', TYPE.string)) return new RedisError(errorText(popString(lua, state)));
  if (has('ok', TYPE.string)) {
    const text = popString(lua, state).split(NUL, 1)[0] ?? '';
    return { status: text.replace(/[\r\n]/g, ' ') };
  }
  if (has('double', TYPE.number)) {
    const value = lua.c._lua_tonumber(state, -1);
    lua.pop(state, 1);
    return format17g(value);
  }
  if (has('map', TYPE.table)) return popPairs(lua, state, { depth, values: true });
  if (has('set', TYPE.table)) return popPairs(lua, state, { depth, values: false });
  if (has('big_number', TYPE.string)) return popString(lua, state).replace(/[\r\n]/g, ' ');
  return undefined;
}

function popPairs(
  lua: LuaMachine,
  state: Pointer,
  { depth, values }: { depth: number; values: boolean },
): Value[] {
  const { c } = lua;
  const items: Value[] = [];
  c._lua_pushnil(state);
  while (c._lua_next(state, -2) !== 0) {
    // The key stays for lua_next; a copy is converted, since reading a number may change it.
    c._lua_pushvalue(state, -2);
    items.push(popValue(lua, state, depth));
    const value = popValue(lua, state, depth);
    if (values) items.push(value);
  }
  lua.pop(state, 1);
  return items;
}
