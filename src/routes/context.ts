/** What every handler finds in its context. Types only. */
import type { Deps } from '../deps.ts';
import type { Result } from '../errors.ts';
import type { Scope } from '../loop/key-store.ts';

/** Who is asking: runs, files and money belong to the owner; the key's scopes say what it may do. */
export interface Principal {
  owner: string;
  scopes: ReadonlySet<Scope>;
}

export interface AppEnv {
  /** Bindings of the platform; only `MakeDeps` looks inside. */
  Bindings: object;
  Variables: { requestId: string; deps: Deps; principal: Principal };
}

/**
 * Builds the dependencies of one request: I/O objects must not cross requests in workerd. A faulty
 * configuration is an error whose `details.settings` names what is at fault.
 */
export type MakeDeps = (env: object) => Result<Deps> | Promise<Result<Deps>>;
