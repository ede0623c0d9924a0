/**
 * Integer functions of `calc`: factorials, choices, divisors, modular powers. Arguments are bounded
 * so that each call stays within milliseconds; loops pay steps to the caller's meter.
 */

import type { Num } from './calc-numbers.ts';
import * as num from './calc-numbers.ts';
import { refuse } from './calc-parse.ts';
import * as exact from './calc-rational.ts';

export type CalcFunction = (args: Num[], meter: (steps: number) => void) => Num;

const ZERO = exact.integer(0);
/** For divisors and modular powers, whose loops grow with the square of the length. */
const MAX_DIGITS = 1_000;

/** An integer from 0 to `most`. Throws StrideError invalid_input. */
export function whole(a: Num, name: string, most: bigint): bigint {
  if (!num.isInteger(a)) throw refuse(`${name} needs integers.`);
  if (a.n < 0n || a.n > most)
    throw refuse(`${name} takes 0 to ${most}; use execute_python beyond.`);
  return a.n;
}

/** from · (from + 1) · … · to, by halves: long factors meet last. */
function product(from: bigint, to: bigint): bigint {
  if (from > to) return 1n;
  if (to - from < 8n) {
    let result = from;
    for (let factor = from + 1n; factor <= to; factor++) result *= factor;
    return result;
  }
  const middle = (from + to) / 2n;
  return product(from, middle) * product(middle + 1n, to);
}

function integers(args: Num[], name: string): bigint[] {
  return args.map((a) => {
    if (!num.isInteger(a)) throw refuse(`${name} needs integers.`);
    if (exact.digitBound(a.n) > MAX_DIGITS + 2)
      throw refuse(`${name} takes integers of up to ${MAX_DIGITS} digits.`);
    return a.n;
  });
}

export const factorial: CalcFunction = ([a = ZERO], meter) => {
  const n = whole(a, 'factorial', 3_000n);
  meter(Number(n));
  return num.settle(exact.integer(product(2n, n)));
};

export const permutations: CalcFunction = ([a = ZERO, b = ZERO], meter) => {
  const n = whole(a, 'perm', 10n ** 18n);
  const k = whole(b, 'perm', 3_000n);
  meter(Number(k));
  return k > n ? ZERO : num.settle(exact.integer(product(n - k + 1n, n)));
};

export const combinations: CalcFunction = ([a = ZERO, b = ZERO], meter) => {
  const n = whole(a, 'comb', 10n ** 18n);
  const chosen = whole(b, 'comb', 10n ** 18n);
  if (chosen > n) return ZERO;
  // The smaller side; Math.min does not take bigints.
  let k = n - chosen;
  if (chosen < k) k = chosen;
  if (k > 3_000n) throw refuse('comb takes groups of up to 3000; use execute_python beyond.');
  meter(2 * Number(k));
  return num.settle(exact.integer(product(n - k + 1n, n) / product(1n, k)));
};

export const powerModulo: CalcFunction = (args, meter) => {
  const [base = 0n, exponent = 0n, modulus = 0n] = integers(args, 'powmod');
  if (modulus <= 0n || exponent < 0n)
    throw refuse('powmod needs an exponent ≥ 0 and a modulus ≥ 1.');
  let result = 1n % modulus;
  let square = ((base % modulus) + modulus) % modulus;
  const bits = exponent.toString(2);
  meter(bits.length * (4 + exact.digitBound(modulus) / 25));
  for (let at = bits.length - 1; at >= 0; at--) {
    if (bits[at] === '1') result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return exact.integer(result);
};

/** Divisor of all; paid by length squared, as Euclid's steps are long divisions. */
export const greatestDivisor: CalcFunction = (args, meter) => {
  const values = integers(args, 'gcd');
  for (const n of values) meter((exact.digitBound(n) / 20) ** 2);
  return exact.integer(values.reduce(exact.gcd, 0n));
};

export const leastMultiple: CalcFunction = (args, meter) => {
  let result = 1n;
  for (const n of integers(args, 'lcm')) {
    meter((exact.digitBound(result) / 20) ** 2);
    if (n === 0n) return ZERO;
    result = exact.abs(result * n) / exact.gcd(result, n);
    num.settle(exact.integer(result));
  }
  return exact.integer(result);
};
