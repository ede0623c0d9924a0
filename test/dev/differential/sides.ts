/**
 * The two engines behind their fronts, asked the same in the same way: by the vendor's client or,
 * for bytes that no JSON can carry, at the engine itself.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from '@upstash/redis';
import { createEmbeddedEngine } from '../../../dev/redis/embedded/engine.ts';
import { type Engine, RedisError, type Reply } from '../../../dev/redis/engine.ts';
import { startFront } from '../../../dev/redis/front.ts';
import { createRedisEngine } from '../../../dev/redis/redis-engine.ts';
import { startRedisServer } from '../../../dev/redis/server.ts';
import type { Plain } from './compare.ts';
import { express } from './express.ts';

export interface Side {
  /** One call after the other, without waiting for replies in between. */
  engine(commands: string[][]): Promise<Plain[]>;
  engineTransaction(commands: string[][]): Promise<Plain[]>;
  client(command: string[]): Promise<Plain>;
  /** Commands that the client's own types can say; see `express`. */
  pipeline(commands: string[][], options: { multi: boolean }): Promise<Plain[]>;
  /** The embedded engine closes and reads its log; redis-server stays as it is. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Small, so that the log is written anew many times in one run. */
const COMPACT_ABOVE_BYTES = 256 * 1024;

export async function startSides(): Promise<{ server: Side; embedded: Side }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stride-differential-'));
  const redisServer = await startRedisServer({ dataDir: join(dataDir, 'server') });
  const folder = join(dataDir, 'embedded');
  const openEmbedded = () =>
    createEmbeddedEngine({ dataDir: folder, compactAboveBytes: COMPACT_ABOVE_BYTES });
  const server = await createSide(() => createRedisEngine(redisServer.socketPath));
  const embedded = await createSide(openEmbedded);
  return {
    server: {
      ...server,
      restart: async () => {},
      async stop() {
        await server.stop();
        await redisServer.stop();
      },
    },
    embedded: {
      ...embedded,
      async stop() {
        await embedded.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    },
  };
}

async function createSide(open: () => Promise<Engine>): Promise<Side> {
  let engine = await open();
  const through: Engine = {
    locksDeclaredKeys: engine.locksDeclaredKeys,
    call: (args) => engine.call(args),
    transaction: (commands) => engine.transaction(commands),
    close: () => engine.close(),
  };
  const front = await startFront({ engine: through, token: 't' });
  const client = new Redis({
    url: front.url,
    token: 't',
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: false,
  });
  const call = (words: string[]) => engine.call(toBuffers(words)).then(toPlain, toFailure);
  return {
    engine: (commands) => Promise.all(commands.map(call)),
    engineTransaction: (commands) =>
      engine.transaction(commands.map(toBuffers)).then(
        (replies) => replies.map(toPlain),
        (error: unknown) => [toFailure(error)],
      ),
    client: ([name = '', ...rest]) =>
      client.exec<unknown>([name, ...rest].map(fromBinary) as [string]).then(toPlain, toFailure),
    async pipeline(commands, { multi }) {
      const pipeline = multi ? client.multi() : client.pipeline();
      for (const words of commands) express(pipeline, words.map(fromBinary));
      return pipeline.exec({ keepErrors: true }).then(
        (replies) => replies.map(({ result, error }) => (error ? { error } : toPlain(result))),
        (error: unknown) => [toFailure(error)],
      );
    },
    async restart() {
      await engine.close();
      engine = await open();
    },
    async stop() {
      await front.close();
      await engine.close();
    },
  };
}

const toBuffers = (words: string[]) => words.map((word) => Buffer.from(word, 'latin1'));
/** Binary words that are UTF-8 as the text a client sends. */
const fromBinary = (word: string) => Buffer.from(word, 'latin1').toString('utf8');

function toPlain(reply: Reply | unknown): Plain {
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  if (reply instanceof RedisError) return { error: reply.message };
  if (Array.isArray(reply)) return reply.map(toPlain);
  return typeof reply === 'string' || typeof reply === 'number' ? reply : null;
}

function toFailure(error: unknown): Plain {
  return { error: error instanceof Error ? error.message : String(error) };
}
