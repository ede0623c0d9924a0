/**
 * The tools of a deployment: a literal list made into a Map. A name from the model goes through
 * `get`, never through an object's own properties.
 */
import type { Tool } from './define.ts';

export interface Registry {
  /** By name or alias; null when there is none. */
  get(name: string): Tool | null;
  /** In registration order. */
  all(): readonly Tool[];
}
