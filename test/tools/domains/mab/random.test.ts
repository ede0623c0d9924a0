import { describe, expect, it } from 'vitest';
import { createStreams, ln } from '../../../../src/tools/domains/mab/random.ts';

const GOLDEN = {
  first: [1384822088, 4017619167, 3286145434],
  second: [257532718, 1968728362, 4274985658],
  normal: [0.9370173786661066, 0.3959441173134261, -2.4082385443247274],
  beta: [0.8184939151120495, 0.5460039332723844],
};

const SIZE = 40_000;

/** Mean and its distance from what is expected, in standard errors. */
function distance(values: number[], expected: { mean: number; std: number }): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.abs(mean - expected.mean) / (expected.std / Math.sqrt(values.length));
}

const take = (count: number, draw: () => number) => Array.from({ length: count }, draw);

describe('ln', () => {
  it('agrees with Math.log to the last place or two over all magnitudes', () => {
    const stream = createStreams(1)();
    let worst = 0;
    for (let i = 0; i < 100_000; i += 1) {
      const value = (stream.word() + 1) * 2 ** ((stream.word() % 200) - 132);
      const expected = Math.log(value);
      if (expected !== 0) worst = Math.max(worst, Math.abs(ln(value) / expected - 1));
    }
    expect(worst).toBeLessThan(4 * Number.EPSILON);
    expect([ln(1), ln(2), ln(0.5)]).toEqual([0, Math.LN2, -Math.LN2]);
  });
});

describe('createStreams', () => {
  it('gives these numbers for this seed, on every platform', () => {
    const next = createStreams(7);
    const [first, second] = [next(), next()];
    expect(take(3, first.word)).toEqual(GOLDEN.first);
    expect(take(3, second.word)).toEqual(GOLDEN.second);
    expect(take(3, first.normal)).toEqual(GOLDEN.normal);
    expect(take(2, () => first.beta(3, 2))).toEqual(GOLDEN.beta);
  });

  it('gives other numbers for other seeds, near and far', () => {
    const starts = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER].map((seed) =>
      createStreams(seed)().word(),
    );
    expect(new Set(starts).size).toBe(starts.length);
  });

  it('has no connection between one stream and the next, nor between near seeds', () => {
    const correlation = (a: () => number, b: () => number) => {
      const pairs = Array.from({ length: SIZE }, () => [a(), b()] as const);
      return pairs.reduce((sum, [x, y]) => sum + x * y, 0) / SIZE;
    };
    const next = createStreams(3);
    const [a, b, c] = [next(), next(), createStreams(4)()];
    // Products of independent standard normals: mean 0, standard deviation 1.
    expect(Math.abs(correlation(a.normal, b.normal))).toBeLessThan(4 / Math.sqrt(SIZE));
    expect(Math.abs(correlation(b.normal, c.normal))).toBeLessThan(4 / Math.sqrt(SIZE));
  });
});

describe('a random stream', () => {
  it('draws words evenly: each of 16 parts is as full as the others', () => {
    const { word } = createStreams(5)();
    const counts = new Array<number>(16).fill(0);
    for (const value of take(SIZE, word)) {
      const part = Math.floor(value / 2 ** 28);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    const expected = SIZE / 16;
    const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 99.9 % point of chi-squared with 15 degrees of freedom.
    expect(chi).toBeLessThan(37.7);
  });

  it('draws normals of mean 0, variance 1 and kurtosis 3', () => {
    const values = take(SIZE, createStreams(6)().normal);
    expect(distance(values, { mean: 0, std: 1 })).toBeLessThan(4);
    const squares = values.map((value) => value ** 2);
    expect(distance(squares, { mean: 1, std: Math.SQRT2 })).toBeLessThan(4);
    const fourths = values.map((value) => value ** 4);
    expect(distance(fourths, { mean: 3, std: Math.sqrt(96) })).toBeLessThan(4);
  });

  it.each([
    [1, 1],
    [3, 2],
    [1, 40],
    [500, 300],
  ])('draws Beta(%s, %s) with its mean and variance, within (0, 1)', (a, b) => {
    const stream = createStreams(7)();
    const values = take(SIZE, () => stream.beta(a, b));
    const mean = a / (a + b);
    const variance = (a * b) / ((a + b) ** 2 * (a + b + 1));
    expect(Math.min(...values)).toBeGreaterThan(0);
    expect(Math.max(...values)).toBeLessThan(1);
    expect(distance(values, { mean, std: Math.sqrt(variance) })).toBeLessThan(4);
    const spreads = values.map((value) => (value - mean) ** 2);
    // Beta's fourth moment is at most 3 variances² for these shapes, but for skewed ones nearer 9.
    expect(distance(spreads, { mean: variance, std: variance * 3 })).toBeLessThan(4);
  });
});
