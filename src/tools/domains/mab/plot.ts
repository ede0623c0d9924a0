/**
 * The regret curve as an SVG picture: mean, 95 % interval, and the two bounds of theory. Colours
 * stand in attributes, for light paper; a style sheet changes them where the reader's page is dark.
 * Pure: the same experiment gives the same bytes.
 */
import type { Experiment } from './runner.ts';

const WIDTH = 720;
const HEIGHT = 460;
const LEFT = 72;
const RIGHT = 32;
const TOP = 118;
const BOTTOM = 56;
const TICKS = 5;
const LINE_POINTS = 120;
/**
 * A bound higher than this many times the curve would press it flat: then it leaves the plot at
 * the top, and the legend says where it ends. UCB1's is 4 times the curve at best.
 */
const MAX_STRETCH = 6;
/** Room above the highest line. */
const HEADROOM = 1.05;

const DARK = `@media (prefers-color-scheme: dark) {
  .paper { fill: #14171a } .ink { fill: #e8eaed } .faint { fill: #b4bac1 }
  .grid { stroke: #343a41 } .axis { stroke: #8a929b }
  .mean { stroke: #7fb2ff } .band { fill: #7fb2ff } .upper { stroke: #ffb066 } .lower { stroke: #6fd6a0 }
}`;

export interface TheoryLines {
  ucb1(horizon: number): number;
  laiRobbins(horizon: number): number;
  /** False when the bound is another algorithm's. */
  ucb1Holds: boolean;
}

interface Scale {
  x(round: number): string;
  y(regret: number): string;
  rounds: number;
  top: number;
}

export function drawRegret(experiment: Experiment, theory: TheoryLines): string {
  const { rounds, curve, trials, regret } = experiment;
  const highest = Math.max(...curve.map(({ mean, interval95 }) => interval95?.[1] ?? mean));
  const shown = [theory.ucb1(rounds), theory.laiRobbins(rounds)].filter(
    (value) => value <= highest * MAX_STRETCH,
  );
  const yTicks = ticksUpTo(Math.max(highest, ...shown) * HEADROOM || 1);
  const scale = createScale(rounds, yTicks.at(-1) ?? 1);
  const title = titleOf(experiment);
  const described = `Mean regret ${short(regret.mean)} after ${short(rounds)} rounds.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title desc" font-family="system-ui, 'DejaVu Sans', Arial, sans-serif">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(described)}</desc>`,
    `<style>${DARK}</style>`,
    `<clipPath id="plot"><rect x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}"/></clipPath>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(title, { x: LEFT, y: 30, size: 16, weight: 600 }),
    text(subtitleOf(experiment), { x: LEFT, y: 50, size: 12, faint: true }),
    ...axes(scale, yTicks),
    ...curves(experiment, { scale, theory }),
    ...legend(theory, { scale, trials }),
    '</svg>',
    '',
  ].join('\n');
}

function createScale(rounds: number, top: number): Scale {
  const width = WIDTH - LEFT - RIGHT;
  const height = HEIGHT - TOP - BOTTOM;
  return {
    x: (round) => (LEFT + (width * round) / rounds).toFixed(1),
    // A line far above the plot is cut off by the clip path; its coordinates need not be exact.
    y: (regret) => (TOP + height * (1 - Math.min(regret, top * 10) / top)).toFixed(1),
    rounds,
    top,
  };
}

function axes(scale: Scale, yTicks: number[]): string[] {
  const { x, y, rounds, top } = scale;
  const xTicks = ticksUpTo(rounds).filter((tick) => tick <= rounds);
  const bottom = HEIGHT - BOTTOM;
  const middle = TOP + (bottom - TOP) / 2;
  return [
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${LEFT}" y1="${y(tick)}" x2="${WIDTH - RIGHT}" y2="${y(tick)}" stroke="#dfe3e8"/>`,
      text(short(tick), { x: LEFT - 8, y: Number(y(tick)) + 4, anchor: 'end' }),
    ]),
    ...xTicks.flatMap((tick) => [
      `<line class="axis" x1="${x(tick)}" y1="${bottom}" x2="${x(tick)}" y2="${bottom + 5}" stroke="#6b737c"/>`,
      text(short(tick), { x: Number(x(tick)), y: bottom + 19, anchor: 'middle' }),
    ]),
    `<path class="axis" d="M${LEFT} ${y(top)}V${bottom}H${WIDTH - RIGHT}" fill="none" stroke="#6b737c"/>`,
    text('round t', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, size: 13, anchor: 'middle' }),
    `<g transform="translate(18 ${middle}) rotate(-90)">${text('pseudo-regret', { x: 0, y: 0, size: 13, anchor: 'middle' })}</g>`,
  ];
}

