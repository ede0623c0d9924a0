/**
 * Sums and averages of `calc`, exact as long as their numbers are. At least one number each.
 * Rounded numbers make rounded results; the arithmetic is that of calc-numbers.
 */
import type { Num } from './calc-numbers.ts';
import * as num from './calc-numbers.ts';
import { refuse } from './calc-parse.ts';
import * as exact from './calc-rational.ts';

const ZERO = exact.integer(0);

export const sum = (args: Num[]): Num => args.reduce((total, a) => num.add(total, a), ZERO as Num);
export const mean = (args: Num[]): Num => num.divide(sum(args), exact.integer(args.length));

export function median(args: Num[]): Num {
  const sorted = [...args].sort(num.compare);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? ZERO;
  return sorted.length % 2 === 1
    ? high
    : num.divide(num.add(sorted[middle - 1] ?? ZERO, high), exact.integer(2));
}

/** Sum of squared deviations over n − `less`. */
export function variance(args: Num[], less: number): Num {
  if (args.length <= less) throw refuse('The sample variance needs at least two numbers.');
  const centre = mean(args);
  const squares = args.map((a) => num.power(num.subtract(a, centre), exact.integer(2)));
  return num.divide(sum(squares), exact.integer(args.length - less));
}

/** The largest (sign 1) or smallest (sign -1). */
export const pick = (args: Num[], sign: number): Num =>
  args.reduce((best, a) => (num.compare(a, best) * sign > 0 ? a : best));
