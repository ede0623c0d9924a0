/**
 * The five Lua scripts: the only writers of a run's keys. Each validates everything before its
 * first write (Lua has no rollback), treats entries as opaque strings, declares every key, takes
 * time from one fixed line and answers an array whose first element is a word. What each rule
 * cures is in docs/storage.md. Numbers stay below 1e14, which Lua 5.1 prints exactly.
 */
import {
  BURY_ATTEMPTS,
  CLOSE_ATTEMPTS,
  HANDOFF_DUE_MS,
  LEASE_GRACE_MS,
  LEASE_MS,
  MAX_IDLE_CLAIMS,
} from '../limits.ts';

/** Upstash locks only the declared keys when it sees this flag, else the whole database. */
const FLAGS = '#!lua flags=allow-key-locking\n';

/** The one line that reads the clock. */
const TIME_LINE = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)";

/** The same script with its time as last argument: for a clock that tests and simulation turn. */
export const withClockArgument = (text: string): string =>
  text.replace(TIME_LINE, 'local now = tonumber(ARGV[#ARGV])');

/**
 * accept: one atomic birth of a run, or the run that already exists.
 * KEYS run log outbox due runs usage active [dedupe]
 * ARGV id owner body_hash limit day_limit max_active entry due_ms drive question
 *      dedupe_s usage_s retention_ms n (delivery value)×n
 * → ok id now | exists id | conflict id | budget_spent reserved | too_many active
 */
const ACCEPT = `${FLAGS}${TIME_LINE}
local run, log, outbox, due, runs, usage, active, dedupe = unpack(KEYS)
local id, owner, body_hash, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
if dedupe then
  local known = redis.call('GET', dedupe)
  if known then
    local space = string.find(known, ' ', 1, true)
    local known_id, known_hash = string.sub(known, 1, space - 1), string.sub(known, space + 1)
    if known_hash ~= body_hash then return {'conflict', known_id} end
    return {'exists', known_id}
  end
end
if redis.call('EXISTS', run) == 1 then return {'exists', id} end
local money = redis.call('HMGET', usage, 'reserved', 'refunded')
local held = (tonumber(money[1]) or 0) - (tonumber(money[2]) or 0)
if held + limit > tonumber(ARGV[5]) then return {'budget_spent', tostring(held)} end
local running = redis.call('ZCARD', active)
if running >= tonumber(ARGV[6]) then return {'too_many', tostring(running)} end
redis.call('HSET', run, 'owner', owner, 'state', 'open', 'status', '', 'drive', ARGV[9],
  'epoch', '0', 'nonce', '', 'lease', '0', 'not_before', '0', 'idle', '0', 'attempts', '0',
  'commit', '0', 'limit', ARGV[4], 'spent', '0', 'usage', usage, 'active', active,
  'question', ARGV[10], 'created', tostring(now))
redis.call('RPUSH', log, ARGV[7])
local owed = tonumber(ARGV[14])
if owed > 0 then redis.call('HSET', outbox, unpack(ARGV, 15, 14 + 2 * owed)) end
redis.call('ZADD', due, now + tonumber(ARGV[8]), id)
redis.call('ZADD', runs, now, id)
redis.call('ZREMRANGEBYSCORE', runs, '-inf', now - tonumber(ARGV[13]))
redis.call('HINCRBY', usage, 'reserved', ARGV[4])
redis.call('EXPIRE', usage, ARGV[12])
redis.call('ZADD', active, now, id)
if dedupe then redis.call('SET', dedupe, id .. ' ' .. body_hash, 'EX', ARGV[11]) end
return {'ok', id, tostring(now)}
`;

/**
 * claim: the right to work on a run, fenced by epoch and nonce.
 * KEYS run log outbox due   ARGV id nonce page_bytes
 * → grant mode now length head[] outbox[] entries[] | busy until now | wait until now | nothing | gone
 */