function curves(
  { curve }: Experiment,
  { scale, theory }: { scale: Scale; theory: TheoryLines },
): string[] {
  const { x, y, rounds } = scale;
  const at = (round: number, regret: number) => `${x(round)},${y(regret)}`;
  const sampled = Array.from({ length: LINE_POINTS }, (_, i) =>
    Math.max(1, (rounds * (i + 1)) / LINE_POINTS),
  );
  const line = (values: (round: number) => number) =>
    [1, ...sampled].map((round) => at(round, values(round))).join(' ');
  const upper = curve.map(({ round, mean, interval95 }) => at(round, interval95?.[1] ?? mean));
  // The interval of a mean may reach below 0, regret itself cannot.
  const lower = curve.map(({ round, mean, interval95 }) =>
    at(round, Math.max(0, interval95?.[0] ?? mean)),
  );
  const start = at(0, 0);
  const band = [start, ...upper, ...lower.reverse()].join(' ');
  const means = [start, ...curve.map(({ round, mean }) => at(round, mean))].join(' ');
  return [
    '<g clip-path="url(#plot)" fill="none">',
    `<polygon class="band" points="${band}" fill="#1f5fbf" fill-opacity="0.2"/>`,
    `<polyline class="upper" points="${line(theory.ucb1)}" stroke="#b4540a" stroke-width="2" stroke-dasharray="9 5"/>`,
    `<polyline class="lower" points="${line(theory.laiRobbins)}" stroke="#1b7a45" stroke-width="2" stroke-dasharray="2 4"/>`,
    `<polyline class="mean" points="${means}" stroke="#1f5fbf" stroke-width="2.5"/>`,
    '</g>',
  ];
}

function legend(
  theory: TheoryLines,
  { scale, trials }: { scale: Scale; trials: number },
): string[] {
  const { rounds, top } = scale;
  const bound = theory.ucb1(rounds);
  const limit = theory.laiRobbins(rounds);
  const place = (value: number) =>
    value > top ? `${short(value)} at T, above the plot` : `${short(value)} at T`;
  const sample = (row: number, drawn: string) =>
    `<g transform="translate(${LEFT} ${66 + 15 * row})">${drawn}</g>`;
  const words = (row: number, content: string) => text(content, { x: LEFT + 38, y: 70 + 15 * row });
  const interval = trials > 1 ? `mean of ${short(trials)} trials, 95 % interval` : 'one trial';
  const name = theory.ucb1Holds ? 'UCB1 finite-time bound' : 'UCB1 finite-time bound, to compare';
  return [
    sample(
      0,
      '<rect class="band" y="-5" width="30" height="10" fill="#1f5fbf" fill-opacity="0.2"/><path class="mean" d="M0 0H30" stroke="#1f5fbf" stroke-width="2.5"/>',
    ),
    words(0, interval),
    sample(
      1,
      '<path class="upper" d="M0 0H30" stroke="#b4540a" stroke-width="2" stroke-dasharray="9 5"/>',
    ),
    words(1, `${name} (${place(bound)})`),
    sample(
      2,
      '<path class="lower" d="M0 0H30" stroke="#1b7a45" stroke-width="2" stroke-dasharray="2 4"/>',
    ),
    words(2, `Lai–Robbins, asymptotic (${place(limit)})`),
  ];
}

const NAMES = { ucb1: 'UCB1', kl_ucb: 'KL-UCB', thompson_sampling: 'Thompson sampling' } as const;
const MAX_NAMED_ARMS = 6;

function titleOf({ algorithm, bandit }: Experiment): string {
  const kind = bandit.kind === 'bernoulli' ? 'Bernoulli' : 'Gaussian';
  const count = bandit.means.length;
  return `${NAMES[algorithm]} on ${count} ${kind} ${count === 1 ? 'arm' : 'arms'}`;
}

function subtitleOf({ bandit, rounds, seed, form }: Experiment): string {
  const first = bandit.means.slice(0, MAX_NAMED_ARMS).map(short).join(', ');
  const arms = bandit.means.length > MAX_NAMED_ARMS ? `${first}, …` : first;
  const spread = bandit.std === null ? '' : `, σ = ${short(bandit.std)}, ${form} form`;
  return `means ${arms}${spread}; ${short(rounds)} rounds, seed ${seed}`;
}

/** 0 and multiples of 1, 2 or 5 times a power of ten, the last at or above `most`. */
function ticksUpTo(most: number): number[] {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const short = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en-US') : number.format(value);

interface TextOptions {
  x: number;
  y: number;
  size?: number;
  weight?: number;
  anchor?: 'middle' | 'end';
  faint?: boolean;
}

function text(content: string, options: TextOptions): string {
  const { x, y, size = 12, weight, anchor, faint = false } = options;
  const extra = [
    weight === undefined ? '' : ` font-weight="${weight}"`,
    anchor === undefined ? '' : ` text-anchor="${anchor}"`,
  ].join('');
  const look = faint ? 'class="faint" fill="#4c545c"' : 'class="ink" fill="#1b1f24"';
  return `<text ${look} x="${x}" y="${y}" font-size="${size}"${extra}>${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
