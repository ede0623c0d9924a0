/** Multi-armed bandits: simulation, concentration bounds, information bounds. */
import type { Domain } from '../domain.ts';
import { concentrationBound } from './concentration-bound.ts';
import { informationBound } from './information-bound.ts';
import { runBanditExperiment } from './run-bandit-experiment.ts';

export const mab: Domain = {
  name: 'mab',
  displayName: 'Multi-armed bandits',
  description:
    'Stochastic bandits: simulation of UCB1, KL-UCB and Thompson sampling, regret bounds, concentration and information inequalities.',
  keywords: [
    'multi-armed bandit',
    'multi-armed bandits',
    'multiarmed bandit',
    'multiarmed bandits',
    'armed bandit',
    'armed bandits',
    'stochastic bandit',
    'stochastic bandits',
    'bernoulli bandit',
    'bernoulli bandits',
    'gaussian bandit',
    'gaussian bandits',
    'bandit algorithm',
    'bandit algorithms',
    'bandit problem',
    'bandit simulation',
    'bernoulli arms',
    'gaussian arms',
    'UCB algorithm',
    'UCB index',
    'UCB policy',
    'UCB1',
    'KL-UCB',
    'upper confidence bound',
    'Thompson sampling',
    'cumulative regret',
    'pseudo-regret',
    'regret bound',
    'regret bounds',
    'regret curve',
    'Lai-Robbins',
    'Hoeffding',
    "Hoeffding's",
    "Bernstein's inequality",
    'Bernstein inequality',
    'Bernstein bound',
    'empirical Bernstein',
    'sub-Gaussian',
    'subgaussian',
    "Fano's inequality",
    'Fano inequality',
    'Fano bound',
    'KL divergence',
    'Kullback-Leibler',
    '多臂老虎机',
    '多臂赌博机',
    '赌博机算法',
    '伯努利臂',
    '高斯臂',
    '置信上界',
    '汤普森采样',
    '汤普森抽样',
    '累积遗憾',
    '累计遗憾',
    '遗憾界',
    '遗憾上界',
    '遗憾下界',
    '霍夫丁不等式',
    '伯恩斯坦不等式',
    '法诺不等式',
    'KL散度',
  ],
  tools: [runBanditExperiment, concentrationBound, informationBound],
  workflowHint: {
    en: `This task is about multi-armed bandits.
- run_bandit_experiment simulates: fix a seed, repeat over trials, and give the mean regret with its 95 % interval. It draws the curve itself and keeps it as a file; name that file in the explanation.
- Regret here is pseudo-regret. A Lai–Robbins value is asymptotic: measured regret may be below it at any finite horizon, and that is no error. UCB1's bound is far above what is measured, and that is none either.
- A log-log slope near 0 means logarithmic regret, 0.5 means √T, 1 means no learning.
- concentration_bound gives Hoeffding, Bernstein, empirical Bernstein and sub-Gaussian radii.
- information_bound gives KL divergences, Fano, Lai–Robbins, the UCB1 bound and the parts of a regret, in nats.`,
    zh: `本题属于多臂老虎机。
- run_bandit_experiment 做模拟：固定种子，多次试验，给出平均遗憾及其 95% 置信区间。它会自行画出遗憾曲线并存为文件，请在说明中给出文件名。
- 这里的遗憾是伪遗憾。Lai–Robbins 值是渐近的：在有限步数下测得的遗憾可以低于它，这不是错误；UCB1 的上界远高于实测值，这也不是错误。
- 双对数斜率接近 0 表示对数增长，0.5 表示 √T，1 表示没有学到东西。
- concentration_bound 给出 Hoeffding、Bernstein、经验 Bernstein 和次高斯界。
- information_bound 给出 KL 散度、Fano、Lai–Robbins、UCB1 上界和遗憾分解，单位为 nat。`,
  },
  benchmarkProblems: [
    {
      level: 1,
      question: 'What is the KL divergence in nats from Bernoulli(0.3) to Bernoulli(0.5)?',
      answer: '0.0822828785050518',
    },
    {
      level: 2,
      question:
        'What is the Lai–Robbins lower bound on regret for Bernoulli arms 0.7, 0.4 and 0.2 at T = 10000?',
      answer: '23.0101350',
    },
    {
      level: 3,
      question:
        'What does the finite-time bound of UCB1 say for three arms with rewards in [0, 1] and gaps 0.3 and 0.5 at T = 10000?',
      answer: '396.406417',
    },
  ],
};
