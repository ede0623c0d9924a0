/**
 * The two kinds of number of `calc` and what both can do: exact fractions for as long as they stay
 * small, else decimals of 64 digits that are marked as rounded to the end. Arithmetic that would
 * grow without bound is refused before it is done.
 */
import { Decimal as SharedDecimal } from 'decimal.js';
import { refuse } from './calc-parse.ts';
import type { Exact } from './calc-rational.ts';
import * as exact from './calc-rational.ts';

export interface Rounded {
  exact: false;
  value: Decimal;
}
export type Num = Exact | Rounded;

/** Longest integer that is computed digit by digit. */
const MAX_INTEGER_DIGITS = 10_000;
/** Longest numerator or denominator of an exact fraction; beyond it a rounded decimal serves better. */
const MAX_FRACTION_DIGITS = 500;
/** Digits carried; 30 are shown, so the last ones may be off without being seen. */
const PRECISION = 64;
/** A result this much smaller than what it was computed from is rounding noise. */
const NOISE_EXPONENT = -55;
/** Decimals beyond this are of no use and cost time in some functions. */
const MAX_DECIMAL_EXPONENT = 1_000_000_000;

/** A private constructor: its settings are shared with nobody. */
export const Decimal = SharedDecimal.clone({ precision: PRECISION, defaults: true });
export type Decimal = SharedDecimal;

export function toDecimal(a: Num): Decimal {
  if (!a.exact) return a.value;
  // Division rounds to the precision; a constructor alone would keep all digits.
  return new Decimal(a.n.toString()).div(new Decimal(a.d.toString()));
}

/** A rounded result. Throws StrideError for what is no real number. */
export function rounded(value: Decimal): Num {
  if (value.isNaN()) {
    throw refuse('The result is not a real number; use execute_python for complex numbers.');
  }
  if (!value.isFinite() || Math.abs(value.e) > MAX_DECIMAL_EXPONENT) {
    throw refuse(
      'The result is too large or too small to be written; use log10 to work with its size.',
    );
  }
  return { exact: false, value };
}

/** Keeps an exact result when its size allows, rounds a long fraction, refuses a long integer. */
export function settle(a: Exact): Num {
  if (a.d === 1n) {
    if (exact.digitBound(a.n) > MAX_INTEGER_DIGITS + 1) throw tooLong(exact.digitBound(a.n));
    return a;
  }
  const isLong =
    exact.digitBound(a.d) > MAX_FRACTION_DIGITS || exact.digitBound(a.n) > MAX_FRACTION_DIGITS;
  return isLong ? rounded(toDecimal(a)) : a;
}

export function tooLong(digits: number): Error {
  const size =
    digits < 1e15 ? `about ${Math.round(digits).toLocaleString('en-US')}` : 'far too many';
  return refuse(
    `The result has ${size} digits, more than the ${MAX_INTEGER_DIGITS.toLocaleString('en-US')} that calc writes out; use log10 or powmod, or execute_python.`,
  );
}

/** Steps that one operation on this number is worth: decimals and long integers are dearer. */
export function cost(a: Num): number {
  if (!a.exact) return 4;
  return a.d === 1n ? 1 + Math.floor(exact.digitBound(a.n) / 20) : 4;
}

export const isZero = (a: Num): boolean => (a.exact ? a.n === 0n : a.value.isZero());
export const negate = (a: Num): Num =>
  a.exact ? exact.negate(a) : { exact: false, value: a.value.neg() };
export const isInteger = (a: Num): a is Exact => a.exact && a.d === 1n;

export function add(a: Num, b: Num): Num {
  if (a.exact && b.exact) return settle(exact.add(a, b));
  const [x, y] = [toDecimal(a), toDecimal(b)];
  const sum = x.plus(y);
  // sqrt(2)^2 - 2 is 0 to the digits that are known, not 1e-64.
  const isNoise = !sum.isZero() && sum.e - Math.max(x.e, y.e) < NOISE_EXPONENT;
  return rounded(isNoise ? new Decimal(0) : sum);
}

export const subtract = (a: Num, b: Num): Num => add(a, negate(b));

export function multiply(a: Num, b: Num): Num {
  return a.exact && b.exact
    ? settle(exact.multiply(a, b))
    : rounded(toDecimal(a).times(toDecimal(b)));
}

