// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of source code.
/**
 * Rules of the loop, each broken on purpose: `npm run simulate:mutants` shows that the simulation
 * notices every one within a few seeds. `find` stands in `file`; its first place becomes `put`.
 */
export interface SimulationMutant {
  rule: string;
  file: string;
  find: string;
  put: string;
}

const inFile =
  (file: string) =>
  (rule: string, find: string, put: string): SimulationMutant => ({ rule, file, find, put });

const script = inFile('src/loop/scripts.ts');
const decided = inFile('src/loop/decide.ts');
const folded = inFile('src/loop/fold.ts');
const held = inFile('src/loop/lease.ts');
const called = inFile('src/loop/call-model.ts');
const ran = inFile('src/loop/run-tools.ts');
const delivered = inFile('src/loop/deliver.ts');
const stored = inFile('src/loop/store.ts');

export const SIMULATION_MUTANTS: readonly SimulationMutant[] = [
  // accept
  script(
    'an existing run is that run',
    "if redis.call('EXISTS', run) == 1 then return {'exists', id} end",
    '',
  ),
  script('the same key answers the same run', 'if known then', 'if false then'),
  script('another body is a conflict', 'if known_hash ~= body_hash', 'if false'),
  script('the day has a limit', 'if held + limit > tonumber(ARGV[5])', 'if false'),
  script('active runs are limited', 'if running >= tonumber(ARGV[6])', 'if false'),
  script('the limit is reserved', "redis.call('HINCRBY', usage, 'reserved', ARGV[4])", ''),
  script('an accepted run is due', "redis.call('ZADD', due, now + tonumber(ARGV[8]), id)", ''),
  script('an accepted run is listed', "redis.call('ZADD', runs, now, id)", ''),
  script('what is owed is written at once', 'if owed > 0 then', 'if false then'),
  script('a key expires', ", 'EX', ARGV[11])", ')'),
  stored('a key is given to accept', 'if (run.dedupe) keys.push(run.dedupe.key);', ''),
  // claim
  script(
    'a lease is respected',
    "if lease > now then return {'busy'",
    "if false then return {'busy'",
  ),
  script('a wait is respected', 'if not_before > now then', 'if false then'),
  script('a claim sent again is the same grant', 'if head[2] == nonce then', 'if false then'),
  script(
    'a released claim takes nothing',
    "if lease == 0 then return {'nothing'} end\nelse",
    'else',
  ),
  script('a lost lease is an attempt', 'if lease > 0 then attempts = attempts + 1 end', ''),
  script('a release is none', 'if lease > 0 then attempts', 'if true then attempts'),
  script('claims without entries are idle', "and head[6] == '0' then idle", 'and false then idle'),
  script('six lost leases close a run', 'elseif attempts >= ${CLOSE_ATTEMPTS} or', 'elseif'),
  script('nine lost leases bury it', 'elseif attempts >= ${BURY_ATTEMPTS}', 'elseif false'),
  script('thirty idle claims close it', 'or idle > ${MAX_IDLE_CLAIMS}', ''),
  // append
  script(
    'nothing is written after the end',
    "if state ~= 'open' and not (holder and entries == 0 and finish == '') then",
    "if state == 'deleted' and not (holder and entries == 0 and finish == '') then",
  ),
  script(
    'epoch and nonce fence',
    "if head[2] ~= ARGV[3] or head[3] ~= ARGV[4] then return {'fenced'} end",
    '',
  ),
  script(
    'an old commit has no effect',
    'if entries > 0 and commit <= tonumber(head[5]) then',
    'if false then',
  ),
  script('an old base is refused', 'if tonumber(base) < length then', 'if false then'),
  script(
    'the end refunds',
    "redis.call('HINCRBY', usage, 'refunded', tostring(tonumber(head[8]) - spent))\n  redis.call('ZREM'",
    "redis.call('ZREM'",
  ),
  script(
    'the end frees the slot',
    "redis.call('ZREM', active, id)\n  redis.call('EXPIRE', run, ttl)",
    "redis.call('EXPIRE', run, ttl)",
  ),
  script('the end sets expiry', "redis.call('EXPIRE', log, ttl)", ''),
  script(
    'entries are counted',
    "if entries > 0 then put('commit', ARGV[5]) put('attempts', '0') end",
    '',
  ),
  script(
    'money is counted once',
    'local spent = tonumber(head[9]) + (entries > 0 and tonumber(ARGV[11]) or 0)',
    'local spent = tonumber(head[9])',
  ),
  // delete
  script(
    'a deletion leaves a tombstone',
    "redis.call('HSET', run, 'owner', head[7], 'state', 'deleted'",
    "redis.call('HSET', run, 'owner', head[7], 'state', 'finished'",
  ),
  script('a deletion settles the money', "redis.call('HINCRBY', usage, 'spent', head[6])", ''),
  script(
    'a deletion owes the purge',
    "redis.call('HSET', outbox, 'purge', '1', 'kill_sandbox', '1')",
    '',
  ),
  script(
    'a deleted run is not listed',
    "redis.call('ZREM', runs, id)\nredis.call('ZADD'",
    "redis.call('ZADD'",
  ),
  stored(
    'a run is booked where its head says',
    'const usage = head?.usageKey ?? usageKey(',
    "const usage = head?.usageKey.replace(/\\d$/, '0') ?? usageKey(",
  ),
  // decide and fold
  decided(
    'a once tool is never repeated',
    "Settlement | null {\n  if (call.started?.effect === 'once') return unknownOutcome(call);",
    'Settlement | null {',
  ),
  decided(
    'a once tool that was started ends as unknown',
    "Settlement {\n  if (call.started?.effect === 'once') return unknownOutcome(call);",
    'Settlement {',
  ),
  decided('poison is not run again', 'moment.attempts >= POISON_ATTEMPTS', 'false'),
  decided('guarded tools wait', "guarded && call.approval === 'none'", 'false'),
  decided('approvals expire', 'call.expiresAt <= moment.now', 'false'),
  decided('a denied call is not run', "if (call.approval === 'deny') {", 'if (false) {'),
  decided('a cancelled run ends so', 'if (view.cancelled) return', 'if (false) return'),
  decided('closing calls no model', "if (moment.mode === 'close') return", 'if (false) return'),
  decided(
    'lost calls are priced',
    'const lostMicroUsd = moment.attempts * worst(wanted);',
    'const lostMicroUsd = 0;',
  ),
  decided(
    'turns are limited',
    'if (view.formatReply || view.turns >= view.started.limits.turns) {',
    'if (false) {',
  ),
  folded(
    'results stand in call order',
    ': view.calls.map(toResultBlock);',
    ': view.calls.map(toResultBlock).reverse();',
  ),
  folded('results stand before text', 'if (text) content.push(', 'if (text) content.unshift('),
  folded(
    'costs of results and failures count',
    'view.costMicroUsd += entry.cost_micro_usd ?? 0;\n      return;',
    'return;',
  ),
  // the holder
  held(
    'the time is that of Redis',
    'const now = () => grant.now + (clock.now() - receivedAt);',
    'const now = () => clock.now();',
  ),
  held('commits are numbered', 'committed += 1;', ''),
  held('what others wrote is folded', 'entries.push(...fresh);\n    onWritten', 'onWritten'),
  called(
    'a reply is paid for',
    'await lease.commit([reply], { costMicroUsd: cost });',
    'await lease.commit([reply]);',
  ),
  called(
    'a call that broke off may have been paid',
    "['aborted', 'timeout', 'connection_lost']",
    '[]',
  ),
  inFile('src/loop/request.ts')(
    'the tool list is pinned',
    'tools: prompt.tools,',
    "tools: next.toolChoice === 'none' ? [] : prompt.tools,",
  ),
  ran('a repeat is told that it is one', 'resumed: call.started !== null,', 'resumed: false,'),
  ran(
    'starts are on record',
    "if (!tool || tool.effect === 'pure' || call.started) return;",
    'if (tool) return;',
  ),
  inFile('src/loop/dispatch.ts')(
    'repeats carry the same key',
    ':${call.key}`,',
    ':${options.clock.now()}`,',
  ),
  // deliveries and drivers
  delivered(
    'what was delivered is owed no more',
    'if (fault === null) {\n      changes.outboxDeletes.push(kind);',
    'if (fault === null) {',
  ),
  delivered(
    'a hopeless delivery is given up',
    'owed.since >= DELIVERY_GIVE_UP_MS',
    'owed.since < 0',
  ),
  delivered('an archive is the journal', "lines.join('\\n')", "lines.slice(1).join('\\n')"),
  inFile('src/loop/drive.ts')(
    'the sweep sends what it took',
    'await Promise.all(ids.map((id) => deps.queue.send(id)));',
    '',
  ),
];
