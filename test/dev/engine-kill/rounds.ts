/**
 * Kills the embedded engine while several clients write to it, starts it again on the same folder
 * and looks: every acknowledged write is there, in order; what one call wrote stands together; and
 * a record that was cut off is left out, and said.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from '@upstash/redis';
import { encodeRecord } from '../../../dev/redis/embedded/log-format.ts';
import { createRandom, type Random } from '../differential/random.ts';

export interface KillOutcome {
  moments: number;
  acknowledged: number;
  /** Records cut off by us after a kill, and how many of them were said to be left out. */
  torn: number;
  tornSaid: number;
  faults: string[];
}

const WRITERS = 4;
const MAX_DELAY_MS = 150;
const MAX_VALUE_BYTES = 8_000;
const MAX_ENTRIES = 60;
/** One call, two keys: either both have it or none. */
const BOTH = "redis.call('INCR', KEYS[1]) redis.call('RPUSH', KEYS[2], ARGV[1]) return 1";

interface Running {
  child: ChildProcess;
  client: Redis;
  /** What it said before it answered. */
  log: string[];
}

export async function killRounds(options: { moments: number; seed: number }): Promise<KillOutcome> {
  const random = createRandom(options.seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-engine-kill-'));
  const outcome: KillOutcome = { moments: 0, acknowledged: 0, torn: 0, tornSaid: 0, faults: [] };
  const writers = Array.from({ length: WRITERS }, (_, number) => createWriter(number, outcome));
  let running = await start(dataDir);
  try {
    while (outcome.moments < options.moments) {
      const { client, child } = running;
      const writing = Promise.all(writers.map((writer) => writer.write(client, random)));
      await sleep(random.int(MAX_DELAY_MS));
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await Promise.all([gone, writing]);
      outcome.moments += 1;
      const torn = random.chance(0.5) && tear(dataDir, random);
      running = await start(dataDir);
      const said = running.log.some((line) => line.includes('was cut off'));
      if (torn) outcome.torn += 1;
      if (torn && said) outcome.tornSaid += 1;
      for (const writer of writers) await writer.check(running.client);
      if ((await running.client.exists('torn')) !== 0) outcome.faults.push('a torn record counted');
    }
  } finally {
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
  return outcome;
}

/** A record that the process was killed in the middle of. */
function tear(dataDir: string, random: Random): boolean {
  const record = encodeRecord([['SET', 'torn', 'x'.repeat(random.int(5_000))]]);
  const part = record.subarray(0, 1 + random.int(record.length - 1));
  appendFileSync(join(dataDir, 'embedded.log'), part);
  return true;
}

async function start(dataDir: string): Promise<Running> {
  const program = join(import.meta.dirname, 'child.ts');
  const token = 'kill-test';
  const child = spawn(process.execPath, [program, dataDir, token], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { log?: string; url?: string };
    if (message.log !== undefined) log.push(message.log);
    if (message.url === undefined) continue;
    const client = new Redis({
      url: message.url,
      token,
      automaticDeserialization: false,
      enableTelemetry: false,
      retry: false,
    });
    return { child, client, log };
  }
  throw new Error('The engine ended before it answered.');
}

/** Writes one numbered entry after the other, each by another kind of call, until it is refused. */
function createWriter(number: number, outcome: KillOutcome) {
  const [list, count] = [`list:${number}`, `count:${number}`];
  /** Entries up to here were acknowledged; one more may have been written. */
  let acknowledged = 0;

  async function append(client: Redis, value: string): Promise<void> {
    if (acknowledged % 2 === 0) {
      await client.multi().incr(count).rpush(list, value).exec();
    } else {
      await client.eval(BOTH, [count, list], [value]);
    }
  }

  return {
    async write(client: Redis, random: Random): Promise<void> {
      try {
        for (;;) {
          const value = `${acknowledged}:${'v'.repeat(random.int(MAX_VALUE_BYTES))}`;
          await append(client, value);
          acknowledged += 1;
          outcome.acknowledged += 1;
        }
      } catch {
        // Refused or lost: the engine is gone.
      }
    },
    async check(client: Redis): Promise<void> {
      const found = await client.lrange(list, 0, -1);
      const counted = Number(await client.get<string>(count));
      const fault = (text: string) => outcome.faults.push(`moment ${outcome.moments}: ${text}`);
      if (found.length < acknowledged) fault(`${list} lost ${acknowledged - found.length} entries`);
      if (found.length > acknowledged + 1) fault(`${list} has entries nobody wrote`);
      if (counted !== found.length) fault(`${count} and ${list} of one call differ`);
      const wrong = found.findIndex((entry, i) => !entry.startsWith(`${i}:`));
      if (wrong >= 0) fault(`${list} is out of order at ${wrong}`);
      acknowledged = found.length;
      if (found.length < MAX_ENTRIES) return;
      // So that the log, written anew, has something to leave out.
      await client.multi().del(list).del(count).exec();
      acknowledged = 0;
    },
  };
}
