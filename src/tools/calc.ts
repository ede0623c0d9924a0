/**
 * calc: arithmetic that is exact where it can be and says so where it is not. Own parser and exact
 * fractions, no eval; rounded decimals are those of decimal.js. (mathjs reads `5% + 3` as 5 mod 3,
 * and neither of its number types is exact for both 2^2000 and 1/3.)
 */
import { z } from 'zod';
import { parseCalc } from './calc-parse.ts';
import { plainExpression } from './calc-text.ts';
import { defineTool } from './define.ts';

const MAX_EXPRESSION_CHARS = 4_000;

export const calc = defineTool({
  name: 'calc',
  description:
    'Evaluates arithmetic exactly: integers of any size, decimals and fractions; results that had to be rounded say so. ' +
    '+ - * / // ^ (or **) % ! comparisons, pi, e, 17% of 240, x = 3; x * 2. Functions: sqrt, root, exp, ln, log(x, base), log10, ' +
    'sin … (radians), round(x, n), floor, ceil, min, max, sum, mean, median, std, gcd, lcm, mod, powmod, factorial, comb, perm; ' +
    'ranges in sums: sum(1:100). No units, matrices or complex numbers: use execute_python for these.',
  aliases: ['calculator', 'calculate'],
  fieldAliases: {
    expr: 'expression',
    input: 'expression',
    formula: 'expression',
    query: 'expression',
  },
  input: z.object({
    expression: z
      .string()
      .min(1)
      .max(MAX_EXPRESSION_CHARS)
      .describe('For example "(1250 - 980) / 980 * 100" or "2^200"'),
  }),
  async run({ expression }) {
    const { text: source, notes } = plainExpression(expression);
    const statements = parseCalc(source);
    const { evaluateCalc, formatCalc } = await import('./calc-evaluate.ts');
    const { text, rounded, fraction } = formatCalc(evaluateCalc(statements));
    const remarks = [
      ...(rounded ? [fraction === null ? 'rounded' : `rounded; exactly ${fraction}`] : []),
      ...notes,
    ];
    return {
      content: remarks.length === 0 ? text : `${text} (${remarks.join('; ')})`,
      data: { value: text, rounded, ...(fraction === null ? {} : { fraction }) },
    };
  },
});
