/**
 * Rules of the protocol, each broken on purpose: the test file named must fail for every one.
 * `find` stands in `file` exactly once or first; `put` is the broken rule.
 */
export interface Mutant {
  rule: string;
  file: string;
  find: string;
  put: string;
  test: string;
}

const script = (rule: string, find: string, put: string): Mutant => ({
  rule,
  file: 'src/loop/scripts.ts',
  find,
  put,
  test: 'test/loop/store.test.ts',
});
const decided = (rule: string, find: string, put: string): Mutant => ({
  rule,
  file: 'src/loop/decide.ts',
  find,
  put,
  test: 'test/loop/decide.test.ts',
});
const folded = (rule: string, find: string, put: string): Mutant => ({
  rule,
  file: 'src/loop/fold.ts',
  find,
  put,
  test: 'test/loop/fold.test.ts',
});
const leased = (rule: string, find: string, put: string): Mutant => ({
  rule,
  file: 'src/loop/lease.ts',
  find,
  put,
  test: 'test/loop/lease.test.ts',
});

export const MUTANTS: readonly Mutant[] = [
  // accept
  script('accept: an existing run is that run', "if redis.call('EXISTS', run) == 1", 'if false'),
  script('accept: the same key answers the same run', 'if known then', 'if false then'),
  script('accept: same key, other body is a conflict', 'if known_hash ~= body_hash', 'if false'),
  script('accept: the day’s money is kept', 'if held + limit > tonumber(ARGV[5])', 'if false'),
  script('accept: active runs are limited', 'if running >= tonumber(ARGV[6])', 'if false'),
  script(
    'accept: the whole limit is reserved',
    "redis.call('HINCRBY', usage, 'reserved', ARGV[4])",
    '',
  ),
  script('accept: due is set', "redis.call('ZADD', due, now + tonumber(ARGV[8]), id)", ''),
  script('accept: the run is listed', "redis.call('ZADD', runs, now, id)", ''),
  script('accept: what is owed is written at once', 'if owed > 0 then', 'if false then'),
  script('accept: the dedupe key expires', ", 'EX', ARGV[11])", ')'),
  // claim
  script(
    'claim: no head leaves due',
    "  redis.call('ZREM', due, id)\n  return {'gone'}",
    "  return {'gone'}",
  ),
  script('claim: the same nonce gets the same grant', 'if head[2] == nonce then', 'if false then'),
  script(
    'claim: a released nonce takes nothing',
    "if lease == 0 then return {'nothing'} end\nelse",
    'else',
  ),
  script(
    'claim: ended and nothing owed is nothing',
    "if state ~= 'open' and redis.call('EXISTS', outbox) == 0",
    'if false',
  ),
  script(
    'claim: a live lease is respected',
    "if lease > now then return {'busy'",
    "if false then return {'busy'",
  ),
  script('claim: a wait is respected', 'if not_before > now then', 'if false then'),
  script(
    'claim: a takeover counts as an attempt',
    'if lease > 0 then attempts = attempts + 1 end',
    '',
  ),
  script('claim: releases are no attempts', 'if lease > 0 then attempts', 'if true then attempts'),
  script(
    'claim: idle claims count',
    "and head[6] == '0' then idle = idle + 1 end",
    'and false then idle = idle + 1 end',
  ),
  script('claim: productive claims are not idle', "and head[6] == '0' then idle", 'then idle'),
  script('claim: the epoch rises', "tonumber(head[5]) + 1, 'nonce'", "tonumber(head[5]), 'nonce'"),
  script(
    'claim: commit starts anew',
    "'not_before', '0', 'commit', '0', 'attempts'",
    "'not_before', '0', 'attempts'",
  ),
  script(
    'claim: due is the lease’s end',
    "redis.call('ZADD', due, lease + ${LEASE_GRACE_MS}, id)",
    '',
  ),
  script(
    'claim: ended runs are delivered',
    "if state ~= 'open' then mode = 'deliver'",
    "if false then mode = 'deliver'",
  ),
  script(
    'claim: buried at nine',
    "attempts >= ${BURY_ATTEMPTS} then mode = 'bury'",
    "false then mode = 'bury'",
  ),
  script('claim: closed at six', 'attempts >= ${CLOSE_ATTEMPTS} or', 'false or'),
  script('claim: closed after thirty idle claims', 'or idle > ${MAX_IDLE_CLAIMS}', ''),
  script('claim: a page is bounded', 'and bytes < tonumber(ARGV[3])', ''),
  script('claim: bury reads nothing', "while mode ~= 'bury' and", 'while'),
  // append
  script(
    'append: no head is gone',
    "if not state then return {'gone'} end\nif state",
    "if not state then return {'ok'} end\nif state",
  ),
  script(
    'append: nothing after the end',
    "if state ~= 'open' and not (holder",
    'if false and not (holder',
  ),
  script(
    'append: epoch and nonce fence',
    'if head[2] ~= ARGV[3] or head[3] ~= ARGV[4]',
    'if false',
  ),
  script('append: the nonce fences by itself', 'or head[3] ~= ARGV[4]', ''),
  script(
    'append: an old commit has no effect',
    'if entries > 0 and commit <= tonumber(head[5]) then',
    'if false then',
  ),
  script(
    'append: a skipped commit is lost data',
    'or (entries > 0 and commit > tonumber(head[5]) + 1)',
    '',
  ),
  script('append: a released lease writes nothing', 'if lease == 0 or (entries', 'if (entries'),
  script(
    'append: a base beyond the list is lost data',
    "if tonumber(base) > length then return {'fenced'} end",
    '',
  ),
  script('append: an older base is moved', 'if tonumber(base) < length then', 'if false then'),
  script(
    'append: a heartbeat renews before moved',
    'if holder and entries == 0 and not release then',
    'if false then',
  ),
  script(
    'append: a release that moved keeps the lease',
    'and entries == 0 and not release then',
    'and entries == 0 then',
  ),
  script(
    'append: keys are checked before the first write',
    "if finish ~= '' and (head[6] ~= usage",
    'if false and (head[6] ~= usage',
  ),
  script('append: entries reset attempts', "put('attempts', '0')", ''),
  script('append: entries raise commit', "put('commit', ARGV[5])", ''),
  script(
    'append: money needs entries',
    '(entries > 0 and tonumber(ARGV[11]) or 0)',
    'tonumber(ARGV[11])',
  ),
  script('append: the lease is renewed', "put('lease', tostring(now + ${LEASE_MS}))", ''),
  script('append: release clears the lease', "put('lease', '0')", ''),
  script(
    'append: release sets the wait',
    "put('not_before', tostring(ARGV[9] == '0' and 0 or now + tonumber(ARGV[9])))",
    "put('not_before', '0')",
  ),
  script('append: release sets due', "redis.call('ZADD', due, now + tonumber(ARGV[10]), id)", ''),
  script(
    'append: due follows the renewed lease',
    "redis.call('ZADD', due, now + ${LEASE_MS + LEASE_GRACE_MS}, id)\nelseif",
    'local _ = 0\nelseif',
  ),
  script(
    'finish: the rest is refunded',
    "redis.call('HINCRBY', usage, 'refunded', tostring(tonumber(head[8]) - spent))",
    '',
  ),
  script(
    'finish: what was spent is booked',
    "redis.call('HINCRBY', usage, 'spent', tostring(spent))",
    '',
  ),
  script(
    'finish: the slot is freed',
    "redis.call('ZREM', active, id)\n  redis.call('EXPIRE', run, ttl)",
    "redis.call('EXPIRE', run, ttl)",
  ),
  script('finish: the log expires', "redis.call('EXPIRE', log, ttl)", ''),
  script(
    'finish: nothing owed leaves due',
    "elseif (state ~= 'open' or finish ~= '') and redis.call('EXISTS', outbox) == 0 then",
    'elseif false then',
  ),
  script('deliver: settled kinds leave the outbox', 'if deletes > 0 then', 'if false then'),
  script(
    'deliver: a refilled outbox expires',
    "if state ~= 'open' then redis.call('EXPIRE', outbox, ttl) end",
    '',
  ),
  script(
    'deliver: what was given up is shown',
    "if ARGV[13] ~= '' then put('dead', ARGV[13]) end",
    '',
  ),
  script(
    'outside: the wait is cleared',
    "redis.call('HSET', run, 'not_before', '0')\n  if lease",
    'if lease',
  ),
  script(
    'outside: a live lease keeps due',
    'if lease <= now then\n    local at',
    'if true then\n    local at',
  ),
  script(
    'outside: a dead lease’s end comes first',
    'if lease > 0 then at = math.min',
    'if false then at = math.min',
  ),
  script(
    'append: a forgiven release is not idle',
    "if ARGV[7] == '2' then put('commit', '1') end",
    '',
  ),
  // sweep and delete
  script(
    'sweep: members come again',
    'for _, id in ipairs(ids) do redis.call',
    'for _, id in ipairs({}) do redis.call',
  ),
  script('sweep: only what is due', "'-inf', now, 'LIMIT'", "'-inf', '+inf', 'LIMIT'"),
  script('delete: money is settled', "if head[1] == 'open' then", 'if false then'),
  script(
    'delete: a finished run is not settled again',
    "if head[1] == 'open' then",
    'if true then',
  ),
  script(
    'delete: a tombstone stays',
    "redis.call('HSET', run, 'owner', head[7], 'state', 'deleted'",
    "redis.call('HSET', run .. ':x', 'owner', head[7], 'state', 'deleted'",
  ),
  script('delete: the tombstone expires', "redis.call('EXPIRE', run, ARGV[2])", ''),
  script(
    'delete: the purge is owed',
    "redis.call('HSET', outbox, 'purge', '1', 'kill_sandbox', '1')",
    '',
  ),
  script('delete: the listing is cleared', "redis.call('ZREM', runs, id)", ''),
  // fold
  folded(
    'results stand in call order',
    ': view.calls.map(toResultBlock)',
    ': [...view.calls].reverse().map(toResultBlock)',
  ),
  folded('results stand before text', 'if (text) content.push(', 'if (text) content.unshift('),
  folded('a call has one result', 'if (call.result) throw', 'if (false) throw'),
  folded(
    'a cut reply is not in the conversation',
    "if (entry.stop_reason === 'max_tokens') {",
    'if (false) {',
  ),
  folded('no empty assistant message', 'if (view.silent) return;', ''),
  folded('the first verdict stands', "if (call.approval !== 'asked') return;", ''),
  folded(
    'uncounted failures do not count',
    'if (entry.counted) view.failures += 1;',
    'view.failures += 1;',
  ),
  folded(
    'money of failed attempts counts',
    'view.costMicroUsd += entry.cost_micro_usd ?? 0;\n      return;',
    'return;',
  ),
  folded('a reply ends the row of failures', 'view.failures = 0;', ''),
  // decide
  decided('nothing after the end', "if (view.finished) return { kind: 'nothing' };", ''),
  decided(
    'a cancel closes',
    "if (view.cancelled) return close(view, { reason: 'cancelled', moment });",
    '',
  ),
  decided('mode close runs nothing', "if (moment.mode === 'close')", 'if (false)'),
  decided(
    'once calls are never run again',
    "if (call.started?.effect === 'once') return unknownOutcome(call);\n  if (call.approval",
    'if (call.approval',
  ),
  decided(
    'once calls that end with the run are unknown',
    "if (call.started?.effect === 'once') return unknownOutcome(call);\n  const text =\n    reason",
    'const text =\n    reason',
  ),
  decided('poison calls are closed', 'moment.attempts >= POISON_ATTEMPTS', 'false'),
  decided('guarded calls ask first', "guarded && call.approval === 'none'", 'false'),
  decided('an expired question is denied', 'call.expiresAt <= moment.now', 'false'),
  decided('a denied call does not run', "if (call.approval === 'deny') {", 'if (false) {'),
  decided(
    'calls of the last turn get results',
    'if (view.formatReply || view.turns >= view.started.limits.turns) {',
    'if (false) {',
  ),
  decided(
    'a refused reply runs no tool',
    "if (view.reply?.stop_reason === 'refusal') {",
    'if (false) {',
  ),
  decided('tool calls are limited', 'if (call.ordinal > limit) {', 'if (false) {'),
  decided(
    'a failure that is not repeated ends the run',
    'if (failure && failure.retry_at === null)',
    'if (false)',
  ),
  decided('a retry waits', 'failure.retry_at > moment.now', 'false'),
  decided(
    'spent limits stop the run',
    'if (spent) return close(view, { reason: spent, moment });',
    '',
  ),
  decided(
    'lost attempts are held back',
    '- view.costMicroUsd - lostMicroUsd',
    '- view.costMicroUsd',
  ),
  decided('max_tokens follows the money', 'Math.min(wanted, affordable)', 'wanted'),
  decided('a floor under max_tokens', 'if (maxTokens < MIN_OUTPUT_TOKENS ||', 'if ('),
  decided(
    'a cut reply gets a larger cap',
    'view.cuts > 0 ? MAX_OUTPUT_TOKENS_AFTER_CUT',
    'false ? MAX_OUTPUT_TOKENS_AFTER_CUT',
  ),
  decided(
    'tools are off on the last turn',
    "toolChoice: last ? 'none' : 'auto'",
    "toolChoice: 'auto'",
  ),
  // lease
  leased('one append at a time takes all that waits', 'if (batch !== waiting) {', 'if (true) {'),
  leased(
    'a lost answer is sent again',
    'if (clock.now() + wait >= until) throw error;',
    'throw error;',
  ),
  leased('others’ entries move the base', 'base += fresh.length;', ''),
  {
    rule: 'an end is decided anew when a heartbeat has folded something since',
    file: 'src/loop/lease.ts',
    find: 'base === decidedOn ? await task()',
    put: 'true ? await task()',
    test: 'test/simulation/regressions.test.ts',
  },
  leased(
    'a moved release is decided anew',
    "if (extra.release || extra.finish) return 'moved' as const;",
    '',
  ),
  leased(
    'a cancel aborts the work',
    "if (fresh.some((entry) => entry.type === 'cancel_requested'))",
    'if (false)',
  ),
  leased(
    'silence is broken after ten seconds',
    'if (!heart.signal.aborted) await write([], {});',
    '',
  ),
  leased(
    'no heartbeat while entries flow',
    'if (clock.now() - lastWrite < HEARTBEAT_MS) continue;',
    '',
  ),
  leased('no heartbeat after the end', 'if (extra.release || extra.finish) heart.abort();', ''),
  leased('a lost lease writes nothing more', 'if (lost) throw lost;', ''),
  leased('a lost lease stops the work', 'work.abort(lost);\n    throw lost;', 'throw lost;'),
  leased('entries forget the attempts', 'attempts = 0;', ''),
];
