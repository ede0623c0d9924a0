/** information_bound: divergences, Fano, and what theory says about regret, one call a quantity. */
import { z } from 'zod';
import { defineTool } from '../../define.ts';
import { answerText, need } from './bound-answer.ts';

const KINDS = [
  'kl_bernoulli',
  'kl_gaussian',
  'fano',
  'lai_robbins',
  'ucb1_upper_bound',
  'regret_decomposition',
] as const;

const numbers = z.array(z.number());

export const informationBound = defineTool({
  name: 'information_bound',
  description:
    'Information quantities in nats and regret theory. kl_bernoulli: KL(p‖q). kl_gaussian: KL(N(mu1,sigma1²)‖N(mu2,sigma2²)). ' +
    'fano: smallest error probability among hypotheses given information_nats. lai_robbins: asymptotic lower bound Σ Δᵢ ln T/KLᵢ from gaps and kls (KL of each arm to the best one), ' +
    'or from probs (Bernoulli) or means with sigma1 (Gaussian). ucb1_upper_bound: Σ 32σ² ln T/Δᵢ + (1+π²/3) Σ Δᵢ from gaps, sigma ½ by default = 8 ln T/Δᵢ for rewards in [0,1]. ' +
    'regret_decomposition: Σ Δᵢ·nᵢ from gaps and pulls, arm by arm.',
  fieldAliases: {
    quantity: 'kind',
    type: 'kind',
    T: 'horizon',
    informationNats: 'information_nats',
  },
  input: z.object({
    kind: z.enum(KINDS).describe('Which quantity'),
    p: z.number().optional().describe('kl_bernoulli: from this probability'),
    q: z.number().optional().describe('kl_bernoulli: to this one'),
    mu1: z.number().optional().describe('kl_gaussian'),
    mu2: z.number().optional().describe('kl_gaussian'),
    sigma1: z
      .number()
      .optional()
      .describe('kl_gaussian, and lai_robbins with means; 1 if left out'),
    sigma2: z.number().optional().describe('kl_gaussian; sigma1 if left out'),
    hypotheses: z.number().optional().describe('fano: how many'),
    information_nats: z.number().optional().describe('fano: mutual information at most this'),
    gaps: numbers.optional().describe('Distance of each arm’s mean to the best; 0 for the best'),
    kls: numbers.optional().describe('lai_robbins: KL from each arm to the best, as long as gaps'),
    probs: numbers.optional().describe('lai_robbins: Bernoulli arms, instead of gaps and kls'),
    means: numbers.optional().describe('lai_robbins: Gaussian arms, instead of gaps and kls'),
    pulls: numbers.optional().describe('regret_decomposition: pulls of each arm'),
    horizon: z.number().optional().describe('lai_robbins, ucb1_upper_bound: T'),
    sigma: z.number().optional().describe('ucb1_upper_bound: of the rewards; ½ if left out'),
  }),
  async run(input) {
    const { kind } = input;
    const number = (name: NumberField) => need(input[name], { name, kind });
    const list = (name: 'gaps' | 'kls' | 'pulls') => need(input[name], { name, kind });
    const information = await import('./information.ts');
    const regret = await import('./regret.ts');
    switch (kind) {
      case 'kl_bernoulli': {
        const value = information.klBernoulli({ p: number('p'), q: number('q') });
        return answerText({ kind, value, unit: 'nats' });
      }
      case 'kl_gaussian': {
        const { sigma1 = 1, sigma2 } = input;
        const given = { mu1: number('mu1'), mu2: number('mu2'), sigma1, sigma2 };
        return answerText({ kind, value: information.klGaussian(given), unit: 'nats' });
      }
      case 'fano': {
        const informationNats = number('information_nats');
        const given = { hypotheses: number('hypotheses'), informationNats };
        const value = information.fanoLowerBound(given);
        return answerText({ kind, value, unit: 'probability of error, at least' });
      }
      case 'lai_robbins': {
        const { gaps, kls } = await gapsAndKls(input, list);
        const value = regret.laiRobbinsLowerBound({ gaps, kls, horizon: number('horizon') });
        const note =
          'Asymptotic: regret at a finite horizon may be below it. Never a test that a run passes or fails.';
        return answerText({ kind, value, gaps, kls, note });
      }
      case 'ucb1_upper_bound': {
        const given = { gaps: list('gaps'), horizon: number('horizon'), sigma: input.sigma };
        const note = 'Holds at every horizon for the expected regret of UCB1 scaled to sigma.';
        return answerText({ kind, value: regret.ucb1UpperBound(given), note });
      }
      case 'regret_decomposition': {
        const parts = regret.decomposeRegret({ gaps: list('gaps'), pulls: list('pulls') });
        return answerText({ kind, value: parts.total, arms: parts.arms });
      }
    }
  },
});

type NumberField = 'p' | 'q' | 'mu1' | 'mu2' | 'hypotheses' | 'information_nats' | 'horizon';

async function gapsAndKls(
  { probs, means, sigma1 = 1 }: { probs?: number[]; means?: number[]; sigma1?: number },
  list: (name: 'gaps' | 'kls') => number[],
) {
  if (!probs && !means) return { gaps: list('gaps'), kls: list('kls') };
  const { bernoulliBandit, gaussianBandit } = await import('./environments.ts');
  const { klsToBest } = await import('./regret.ts');
  const bandit = probs
    ? bernoulliBandit({ probs })
    : gaussianBandit({ means: means ?? [], std: sigma1 });
  return { gaps: bandit.gaps, kls: klsToBest(bandit) };
}