const CLAIM = `${FLAGS}${TIME_LINE}
local run, log, outbox, due = unpack(KEYS)
local id, nonce = ARGV[1], ARGV[2]
local head = redis.call('HMGET', run, 'state', 'nonce', 'lease', 'not_before', 'epoch', 'commit',
  'attempts', 'idle')
local state = head[1]
if not state then
  redis.call('ZREM', due, id)
  return {'gone'}
end
local lease, attempts, idle = tonumber(head[3]), tonumber(head[7]), tonumber(head[8])
if head[2] == nonce then
  if lease == 0 then return {'nothing'} end
else
  if state ~= 'open' and redis.call('EXISTS', outbox) == 0 then
    redis.call('ZREM', due, id)
    if state == 'deleted' then return {'gone'} end
    return {'nothing'}
  end
  if lease > now then return {'busy', tostring(lease), tostring(now)} end
  local not_before = tonumber(head[4])
  if not_before > now then return {'wait', tostring(not_before), tostring(now)} end
  if lease > 0 then attempts = attempts + 1 end
  if state == 'open' and tonumber(head[5]) > 0 and head[6] == '0' then idle = idle + 1 end
  lease = now + ${LEASE_MS}
  redis.call('HSET', run, 'epoch', tonumber(head[5]) + 1, 'nonce', nonce, 'lease', tostring(lease),
    'not_before', '0', 'commit', '0', 'attempts', attempts, 'idle', idle)
  redis.call('ZADD', due, lease + ${LEASE_GRACE_MS}, id)
end
local mode = 'work'
if state ~= 'open' then mode = 'deliver'
elseif attempts >= ${BURY_ATTEMPTS} then mode = 'bury'
elseif attempts >= ${CLOSE_ATTEMPTS} or idle > ${MAX_IDLE_CLAIMS} then mode = 'close' end
local length = redis.call('LLEN', log)
local entries, bytes = {}, 0
while mode ~= 'bury' and #entries < length and bytes < tonumber(ARGV[3]) do
  local slice = redis.call('LRANGE', log, #entries, #entries + 15)
  for _, entry in ipairs(slice) do
    entries[#entries + 1] = entry
    bytes = bytes + #entry
  end
end
return {'grant', mode, tostring(now), tostring(length), redis.call('HGETALL', run),
  redis.call('HGETALL', outbox), entries}
`;

/**
 * append: one RPUSH of what a writer decided on the journal it has folded, or nothing at all.
 * KEYS run log outbox due usage active
 * ARGV id who epoch nonce commit base release finish wait_ms due_ms cost retention_s dead
 *      n_entries n_deletes n_sets entries… deletes… (delivery value)…
 * `who` is holder or outside; `base` a length or "any"; `finish` a status or ""; `release` 1, or 2
 * when the claim is not to count as idle.
 * → ok now length | moved now length entries[] | fenced | finished | gone
 */
const APPEND = `${FLAGS}${TIME_LINE}
local run, log, outbox, due, usage, active = unpack(KEYS)
local id, holder, commit, base = ARGV[1], ARGV[2] == 'holder', tonumber(ARGV[5]), ARGV[6]
local release, finish, ttl = ARGV[7] ~= '0', ARGV[8], ARGV[12]
local entries, deletes, sets = tonumber(ARGV[14]), tonumber(ARGV[15]), tonumber(ARGV[16])
local head = redis.call('HMGET', run, 'state', 'epoch', 'nonce', 'lease', 'commit', 'usage',
  'active', 'limit', 'spent')
local state, lease = head[1], tonumber(head[4])
if not state then return {'gone'} end
if state ~= 'open' and not (holder and entries == 0 and finish == '') then
  return {state == 'deleted' and 'gone' or 'finished'}
end
if holder then
  if head[2] ~= ARGV[3] or head[3] ~= ARGV[4] then return {'fenced'} end
  if entries > 0 and commit <= tonumber(head[5]) then
    return {'ok', tostring(now), tostring(redis.call('LLEN', log))}
  end
  if lease == 0 or (entries > 0 and commit > tonumber(head[5]) + 1) then return {'fenced'} end
end
local length = redis.call('LLEN', log)
if base ~= 'any' then
  if tonumber(base) > length then return {'fenced'} end
  if tonumber(base) < length then
    if holder and entries == 0 and not release then
      redis.call('HSET', run, 'lease', tostring(now + ${LEASE_MS}))
      redis.call('ZADD', due, now + ${LEASE_MS + LEASE_GRACE_MS}, id)
    end
    return {'moved', tostring(now), tostring(length), redis.call('LRANGE', log, base, -1)}
  end
end
if finish ~= '' and (head[6] ~= usage or head[7] ~= active) then
  return redis.error_reply('ERR usage and active keys are not those of the head')
end
if entries > 0 then redis.call('RPUSH', log, unpack(ARGV, 17, 16 + entries)) end
if deletes > 0 then redis.call('HDEL', outbox, unpack(ARGV, 17 + entries, 16 + entries + deletes)) end
if sets > 0 then
  local first = 17 + entries + deletes
  redis.call('HSET', outbox, unpack(ARGV, first, first - 1 + 2 * sets))
  if state ~= 'open' then redis.call('EXPIRE', outbox, ttl) end
end
if not holder then
  redis.call('HSET', run, 'not_before', '0')
  if lease <= now then
    local at = now + ${HANDOFF_DUE_MS}
    if lease > 0 then at = math.min(at, lease + ${LEASE_GRACE_MS}) end
    redis.call('ZADD', due, at, id)
  end
  return {'ok', tostring(now), tostring(length + entries)}
end
-- Money counts only with entries: those are numbered, so a copy that arrives late adds nothing.
local spent = tonumber(head[9]) + (entries > 0 and tonumber(ARGV[11]) or 0)
local fields = {'spent', tostring(spent)}
local function put(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
if entries > 0 then put('commit', ARGV[5]) put('attempts', '0') end
if ARGV[7] == '2' then put('commit', '1') end
if ARGV[13] ~= '' then put('dead', ARGV[13]) end
if finish ~= '' then
  put('state', 'finished') put('status', finish) put('ended', tostring(now))
end
if finish ~= '' or release then
  put('lease', '0') put('not_before', tostring(ARGV[9] == '0' and 0 or now + tonumber(ARGV[9])))
else
  put('lease', tostring(now + ${LEASE_MS}))
end
redis.call('HSET', run, unpack(fields))
if finish ~= '' then
  redis.call('HINCRBY', usage, 'spent', tostring(spent))
  redis.call('HINCRBY', usage, 'refunded', tostring(tonumber(head[8]) - spent))
  redis.call('ZREM', active, id)
  redis.call('EXPIRE', run, ttl)
  redis.call('EXPIRE', log, ttl)
  redis.call('EXPIRE', outbox, ttl)
end
if not release and finish == '' then
  redis.call('ZADD', due, now + ${LEASE_MS + LEASE_GRACE_MS}, id)
elseif (state ~= 'open' or finish ~= '') and redis.call('EXISTS', outbox) == 0 then
  redis.call('ZREM', due, id)
else
  redis.call('ZADD', due, now + tonumber(ARGV[10]), id)
end
return {'ok', tostring(now), tostring(length + entries)}
`;

