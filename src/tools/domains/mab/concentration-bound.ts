/** concentration_bound: the radii of concentration.ts, one call a bound. */
import { z } from 'zod';
import { defineTool } from '../../define.ts';
import { answerText, need } from './bound-answer.ts';

export const concentrationBound = defineTool({
  name: 'concentration_bound',
  description:
    'Radius around a sample mean of n independent values that the true mean leaves with probability at most delta, L = ln(2/delta). ' +
    'hoeffding: range·√(L/2n), range = width of the interval of values. bernstein: needs the true variance, range bounds |X−μ|; exact inversion, tighter than the usual sum. ' +
    'empirical_bernstein: values in [0,1], variance = unbiased sample variance, one-sided (Maurer–Pontil). subgaussian: sigma·√(2L/n).',
  fieldAliases: {
    bound: 'kind',
    type: 'kind',
    method: 'kind',
    std: 'sigma',
    samples: 'n',
    confidence_delta: 'delta',
  },
  input: z.object({
    kind: z
      .enum(['hoeffding', 'bernstein', 'empirical_bernstein', 'subgaussian'])
      .describe('Which bound'),
    n: z.number().describe('Number of values'),
    delta: z.number().describe('Probability of being wrong, between 0 and 1'),
    range: z
      .number()
      .optional()
      .describe('hoeffding: b − a for values in [a, b]; bernstein: bound on |X − μ|'),
    variance: z.number().optional().describe('bernstein: true; empirical_bernstein: of the sample'),
    sigma: z.number().optional().describe('subgaussian: its parameter'),
  }),
  async run(input) {
    const bounds = await import('./concentration.ts');
    const { kind, n, delta } = input;
    const field = (name: 'range' | 'variance' | 'sigma') => need(input[name], { name, kind });
    switch (kind) {
      case 'hoeffding': {
        const value = bounds.hoeffdingBound({ n, delta, range: field('range') });
        return answerText({ kind, value, formula: 'range·√(L/2n)', sides: 'two-sided' });
      }
      case 'bernstein': {
        const given = { n, delta, range: field('range'), variance: field('variance') };
        const formula = 'bL/3n + √((bL/3n)² + 2vL/n), b = range, v = variance';
        const value = bounds.bernsteinBound(given);
        return answerText({ kind, value, formula, sides: 'two-sided' });
      }
      case 'empirical_bernstein': {
        const value = bounds.empiricalBernsteinBound({ n, delta, variance: field('variance') });
        const formula = '√(2vL/n) + 7L/(3(n − 1)), v = variance';
        return answerText({ kind, value, formula, sides: 'one-sided' });
      }
      case 'subgaussian': {
        const value = bounds.subgaussianBound({ n, delta, sigma: field('sigma') });
        return answerText({ kind, value, formula: 'sigma·√(2L/n)', sides: 'two-sided' });
      }
    }
  },
});
