/**
 * Runs random sequences on both engines and compares every reply; now and then all keys with all
 * they hold, and at the end once more after the embedded engine has read its log again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { anyCommand, type Source } from './commands.ts';
import { isSameReply, type Plain, show } from './compare.ts';
import { isExpressible } from './express.ts';
import { createRandom, type Random } from './random.ts';
import { scriptCommand } from './scripts.ts';
import { type Side, startSides } from './sides.ts';
import { createWords } from './words.ts';

export interface Difference {
  /** Number of the command within the run. */
  at: number;
  command: string[];
  way: string;
  server: Plain;
  embedded: Plain;
}

export interface Outcome {
  commands: number;
  differences: Difference[];
  /** Commands by the way they went. */
  ways: Record<string, number>;
  /** Replies that were errors, to show that both kinds were met. */
  errors: number;
}

const SEQUENCE = 20;
const STATE_EVERY = 2_000;
const MAX_DIFFERENCES = 20;
/** A key that ends in 1 ms has ended on both after this. */
const EXPIRY_WAIT_MS = 25;

export async function runDifferential(options: {
  commands: number;
  seed: number;
}): Promise<Outcome> {
  const random = createRandom(options.seed);
  const { server, embedded } = await startSides();
  const outcome: Outcome = { commands: 0, differences: [], ways: {}, errors: 0 };
  const pair = { server, embedded, outcome };
  try {
    let sinceState = 0;
    while (outcome.commands < options.commands && outcome.differences.length < MAX_DIFFERENCES) {
      sinceState += await runSequence(random, pair);
      if (sinceState >= STATE_EVERY) {
        sinceState = 0;
        await compareState('state', pair);
      }
    }
    await compareState('state', pair);
    await embedded.restart();
    await compareState('state after restart', pair);
  } finally {
    await Promise.all([server.stop(), embedded.stop()]);
  }
  return outcome;
}

interface Pair {
  server: Side;
  embedded: Side;
  outcome: Outcome;
}

/** One sequence by one way; how many commands it was. */
async function runSequence(random: Random, pair: Pair): Promise<number> {
  const way = random.pick(WAYS);
  const source: Source = { random, words: createWords(random, { binary: way.binary }) };
  const draw = () => (random.chance(0.15) ? scriptCommand(source) : anyCommand(source));
  const drawn = random.times(1 + random.int(SEQUENCE), draw);
  const commands = way.typed ? drawn.filter(isExpressible) : drawn;
  if (commands.length > 0) await both(pair, { way: way.name, commands, run: way.run });
  if (random.chance(0.05)) await expireOne(source, pair);
  return commands.length;
}

interface Way {
  name: string;
  binary: boolean;
  /** Only what the client's types can say. */
  typed: boolean;
  run(side: Side, commands: string[][]): Promise<Plain[]>;
}

const oneByOne = async (side: Side, commands: string[][]) => {
  const replies: Plain[] = [];
  for (const command of commands) replies.push(await side.client(command));
  return replies;
};

const WAYS: Way[] = [
  { name: 'engine', binary: true, typed: false, run: (side, all) => side.engine(all) },
  { name: 'engine', binary: true, typed: false, run: (side, all) => side.engine(all) },
  {
    name: 'engine transaction',
    binary: true,
    typed: false,
    run: (side, all) => side.engineTransaction(all),
  },
  { name: 'client', binary: false, typed: false, run: oneByOne },
  {
    name: 'client pipeline',
    binary: false,
    typed: true,
    run: (side, all) => side.pipeline(all, { multi: false }),
  },
  {
    name: 'client pipeline',
    binary: false,
    typed: true,
    run: (side, all) => side.pipeline(all, { multi: true }),
  },
];

async function both(
  { server, embedded, outcome }: Pair,
  { way, commands, run }: { way: string; commands: string[][]; run: Way['run'] },
): Promise<void> {
  const [expected, found] = await Promise.all([run(server, commands), run(embedded, commands)]);
  outcome.ways[way] = (outcome.ways[way] ?? 0) + commands.length;
  commands.forEach((command, i) => {
    outcome.commands += 1;
    const [one = null, other = null] = [expected[i], found[i]];
    if (JSON.stringify(one).includes('"error"')) outcome.errors += 1;
    if (isSameReply((command[0] ?? '').toUpperCase(), one, other)) return;
    const at = outcome.commands;
    outcome.differences.push({ at, command, way, server: one, embedded: other });
  });
}

/** A key that ends now, and what is left of it. */
async function expireOne({ random, words }: Source, pair: Pair): Promise<void> {
  const key = words.key();
  const ending = random.pick([
    ['SET', key, 'short', 'PX', '1'],
    ['SET', key, 'past', 'PXAT', '1'],
    ['SET', key, 'past', 'EXAT', '1000000000', 'GET'],
    ['PEXPIRE', key, '1'],
    ['EVAL', "return redis.call('PEXPIRE', KEYS[1], 1)", '1', key],
  ]);
  const run: Way['run'] = (side, all) => side.engine(all);
  await both(pair, { way: 'expiry', commands: [ending], run });
  await sleep(EXPIRY_WAIT_MS);
  const after = random.pick([
    ['GET', key],
    ['INCR', key],
    ['TTL', key],
    ['EXISTS', key, key],
    ['RPUSH', key, 'new'],
    ['SET', key, 'new', 'NX', 'GET'],
    ['EVAL', "return {redis.call('TYPE', KEYS[1]), redis.call('DEL', KEYS[1])}", '1', key],
  ]);
  await both(pair, { way: 'expiry', commands: [after, ['TYPE', key], ['DBSIZE']], run });
}

const READ_ALL: Record<string, (key: string) => string[]> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
};

async function compareState(way: string, pair: Pair): Promise<void> {
  const run: Way['run'] = (side, all) => side.engine(all);
  const [keys = null] = await pair.server.engine([['KEYS', '*']]);
  if (!Array.isArray(keys)) throw new Error(`KEYS answered ${show(keys)}`);
  const names = keys.map(String);
  const types = await pair.server.engine(names.map((key) => ['TYPE', key]));
  const commands = names.flatMap((key, i) => [
    ['TYPE', key],
    ['PTTL', key],
    READ_ALL[String(types[i])]?.(key) ?? ['GET', key],
  ]);
  await both(pair, { way, commands: [['KEYS', '*'], ...commands], run });
}
