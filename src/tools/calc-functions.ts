/**
 * The functions and constants of `calc`: a Map, so a name from the model finds one of these or
 * nothing. Each checks its arguments and is bounded; loops pay steps to the caller's meter.
 */
import {
  type CalcFunction,
  combinations,
  factorial,
  greatestDivisor,
  leastMultiple,
  permutations,
  powerModulo,
  whole,
} from './calc-integers.ts';
import * as num from './calc-numbers.ts';
import { Decimal, type Num } from './calc-numbers.ts';
import { refuse } from './calc-parse.ts';
import * as exact from './calc-rational.ts';
import { mean, median, pick, sum, variance } from './calc-statistics.ts';

interface Entry {
  /** Least and most arguments. */
  takes: [number, number];
  run: CalcFunction;
}

const ANY = Number.POSITIVE_INFINITY;
const ZERO = exact.integer(0);
const ONE = exact.integer(1);
/** Beyond this an angle keeps too few digits after reduction; beyond the next, exp is too large. */
const MAX_ANGLE = new Decimal('1e15');
const MAX_EXPONENT = new Decimal('1e9');

const pi = Decimal.acos(-1);

export const CONSTANTS: ReadonlyMap<string, Num> = new Map<string, Num>([
  ['pi', { exact: false, value: pi }],
  ['π', { exact: false, value: pi }],
  ['tau', { exact: false, value: pi.times(2) }],
  ['e', { exact: false, value: Decimal.exp(1) }],
  ['phi', { exact: false, value: new Decimal(5).sqrt().plus(1).div(2) }],
]);

/** Runs a function by name. Throws StrideError invalid_input: unknown name, arguments, domain. */
export function callFunction(name: string, args: Num[], meter: (steps: number) => void): Num {
  const entry = FUNCTIONS.get(name) ?? FUNCTIONS.get(name.toLowerCase());
  if (entry === undefined) {
    throw refuse(
      `There is no function "${name.slice(0, 40)}"; there are ${FUNCTION_NAMES.join(', ')}.`,
    );
  }
  const [least, most] = entry.takes;
  if (args.length < least || args.length > most) {
    const wanted =
      most === ANY ? `at least ${least}` : least === most ? `${least}` : `${least} to ${most}`;
    throw refuse(
      `${name} takes ${wanted} argument${wanted === '1' || wanted === 'at least 1' ? '' : 's'}, got ${args.length}.`,
    );
  }
  for (const arg of args) meter(num.cost(arg));
  return entry.run(args, meter);
}

const one = (run: (a: Num) => Num): Entry => ({ takes: [1, 1], run: ([a = ZERO]) => run(a) });
const two = (run: (a: Num, b: Num) => Num): Entry => ({
  takes: [2, 2],
  run: ([a = ZERO, b = ZERO]) => run(a, b),
});
const many = (run: CalcFunction): Entry => ({ takes: [1, ANY], run });
const decimal = (run: (a: Decimal) => Decimal, limit?: Decimal): Entry =>
  one((a) => {
    const x = num.toDecimal(a);
    if (limit !== undefined && x.abs().gt(limit)) {
      throw refuse(`The argument is too large: at most ${limit.toString()} keeps enough digits.`);
    }
    return num.rounded(run(x));
  });
/** sin(pi) is 0 to the digits that are known; sin(1e-60) is not. */
const periodic = (run: (a: Decimal) => Decimal): Entry =>
  decimal((x) => {
    const result = run(x);
    return result.e < -55 && x.e > -20 ? new Decimal(0) : result;
  }, MAX_ANGLE);

function root(a: Num, n: Num): Num {
  const degree = Number(whole(n, 'root', 1_000n));
  if (degree === 0) throw refuse('root needs a degree of at least 1.');
  const isNegative = num.compare(a, ZERO) < 0;
  if (isNegative && degree % 2 === 0) {
    throw refuse(
      'A negative number has no real root of even degree; use execute_python for complex numbers.',
    );
  }
  const size = num.power(isNegative ? num.negate(a) : a, exact.fraction(1n, BigInt(degree)));
  return isNegative ? num.negate(size) : size;
}

/** log to a base; exact where the power comes out even: log10(1000) is 3. */
function logarithm(a: Num, base: Num | null): Num {
  if (num.compare(a, ZERO) <= 0) throw refuse('The logarithm needs a number above 0.');
  if (base === null) return num.rounded(num.toDecimal(a).ln());
  if (num.compare(base, ZERO) <= 0 || num.compare(base, ONE) === 0) {
    throw refuse('The base of a logarithm is above 0 and not 1.');
  }
  const result = num.toDecimal(a).ln().div(num.toDecimal(base).ln());
  const near = result.round();
  if (a.exact && base.exact && result.minus(near).abs().lt(1e-40) && near.abs().lt(40_000)) {
    const exponent = exact.integer(BigInt(near.toFixed(0)));
    const power = num.power(base, exponent);
    if (power.exact && exact.compare(power, a) === 0) return exponent;
  }
  return num.rounded(result);
}

const square = exact.integer(2);

