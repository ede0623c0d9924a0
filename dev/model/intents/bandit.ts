/** A bandit simulation in words. The tool computes; the answer is the figure it gives back. */
import type { Conversation } from '../conversation.ts';
import { failedCall, type Intent, type Move, say, withoutTool } from '../intent.ts';

const TOOL = 'run_bandit_experiment';

const ALGORITHMS: [RegExp, string][] = [
  [/\bkl[- ]?ucb\b/i, 'kl_ucb'],
  [/\bucb1?\b/i, 'ucb1'],
  [/\bthompson\b|汤普森/i, 'thompson_sampling'],
];
const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)`;
/** `arms 0.7 and 0.5`, `arms with means 0, -0.5, -1`, `臂 0.7 和 0.5`. */
const ARMS = new RegExp(
  String.raw`(?:\barms?|臂)[^\d.+-]{0,40}?(${NUMBER}(?:\s*(?:,|，|、|and|和|及|,\s*and)\s*${NUMBER})*)`,
  'i',
);
const COUNTED_ARMS =
  /(\d+)\s*(?:-armed|(?:bernoulli|gaussian|normal)?\s*arms?\b|个?(?:伯努利|高斯)?臂)/i;

/** The fields of the call, or null when the question is not of this kind. */
export function experimentIn(question: string): Record<string, unknown> | null {
  const text = question.normalize('NFKC').replace(/(?<=\d),(?=\d{3}\b)/g, '');
  const algorithm = ALGORITHMS.find(([pattern]) => pattern.test(text))?.[1];
  const bernoulli = /\bbernoulli\b|伯努利/i.test(text);
  const gaussian = /\b(?:gaussian|normal)\b|高斯|正态/i.test(text);
  if (algorithm === undefined || bernoulli === gaussian) return null;
  const counted = COUNTED_ARMS.exec(text)?.[1];
  const listed = ARMS.exec(text)?.[1]?.match(new RegExp(NUMBER, 'g'))?.map(Number);
  if (listed === undefined && counted === undefined) return null;
  const found = {
    n_rounds: numberBy(text, /(\d+)\s*(?:rounds?|steps?|pulls?|轮|步)/i),
    n_trials: numberBy(text, /(\d+)\s*(?:trials?|runs?|repetitions?|seeds?\b|次)/i),
    seed: numberBy(text, /(?:\bseed|种子)\D{0,6}(\d+)/i),
    std: gaussian
      ? numberBy(text, /(?:std|sigma|σ|standard deviation|标准差)\D{0,6}([\d.]+)/i)
      : null,
  };
  return {
    algorithm,
    distribution: bernoulli ? 'bernoulli' : 'gaussian',
    ...(listed === undefined
      ? { n_arms: Number(counted) }
      : { [bernoulli ? 'probs' : 'means']: listed }),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)),
  };
}

function numberBy(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

interface Told {
  mean_regret: number;
  standard_error: number | null;
  n_rounds: number;
  n_trials: number;
  plot?: string;
  notes?: string[];
}

export const bandit: Intent = {
  name: TOOL,
  example:
    'Simulate UCB1 on Bernoulli arms 0.7 and 0.5 for 2000 rounds, 50 trials, seed 7, and tell me the mean regret.',
  next(conversation) {
    const input = experimentIn(conversation.question);
    if (input === null) return null;
    const call = conversation.calls.findLast(({ name }) => name === TOOL);
    if (call === undefined) {
      if (conversation.tool(TOOL) === null) return withoutTool(conversation, TOOL);
      return { kind: 'call', text: '', calls: [{ name: TOOL, input }] };
    }
    return call.isError ? failedCall(conversation, call) : told(conversation, call.text);
  },
};

function told(conversation: Conversation, text: string): Move {
  // A note of dispatch may follow the JSON on a line of its own.
  const result = JSON.parse(text.split('\n')[0] ?? '') as Told;
  const error = result.standard_error === null ? '' : ` ± ${result.standard_error}`;
  const plot = result.plot ?? null;
  const notes = (result.notes ?? []).map((note) => ` ${note}`).join('');
  return {
    kind: 'answer',
    explanation: say(conversation, {
      en: `The simulation of ${result.n_trials} trials of ${result.n_rounds} rounds gave a mean regret of ${result.mean_regret}${error} (standard error).${plot === null ? '' : ` The regret curve is in ${plot}.`}${notes}`,
      zh: `模拟 ${result.n_trials} 次、每次 ${result.n_rounds} 轮，平均遗憾为 ${result.mean_regret}${error}（标准误）。${plot === null ? '' : `遗憾曲线见 ${plot}。`}${notes}`,
    }),
    answer: String(result.mean_regret),
  };
}
