// The world a script of Redis sees, written in Lua itself: the global table and the libraries
// cannot be changed, a name that is not there is an error, and `pcall` hands errors on as text.
// Left out, because no script of ours or of @upstash/ratelimit asks for them: os, io, debug, load,
// coroutine, cjson, cmsgpack, bit, struct, math.random, redis.log and redis.setresp.
// string.format is wrapped because C's long has 32 bits in WebAssembly: %d of a time in
// milliseconds would print -2147483648. string.rep is bounded: nothing can interrupt it.

/** Takes the three functions that leave Lua; returns the table of globals and the error handler. */
export const SANDBOX = `
local call, protected_call, sha1hex = ...
local debug, error, type, tostring, tonumber, select = debug, error, type, tostring, tonumber, select
local pcall, rawset, setmetatable, unpack, real = pcall, rawset, setmetatable, unpack, _G
local format, gsub, find, sub, rep = string.format, string.gsub, string.find, string.sub, string.rep

local locked = {}
local function refuse() error('Attempt to modify a readonly table', 2) end
local function lock(content)
  local front = setmetatable({}, {__index = content, __newindex = refuse, __metatable = false})
  locked[front] = true
  return front
end

local function error_table(text)
  if sub(text, 1, 1) == '-' then text = sub(text, 2) end
  return {err = find(text, ' ', 1, true) and text or 'ERR ' .. text}
end
local function single_field(make)
  return function(...)
    local text = ...
    if select('#', ...) ~= 1 or type(text) ~= 'string' then
      return {err = 'ERR wrong number or type of arguments'}
    end
    return make(text)
  end
end

local function as_text(ok, ...)
  if ok then return true, ... end
  local failure = ...
  if type(failure) == 'table' and type(failure.err) == 'string' then failure = failure.err end
  return false, failure
end

local function fits(value)
  value = tonumber(value)
  return not value or (value < 2147483648 and value >= -2147483648)
end
local function wide_format(template, ...)
  local args, place, wide = {...}, 0, false
  for i = 1, select('#', ...) do wide = wide or not fits(args[i]) end
  if wide and type(template) == 'string' then
    template = gsub(template, '%%([-+ #0]*)(%d*)(%.?%d*)(.)', function(flags, width, precision, kind)
      if kind == '%' then return nil end
      place = place + 1
      if (kind ~= 'd' and kind ~= 'i') or precision ~= '' or fits(args[place]) then return nil end
      args[place] = tonumber(args[place])
      args[place] = args[place] - args[place] % (args[place] < 0 and -1 or 1)
      return '%' .. flags .. width .. '.0f'
    end)
  end
  local ok, text = pcall(format, template, unpack(args, 1, select('#', ...)))
  if ok then return text end
  error(gsub(text, "'%?'", "'format'"), 2)
end

local strings, numbers = {}, {}
for name, value in pairs(string) do strings[name] = value end
for name, value in pairs(math) do numbers[name] = value end
strings.format, strings.dump = wide_format, nil
strings.rep = function(text, count)
  if type(text) == 'string' and (tonumber(count) or 0) * #text > 268435456 then
    error('not enough memory', 0)
  end
  local repeated = rep(text, count)
  return repeated
end
numbers.random, numbers.randomseed = nil, nil
local of_strings = getmetatable('')
of_strings.__index, of_strings.__metatable = strings, false

local globals = {
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next,
  pairs = pairs, rawequal = rawequal, rawget = rawget, select = select, tonumber = tonumber,
  tostring = tostring, type = type, unpack = unpack, xpcall = xpcall, _VERSION = _VERSION,
  string = lock(strings), table = lock(table), math = lock(numbers),
  redis = lock({
    call = call, pcall = protected_call, sha1hex = sha1hex,
    error_reply = single_field(error_table),
    status_reply = single_field(function(text) return {ok = text} end),
  }),
  pcall = function(...) return as_text(pcall(...)) end,
  rawset = function(target, ...)
    if locked[target] then error('Attempt to modify a readonly table', 0) end
    return rawset(target, ...)
  end,
  setmetatable = function(target, ...)
    if locked[target] then error('Attempt to modify a readonly table', 0) end
    return setmetatable(target, ...)
  end,
}
setmetatable(globals, {__index = function(_, name)
  error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
end})

-- What was global so far is out of reach from here on.
for name in pairs(real) do rawset(real, name, nil) end
setmetatable(real, {__index = globals, __newindex = refuse, __metatable = false})
rawset(globals, '_G', real)
locked[real] = true

local function on_error(failure)
  local level = 2
  local place = debug.getinfo(level, 'Sl')
  while place and place.source ~= '@user_script' do
    level = level + 1
    place = debug.getinfo(level, 'Sl')
  end
  if type(failure) ~= 'table' then failure = {err = 'ERR ' .. tostring(failure)} end
  return {err = failure.err, line = place and place.currentline}
end
return globals, on_error
`;
