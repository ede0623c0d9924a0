/**
 * Commands in the words of the vendor's client, for pipelines and transactions: each entry adds the
 * command to the pipeline, or answers false when the client's types cannot say it (then the command
 * goes out by itself, as a plain list of words).
 */
import { Redis } from '@upstash/redis';

export type Pipeline = ReturnType<Redis['pipeline']>;
type Express = (pipeline: Pipeline, words: string[]) => unknown;

/** The number that prints as this word, or null. */
function integer(word: string | undefined): number | null {
  const value = Number(word);
  return Number.isSafeInteger(value) && String(value) === word ? value : null;
}

const times = (words: string[], action: (key: string, amount: number) => unknown) => {
  const [, key = '', amount] = words;
  const number = integer(amount);
  // The client leaves an amount of zero out of EXPIRE.
  return !number || words.length !== 3 ? false : action(key, number);
};

function setWithOptions(pipeline: Pipeline, [, key = '', value = '', ...options]: string[]) {
  const [name, time] = options;
  if (options.length === 0) return pipeline.set(key, value);
  if (options.length === 1 && name === 'NX') return pipeline.set(key, value, { nx: true });
  if (options.length === 1 && name === 'XX') return pipeline.set(key, value, { xx: true });
  if (options.length === 1 && name === 'KEEPTTL')
    return pipeline.set(key, value, { keepTtl: true });
  const number = integer(time);
  if (options.length !== 2 || number === null) return false;
  if (name === 'EX') return pipeline.set(key, value, { ex: number });
  return name === 'PX' ? pipeline.set(key, value, { px: number }) : false;
}

function hset(pipeline: Pipeline, [, key = '', ...pairs]: string[]) {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < pairs.length; i += 2) fields[pairs[i] ?? ''] = pairs[i + 1] ?? '';
  // An object has each field once and puts those that look like numbers first.
  const isSame = JSON.stringify(Object.entries(fields).flat()) === JSON.stringify(pairs);
  return isSame && pairs.length > 0 ? pipeline.hset(key, fields) : false;
}

function zadd(pipeline: Pipeline, [, key = '', ...pairs]: string[]) {
  const scored = pairs.flatMap((word, i) => {
    const score = integer(word);
    return i % 2 === 0 && score !== null ? [{ score, member: pairs[i + 1] ?? '' }] : [];
  });
  const [first, ...rest] = scored;
  if (first === undefined || scored.length * 2 !== pairs.length) return false;
  return pipeline.zadd(key, first, ...rest);
}

function zrange(pipeline: Pipeline, [, key = '', first, last, ...options]: string[]) {
  const [start, stop] = [integer(first), integer(last)];
  if (start === null || stop === null || options.some((one) => !/^(?:REV|WITHSCORES)$/.test(one))) {
    return false;
  }
  const [rev, withScores] = [options.includes('REV'), options.includes('WITHSCORES')];
  return options.length === Number(rev) + Number(withScores)
    ? pipeline.zrange(key, start, stop, { rev, withScores })
    : false;
}

function evaluate(pipeline: Pipeline, [name, script = '', count, ...rest]: string[]) {
  const keys = integer(count);
  if (keys === null || keys < 0 || keys > rest.length) return false;
  const [given, args] = [rest.slice(0, keys), rest.slice(keys)];
  return name === 'EVAL'
    ? pipeline.eval(script, given, args)
    : pipeline.evalsha(script, given, args);
}

function script(pipeline: Pipeline, [, sub, ...rest]: string[]) {
  if (sub === 'LOAD' && rest.length === 1) return pipeline.scriptLoad(rest[0] ?? '');
  return sub === 'EXISTS' && rest.length > 0 ? pipeline.scriptExists(...rest) : false;
}

const exactly =
  (count: number, action: (pipeline: Pipeline, words: string[]) => unknown): Express =>
  (pipeline, words) =>
    words.length === count ? action(pipeline, words) : false;
