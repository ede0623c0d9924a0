// What the embedded engine computes with: strings that hold one byte a character (latin1), so that
// binary values survive and compare as memcmp does. Bytes become such strings on the way in and
// bytes again on the way out; nothing in between decodes text. Pure.

import { RedisError, type Reply } from '../engine.ts';

/** A status reply such as OK: plain text to a client, a table `{ok = …}` to a script. */
export interface Status {
  status: string;
}

/** A reply inside the engine. `bigint` only where a 64-bit integer does not fit a number. */
export type Value = null | number | bigint | string | Status | RedisError | Value[];

export const OK: Status = { status: 'OK' };

export const wrongType = () =>
  new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value');
export const syntaxError = () => new RedisError('ERR syntax error');
export const notInteger = () => new RedisError('ERR value is not an integer or out of range');
export const wrongArity = (name: string) =>
  new RedisError(`ERR wrong number of arguments for '${name}' command`);

export function toBinary(bytes: Buffer): string {
  return bytes.toString('latin1');
}

export function isStatus(value: Value): value is Status {
  return typeof value === 'object' && value !== null && 'status' in value;
}

/** The reply as the engine's contract has it. An error at the top is returned, not thrown. */
export function toReply(value: Value): Reply {
  if (typeof value === 'string') return Buffer.from(value, 'latin1');
  if (Array.isArray(value)) return value.map(toReply);
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof RedisError) return toTextError(value);
  return isStatus(value) ? Buffer.from(value.status, 'latin1') : value;
}

/** Errors are the one reply that is text: what they quote of a command is read as UTF-8. */
function toTextError(error: RedisError): RedisError {
  const message = errorText(error.message);
  const text = Buffer.from(message, 'latin1').toString('utf8');
  return text === error.message ? error : new RedisError(text);
}

/** An error text as it goes over the wire: one line, up to the first NUL, as C prints it. */
export function errorText(text: string): string {
  const line = text.split('\0', 1)[0] ?? '';
  return line.replace(/^[\r\n]+|[\r\n]+$/g, '').replace(/[\r\n]/g, ' ');
}
