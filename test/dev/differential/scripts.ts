/** Random scripts: values of every type, every command from inside, numbers, failures. */
import { createHash } from 'node:crypto';
import { dataCommand, type Source } from './commands.ts';

/** Replies whose order or value is not the same twice. */
const UNSTEADY = new Set(['HGETALL', 'TTL', 'PTTL', 'KEYS', 'SCAN', 'TIME']);

function steadyCommand(source: Source): string[] {
  for (;;) {
    const command = dataCommand(source);
    if (!UNSTEADY.has((command[0] ?? '').toUpperCase())) return command;
  }
}

const NUMBERS = [
  '0 1 -1 3.7 -3.7 1e15 123456789012345 1e300 -1e300 1/3 2^53 2^63 -2^63 0.1+0.2 1/0 -1/0 0/0 1e14',
].flatMap((line) => line.split(' '));

/** A Lua expression of any type, nested up to a few levels. */
function expression({ random }: Source, depth = 0): string {
  const simple = [
    'nil',
    'true',
    'false',
    "'text'",
    "''",
    "'\\0\\255\\r\\n'",
    'KEYS[1]',
    'ARGV[1]',
    '#ARGV',
    "redis.status_reply('FINE')",
    "redis.error_reply('MY reason')",
    "redis.error_reply('word')",
    "{ok='YES'}",
    "{err='BAD thing'}",
    "{err='BAD\\r\\nthing\\n'}",
    "{ok='A\\nB'}",
    '{double=3.25}',
    '{double=0.1}',
    '{map={a=1}}',
    '{set={b=true}}',
    "{big_number='123'}",
    'redis.call',
    '{}',
    "redis.pcall('GET')",
    "redis.pcall('NOPE', 1)",
    "redis.pcall('HGET', 's1', 'x')",
    'tostring(nil)',
    'redis.error_reply(1)',
    'redis.status_reply()',
    "redis.error_reply('-CODE text')",
    '{ok=1}',
    "redis.sha1hex('abc')",
    'redis.sha1hex(ARGV[1])',
    '{{1,{2,{3}}},nil,4}',
    '{1,nil,3}',
    '{[1.5]=1}',
    "redis.error_reply('')",
    "{'a', false, 'b'}",
    'string.byte(ARGV[1], 1, 3)',
    'type(ARGV[2])',
  ];
  if (depth < 3 && random.chance(0.3)) {
    const items = random.times(random.int(4), () => expression({ random } as Source, depth + 1));
    return `{${items.join(', ')}}`;
  }
  return random.chance(0.25) ? random.pick(NUMBERS) : random.pick(simple);
}

const FAILURES = [
  'return foo',
  'foo = 1',
  "error('plain')",
  "error({err='MY text'})",
  "error('at', 0)",
  'error()',
  'return redis.call()',
  "return redis.call('GET')",
  "return redis.call('GET', {})",
  'x(',
  "return redis.call('NOPE')",
  "return redis.call('EVAL', 'return 1', 0)",
  'return nil .. 1',
  'local a = nil return a.b',
  "\n\nreturn redis.call('HGET', 's1', 'x')",
  'return 1 + {}',
  "return '",
  'KEYS = 1',
  "redis.call('SET', 's1', 'kept') error('after a write')",
  'string.x = 1',
  "rawset(_G, 'y', 1)",
  "redis.call('RPUSH', 'l1', 'kept') return redis.call('INCR', 'l1')",
  'setmetatable(_G, {})',
  'return _G.zip',
  "return {pcall(redis.call, 'GET')}",
  "return {pcall(error, {err='X y'})}",
  "return {pcall(error, 'text')}",
  'return {pcall(function() return foo end)}',
  'assert(false)',
  "assert(nil, 'reason')",
  'redis.foo()',
  'return table.concat({1, 2, {}})',
  'local t = {} t[nil] = 1',
  'for i = 1, 2 do error(i) end',
  'return redis.sha1hex()',
  "return select('#', pcall(redis.pcall, 'GET'))",
  'goto x',
  'return unpack({}, 1, 9000)',
  '#!lua\nreturn 1',
  '#!lua flags=no-writes\nreturn redis.call("SET", "s1", 1)',
  '#!lua nope\nreturn 1',
  '#!lua flags=no-writes\nreturn redis.call("GET", "s1")',
  '#!lua flags=nope\nreturn 1',
  '#!lua',
  '#!py\nreturn 1',
  '#!lua flags=allow-oom,no-cluster\nreturn {KEYS[1], 2}',
];

