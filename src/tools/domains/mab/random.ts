/**
 * Random numbers of an experiment: xoroshiro128+ of the library pure-rand, one stream a trial.
 * The same seed gives the same numbers on every platform: beside the generator's integers only
 * + − × ÷ and the square root are used, which IEEE 754 fixes to the last bit. `Math.log`, which
 * engines round differently, is not: `ln` takes its place.
 */
import {
  type xoroshiro128plus,
  xoroshiro128plusFromState,
} from 'pure-rand/generator/xoroshiro128plus';

type Generator = ReturnType<typeof xoroshiro128plus>;

export interface RandomStream {
  /** A whole number from 0 to 2³² − 1. */
  word(): number;
  /** From N(0, 1): Marsaglia's polar method. */
  normal(): number;
  /** From Beta(a, b), both at least 1. */
  beta(a: number, b: number): number;
}

/** Streams of trial 0, 1, 2 …, 2⁶⁴ draws apart, so that no two overlap. */
export function createStreams(seed: number): () => RandomStream {
  const words = [1, 2, 3, 4].map((place) => scramble(seed, place));
  const base = xoroshiro128plusFromState(words);
  return () => {
    const stream = createStream(base.clone());
    base.jump();
    return stream;
  };
}

/** MurmurHash3's finalizer over both halves of the seed: near seeds start far apart. */
function scramble(seed: number, place: number): number {
  const mix = (word: number) => {
    let h = word | 0;
    h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
    return h ^ (h >>> 16);
  };
  const high = Math.floor(seed / 2 ** 32);
  return mix(mix(mix(Math.imul(place, 0x9e37_79b9)) ^ high) ^ (seed >>> 0));
}

function createStream(generator: Generator): RandomStream {
  let spare = 0;
  let hasSpare = false;

  function normal(): number {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    for (;;) {
      const x = generator.next() * 2 ** -31;
      const y = generator.next() * 2 ** -31;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const scale = Math.sqrt((-2 * ln(square)) / square);
      spare = y * scale;
      hasSpare = true;
      return x * scale;
    }
  }

  /** From Gamma(shape, 1), shape at least 1: Marsaglia and Tsang 2000. */
  function gamma(shape: number): number {
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      // Never 0, whose logarithm would accept anything.
      const u = ((generator.next() >>> 0) + 0.5) * 2 ** -32;
      const square = x * x;
      if (u < 1 - 0.0331 * square * square) return d * v;
      if (ln(u) < square / 2 + d * (1 - v + ln(v))) return d * v;
    }
  }

  return {
    word: () => generator.next() >>> 0,
    normal,
    beta(a, b) {
      const first = gamma(a);
      return first / (first + gamma(b));
    },
  };
}

const SQRT_HALF_HIGH_WORD = 0x3fe6_a09e;
const LN2_HIGH = 0.693_147_180_369_123_8;
const LN2_LOW = 1.908_214_929_270_587_7e-10;
/** Coefficients of the odd series of ln((1 + s) / (1 − s)), fitted: FreeBSD's e_log.c. */
const C1 = 0.666_666_666_666_673_5;
const C2 = 0.399_999_999_994_094_2;
const C3 = 0.285_714_287_436_623_9;
const C4 = 0.222_221_984_321_497_84;
const C5 = 0.181_835_721_616_180_5;
const C6 = 0.153_138_376_992_093_73;
const C7 = 0.147_981_986_051_165_86;
// One number seen as its two halves; which half comes first depends on the machine.
const asNumber = new Float64Array(1);
const asWords = new Uint32Array(asNumber.buffer);
asNumber[0] = 1;
const HIGH_HALF = asWords[1] === 0 ? 0 : 1;

/** Natural logarithm of a positive normal number, within one unit in the last place. */
export function ln(value: number): number {
  asNumber[0] = value;
  const high = asWords[HIGH_HALF] ?? 0;
  // value = 2^exponent · m with m from √½ to √2, where the series converges fast.
  const exponent = (high - SQRT_HALF_HIGH_WORD) >> 20;
  asWords[HIGH_HALF] = high - (exponent << 20);
  const f = (asNumber[0] ?? 0) - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (C2 + w * (C4 + w * C6));
  const odd = z * (C1 + w * (C3 + w * (C5 + w * C7)));
  const half = 0.5 * f * f;
  const rest = s * (half + odd + even);
  return exponent * LN2_HIGH - (half - (rest + exponent * LN2_LOW) - f);
}
