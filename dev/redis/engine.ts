// What the Upstash front needs from a Redis: run one command, or a few as one transaction.
// redis-server is one engine, the embedded one the other; the front knows only this file.
// Values are bytes throughout: nothing here decodes text.

/** Text replies are Buffers, also status replies such as OK. Errors inside an array stay values. */
export type Reply = null | number | Buffer | RedisError | Reply[];

export interface Engine {
  /** It knows Upstash's script flag and refuses undeclared keys itself; else the front drops it. */
  locksDeclaredKeys?: boolean;
  /**
   * Runs one command; the name is the first argument.
   * Rejects with `RedisError` when Redis refuses it, with `EngineDown` when nobody answers, which
   * leaves open whether the command was applied.
   */
  call(args: Buffer[]): Promise<Reply>;
  /**
   * Runs the commands as one MULTI/EXEC. A command that fails is a `RedisError` in its place and
   * the others stand; rejects with `RedisError` when the whole transaction was discarded.
   */
  transaction(commands: Buffer[][]): Promise<Reply[]>;
  close(): Promise<void>;
}

/** An error reply of Redis; the message starts with its code (`WRONGTYPE …`, `ERR …`). */
export class RedisError extends Error {
  override name = 'RedisError';
}

/** The engine cannot be reached, or was lost before it answered. */
export class EngineDown extends Error {
  override name = 'EngineDown';
}
