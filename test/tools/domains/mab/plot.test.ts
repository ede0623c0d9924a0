import { describe, expect, it } from 'vitest';
import {
  type Bandit,
  bernoulliBandit,
  gaussianBandit,
} from '../../../../src/tools/domains/mab/environments.ts';
import { readExperimentInput } from '../../../../src/tools/domains/mab/experiment-input.ts';
import { buildReport } from '../../../../src/tools/domains/mab/report.ts';
import { runExperiment } from '../../../../src/tools/domains/mab/runner.ts';
import { parseXml, textsIn } from './xml.ts';

async function draw(bandit: Bandit, change: { rounds?: number; trials?: number } = {}) {
  const { rounds = 500, trials = 10 } = change;
  const fields =
    bandit.kind === 'bernoulli'
      ? { probs: [...bandit.means] }
      : { means: [...bandit.means], std: bandit.std ?? 1 };
  const given = readExperimentInput({
    algorithm: 'ucb1',
    ...fields,
    n_rounds: rounds,
    n_trials: trials,
    seed: 7,
    form: 'scaled',
  });
  return buildReport(await runExperiment(given.options), given).svg;
}

const pointsOf = (svg: string, className: string) =>
  (new RegExp(`class="${className}" points="([^"]*)"`).exec(svg)?.[1] ?? '')
    .split(' ')
    .map((pair) => pair.split(',').map(Number));

describe('drawRegret', () => {
  const near = bernoulliBandit({ probs: [0.7, 0.4, 0.2] });

  it.each<[string, Bandit, { rounds?: number; trials?: number }]>([
    ['two Bernoulli arms', bernoulliBandit({ probs: [0.7, 0.5] }), {}],
    ['a bound within the plot', near, { rounds: 10_000 }],
    ['one arm', bernoulliBandit({ probs: [0.5] }), {}],
    ['one trial', bernoulliBandit({ probs: [0.7, 0.5] }), { trials: 1 }],
    ['one round', bernoulliBandit({ probs: [0.7, 0.5] }), { rounds: 1 }],
    ['many arms', gaussianBandit({ means: Array.from({ length: 100 }, (_, i) => -i / 7) }), {}],
    ['sure arms', bernoulliBandit({ probs: [1, 0] }), {}],
    ['large and tiny numbers', gaussianBandit({ means: [1e8, 1e-8], std: 1e7 }), {}],
  ])('is well-formed XML with finite numbers for %s', async (_, bandit, change) => {
    const svg = await draw(bandit, change);
    const names = parseXml(svg);
    expect(names[0]).toBe('svg');
    for (const name of ['title', 'desc', 'polygon', 'polyline', 'text']) {
      expect(names).toContain(name);
    }
    expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
    expect(svg.length).toBeLessThan(20_000);
  });

  it('labels both axes, and says what each line is and where the bounds end', async () => {
    const texts = textsIn(await draw(bernoulliBandit({ probs: [0.7, 0.5] })));
    expect(texts).toEqual(
      expect.arrayContaining([
        'UCB1 on 2 Bernoulli arms',
        'means 0.7, 0.5; 500 rounds, seed 7',
        'round t',
        'pseudo-regret',
        'mean of 10 trials, 95 % interval',
        'UCB1 finite-time bound (249.4 at T, above the plot)',
        'Lai–Robbins, asymptotic (14.26 at T)',
        '0',
        '500',
      ]),
    );
  });

  it('draws the mean from the origin to the last round, within its interval', async () => {
    const svg = await draw(bernoulliBandit({ probs: [0.7, 0.5] }));
    const mean = pointsOf(svg, 'mean');
    const band = pointsOf(svg, 'band');
    // A hundred points, the origin, and an eighth of the rounds, from which the slope is read.
    expect(mean).toHaveLength(102);
    expect(band).toHaveLength(203);
    for (const [index, [x, y = 0]] of mean.entries()) {
      if (index === 0) continue;
      const [upperX, upperY = 0] = band[index] ?? [];
      const [lowerX, lowerY = 0] = band[203 - index] ?? [];
      expect([upperX, lowerX]).toEqual([x, x]);
      // y grows downwards.
      expect(upperY).toBeLessThanOrEqual(y);
      expect(lowerY).toBeGreaterThanOrEqual(y);
    }
  });

  it('draws a bound that fits, and does not press the curve flat under one that does not', async () => {
    const far = await draw(bernoulliBandit({ probs: [0.7, 0.5] }));
    const top = Math.min(...pointsOf(far, 'mean').map(([, y = 0]) => y));
    // The curve reaches the upper third of the plot, whatever the bound.
    expect(top).toBeLessThan(118 + (460 - 118 - 56) / 3);
    expect(far).toContain('above the plot');
    expect(await draw(near, { rounds: 10_000 })).not.toContain('above the plot');
  });

  it('has colours for light paper in attributes and others where the page is dark', async () => {
    const svg = await draw(bernoulliBandit({ probs: [0.7, 0.5] }));
    const dark = /@media \(prefers-color-scheme: dark\) \{([\s\S]*?)<\/style>/.exec(svg)?.[1] ?? '';
    const paperOf = { light: '#ffffff', dark: '#14171a' };
    for (const name of ['ink', 'faint', 'axis', 'mean', 'upper', 'lower']) {
      const light = new RegExp(`class="${name}"[^>]*?(?:fill|stroke)="(#[0-9a-f]{6})"`).exec(svg);
      const night = new RegExp(`\\.${name} \\{ (?:fill|stroke): (#[0-9a-f]{6})`).exec(dark);
      // WCAG: 4.5 for text, 3 for what is drawn.
      const least = ['ink', 'faint'].includes(name) ? 4.5 : 3;
      expect(contrast(light?.[1] ?? '', paperOf.light), `${name}, light`).toBeGreaterThan(least);
      expect(contrast(night?.[1] ?? '', paperOf.dark), `${name}, dark`).toBeGreaterThan(least);
    }
    expect(svg).toContain('fill="#ffffff"');
    expect(dark).toContain('.paper { fill: #14171a }');
  });

  it('holds nothing that runs or loads', async () => {
    const svg = await draw(bernoulliBandit({ probs: [0.7, 0.5] }));
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href=|\son\w+=|url\((?!#plot\))/i);
  });
});

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = (colour.match(/[0-9a-f]{2}/g) ?? []).map((hex) => {
    const part = Number.parseInt(hex, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
