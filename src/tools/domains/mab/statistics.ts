/** Mean, standard error and 95 % interval of a sample that arrives one value at a time. No I/O. */

export interface Summary {
  mean: number;
  /** Of one value, n − 1 in the denominator; null for a single value. */
  std: number | null;
  standardError: number | null;
  /** mean ± t·standardError, Student's t with n − 1 degrees of freedom. */
  interval95: readonly [low: number, high: number] | null;
}

export interface Sample {
  add(value: number): void;
  summary(): Summary;
}

/** Welford's recurrence: no cancellation, however large the mean. */
export function createSample(): Sample {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      count += 1;
      const before = value - mean;
      mean += before / count;
      squares += before * (value - mean);
    },
    summary() {
      if (count < 2) return { mean, std: null, standardError: null, interval95: null };
      const std = Math.sqrt(squares / (count - 1));
      const standardError = std / Math.sqrt(count);
      const half = studentQuantile(count - 1) * standardError;
      return { mean, std, standardError, interval95: [mean - half, mean + half] };
    },
  };
}

/** 97.5 % point of Student's t; few degrees of freedom, where the series below is too coarse. */
const T_TABLE = [12.706_204_74, 4.302_652_73, 3.182_446_31, 2.776_445_11, 2.570_581_84];
const Z = 1.959_963_984_540_054;

/** 97.5 % point of Student's t: table, then Cornish and Fisher's series (error below 10⁻⁴). */
export function studentQuantile(degrees: number): number {
  const known = T_TABLE[degrees - 1];
  if (known !== undefined) return known;
  const z2 = Z * Z;
  const first = (Z * (z2 + 1)) / 4;
  const second = (Z * (5 * z2 ** 2 + 16 * z2 + 3)) / 96;
  const third = (Z * (3 * z2 ** 3 + 19 * z2 ** 2 + 17 * z2 - 15)) / 384;
  const fourth = (Z * (79 * z2 ** 4 + 776 * z2 ** 3 + 1482 * z2 ** 2 - 1920 * z2 - 945)) / 92_160;
  return Z + first / degrees + second / degrees ** 2 + third / degrees ** 3 + fourth / degrees ** 4;
}
