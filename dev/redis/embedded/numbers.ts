// Numbers as Redis reads and prints them: strict 64-bit integers (string2ll), C's strtod, and
// printf's %.17g. No I/O.

import { RedisError } from '../engine.ts';
import { notInteger } from './values.ts';

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

/** No plus sign, blanks, leading zeros or minus zero; null when it is not a 64-bit integer. */
export function parseInt64(text: string): bigint | null {
  if (!INTEGER.test(text)) return null;
  const value = BigInt(text);
  return value > INT64_MAX || value < INT64_MIN ? null : value;
}

/** An argument that must be an integer. Throws Redis' error. */
export function integerArgument(text: string): bigint {
  const value = parseInt64(text);
  if (value === null) throw notInteger();
  return value;
}

/** The same for places and counts, where beyond 2^53 only the size matters. */
export const indexArgument = (text: string): number => Number(integerArgument(text));

/** A whole number as Redis reads it back; near the end of 64 bits a double is a little too large. */
export function int64Text(value: number): string {
  return value >= 2 ** 63 ? String(INT64_MAX) : String(BigInt(value));
}

const NUMBER_START = new RegExp(
  [
    '^[ \\t\\n\\v\\f\\r]*([+-]?)(?:',
    '(inf(?:inity)?)|(nan(?:\\([a-z0-9_]*\\))?)',
    '|0x((?=\\.?[0-9a-f])[0-9a-f]*(?:\\.[0-9a-f]*)?)(?:p([+-]?\\d+))?',
    '|((?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?))',
  ].join(''),
  'i',
);

/** What C's strtod reads at the start of a text: the value and how many characters it took. */
export function strtod(text: string): { value: number; length: number } {
  const match = NUMBER_START.exec(text);
  if (!match) return { value: 0, length: 0 };
  const [all, sign, infinite, nan, hex, exponent, decimal] = match;
  let value = Number(decimal ?? 0);
  if (infinite !== undefined) value = Number.POSITIVE_INFINITY;
  if (nan !== undefined) value = Number.NaN;
  if (hex !== undefined) value = hexFloat(hex, Number(exponent ?? 0));
  return { value: sign === '-' ? -value : value, length: all.length };
}

function hexFloat(digits: string, exponent: number): number {
  const [whole = '', fraction = ''] = digits.split('.');
  return Number(`0x${whole}${fraction}`) * 2 ** (exponent - 4 * fraction.length);
}

/** A score. Throws for what is not a number, NaN, leading blanks, and what a double cannot hold. */
export function floatArgument(text: string): number {
  const { value, length } = strtod(text);
  const isWhole = length === text.length && text !== '' && !/^\s/.test(text);
  // strtod reports ERANGE for both; "inf" written out and a true zero are fine.
  const overflow = Math.abs(value) === Number.POSITIVE_INFINITY && !/inf/i.test(text);
  const underflow = value === 0 && /[1-9a-f]/i.test(text.replace(/0x|[ep][+-]?\d+$/gi, ''));
  if (!isWhole || Number.isNaN(value) || overflow || underflow) {
    throw new RedisError('ERR value is not a valid float');
  }
  return value;
}

/** A score as Redis 7.0 prints it. */
export function formatDouble(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'inf';
  return value === Number.NEGATIVE_INFINITY ? '-inf' : format17g(value);
}

/** printf's "%.17g". NaN has the sign that zero divided by zero gets on x86. */
export function format17g(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '-nan' : formatDouble(value);
  const sign = value < 0 ? '-' : '';
  const { digits, exponent } = seventeenDigits(Math.abs(value));
  const trimmed = digits.replace(/0+$/, '');
  if (exponent < -4 || exponent >= 17) {
    const fraction = trimmed.length > 1 ? `.${trimmed.slice(1)}` : '';
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${trimmed[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${trimmed}`;
  const whole = trimmed.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = trimmed.slice(exponent + 1);
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

function seventeenDigits(value: number): { digits: string; exponent: number } {
  const split = (text: string) => {
    const [mantissa = '', exponent = '0'] = text.split('e');
    return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
  };
  const exact = split(value.toExponential(60));
  // Half way between two, JavaScript rounds up where C takes the even digit.
  const isTie = /^50*$/.test(exact.digits.slice(17));
  const isEven = Number(exact.digits[16]) % 2 === 0;
  if (isTie && isEven) return { digits: exact.digits.slice(0, 17), exponent: exact.exponent };
  return split(value.toExponential(16));
}