/** sweep: KEYS due   ARGV max again_ms   → ids whose time has come, each due again later. */
const SWEEP = `${FLAGS}${TIME_LINE}
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), id) end
return ids
`;

/**
 * delete: leaves a tombstone that outlives every late delivery, and owes the purge of objects.
 * KEYS run log outbox due runs usage active   ARGV id tombstone_s due_ms
 * → ok | gone
 */
const DELETE = `${FLAGS}${TIME_LINE}
local run, log, outbox, due, runs, usage, active = unpack(KEYS)
local id = ARGV[1]
local head = redis.call('HMGET', run, 'state', 'epoch', 'usage', 'active', 'limit', 'spent', 'owner',
  'lease')
if not head[1] or head[1] == 'deleted' then
  -- A listing may outlive what Redis kept of the run.
  redis.call('ZREM', runs, ARGV[1])
  redis.call('ZREM', active, ARGV[1])
  return {head[1] and 'ok' or 'gone'}
end
if head[3] ~= usage or head[4] ~= active then
  return redis.error_reply('ERR usage and active keys are not those of the head')
end
if head[1] == 'open' then
  redis.call('HINCRBY', usage, 'spent', head[6])
  redis.call('HINCRBY', usage, 'refunded', tostring(tonumber(head[5]) - tonumber(head[6])))
  redis.call('ZREM', active, id)
end
redis.call('DEL', log, outbox, run)
-- Who holds the run may still put an object until its lease ends: the purge comes after that.
local not_before = tonumber(head[8]) > now and head[8] or '0'
redis.call('HSET', run, 'owner', head[7], 'state', 'deleted', 'status', '', 'drive', 'queue',
  'epoch', tonumber(head[2]) + 1, 'nonce', '', 'lease', '0', 'not_before', not_before, 'idle', '0',
  'attempts', '0', 'commit', '0', 'limit', head[5], 'spent', head[6], 'usage', usage,
  'active', active, 'question', '', 'created', '0')
redis.call('HSET', outbox, 'purge', '1', 'kill_sandbox', '1')
redis.call('EXPIRE', run, ARGV[2])
redis.call('EXPIRE', outbox, ARGV[2])
redis.call('ZREM', runs, id)
redis.call('ZADD', due, now + tonumber(ARGV[3]), id)
return {'ok'}
`;

export const SCRIPTS = {
  accept: ACCEPT,
  claim: CLAIM,
  append: APPEND,
  sweep: SWEEP,
  delete: DELETE,
} as const;

export type ScriptName = keyof typeof SCRIPTS;
