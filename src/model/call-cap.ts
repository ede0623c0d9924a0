/** How long a model call may take at the most. Pure. */

/** A queue consumer has 15 minutes in all. */
export const MAX_CALL_MS = 12 * 60_000;
const CALL_CAP_IDLES = 10;

/**
 * The longest a call may take, in milliseconds. A ping proves only that the connection lives, so a
 * server that pings for ever ends here: ten idle times, at most twelve minutes.
 */
export function callCapMs(idleMs: number): number {
  return Math.min(CALL_CAP_IDLES * idleMs, MAX_CALL_MS);
}
