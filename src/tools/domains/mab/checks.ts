/**
 * Checks of what the bandit functions are given: a number out of its range is refused with its
 * field named, never computed with. No I/O.
 */
import { StrideError } from '../../../errors.ts';

export interface Range {
  /** Inclusive. */
  min?: number;
  max?: number;
  /** Exclusive. */
  above?: number;
  below?: number;
  integer?: boolean;
}

/** The value, when it is a finite number within the range. Throws invalid_input naming `field`. */
export function checkNumber(field: string, value: unknown, range: Range = {}): number {
  const isFit =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (range.integer !== true || Number.isInteger(value)) &&
    value >= (range.min ?? Number.NEGATIVE_INFINITY) &&
    value <= (range.max ?? Number.POSITIVE_INFINITY) &&
    value > (range.above ?? Number.NEGATIVE_INFINITY) &&
    value < (range.below ?? Number.POSITIVE_INFINITY);
  if (!isFit) throw refusal(field, `must be ${inWords(range)}, got ${shown(value)}`);
  return value;
}

/** The values, when there is at least one and each fits. Throws invalid_input naming its place. */
export function checkList(
  field: string,
  values: readonly number[],
  range: Range = {},
): readonly number[] {
  if (!Array.isArray(values) || values.length === 0) {
    throw refusal(field, 'must be a list of at least one number');
  }
  for (const [index, value] of values.entries()) checkNumber(`${field}[${index}]`, value, range);
  return values;
}

/** Two lists that speak of the same arms must be equally long. */
export function checkSameLength(lists: Readonly<Record<string, readonly number[]>>): void {
  const named = Object.entries(lists);
  const first = named[0];
  if (first === undefined) return;
  for (const [name, values] of named) {
    if (values.length === first[1].length) continue;
    const counts = `${first[0]} has ${first[1].length} and ${name} has ${values.length} numbers`;
    throw refusal(name, `must be as long as ${first[0]}: ${counts}`);
  }
}

export function refusal(field: string, message: string): StrideError {
  return new StrideError('invalid_input', `${field}: ${message}.`, { field });
}

/** `a whole number of at least 1`, `a number above 0 and below 1`. */
function inWords({ min, max, above, below, integer }: Range): string {
  const parts = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  const kind = integer === true ? 'a whole number' : 'a number';
  if (parts.length === 0) return kind;
  const first = parts[0]?.startsWith('at') ? 'of ' : '';
  return `${kind} ${first}${parts.join(' and ')}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'number'
    ? String(value)
    : (JSON.stringify(value)?.slice(0, 60) ?? 'none');
}
