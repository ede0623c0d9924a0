/**
 * DEFLATE (RFC 1951, in zlib's wrapper) in parts of 32 KB that share one buffer: for looking at what
 * a stream unpacks to without keeping it. Workers' own decoder unpacks a whole input before the
 * first read, and one that allocates each part leaves many times the data as garbage. Pure.
 */

const WINDOW = 32_768;
const LENGTHS = { base: [3, 4, 5, 6, 7, 8, 9, 10], bits: [0, 0, 0, 0, 0, 0, 0, 0] };
const DISTANCES = { base: [1, 2, 3, 4], bits: [0, 0, 0, 0] };
for (let bits = 1; bits <= 5; bits++) grow(LENGTHS, { bits, times: 4 });
for (let bits = 1; bits <= 13; bits++) grow(DISTANCES, { bits, times: 2 });
// The longest length has a code of its own.
LENGTHS.base[28] = 258;
LENGTHS.bits[28] = 0;
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function grow(table: typeof LENGTHS, { bits, times }: { bits: number; times: number }): void {
  for (let step = 0; step < times; step++) {
    const last = table.base.length - 1;
    table.base.push((table.base[last] ?? 0) + (1 << (table.bits[last] ?? 0)));
    table.bits.push(bits);
  }
}

/** By the next `bits` bits of input: symbol × 16 + length of its code, 0 where no code leads. */
interface Codes {
  table: Uint16Array;
  bits: number;
}

class Damage extends Error {}

/**
 * Calls `onPart` with the unpacked bytes, each part valid during its call only, until it returns
 * false. Damage, or the end of the input, ends the data without an error.
 */
export function inflateParts(zlib: Uint8Array, onPart: (part: Uint8Array) => boolean): void {
  const window = new Uint8Array(WINDOW);
  // Two bytes of wrapper stand before the data.
  const input = bitReader(zlib, 2);
  let at = 0;
  const put = (byte: number) => {
    window[at++] = byte;
    if (at < WINDOW) return true;
    at = 0;
    return onPart(window);
  };
  const copy = (distance: number, length: number) => {
    for (let left = length; left > 0; left--) {
      if (!put(window[(at - distance) & (WINDOW - 1)] ?? 0)) return false;
    }
    return true;
  };
  try {
    for (let last = false; !last; ) {
      last = input.take(1) === 1;
      if (!block(input, { put, copy })) return;
    }
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
  }
  if (at > 0) onPart(window.subarray(0, at));
}

type Input = ReturnType<typeof bitReader>;

interface Output {
  /** Both give false when nobody wants more. */
  put(byte: number): boolean;
  copy(distance: number, length: number): boolean;
}

function bitReader(bytes: Uint8Array, start: number) {
  let [next, held, count] = [start, 0, 0];
  const fill = () => {
    while (count <= 16) {
      held |= (bytes[next++] ?? 0) << count;
      count += 8;
    }
  };
  const drop = (bits: number) => {
    held >>>= bits;
    count -= bits;
    // Zeros are read beyond the end: a little further on it is certain that data is missing.
    if (next - (count >> 3) > bytes.length) throw new Damage();
  };
  return {
    /** At most 16 bits. */
    take(bits: number): number {
      fill();
      const value = held & ((1 << bits) - 1);
      drop(bits);
      return value;
    },
    decode({ table, bits }: Codes): number {
      fill();
      const entry = table[held & ((1 << bits) - 1)] ?? 0;
      if (entry === 0) throw new Damage();
      drop(entry & 15);
      return entry >> 4;
    },
    alignToByte(): void {
      drop(count & 7);
    },
  };
}

/** One block; false when the output wants no more. */
function block(input: Input, output: Output): boolean {
  const type = input.take(2);
  if (type === 3) throw new Damage();
  if (type === 0) return storedBlock(input, output);
  const [literals, distances] = type === 1 ? fixedCodes() : readCodes(input);
  for (;;) {
    const symbol = input.decode(literals);
    if (symbol === 256) return true;
    if (symbol < 256) {
      if (!output.put(symbol)) return false;
      continue;
    }
    const length = (LENGTHS.base[symbol - 257] ?? 0) + input.take(LENGTHS.bits[symbol - 257] ?? 0);
    const far = input.decode(distances);
    const distance = (DISTANCES.base[far] ?? 0) + input.take(DISTANCES.bits[far] ?? 0);
    if (distance === 0) throw new Damage();
    if (!output.copy(distance, length)) return false;
  }
}

function storedBlock(input: Input, output: Output): boolean {
  input.alignToByte();
  const length = input.take(16);
  if ((length ^ input.take(16)) !== 0xffff) throw new Damage();
  for (let left = length; left > 0; left--) if (!output.put(input.take(8))) return false;
  return true;
}

let fixed: [Codes, Codes] | null = null;

function fixedCodes(): [Codes, Codes] {
  fixed ??= [
    toCodes(
      Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
    ),
    toCodes(new Array<number>(30).fill(5)),
  ];
  return fixed;
}

function readCodes(input: Input): [Codes, Codes] {
  const [literals, distances, own] = [input.take(5) + 257, input.take(5) + 1, input.take(4) + 4];
  const ownLengths = new Array<number>(19).fill(0);
  for (const place of CODE_ORDER.slice(0, own)) ownLengths[place] = input.take(3);
  const codes = toCodes(ownLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = input.decode(codes);
    if (symbol < 16) lengths.push(symbol);
    else {
      const before = symbol === 16 ? (lengths.at(-1) ?? 0) : 0;
      const times =
        symbol === 16 ? 3 + input.take(2) : symbol === 17 ? 3 + input.take(3) : 11 + input.take(7);
      for (let step = 0; step < times; step++) lengths.push(before);
    }
  }
  return [
    toCodes(lengths.slice(0, literals)),
    toCodes(lengths.slice(literals, literals + distances)),
  ];
}

/** Canonical Huffman codes (RFC 1951, 3.2.2) as a table; codes come with their first bit lowest. */
function toCodes(lengths: readonly number[]): Codes {
  const bits = Math.max(1, ...lengths);
  const table = new Uint16Array(1 << bits);
  let code = 0;
  for (let length = 1; length <= bits; length++) {
    lengths.forEach((own, symbol) => {
      if (own !== length) return;
      const entry = (symbol << 4) | length;
      for (let place = reversed(code, length); place < table.length; place += 1 << length) {
        table[place] = entry;
      }
      code++;
    });
    code <<= 1;
  }
  return { table, bits };
}

function reversed(code: number, length: number): number {
  let out = 0;
  for (let bit = 0; bit < length; bit++) out |= ((code >> bit) & 1) << (length - 1 - bit);
  return out;
}
