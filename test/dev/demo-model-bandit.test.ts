import { describe, expect, it } from 'vitest';
import { bandit, experimentIn } from '../../dev/model/intents/bandit.ts';
import { replyTo } from '../../dev/model/reply.ts';
import { runBanditExperiment } from '../../src/tools/domains/mab/run-bandit-experiment.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';

const REQUEST = {
  model: 'm',
  max_tokens: 1_000,
  tools: [
    {
      name: runBanditExperiment.name,
      description: runBanditExperiment.description,
      input_schema: runBanditExperiment.inputSchema as { type: 'object' },
    },
  ],
};

/** The demo model's last words after its call came back with this result. */
async function answerTo(question: string, result: { text: string; isError?: boolean } | null) {
  const first = replyTo({ ...REQUEST, messages: [{ role: 'user', content: question }] });
  const call = first.content.find((block) => block.type === 'tool_use');
  if (call?.type !== 'tool_use' || result === null) return { first, call, text: '' };
  const last = replyTo({
    ...REQUEST,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: call.id,
            content: result.text,
            is_error: result.isError === true,
          },
        ],
      },
    ],
  });
  const text = last.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { first, call, text };
}

describe('experimentIn', () => {
  it.each([
    [
      bandit.example,
      {
        algorithm: 'ucb1',
        distribution: 'bernoulli',
        probs: [0.7, 0.5],
        n_rounds: 2000,
        n_trials: 50,
        seed: 7,
      },
    ],
    [
      '用 UCB1 在伯努利臂 0.7 和 0.5 上模拟 2000 轮，50 次试验，种子 7，平均遗憾是多少？',
      {
        algorithm: 'ucb1',
        distribution: 'bernoulli',
        probs: [0.7, 0.5],
        n_rounds: 2000,
        n_trials: 50,
        seed: 7,
      },
    ],
    [
      'Run Thompson sampling on Gaussian arms with means 0, -0.5 and -1, std 2, for 10,000 steps.',
      {
        algorithm: 'thompson_sampling',
        distribution: 'gaussian',
        means: [0, -0.5, -1],
        n_rounds: 10000,
        std: 2,
      },
    ],
    [
      'What is the mean regret of KL-UCB on 5 Bernoulli arms?',
      { algorithm: 'kl_ucb', distribution: 'bernoulli', n_arms: 5 },
    ],
  ])('reads %j', (question, expected) => {
    expect(experimentIn(question)).toEqual(expected);
  });

  it.each([
    'What is the total of the amount column?',
    'What is UCB1?',
    'Simulate UCB1 for 100 rounds.',
    'Simulate UCB1 on Bernoulli and Gaussian arms 0.7 and 0.5.',
    'Which arms did Bernoulli have?',
  ])('leaves %j to others', (question) => {
    expect(experimentIn(question)).toBe(null);
  });
});

describe('the demo model asked for a bandit', () => {
  it('answers with the figure of the tool, and names the plot', async () => {
    const { call } = await answerTo(bandit.example, null);
    if (call?.type !== 'tool_use') throw new Error('a call was expected');
    const { context } = await createToolContext();
    const text = await runTool(runBanditExperiment, call.input, context);
    const answer = await answerTo(bandit.example, { text });
    expect(answer.text).toMatch(/regret-ucb1-bernoulli\.svg\.\n\nFINAL ANSWER: 34\.764$/);
    expect(text).toContain('"mean_regret":34.764');
  });

  it('passes on what the tool said about its figures', async () => {
    const told = { mean_regret: 3, standard_error: null, n_rounds: 9, n_trials: 1 };
    const result = { ...told, notes: ['Only 1 of 2 trials were done.'] };
    const { text } = await answerTo(bandit.example, { text: JSON.stringify(result) });
    expect(text).toMatch(
      /gave a mean regret of 3 .* Only 1 of 2 trials were done\.\n\nFINAL ANSWER: 3$/,
    );
  });

  it('says why there is none when the call failed', async () => {
    const failed = { text: 'probs[0]: must be a number.', isError: true };
    const { text } = await answerTo(bandit.example, failed);
    expect(text).toMatch(/NO ANSWER: .*probs\[0\]: must be a number/);
  });
});
