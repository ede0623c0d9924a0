/**
 * Exact numbers: fractions of BigInt, always reduced, denominator positive. Integers are fractions
 * with denominator 1. No rounding happens here; sizes are the caller's concern. No I/O.
 */

export interface Exact {
  exact: true;
  n: bigint;
  d: bigint;
}

export function fraction(n: bigint, d: bigint): Exact {
  if (d === 1n) return { exact: true, n, d };
  if (d < 0n) return fraction(-n, -d);
  const divisor = gcd(n, d);
  return divisor === 1n ? { exact: true, n, d } : { exact: true, n: n / divisor, d: d / divisor };
}

export function integer(n: bigint | number): Exact {
  return { exact: true, n: BigInt(n), d: 1n };
}

/** `12`, `0.5`, `.5`, `5.`, `6.02e23`, `0x1f`; the text was checked by the tokenizer. */
export function parseDecimal(text: string): Exact {
  if (text.startsWith('-')) return negate(parseDecimal(text.slice(1)));
  if (/^0[xob]/i.test(text)) return integer(BigInt(text.toLowerCase()));
  const [mantissa = '', exponentText = '0'] = text.toLowerCase().split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const exponent = Number(exponentText) - decimals.length;
  const digits = BigInt(`${whole}${decimals}` || '0');
  return exponent >= 0
    ? integer(digits * 10n ** BigInt(exponent))
    : fraction(digits, 10n ** BigInt(-exponent));
}

export const add = (a: Exact, b: Exact): Exact =>
  a.d === b.d ? fraction(a.n + b.n, a.d) : fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const negate = (a: Exact): Exact => ({ exact: true, n: -a.n, d: a.d });
export const subtract = (a: Exact, b: Exact): Exact => add(a, negate(b));
export const multiply = (a: Exact, b: Exact): Exact => fraction(a.n * b.n, a.d * b.d);
/** `b` is not zero. */
export const divide = (a: Exact, b: Exact): Exact => fraction(a.n * b.d, a.d * b.n);

export function compare(a: Exact, b: Exact): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function floor(a: Exact): bigint {
  const quotient = a.n / a.d;
  return a.n < 0n && a.n % a.d !== 0n ? quotient - 1n : quotient;
}

/** Half away from zero, as people round. */
export function round(a: Exact): bigint {
  const size = (2n * abs(a.n) + a.d) / (2n * a.d);
  return a.n < 0n ? -size : size;
}

export function abs(n: bigint): bigint {
  return n < 0n ? -n : n;
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [abs(a), abs(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Upper bound of the decimal digits, cheap: from the length in base 16. */
export function digitBound(n: bigint): number {
  return Math.ceil(abs(n).toString(16).length * 1.2042) + 1;
}

/** log10 |n| to double precision; n is not zero. */
export function log10(n: bigint): number {
  const hex = abs(n).toString(16);
  const head = hex.slice(0, 13);
  return Math.log10(Number.parseInt(head, 16)) + (hex.length - head.length) * Math.log10(16);
}

/** The exact `degree`-th root of `n ≥ 0`, or null when it is not an integer. */
export function exactRoot(n: bigint, degree: number): bigint | null {
  if (n < 2n || degree === 1) return n;
  const bits = n.toString(2).length;
  if (degree >= bits) return null;
  const power = BigInt(degree);
  // Newton's method from above: it falls until it reaches the floor of the root.
  let root = 1n << BigInt(Math.ceil(bits / degree));
  for (;;) {
    const next = ((power - 1n) * root + n / root ** (power - 1n)) / power;
    if (next >= root) break;
    root = next;
  }
  return root ** power === n ? root : null;
}

/** Decimal digits of a fraction whose denominator has no primes but 2 and 5, else null. */
export function terminatingDecimal(a: Exact, maxDecimals: number): string | null {
  let decimals = 0;
  let scale = 1n;
  while (scale % a.d !== 0n) {
    if (++decimals > maxDecimals) return null;
    scale *= 10n;
  }
  return placePoint(a.n * (scale / a.d), decimals);
}

/** −1234 with 2 decimals → `-12.34`. */
function placePoint(n: bigint, decimals: number): string {
  const digits = abs(n)
    .toString()
    .padStart(decimals + 1, '0');
  const sign = n < 0n ? '-' : '';
  if (decimals === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
