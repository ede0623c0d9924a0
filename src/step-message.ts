/** Queue messages: what they say and which queue they go to. Pure. */

/** The run that a message is about, or null when it is none of ours. */
export function stepRunId(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('run' in body)) return null;
  const { run } = body;
  return typeof run === 'string' && run !== '' ? run : null;
}

/**
 * The queue a run's messages go to, 0 to `shards` - 1: FNV-1a over its id. Always the same one
 * while the number of shards is; when that changes nothing breaks, because a message is a hint.
 */
export function shardOf(runId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < runId.length; i++) {
    hash = Math.imul(hash ^ runId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
