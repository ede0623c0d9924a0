import { beforeAll, describe, expect, it } from 'vitest';
import { calc } from '../../src/tools/calc.ts';
import type { ToolContext } from '../../src/tools/define.ts';
import { createToolContext, runForOutput, runTool } from '../helpers/tool-context.ts';

let context: ToolContext;
beforeAll(async () => {
  context = (await createToolContext()).context;
  // The first call loads the decimals; the times below are without it.
  await runTool(calc, { expression: '1' }, context);
});
const evaluate = (expression: string) => runTool(calc, { expression }, context);

const FACTORIAL_100 =
  '93326215443944152681699238856266700490715968264381621468592963895217599993229915608941463976156518286253697920827223758251185210916864000000000000000000000000';

describe('calc: exact results', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['0.1 * 3', '0.3'],
    ['(0.1 + 0.2) == 0.3', 'true'],
    ['2^200', (2n ** 200n).toString()],
    ['2**200', (2n ** 200n).toString()],
    ['100!', FACTORIAL_100],
    ['factorial(100)', FACTORIAL_100],
    ['99999999999999999999 * 99999999999999999999', '9999999999999999999800000000000000000001'],
    ['9007199254740993 + 0', '9007199254740993'],
    ['1/3 * 3', '1'],
    ['1 - 1/3 - 2/3', '0'],
    ['1 / 8', '0.125'],
    ['1e-9', '0.000000001'],
    ['0.1^61', '1e-61'],
    ['6.02e23', '602000000000000000000000'],
    ['7 // 2', '3'],
    ['-7 // 2', '-4'],
    ['8 % 3', '2'],
    ['-7 % 3', '2'],
    ['mod(-7, 3)', '2'],
    ['mod(10^1000, 7)', '4'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^-2', '0.25'],
    ['2^3^2', '512'],
    ['3!!', '720'],
    ['1 + 2 * 3 - 4 / 2', '5'],
    ['17% of 240', '40.8'],
    ['50% * 80', '40'],
    ['5% + 3', '3.05'],
    ['5% + 3%', '0.08'],
    ['12.5%', '0.125'],
    ['3 × 4 ÷ 2 − 1', '5'],
    ['（２＋３）×４', '20'],
    ['5² + 2⁻¹', '25.5'],
    ['√(16)', '4'],
    ['1_000 * 2', '2000'],
    ['2 + 2 =', '4'],
    ['0xff + 0b11', '258'],
    ['sqrt(16)', '4'],
    ['sqrt(1/4)', '0.5'],
    ['27^(2/3)', '9'],
    ['cbrt(-8)', '-2'],
    ['log10(1000)', '3'],
    ['log(8, 2)', '3'],
    ['log2(1/8)', '-3'],
    ['round(2.675, 2)', '2.68'],
    ['round(-2.5)', '-3'],
    ['round(1234, -2)', '1200'],
    ['floor(-0.5)', '-1'],
    ['ceil(-0.5)', '0'],
    ['trunc(-1.9)', '-1'],
    ['floor(sqrt(2) * 10^20)', '141421356237309504880'],
    ['max(1,234)', '234'],
    ['min([3, 1, 2])', '1'],
    ['sum(1:100)', '5050'],
    ['mean(1, 2, 3, 4)', '2.5'],
    ['median([9, 1, 5, 3])', '4'],
    ['variance(2, 4, 4, 4, 5, 5, 7, 9) * 7', '32'],
    ['pstdev(2, 4, 4, 4, 5, 5, 7, 9)', '2'],
    ['gcd(12, 18, 27)', '3'],
    ['lcm(4, 6)', '12'],
    ['comb(52, 5)', '2598960'],
    ['nCr(5, 7)', '0'],
    ['perm(10, 3)', '720'],
    ['powmod(3, 10^50, 10^9 + 7)', '268921114'],
    ['hypot(3, 4)', '5'],
    ['price = 1250; base = 980; price - base', '270'],
    ['a = 2\nb = 3\na ^ b', '8'],
    ['1 < 2 and not 2 < 1', 'true'],
    ['0^0', '1'],
  ])('%s is %s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
  });

  it('agrees with BigInt on 400 random integer expressions', async () => {
    const random = seeded(7);
    for (let round = 0; round < 400; round++) {
      const { text, value } = randomExpression(random, 4);
      expect(await evaluate(text), text).toBe(value.toString());
    }
  });
});

