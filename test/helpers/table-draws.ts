/**
 * Random tables and questions about them, with the expected answer worked out in whole numbers from
 * the drawn rows: nothing here parses CSV or divides floating-point numbers.
 */

export interface Draw {
  question: string;
  files: { path: string; bytes: Uint8Array }[];
  expected: string;
}

/** mulberry32: small, seeded, the same on every machine. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    int,
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T,
  };
}

type Random = ReturnType<typeof createRandom>;

const COLUMNS = [
  'amount',
  'Amount',
  'Unit Price',
  'total count',
  'count',
  'total',
  'sum of units',
  'mean',
  'price (EUR)',
  'item_count',
  '2024',
  'per unit cost',
  'number of items',
  'average,rating',
  'max;min',
  'net "value"',
  "customer's share",
  'x',
  'Δv',
  'max-speed',
  'how many',
  'distinct|unique',
  'file',
  'rows',
  'value where sold',
  'The Amount',
  'amount of the median',
  'largest',
  'Größe',
  '金额',
  '销售额（元）',
  '总数',
  '平均 单价',
  '数量',
  '最大值',
];
const GROUPS = ['region', 'Product Type', 'per_team', '地区', 'category (A, B)'];
const GROUP_VALUES = [
  'North',
  'South',
  'North East',
  'A, B & C',
  'O"Neil',
  '华北',
  'São Paulo',
  'x;y|z',
  "d'or",
];
const FILLERS = [
  'id',
  'date',
  'note',
  'amount due',
  'total price',
  '备注',
  'counted by',
  'is it',
  'column',
];
const FILLER_VALUES = [
  '',
  'plain',
  'with, comma',
  'semi;colon',
  'say "hi"',
  'two\nlines',
  'tab\there',
  'pipe|d',
  '12,5',
  '中文，逗号',
  '  spaced  ',
];
const MISSING = ['', 'n/a', 'N/A', '-', 'NaN', 'null'];

type Verb = 'sum' | 'mean' | 'median' | 'count' | 'min' | 'max' | 'distinct';

const ENGLISH: Record<Verb, string[]> = {
  sum: [
    'What is the total of the # column?',
    'What is the sum of the # column?',
    'Please add up the # column.',
    'Total of the column #?',
  ],
  mean: [
    'What is the mean of the # column?',
    'What is the average of the # column?',
    'What is the average value in the "#" column?',
  ],
  median: ['What is the median of the # column?'],
  count: ['What is the count of the # column?', 'How many values are in the # column?'],
  min: [
    'What is the minimum of the # column?',
    'What is the smallest value in the # column?',
    'Give me the min of "#"',
  ],
  max: [
    'What is the maximum of the # column?',
    'What is the largest value of the # column?',
    'Highest value in the # column?',
  ],
  distinct: [
    'How many distinct values are in the # column?',
    'What is the number of unique values in the # column?',
  ],
};
const CHINESE: Record<Verb, string[]> = {
  sum: ['#列的总和是多少？', '请计算#这一列的合计', '#列求和'],
  mean: ['#列的平均值是多少？', '#列的平均数是多少'],
  median: ['#列的中位数是多少？'],
  count: ['#列有多少个值？'],
  min: ['#列的最小值是多少？'],
  max: ['#列的最大值是多少？'],
  distinct: ['#列有多少个不同的值？'],
};

interface Row {
  /** In units of 10^-scale; null is a missing cell. */
  value: bigint | null;
  text: string;
  group: string;
  fillers: string[];
}

/** `units` × 10^-scale as plain decimal text without trailing zeros. */
export function decimal(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const rest = digits.slice(digits.length - scale).replace(/0+$/, '');
  const text = rest === '' ? whole : `${whole}.${rest}`;
  return units < 0n && text !== '0' ? `-${text}` : text;
}