const round: CalcFunction = ([a = ZERO, places = ZERO]) => {
  if (!num.isInteger(places) || exact.abs(places.n) > 100n)
    throw refuse('round takes −100 to 100 decimals.');
  return num.round(a, Number(places.n));
};
const ceil = (a: Num): Num => num.negate(num.floor(num.negate(a)));
const sign = (a: Num): number => num.compare(a, ZERO);
const degrees = (a: Num): Num => num.rounded(num.toDecimal(a).times(180).div(pi));
const radians = (a: Num): Num => num.rounded(num.toDecimal(a).times(pi).div(180));

/** Through exp: decimal.js' own series take 20 ms for large arguments. Near 0 they keep the digits. */
function hyperbolic(x: Decimal): { sinh: Decimal; cosh: Decimal } {
  const grown = x.exp();
  const shrunk = x.neg().exp();
  const sinh = x.abs().lt(1) ? x.sinh() : grown.minus(shrunk).div(2);
  return { sinh, cosh: grown.plus(shrunk).div(2) };
}

const arcTangent2 = (y: Num, x: Num): Num =>
  num.rounded(Decimal.atan2(num.toDecimal(y), num.toDecimal(x)));

const variants = (names: string, entry: Entry): [string, Entry][] =>
  names.split(' ').map((name): [string, Entry] => [name, entry]);

const FUNCTIONS: ReadonlyMap<string, Entry> = new Map([
  ...variants(
    'abs',
    one((a) => (sign(a) < 0 ? num.negate(a) : a)),
  ),
  ...variants(
    'sign',
    one((a) => exact.integer(sign(a))),
  ),
  ...variants('floor', one(num.floor)),
  ...variants('ceil ceiling', one(ceil)),
  ...variants(
    'trunc fix',
    one((a) => (sign(a) < 0 ? ceil(a) : num.floor(a))),
  ),
  ...variants('round', { takes: [1, 2], run: round }),
  ...variants(
    'sqrt',
    one((a) => root(a, square)),
  ),
  ...variants(
    'cbrt',
    one((a) => root(a, exact.integer(3))),
  ),
  ...variants('root nthroot', two(root)),
  ...variants('pow', two(num.power)),
  ...variants(
    'exp',
    decimal((x) => x.exp(), MAX_EXPONENT),
  ),
  ...variants(
    'ln',
    one((a) => logarithm(a, null)),
  ),
  ...variants('log', { takes: [1, 2], run: ([a = ZERO, base]) => logarithm(a, base ?? null) }),
  ...variants(
    'log2',
    one((a) => logarithm(a, square)),
  ),
  ...variants(
    'log10',
    one((a) => logarithm(a, exact.integer(10))),
  ),
  ...variants(
    'sin',
    periodic((x) => x.sin()),
  ),
  ...variants(
    'cos',
    periodic((x) => x.cos()),
  ),
  ...variants(
    'tan',
    periodic((x) => x.tan()),
  ),
  ...variants(
    'asin',
    decimal((x) => x.asin()),
  ),
  ...variants(
    'acos',
    decimal((x) => x.acos()),
  ),
  ...variants(
    'atan',
    decimal((x) => x.atan()),
  ),
  ...variants('atan2', two(arcTangent2)),
  ...variants(
    'sinh',
    decimal((x) => hyperbolic(x).sinh, MAX_EXPONENT),
  ),
  ...variants(
    'cosh',
    decimal((x) => hyperbolic(x).cosh, MAX_EXPONENT),
  ),
  ...variants(
    'tanh',
    decimal((x) => hyperbolic(x).sinh.div(hyperbolic(x).cosh), MAX_EXPONENT),
  ),
  ...variants('degrees', one(degrees)),
  ...variants('radians', one(radians)),
  ...variants(
    'min',
    many((args) => pick(args, -1)),
  ),
  ...variants(
    'max',
    many((args) => pick(args, 1)),
  ),
  ...variants('sum', many(sum)),
  ...variants(
    'prod product',
    many((args) => args.reduce((total, a) => num.multiply(total, a), ONE as Num)),
  ),
  ...variants(
    'count len',
    many((args) => exact.integer(args.length)),
  ),
  ...variants('mean average avg', many(mean)),
  ...variants('median', many(median)),
  ...variants(
    'variance var',
    many((args) => variance(args, 1)),
  ),
  ...variants(
    'pvariance',
    many((args) => variance(args, 0)),
  ),
  ...variants(
    'std stdev',
    many((args) => root(variance(args, 1), square)),
  ),
  ...variants(
    'pstdev',
    many((args) => root(variance(args, 0), square)),
  ),
  ...variants(
    'hypot',
    many((args) => root(sum(args.map((a) => num.multiply(a, a))), square)),
  ),
  ...variants('gcd', many(greatestDivisor)),
  ...variants('lcm', many(leastMultiple)),
  ...variants('mod', two(num.modulo)),
  ...variants('powmod', { takes: [3, 3], run: powerModulo }),
  ...variants('factorial', { takes: [1, 1], run: factorial }),
  ...variants('comb ncr combinations binomial', { takes: [2, 2], run: combinations }),
  ...variants('perm npr permutations', { takes: [2, 2], run: permutations }),
]);

const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];