describe('calc: rounded results', () => {
  it.each([
    ['1/3', '0.333333333333333333333333333333 (rounded; exactly 1/3)'],
    ['(1250-980)/980*100', '27.5510204081632653061224489796 (rounded; exactly 1350/49)'],
    ['sqrt(2)', '1.41421356237309504880168872421 (rounded)'],
    ['pi', '3.14159265358979323846264338328 (rounded)'],
    ['e', '2.71828182845904523536028747135 (rounded)'],
    ['sin(pi)', '0 (rounded)'],
    ['cos(pi)', '-1 (rounded)'],
    ['tanh(50)', '1 (rounded)'],
    ['sqrt(2)^2 - 2', '0 (rounded)'],
    ['e^pi', '23.1406926327792690057290863679 (rounded)'],
    ['exp(-1000)', '5.07595889754945676529180947957e-435 (rounded)'],
    ['1.0001^100000', '22015.4560485521986457014565817 (rounded)'],
    ['9^-9^9', '2.33576766086716436916472813576e-369693100 (rounded)'],
    ['sin(1e-60)', '1e-60 (rounded)'],
    ['2^-2000', '8.70980981621721667557619549478e-603 (rounded)'],
    ['std(2, 4, 4, 4, 5, 5, 7, 9)', '2.13808993529939507747642784704 (rounded)'],
  ])('%s is %s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
  });

  it('agrees with Math on elementary functions', async () => {
    const random = seeded(11);
    const names = ['sin', 'cos', 'tan', 'atan', 'exp', 'sinh', 'cosh', 'tanh', 'cbrt'] as const;
    for (const name of names) {
      for (let round = 0; round < 20; round++) {
        const x = Number((random() * 20 - 10).toFixed(3));
        const expected = Math[name](x);
        const got = Number.parseFloat(await evaluate(`${name}(${x})`));
        expect(Math.abs(got - expected), `${name}(${x})`).toBeLessThan(
          1e-9 * Math.max(1, Math.abs(expected)),
        );
      }
    }
  });

  it('reports value, rounding and fraction as data', async () => {
    const output = await runForOutput(calc, { expression: '2/3' }, context);
    expect(output.data).toEqual({
      value: '0.666666666666666666666666666667',
      rounded: true,
      fraction: '2/3',
    });
  });
});

describe('calc: thousands separators', () => {
  it.each([
    ['1,234,567 + 1', '1234568 (1,234,567 read as 1234567)'],
    ['(1,234 + 1) * 2', '2470 (1,234 read as 1234)'],
    ['max((1,234), 5)', '1234 (1,234 read as 1234)'],
    ['1,234.5 * 2', '2469 (1,234 read as 1234)'],
    ['max(1,234, 5)', '234'],
    ['sum([1,234])', '235'],
  ])('%s is %s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
  });
});