/** a/b: exact when that takes at most 12 decimals, else to 10 decimals, half to even. */
export function quotient(numerator: bigint, denominator: bigint): string {
  const scaled = numerator * 10n ** 12n;
  if (scaled % denominator === 0n) return decimal(scaled / denominator, 12);
  const wide = numerator * 10n ** 10n;
  const size = wide < 0n ? -wide : wide;
  const floor = size / denominator;
  const rest = 2n * (size % denominator);
  const up = rest > denominator || (rest === denominator && floor % 2n === 1n);
  const rounded = floor + (up ? 1n : 0n);
  return decimal(wide < 0n ? -rounded : rounded, 10);
}

interface Style {
  scale: number;
  decimalMark: '.' | ',';
  thousands: '' | ',' | '.' | ' ';
  currency: '' | '$' | '€';
}

function writeNumber(units: bigint, style: Style): string {
  const digits = (units < 0n ? -units : units).toString().padStart(style.scale + 1, '0');
  const whole = digits.slice(0, digits.length - style.scale);
  const grouped =
    style.thousands === '' ? whole : whole.replace(/\B(?=(\d{3})+$)/g, style.thousands);
  const rest =
    style.scale === 0 ? '' : `${style.decimalMark}${digits.slice(digits.length - style.scale)}`;
  return `${units < 0n ? '-' : ''}${style.currency}${grouped}${rest}`;
}

function drawStyle(random: Random, delimiter: string): Style {
  const scale = random.pick([0, 1, 2, 2, 4]);
  // Three decimals after a comma would be read in two ways; no such column is drawn.
  const european = delimiter === ';' && scale > 0 && random.chance(0.6);
  const thousands = random.chance(0.25) ? (european ? '.' : random.pick([',', ' '] as const)) : '';
  return {
    scale,
    decimalMark: european ? ',' : '.',
    // Whole numbers with commas in a semicolon file would be decimals to a reader.
    thousands: delimiter === ';' && !european && thousands === ',' ? '' : thousands,
    currency: random.chance(0.1) ? random.pick(['$', '€'] as const) : '',
  };
}

