/** Random commands of every kind the embedded engine knows: mostly right, often not. */
import type { Random } from './random.ts';
import { endsSoon, spoil } from './spoil.ts';
import type { Words } from './words.ts';

export interface Source {
  random: Random;
  words: Words;
}

type Make = (source: Source) => string[];
const several = ({ random }: Source, draw: () => string[], most = 4) =>
  random.times(1 + random.int(most), draw).flat();
const maybe = ({ random }: Source, ...options: string[][]) =>
  random.chance(0.5) ? [] : several({ random } as Source, () => random.pick(options), 2);

/** Far enough away that no key ends while both engines are asked, or over already. */
const SECONDS = [
  '10000',
  '100000',
  '1000000',
  '0',
  '-1',
  '-1000',
  '9223372036854775',
  '9223372036854776',
];
const MILLIS = [
  '10000000',
  '100000000',
  '0',
  '-1',
  '-5000',
  '9223372036854775807',
  '-9223372036854775808',
];
const FAR_SECONDS = '4000000000';

function setCommand(source: Source): string[] {
  const { random, words } = source;
  const positive = (times: string[]) => random.pick(random.chance(0.8) ? times.slice(0, 2) : times);
  const options = several(
    source,
    () =>
      random.pick([
        ['NX'],
        ['XX'],
        ['GET'],
        ['KEEPTTL'],
        ['EX', positive(SECONDS)],
        ['PX', positive(MILLIS)],
        ['EXAT', FAR_SECONDS],
        ['PXAT', `${FAR_SECONDS}000`],
      ]),
    2,
  );
  return ['SET', words.keyOf('s'), words.value(), ...(random.chance(0.6) ? [] : options)];
}

const rangeOptions = (source: Source) =>
  maybe(
    source,
    ['WITHSCORES'],
    ['LIMIT', source.words.smallInteger(), source.words.smallInteger()],
    ['REV'],
    ['BYSCORE'],
  );

function zrange(source: Source): string[] {
  const { random, words } = source;
  if (random.chance(0.5)) {
    return [
      'ZRANGE',
      words.keyOf('z'),
      words.smallInteger(),
      words.integer(),
      ...rangeOptions(source),
    ];
  }
  return [
    'ZRANGE',
    words.keyOf('z'),
    words.bound(),
    words.bound(),
    'BYSCORE',
    ...rangeOptions(source),
  ];
}

const expire =
  (name: string, times: string[]): Make =>
  (source) => [
    name,
    source.words.key(),
    source.random.chance(0.9) ? source.random.pick(times) : source.words.integer(),
    ...maybe(source, ['NX'], ['XX'], ['GT'], ['LT']).slice(0, 2),
  ];

const onKey =
  (name: string, kind: string, ...parts: (keyof Omit<Words, 'keyOf'>)[]): Make =>
  ({ words }) => [name, words.keyOf(kind), ...parts.map((part) => words[part]())];

const WRITES: Make[] = [
  setCommand,
  setCommand,
  onKey('INCR', 'n'),
  onKey('DECR', 'n'),
  onKey('INCRBY', 'n', 'integer'),
  onKey('DECRBY', 'n', 'integer'),
  (source) => ['DEL', ...several(source, () => [source.words.key()], 2)],
  expire('EXPIRE', SECONDS),
  expire('PEXPIRE', MILLIS),
  expire('EXPIREAT', [FAR_SECONDS, '4000000001', '1', '0', '-1']),
  expire('PEXPIREAT', [`${FAR_SECONDS}000`, '1', '-1']),
  (source) => [
    'HSET',
    source.words.keyOf('h'),
    ...several(source, () => [source.words.field(), source.words.value()]),
  ],
  (source) => ['HDEL', source.words.keyOf('h'), ...several(source, () => [source.words.field()])],
  onKey('HINCRBY', 'h', 'field', 'integer'),
  (source) => ['RPUSH', source.words.keyOf('l'), ...several(source, () => [source.words.value()])],
  zadd,
  zadd,
  (source) => ['ZREM', source.words.keyOf('z'), ...several(source, () => [source.words.field()])],
  onKey('ZREMRANGEBYSCORE', 'z', 'bound', 'bound'),
];