const atLeast =
  (count: number, action: (pipeline: Pipeline, words: string[]) => unknown): Express =>
  (pipeline, words) =>
    words.length >= count ? action(pipeline, words) : false;

const WAYS: Record<string, Express> = {
  GET: exactly(2, (p, [, key = '']) => p.get(key)),
  SET: atLeast(3, setWithOptions),
  INCR: exactly(2, (p, [, key = '']) => p.incr(key)),
  DECR: exactly(2, (p, [, key = '']) => p.decr(key)),
  INCRBY: (p, words) => times(words, (key, amount) => p.incrby(key, amount)),
  DECRBY: (p, words) => times(words, (key, amount) => p.decrby(key, amount)),
  EXPIRE: (p, words) => times(words, (key, amount) => p.expire(key, amount)),
  PEXPIRE: (p, words) => times(words, (key, amount) => p.pexpire(key, amount)),
  DEL: atLeast(2, (p, [, ...keys]) => p.del(...keys)),
  EXISTS: atLeast(2, (p, [, ...keys]) => p.exists(...keys)),
  TYPE: exactly(2, (p, [, key = '']) => p.type(key)),
  TTL: exactly(2, (p, [, key = '']) => p.ttl(key)),
  PTTL: exactly(2, (p, [, key = '']) => p.pttl(key)),
  HSET: atLeast(4, hset),
  HGET: exactly(3, (p, [, key = '', field = '']) => p.hget(key, field)),
  HMGET: atLeast(3, (p, [, key = '', ...fields]) => p.hmget(key, ...fields)),
  HGETALL: exactly(2, (p, [, key = '']) => p.hgetall(key)),
  HDEL: atLeast(3, (p, [, key = '', ...fields]) => p.hdel(key, ...fields)),
  HEXISTS: exactly(3, (p, [, key = '', field = '']) => p.hexists(key, field)),
  HLEN: exactly(2, (p, [, key = '']) => p.hlen(key)),
  RPUSH: atLeast(3, (p, [, key = '', ...items]) => p.rpush(key, ...items)),
  LLEN: exactly(2, (p, [, key = '']) => p.llen(key)),
  ZADD: atLeast(4, zadd),
  ZREM: atLeast(3, (p, [, key = '', ...members]) => p.zrem(key, ...members)),
  ZSCORE: exactly(3, (p, [, key = '', member = '']) => p.zscore(key, member)),
  ZCARD: exactly(2, (p, [, key = '']) => p.zcard(key)),
  ZCOUNT: exactly(4, (p, [, key = '', low = '', high = '']) => p.zcount(key, low, high)),
  ZRANK: exactly(3, (p, [, key = '', member = '']) => p.zrank(key, member)),
  ZREVRANK: exactly(3, (p, [, key = '', member = '']) => p.zrevrank(key, member)),
  ZRANGE: atLeast(4, zrange),
  KEYS: exactly(2, (p, [, pattern = '']) => p.keys(pattern)),
  EVAL: atLeast(3, evaluate),
  EVALSHA: atLeast(3, evaluate),
  SCRIPT: atLeast(3, script),
  PING: exactly(1, (p) => p.ping()),
  TIME: exactly(1, (p) => p.time()),
  DBSIZE: exactly(1, (p) => p.dbsize()),
  FLUSHALL: exactly(1, (p) => p.flushall()),
};

/** Adds the command in the client's own words; false when it has none for it. */
export function express(pipeline: Pipeline, words: string[]): boolean {
  const way = WAYS[words[0] ?? ''];
  return way !== undefined && way(pipeline, words) !== false;
}

/** Where nothing is sent: only to see whether the client has words for a command. */
const rehearsal = new Redis({ url: 'http://127.0.0.1:9', token: 't', enableTelemetry: false });

export function isExpressible(words: string[]): boolean {
  return express(rehearsal.pipeline(), words);
}