function quote(cell: string, delimiter: string, always: boolean): string {
  const must = cell.includes(delimiter) || /["\n\r]/.test(cell) || /^\s|\s$/.test(cell);
  return must || always ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Expected value of one verb over present values, all in 10^-scale units. */
function evaluate(verb: Verb, present: { value: bigint; text: string }[], scale: number): string {
  const sorted = present.map((one) => one.value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const total = sorted.reduce((sum, value) => sum + value, 0n);
  const unit = 10n ** BigInt(scale);
  const middle = Math.floor(sorted.length / 2);
  const at = (index: number) => sorted[index] as bigint;
  switch (verb) {
    case 'sum':
      return decimal(total, scale);
    case 'mean':
      return quotient(total, unit * BigInt(sorted.length));
    case 'median':
      return sorted.length % 2 === 1
        ? decimal(at(middle), scale)
        : quotient(at(middle - 1) + at(middle), 2n * unit);
    case 'count':
      return String(sorted.length);
    case 'min':
      return decimal(at(0), scale);
    case 'max':
      return decimal(at(sorted.length - 1), scale);
    case 'distinct':
      return String(new Set(present.map((one) => one.text)).size);
  }
}

function drawRows(random: Random, shape: { rows: number; style: Style; fillers: number }): Row[] {
  const big = random.chance(0.1) ? 10 ** 12 : 10 ** random.int(1, 6);
  return Array.from({ length: shape.rows }, (_, index) => {
    const isMissing = index > 0 && random.chance(0.05);
    const value = BigInt(random.int(random.chance(0.3) ? -big : 0, big));
    return {
      value: isMissing ? null : value,
      text: isMissing ? random.pick(MISSING) : writeNumber(value, shape.style),
      group: random.pick(GROUP_VALUES),
      fillers: Array.from({ length: shape.fillers }, () => random.pick(FILLER_VALUES)),
    };
  });
}

/** One draw: a question, one or two files, the expected bare answer. */
export function drawTable(seed: number): Draw {
  const random = createRandom(seed);
  const column = random.pick(COLUMNS);
  const isPlain = /^[\p{L}\p{N}_ ().-]+$/u.test(column);
  const group = random.pick(GROUPS);
  const fillers = FILLERS.filter(
    (name) => name.toLowerCase() !== column.toLowerCase() && random.chance(0.35),
  );
  const delimiter = random.pick([',', ',', ';', '\t', '|']);
  const style = drawStyle(random, delimiter);
  const rowsOf = () => (random.chance(0.04) ? random.int(2_000, 10_000) : random.int(10, 200));
  const order = random.int(0, 5);

  function encode(rows: Row[]): Uint8Array {
    const always = random.chance(0.3);
    const end = random.pick(['\n', '\r\n']);
    const place = <T>(value: T, other: T, rest: T[]): T[] => {
      const line = [...rest];
      line.splice(order % (line.length + 1), 0, value);
      line.splice((order * 7) % (line.length + 1), 0, other);
      return line;
    };
    const lines = [
      place(column, group, fillers),
      ...rows.map((row) => place(row.text, row.group, row.fillers)),
    ];
    const text = lines
      .map((line) => line.map((cell) => quote(cell, delimiter, always)).join(delimiter))
      .join(end);
    const mark = random.chance(0.3) ? '\ufeff' : '';
    return new TextEncoder().encode(mark + text + (random.chance(0.8) ? end : ''));
  }

  const tables = Array.from({ length: random.chance(0.25) ? 2 : 1 }, () =>
    drawRows(random, { rows: rowsOf(), style, fillers: fillers.length }),
  );
  const names = random.pick([
    ['sales.csv', 'more sales.csv'],
    ['data/2024.txt', 'data/2023.txt'],
    ['销售.csv', '明细.csv'],
    ['table.tsv', 'count.csv'],
  ]);
  const files = tables.map((rows, index) => ({
    path: names[index] as string,
    bytes: encode(rows),
  }));

  const isChinese = /\p{Script=Han}/u.test(column) ? random.chance(0.8) : random.chance(0.15);
  const verb = random.pick([
    'sum',
    'sum',
    'mean',
    'median',
    'count',
    'min',
    'max',
    'distinct',
  ] as const);
  const template = random.pick((isChinese ? CHINESE : ENGLISH)[verb]);
  const needsQuotes =
    !isPlain && random.chance(0.5) && !column.includes('"') && !template.includes('"');
  let question = template.replace('#', needsQuotes ? `"${column}"` : column);
  let rows = tables.flat();

  if (files.length === 2 && random.chance(0.4)) {
    rows = tables[1] as Row[];
    const named = names[1] as string;
    question = isChinese ? `在${named}中，${question}` : `In ${named}: ${question}`;
  }
  const twist =
    random.chance(0.3) && group !== column ? random.pick(['group', 'where'] as const) : null;
  if (twist === 'where') {
    const [{ group: wanted }] = rows as [Row];
    rows = rows.filter((row) => row.group === wanted);
    const clause = isChinese ? `${group}为${wanted}的` : ` where ${group} is ${wanted}`;
    question = isChinese ? `${clause}${question}` : question.replace(/[?.]?$/, `${clause}?`);
  }
  const present = (some: Row[]) =>
    some.flatMap((row) =>
      row.value === null ? [] : [{ value: row.value, text: row.text.trim() }],
    );
  if (twist === 'group') {
    question = isChinese ? `按${group}，${question}` : question.replace(/[?.]?$/, ` per ${group}?`);
    const byGroup = new Map<string, Row[]>();
    for (const row of rows) byGroup.set(row.group, [...(byGroup.get(row.group) ?? []), row]);
    const parts = [...byGroup]
      .filter(([, some]) => present(some).length > 0)
      .sort(([a], [b]) => (Buffer.from(a).compare(Buffer.from(b)) < 0 ? -1 : 1))
      .map(([name, some]) => `${name}: ${evaluate(verb, present(some), style.scale)}`);
    return { question, files, expected: parts.join(', ') };
  }
  return { question, files, expected: evaluate(verb, present(rows), style.scale) };
}
