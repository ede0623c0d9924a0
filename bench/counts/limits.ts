// What a run may cost in round trips and bytes (design.md sections 2 and 3), as totals and as a
// list of what is exceeded.

import type { RunCounts } from './measure.ts';
import type { CallKind } from './meter.ts';

/** JSON around content, escapes, names of keys and scripts: at most this times the content … */
const MAX_SHARE = 1.3;
/** … and so many bytes an entry and a run. */
const BYTES_PER_ENTRY = 512;
const BYTES_PER_RUN = 4 * 1024;
const SECONDS_PER_HEARTBEAT = 10;
/** A claim's answer holds the first 512 KB of entries; the rest comes in pages of 256. */
const FURTHER_PAGE_ENTRIES = 256;

export interface Totals {
  roundTrips: number;
  commands: number;
  /** Arguments of all calls that write, and objects. Without the archive, a second copy kept on purpose. */
  written: number;
  allowed: number;
  archived: number;
  readByClaims: number;
}

export function sumOf(counts: RunCounts): Totals {
  const { calls, entries, contentBytes, objectBytes } = counts;
  const sum = (pick: (call: RunCounts['calls'][number]) => number) =>
    calls.reduce((total, call) => total + pick(call), 0);
  const archived = objectBytes.get('archive') ?? 0;
  const objects = [...objectBytes.values()].reduce((total, bytes) => total + bytes, 0) - archived;
  const isRead = (kind: CallKind) => kind === 'claim' || kind === 'claim, further pages';
  return {
    roundTrips: sum((call) => call.roundTrips),
    commands: sum((call) => call.commands),
    written: objects + sum((call) => (call.kind === 'claim, further pages' ? 0 : call.bytesOut)),
    allowed: MAX_SHARE * contentBytes + BYTES_PER_ENTRY * entries.length + BYTES_PER_RUN,
    archived,
    readByClaims: sum((call) => (isRead(call.kind) ? call.bytesIn : 0)),
  };
}

/** A sentence for each limit that a run exceeds. */
export function exceeded(counts: RunCounts): string[] {
  const { calls, entries, silentSeconds } = counts;
  const trips = (kind: CallKind) =>
    calls.filter((call) => call.kind === kind).reduce((sum, call) => sum + call.roundTrips, 0);
  const ofType = (type: string) => entries.filter((entry) => entry.type === type).length;
  const claims = calls.filter(({ kind }) => kind === 'claim').length;
  const { written, allowed } = sumOf(counts);
  const checks: [what: string, is: number, atMost: number][] = [
    ['round trips of claims', trips('claim'), claims],
    [
      'further pages of claims',
      trips('claim, further pages'),
      claims * Math.floor(entries.length / FURTHER_PAGE_ENTRIES + 1),
    ],
    [
      'round trips of model steps',
      trips('reply') + trips('reply and end'),
      ofType('model_replied'),
    ],
    ['round trips of tool results', trips('tool results'), ofType('tool_finished')],
    ['round trips of tool starts', trips('tool starts'), ofType('tool_started')],
    ['heartbeats', trips('heartbeat'), Math.floor(silentSeconds / SECONDS_PER_HEARTBEAT)],
    ['releases', trips('release'), claims],
    ['round trips once a run', trips('accept') + trips('prepared'), 2],
    ['other round trips', trips('other'), 0],
    ['bytes written', written, allowed],
  ];
  return checks
    .filter(([, is, atMost]) => is > atMost)
    .map(([what, is, atMost]) => `${what}: ${Math.round(is)}, at most ${Math.round(atMost)}`);
}
