// The embedded engine that keeps its data: the one in memory, with a write log. A reply leaves when
// what it tells is on the disk, reads included: nobody may see a value that a crash could take back.

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Engine, RedisError, type Reply } from '../engine.ts';
import { lockDataDir } from './lock.ts';
import { loadLua } from './lua/wasm.ts';
import { createMemoryEngine } from './memory.ts';
import { openWriteLog, type WriteLog } from './write-log.ts';

export interface EmbeddedOptions {
  /** Holds the write log; made when missing. One process at a time. */
  dataDir: string;
  /** Default: the wall clock. Milliseconds since 1970. */
  now?: () => number;
  log?: (line: string) => void;
  /** Default 8 MiB. */
  compactAboveBytes?: number;
}

/** Throws a plain error when the folder is in use, or its log damaged or not to be written. */
export async function createEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDataDir(dataDir);
  try {
    return await open({ ...options, dataDir }, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function open(options: EmbeddedOptions, unlock: () => void): Promise<Engine> {
  const { dataDir, now = Date.now, log = () => {}, compactAboveBytes } = options;
  let writeLog: WriteLog | null = null;
  const memory = createMemoryEngine({
    now,
    lua: await loadLua(),
    onChange: (effects) => writeLog?.append(effects),
  });
  const opened = await openWriteLog({
    dataDir,
    replay: memory.replay,
    snapshot: memory.snapshot,
    log,
    compactAboveBytes,
  });
  writeLog = opened;
  let isClosed = false;

  /** Runs at once, in the order of the calls; the answer waits for the disk. */
  async function durably<T extends Reply>(work: () => T): Promise<T> {
    const outcome = attempt(work);
    await opened.flushed();
    if (outcome instanceof RedisError) throw outcome;
    return outcome;
  }

  return {
    locksDeclaredKeys: true,
    call: (args) => durably(() => memory.call(args)),
    transaction: (commands) => durably(() => memory.transaction(commands)),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await opened.close();
      memory.close();
      unlock();
    },
  };
}

function attempt<T>(work: () => T): T | RedisError {
  try {
    return work();
  } catch (error) {
    if (error instanceof RedisError) return error;
    throw error;
  }
}
