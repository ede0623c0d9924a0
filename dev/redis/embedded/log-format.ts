// How the write log looks: a first line that names the format, then one record a call. A record is
// `length checksum\n` in hexadecimal and that many bytes of commands as a client would send them,
// so that people can read it. One record is one call: of a script, all of it or nothing comes back.
// No I/O.

import { crc32 } from 'node:zlib';
import type { Effect } from './keyspace.ts';

export const HEADER = Buffer.from('stride embedded log 1\n');
/** Eight digits, a space, eight digits, a line break. */
const FRAME_BYTES = 18;

export function encodeRecord(effects: Effect[]): Buffer {
  const parts: string[] = [];
  for (const words of effects) {
    parts.push(`*${words.length}\r\n`);
    for (const word of words) parts.push(`$${word.length}\r\n`, word, '\r\n');
  }
  const body = Buffer.from(parts.join(''), 'latin1');
  return Buffer.concat([Buffer.from(`${hex(body.length)} ${hex(crc32(body))}\n`), body]);
}

const hex = (value: number) => value.toString(16).padStart(8, '0');

export interface LogContent {
  records: Effect[][];
  /** Bytes up to the end of the last whole record. */
  wholeBytes: number;
}

/**
 * Reads a log. What stands after the last whole record is a write that was cut off, never
 * acknowledged, and left out. Throws for a file of another format, and for a record that is damaged
 * although others follow it: those were acknowledged, and nothing should be built on a hole.
 */
export function decodeLog(file: Buffer): LogContent {
  if (!file.subarray(0, HEADER.length).equals(HEADER)) {
    throw new Error('it does not begin like a write log of this version');
  }
  const records: Effect[][] = [];
  let at = HEADER.length;
  while (at < file.length) {
    const body = bodyAt(file, at);
    if (body === null) {
      if (!isTail(file, at)) throw new Error(`the record at byte ${at} is damaged`);
      break;
    }
    records.push(decodeEffects(body));
    at += FRAME_BYTES + body.length;
  }
  return { records, wholeBytes: at };
}

/** The body of a whole, sound record at this place; null when it is neither. */
function bodyAt(file: Buffer, at: number): Buffer | null {
  const frame = parseFrame(file, at);
  if (frame === null) return null;
  const body = file.subarray(at + FRAME_BYTES, at + FRAME_BYTES + frame.length);
  return body.length === frame.length && crc32(body) === frame.checksum ? body : null;
}

function parseFrame(file: Buffer, at: number): { length: number; checksum: number } | null {
  const text = file.toString('latin1', at, at + FRAME_BYTES);
  const [, length, checksum] = /^([0-9a-f]{8}) ([0-9a-f]{8})\n$/.exec(text) ?? [];
  if (length === undefined || checksum === undefined) return null;
  return { length: Number.parseInt(length, 16), checksum: Number.parseInt(checksum, 16) };
}

/** True when no sound record begins after the unsound one at `at`. */
function isTail(file: Buffer, at: number): boolean {
  for (let next = file.indexOf('\n*', at + 1); next >= 0; next = file.indexOf('\n*', next + 1)) {
    const start = next + 1 - FRAME_BYTES;
    if (start > at && bodyAt(file, start) !== null) return false;
  }
  return true;
}

function decodeEffects(body: Buffer): Effect[] {
  const effects: Effect[] = [];
  let at = 0;
  const count = (): number => {
    const end = body.indexOf('\r\n', at);
    const value = Number(body.toString('latin1', at + 1, end));
    at = end + 2;
    return value;
  };
  while (at < body.length) {
    const words: string[] = [];
    for (let left = count(); left > 0; left -= 1) {
      const length = count();
      words.push(body.toString('latin1', at, at + length));
      at += length + 2;
    }
    effects.push(words);
  }
  return effects;
}
