/** Runs in Redis: the five scripts and the reads. */
// biome-ignore lint/suspicious/noEmptyInterface: written next
export interface Store {}