const NUMBER_SCRIPTS = [
  'return tostring(N)',
  'return N',
  "return redis.call('SET', KEYS[1], N)",
  'return {N, tostring(N * 3)}',
  "redis.call('SET', KEYS[1], N) return redis.call('GET', KEYS[1])",
  "return 'n' .. N",
  'return N % 7',
  "return string.format('%d %5d %05d %-4d| %i', N2, 7, 7, 7, -3)",
  "return string.format('%.14g %s %q', N, 'x', 'y')",
  'return math.floor(N)',
  'return {math.max(N, 1), math.min(N, 1)}',
  "return tonumber('N')",
  'return tonumber(ARGV[1])',
  "return redis.call('ZADD', KEYS[1], N, 'm')",
  "return redis.call('HSET', KEYS[1], N, N)",
  'local t = {} for i = 1, 3 do t[i] = i * N end return t',
  "return table.concat({N, 'a', 2}, ',')",
];
const WIDE_NUMBERS = [
  '1790000000000',
  '-1790000000000',
  '2147483648',
  '-2147483649',
  '5',
  '99999999999.9',
];

/** All of ARGV as commands, each after its number of words. */
const MANY_COMMANDS = `local out, i = {}, 1
while i <= #ARGV do
  local n = tonumber(ARGV[i])
  out[#out + 1] = redis.pcall(unpack(ARGV, i + 1, i + n))
  i = i + n + 1
end
return out`;

const evalOf = (script: string, keys: string[] = [], args: string[] = []) => [
  'EVAL',
  script,
  String(keys.length),
  ...keys,
  ...args,
];

export function scriptCommand(source: Source): string[] {
  const { random, words } = source;
  const keys = [words.key(), words.key()];
  switch (random.int(8)) {
    case 0:
      return evalOf(`return ${expression(source)}`, keys, [words.value()]);
    case 1:
      return evalOf(random.pick(FAILURES), keys, [words.value()]);
    case 2: {
      const script = random.pick(NUMBER_SCRIPTS);
      const wide = random.pick(WIDE_NUMBERS);
      return evalOf(
        script.replaceAll('N2', wide).replace(/\bN\b/g, `(${random.pick(NUMBERS)})`),
        keys,
        [words.integer()],
      );
    }
    case 3:
      return evalOf('return redis.call(unpack(ARGV))', [], steadyCommand(source));
    case 4: {
      const commands = random.times(1 + random.int(6), () => steadyCommand(source));
      return evalOf(
        MANY_COMMANDS,
        [],
        commands.flatMap((one) => [String(one.length), ...one]),
      );
    }
    case 5:
      return evalOf(
        "return {#ARGV[1], ARGV[1], redis.call('SET', KEYS[1], ARGV[1]), redis.call('GET', KEYS[1])}",
        keys,
        [words.value()],
      );
    case 6:
      return bySha(source, keys);
    default:
      return spoiledEval(source, keys);
  }
}

const SMALL = ['return 1', 'return KEYS[1]', 'return {ARGV[1], #KEYS}'];

function bySha({ random, words }: Source, keys: string[]): string[] {
  const script = random.pick(SMALL);
  const sha = createHash('sha1').update(script).digest('hex');
  return random.pick([
    ['SCRIPT', 'LOAD', script],
    ['SCRIPT', 'EXISTS', sha, 'nope', sha.toUpperCase()],
    ['EVALSHA', random.chance(0.9) ? sha : words.value(), '2', ...keys, words.value()],
    ['EVALSHA', sha.toUpperCase(), '0'],
    ['SCRIPT', 'FLUSH', ...(random.chance(0.5) ? [] : ['ASYNC'])],
    ['SCRIPT', 'LOAD', 'x('],
  ]);
}

function spoiledEval({ random, words }: Source, keys: string[]): string[] {
  return [
    'EVAL',
    random.pick(SMALL),
    random.pick(['3', '-1', 'x', '2', '1', words.integer()]),
    ...keys,
  ];
}