export function divide(a: Num, b: Num): Num {
  if (isZero(b)) throw refuse('Division by zero.');
  return a.exact && b.exact ? settle(exact.divide(a, b)) : rounded(toDecimal(a).div(toDecimal(b)));
}

/** −1, 0 or 1; rounded numbers that agree to the digits that are known are equal. */
export function compare(a: Num, b: Num): number {
  if (a.exact && b.exact) return exact.compare(a, b);
  const difference = toDecimal(subtract(a, b));
  return difference.isZero() ? 0 : difference.isNeg() ? -1 : 1;
}

/** Floor as an exact integer where the digits that are known decide it. */
export function floor(a: Num): Num {
  if (a.exact) return exact.integer(exact.floor(a));
  return wholeOf(a.value, a.value.floor());
}

/** Half away from zero at `places` decimals (negative: tens, hundreds). */
export function round(a: Num, places: number): Num {
  const scale = exact.integer(10n ** BigInt(Math.abs(places)));
  const scaled = places >= 0 ? multiply(a, scale) : divide(a, scale);
  const whole = scaled.exact
    ? exact.integer(exact.round(scaled))
    : wholeOf(
        scaled.value,
        scaled.value
          .abs()
          .plus(0.5)
          .floor()
          .times(scaled.value.isNeg() ? -1 : 1),
      );
  return places >= 0 ? divide(whole, scale) : multiply(whole, scale);
}

/** Up to 50 digits before the point the integer part is certain. */
function wholeOf(value: Decimal, whole: Decimal): Num {
  return value.e < 50 ? exact.integer(BigInt(whole.toFixed(0))) : rounded(whole);
}

/** floor(a / b); exact numbers stay exact even where their quotient is a long fraction. */
export function floorDivide(a: Num, b: Num): Num {
  if (isZero(b)) throw refuse('Division by zero.');
  if (a.exact && b.exact) return settle(exact.integer(exact.floor(exact.divide(a, b))));
  return floor(divide(a, b));
}

/** a − b · floor(a / b): the sign of `b`, as in Python. */
export function modulo(a: Num, b: Num): Num {
  const quotient = floorDivide(a, b);
  if (!quotient.exact)
    throw refuse('The numbers are too far apart for a remainder; use powmod or integers.');
  return subtract(a, multiply(b, quotient));
}

/** Real powers: exact for rational results of bounded size, rounded else. */
export function power(base: Num, exponent: Num): Num {
  if (base.exact && exponent.exact) {
    const result = exactPower(base, exponent);
    if (result !== null) return result;
  }
  if (isZero(base)) {
    if (compare(exponent, exact.integer(0)) > 0) return exact.integer(0);
    throw refuse('Zero to a negative power is a division by zero.');
  }
  return rounded(toDecimal(base).pow(toDecimal(exponent)));
}

function exactPower(base: Exact, exponent: Exact): Num | null {
  if (exponent.d !== 1n) return rootPower(base, exponent);
  if (exponent.n === 0n) return exact.integer(1);
  if (base.n === 0n) return null;
  const times = exact.abs(exponent.n);
  const bases = exponent.n > 0n ? base : exact.divide(exact.integer(1), base);
  if (exact.abs(base.n) === 1n && base.d === 1n) {
    return times % 2n === 0n ? exact.integer(1) : base;
  }
  const size = (n: bigint) => exact.log10(n) * Number(times);
  const [top, bottom] = [size(bases.n), size(bases.d)];
  if (bases.d === 1n) {
    if (top > MAX_INTEGER_DIGITS) throw tooLong(top);
  } else if (Math.max(top, bottom) > MAX_FRACTION_DIGITS) return null;
  return settle({ exact: true, n: bases.n ** times, d: bases.d ** times });
}

/** 27^(2/3) = 9 exactly; null when the root is not rational. */
function rootPower(base: Exact, exponent: Exact): Num | null {
  if (base.n < 0n) {
    throw refuse(
      'A negative number has no real power of this kind; use cbrt or root for odd roots.',
    );
  }
  if (exponent.d > 100n) return null;
  const degree = Number(exponent.d);
  const [n, d] = [exact.exactRoot(base.n, degree), exact.exactRoot(base.d, degree)];
  if (n === null || d === null) return null;
  return exactPower({ exact: true, n, d }, exact.integer(exponent.n)) ?? null;
}