function zadd(source: Source): string[] {
  const { words } = source;
  const options = maybe(source, ['NX'], ['XX'], ['GT'], ['LT'], ['CH'], ['INCR']);
  return [
    'ZADD',
    words.keyOf('z'),
    ...options,
    ...several(source, () => [words.score(), words.field()], 3),
  ];
}

const READS: Make[] = [
  onKey('GET', 's'),
  (source) => ['EXISTS', ...several(source, () => [source.words.key()])],
  ({ words }) => ['TYPE', words.key()],
  ({ words }) => ['TTL', words.key()],
  ({ words }) => ['PTTL', words.key()],
  onKey('HGET', 'h', 'field'),
  (source) => ['HMGET', source.words.keyOf('h'), ...several(source, () => [source.words.field()])],
  onKey('HGETALL', 'h'),
  onKey('HEXISTS', 'h', 'field'),
  onKey('HLEN', 'h'),
  onKey('LLEN', 'l'),
  onKey('LRANGE', 'l', 'integer', 'integer'),
  onKey('ZSCORE', 'z', 'field'),
  onKey('ZCARD', 'z'),
  onKey('ZCOUNT', 'z', 'bound', 'bound'),
  onKey('ZRANK', 'z', 'field'),
  onKey('ZREVRANK', 'z', 'field'),
  zrange,
  (source) => [
    'ZREVRANGE',
    source.words.keyOf('z'),
    source.words.integer(),
    source.words.integer(),
    ...rangeOptions(source),
  ],
  (source) => [
    'ZRANGEBYSCORE',
    source.words.keyOf('z'),
    source.words.bound(),
    source.words.bound(),
    ...rangeOptions(source),
  ],
];

const DATABASE: Make[] = [
  () => ['PING'],
  ({ words }) => ['PING', words.value()],
  () => ['TIME'],
  () => ['DBSIZE'],
  ({ random }) => [
    'KEYS',
    random.pick([
      '*',
      's*',
      '?1',
      '[hl]?',
      '[^s]*',
      '[a-m]1',
      '\\s1',
      's[1',
      'none',
      '*1*',
      '[z-a]*',
    ]),
  ],
  (source) => [
    'SCAN',
    source.random.pick(['0', '0', '0', 'x', '']),
    'COUNT',
    '100000',
    ...maybe(
      source,
      ['MATCH', '[hs]*'],
      ['TYPE', 'hash'],
      ['TYPE', 'nope'],
      ['COUNT', '0'],
      ['MATCH'],
    ),
  ],
];

const UNKNOWN: Make[] = [
  ({ words }) => ['NOPE', words.value(), words.key()],
  ({ words }) => ['GETT', words.value().repeat(20), words.value()],
  () => ['NO\r\nPE'],
  () => ['SCRIPT', 'NOPE'],
  () => ['SCRIPT'],
  () => ['SCRIPT', 'LOAD'],
  () => ['SCRIPT', 'FLUSH', 'LATER'],
];

/** A command on data, as scripts may call it too. */
export function dataCommand(source: Source): string[] {
  const drawn = source.random.pick(source.random.chance(0.55) ? WRITES : READS)(source);
  const command = source.random.chance(0.06) ? spoil(source, drawn) : drawn;
  return endsSoon(command) ? dataCommand(source) : command;
}

export function anyCommand(source: Source): string[] {
  const { random } = source;
  if (random.chance(0.02)) return random.pick(UNKNOWN)(source);
  if (random.chance(0.05)) return random.pick(DATABASE)(source);
  if (random.chance(0.0015))
    return [random.pick(['FLUSHALL', 'FLUSHDB']), ...(random.chance(0.7) ? [] : ['SYNC'])];
  return dataCommand(source);
}
