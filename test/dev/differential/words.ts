/** The words that random commands are made of: binary strings, one byte a character. */
import type { Random } from './random.ts';

/** What is UTF-8 goes through the client; the rest only through the engine. */
export const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const EVERY_BYTE = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
const TEXT_KEYS = ['s1', 's2', 'n1', 'n2', 'h1', 'h2', 'l1', 'l2', 'z1', 'z2', 'none', ''];
const BINARY_KEYS = ['\xff\x00\xfe', `k${EVERY_BYTE}`];
const TEXTS = [
  '',
  'a',
  'value',
  'OK',
  '0',
  '1',
  '-1',
  '10',
  '3.5',
  utf8('é漢字 👩‍🔬'),
  'line\r\nend',
  ' x',
];
const INTEGERS = [
  '0 1 -1 2 3 5 10 100 -5 1000000 9007199254740993 9223372036854775807 -9223372036854775808',
  '9223372036854775808 -9223372036854775809 01 +1 -0 1.5 abc 1e3 0x10 99999999999999999999',
].flatMap((line) => line.split(' '));
const SCORES = [
  '0 1 -1 2 3 5 10 1.5 -2.25 0.1 0.30000000000000004 1e20 -1e300 1e-5 123456789.123 3.0 -0',
  '1796073738123 9007199254740993 2251799813685248.25 inf -inf +inf Infinity .5 5. 1e5 0x1p3 0x1F',
].flatMap((line) => line.split(' '));
const BAD_SCORES = [
  'nan',
  '1e400',
  '1e-400',
  'abc',
  '',
  ' 1',
  '1 ',
  '1,5',
  '(1',
  '--1',
  '0x',
  'infinit',
];
const HUGE_BYTES = 1024 * 1024;

export interface Words {
  key(): string;
  /** A key whose name says the type it usually holds: s, n, h, l or z. */
  keyOf(kind: string): string;
  value(): string;
  field(): string;
  integer(): string;
  smallInteger(): string;
  score(): string;
  bound(): string;
}

/** `binary`: keys and values need not be UTF-8. */
export function createWords(random: Random, { binary }: { binary: boolean }): Words {
  const bytes = (length: number) =>
    random.times(length, () => EVERY_BYTE[random.int(256)]).join('');
  const key = () => random.pick(binary && random.chance(0.15) ? BINARY_KEYS : TEXT_KEYS);
  const smallInteger = () => String(random.int(12) - 4);
  const score = () => random.pick(random.chance(0.04) ? BAD_SCORES : SCORES);
  return {
    key,
    keyOf: (kind) => (random.chance(0.85) ? `${kind}${1 + random.int(2)}` : key()),
    value() {
      if (random.chance(0.002))
        return binary ? bytes(64).repeat(HUGE_BYTES / 64) : 'x'.repeat(HUGE_BYTES);
      if (binary && random.chance(0.4)) return bytes(random.int(40));
      return random.chance(0.2) ? random.pick(INTEGERS) : random.pick(TEXTS);
    },
    field: () =>
      binary && random.chance(0.2) ? bytes(2) : random.pick(['a', 'b', 'c', 'd', '', utf8('é')]),
    integer: () => (random.chance(0.6) ? smallInteger() : random.pick(INTEGERS)),
    smallInteger,
    score,
    bound() {
      if (random.chance(0.03)) return random.pick(['', '(', 'abc', '(nan', '1\x00x', '[1', '((1']);
      return (random.chance(0.3) ? '(' : '') + score();
    },
  };
}