describe('calc: refusals', () => {
  it.each([
    ['100 + 3%', 'can mean a share of a or of one'],
    ['8 % -3', 'percent or remainder'],
    ['2 pi', 'operator is missing before "pi"'],
    ['2(3)', 'operator is missing'],
    ['5 inch', 'Units are not supported'],
    ['3,14', 'write decimals with a point'],
    ['12,34,567', 'groups of three'],
    ['1,2345', 'groups of three'],
    ['1.2.3', 'operator is missing'],
    ['', 'expression'],
    ['   ', 'empty'],
    ['2 +', 'ends where a number'],
    ['(1', 'Expected ")"'],
    ['1)', 'Did not expect ")"'],
    ['1 < 2 < 3', 'chained'],
    ['true + 1', 'not numbers'],
    ['[1,2;3,4]', 'numpy'],
    ['[1,2] * 2', 'Lists go into functions'],
    ['$5', 'currency'],
    ['x + 1', 'name "x" is not known'],
    ['foo(1)', 'no function "foo"'],
    ['sqrt()', 'takes 1 argument, got 0'],
    ['atan2(1)', 'takes 2 arguments, got 1'],
    ['1/0', 'Division by zero'],
    ['5 % 0', 'Division by zero'],
    ['0^-1', 'division by zero'],
    ['sqrt(-4)', 'complex'],
    ['(-8)^(1/3)', 'cbrt or root'],
    ['asin(2)', 'not a real number'],
    ['ln(0)', 'above 0'],
    ['2.5!', 'needs integers'],
    ['std(1)', 'at least two'],
    ['of 3', 'Expected a number'],
    ['17 of 3', 'percentage before'],
  ])('refuses %j: %s', async (expression, reason) => {
    await expect(evaluate(expression)).rejects.toThrow(reason);
  });

  it.each([
    ...[
      'constructor',
      '__proto__',
      'toString(1)',
      'import("fs")',
      'evaluate("1")',
      'x -> x',
      'f(x) = x',
    ],
    ...[
      'constructor.constructor("return process")()',
      'createUnit("a")',
      '"a"',
      '{a: 1}',
      '`1`',
      'a[1]',
    ],
  ])('knows nothing but arithmetic: %s', async (expression) => {
    await expect(evaluate(expression)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['tower', '9^9^9'],
    ['factorial', 'factorial(1e9)'],
    ['factorials of factorials', '9!!!'],
    ['range', '1:1e9'],
    ['sum of a range', 'sum(1:1e9)'],
    ['literal', '1e999999999'],
    ['root of a tower', 'sqrt(9^9^9)'],
    ['exp', 'exp(1e12)'],
    ['angle', 'sin(1e1000)'],
    ['remainder', 'mod(e^1000000, 7)'],
    ['choice', 'comb(10^17, 10^16)'],
    ['brackets', `${'('.repeat(1_999)}1${')'.repeat(1_999)}`],
    ['signs', `${'-'.repeat(3_999)}1`],
    ['calls', `${'abs('.repeat(900)}1${')'.repeat(400)}`],
    ['powers', `2${'^2'.repeat(1_900)}`],
    ['long sums of long integers', `9^9999${'+9^9999'.repeat(500)}`],
    ['many factorials', `3000!${'+3000!'.repeat(600)}`],
    ['many choices', `comb(6000,3000)${'+comb(6000,3000)'.repeat(240)}`],
    ['many deviations', `x=1:10000;std(x)${'+std(x)'.repeat(500)}`],
    ['many modular powers', `powmod(7,10^900,10^900+7)${'+powmod(7,10^900,10^900+7)'.repeat(140)}`],
    ['many divisors', `gcd(10^900-1${',10^900-1'.repeat(400)})`],
    ['doubling lists', `x=[e,pi]${';x=[x,x]'.repeat(490)};std(x)`],
    ['squaring', `x=7${';x=x*x'.repeat(600)}`],
    ['a growing fraction', `x=123/457${';x=x*x+1/3'.repeat(390)}`],
    ['too long a text', '1+'.repeat(3_000)],
  ])('refuses a bomb within a second: %s', async (_, expression) => {
    const started = performance.now();
    await expect(evaluate(expression)).rejects.toThrow(/\.|too_big|4000/);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each([
    ['sines', `sin(1.1)${'+sin(1.1)'.repeat(400)}`],
    ['arc tangents', `atan(1e9)${'+atan(1e9)'.repeat(390)}`],
    ['hyperbolic sines', `sinh(9999)${'+sinh(9999)'.repeat(350)}`],
    ['roots', `root(9^999,99)${'+root(9^999,99)'.repeat(240)}`],
    ['fractions', Array.from({ length: 480 }, (_, index) => `1/${index * 7 + 3}`).join('+')],
    ['a long integer', '9'.repeat(3_999)],
  ])('answers what is long but bounded within two seconds: %s', async (_, expression) => {
    const started = performance.now();
    expect(await evaluate(expression)).toMatch(/^\d/);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

/** An expression of nested + - * ^ and brackets over integers up to 10^30, and its value by BigInt. */
function randomExpression(random: () => number, depth: number): { text: string; value: bigint } {
  if (depth === 0 || random() < 0.2) {
    const digits = 1 + Math.floor(random() * 30);
    const text = Array.from({ length: digits }, () => Math.floor(random() * 10)).join('');
    const value = BigInt(text);
    return { text: value.toString(), value };
  }
  const left = randomExpression(random, depth - 1);
  const right = randomExpression(random, depth - 1);
  switch (Math.floor(random() * 6)) {
    case 0:
      return { text: `(${left.text} + ${right.text})`, value: left.value + right.value };
    case 1:
      return { text: `(${left.text} - ${right.text})`, value: left.value - right.value };
    case 2:
      return { text: `(${left.text} * ${right.text})`, value: left.value * right.value };
    case 3: {
      const exponent = Math.floor(random() * 4);
      return { text: `(${left.text})^${exponent}`, value: left.value ** BigInt(exponent) };
    }
    case 4:
      return { text: `-(${left.text})`, value: -left.value };
    default: {
      const divisor = right.value === 0n ? 7n : right.value;
      const quotient = left.value / divisor;
      const isBelow = left.value < 0n !== divisor < 0n && left.value % divisor !== 0n;
      return {
        text: `((${left.text}) // (${divisor}))`,
        value: isBelow ? quotient - 1n : quotient,
      };
    }
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
