/** What the table program found, in words: at most two sentences, English or Chinese. */
import type { Conversation } from '../conversation.ts';
import { say } from '../intent.ts';

export interface TableResult {
  ok: true;
  answer: string;
  verb: string;
  inner: string | null;
  column: string | null;
  group: string | null;
  picked: boolean;
  files: {
    path: string;
    rows: number;
    kept: number;
    used: number;
    missing: number;
    not_numbers: number;
    example: string | null;
    /** Its last row begins with "Total" and was left out. */
    total_row: boolean;
  }[];
  without: string[];
  where: string[];
}

export interface TableFailure {
  ok: false;
  code: string;
  path?: string;
  words?: string;
  column?: string | null;
  columns?: string[];
  example?: string | null;
  /** Of the columns that bear the same name, from 1. */
  places?: number[];
}

const VERBS: Record<string, { en: string; zh: string }> = {
  sum: { en: 'total', zh: '总和' },
  mean: { en: 'mean', zh: '平均值' },
  median: { en: 'median', zh: '中位数' },
  count: { en: 'count', zh: '计数' },
  min: { en: 'minimum', zh: '最小值' },
  max: { en: 'maximum', zh: '最大值' },
  distinct: { en: 'number of distinct values', zh: '不同值的个数' },
};

function verbIn(conversation: Conversation, verb: string): string {
  const words = VERBS[verb];
  return words === undefined ? verb : say(conversation, words);
}

/** What was computed over what, then what was left out. */
export function explainResult(conversation: Conversation, result: TableResult): string {
  const sum = (pick: (file: TableResult['files'][number]) => number) =>
    result.files.reduce((total, file) => total + pick(file), 0);
  const [rows, missing, odd] = [
    sum((f) => f.kept),
    sum((f) => f.missing),
    sum((f) => f.not_numbers),
  ];
  const paths = result.files.map((file) => file.path);
  const totals = result.files.filter((file) => file.total_row).map((file) => file.path);
  const verb = verbIn(conversation, result.inner ?? result.verb);
  if (conversation.isChinese) {
    const what = result.column === null ? '行数' : `“${result.column}”列的${verb}`;
    const group = result.group === null ? '' : `（按“${result.group}”）`;
    const where = result.where.length === 0 ? '' : `（条件：${result.where.join('，')}）`;
    const left = [
      ...(missing > 0 ? [`${missing} 个空单元格`] : []),
      ...(odd > 0 ? [`${odd} 个非数字单元格`] : []),
      ...(totals.length > 0 ? [`${totals.join('、')} 的合计行`] : []),
      ...(result.without.length > 0 ? [`没有该列的文件 ${result.without.join('、')}`] : []),
    ];
    const skipped = left.length === 0 ? '' : `未计入：${left.join('、')}。`;
    return `我用 Python 在 ${paths.join('、')} 的 ${rows} 行上计算了${what}${group}${where}。${skipped}`;
  }
  const what = result.column === null ? 'the number of rows' : `the ${verb} of "${result.column}"`;
  const group = result.group === null ? '' : ` per "${result.group}"`;
  const where = result.where.length === 0 ? '' : ` where ${result.where.join(' and ')}`;
  const left = [
    ...(missing > 0 ? [`${missing} empty ${missing === 1 ? 'cell' : 'cells'}`] : []),
    ...(odd > 0
      ? [`${odd} ${odd === 1 ? 'cell that is no number' : 'cells that are no numbers'}`]
      : []),
    ...(totals.length > 0 ? [`the total row of ${totals.join(', ')}`] : []),
    ...(result.without.length > 0
      ? [`${result.without.join(', ')}, which has no such column`]
      : []),
  ];
  const skipped = left.length === 0 ? '' : ` Left out: ${left.join('; ')}.`;
  return `Python computed ${what}${group}${where} over ${rows} rows of ${paths.join(', ')}.${skipped}`;
}

/** Why the program gave no answer, and what to ask instead. */
export function explainFailure(conversation: Conversation, failure: TableFailure): string {
  const columns = (failure.columns ?? []).map((name) => `"${name}"`).join(', ');
  switch (failure.code) {
    case 'no_column':
      return say(conversation, {
        en: `I found no column of that name; the columns are ${columns}.`,
        zh: `没有找到这个列；现有的列是 ${columns}。`,
      });
    case 'several_columns':
      return say(conversation, {
        en: `The question names several columns (${columns}); ask for one at a time.`,
        zh: `问题提到了多个列（${columns}）；请一次问一个。`,
      });
    case 'same_name':
      return explainTwins(conversation, failure);
    case 'column_missing':
      return say(conversation, {
        en: `${failure.path} has no column "${failure.column}".`,
        zh: `${failure.path} 没有“${failure.column}”列。`,
      });
    case 'condition':
    case 'unsupported':
      return say(conversation, {
        en: `I do not understand "${failure.words}" offline; ask for a total, mean, median, count, minimum, maximum or number of distinct values.`,
        zh: `离线模式不理解“${failure.words}”；可以问总和、平均值、中位数、计数、最小值、最大值或不同值的个数。`,
      });
    case 'too_many':
      return say(conversation, {
        en: `The question has ${failure.words} groups, too many for one answer; ask for fewer.`,
        zh: `问题涉及 ${failure.words} 个组，一个答案放不下；请缩小范围。`,
      });
    case 'no_verb':
      return say(conversation, {
        en: 'I do not see what to compute; say total, mean, median, count, minimum, maximum or number of distinct values.',
        zh: '没有看出要计算什么；请说明总和、平均值、中位数、计数、最小值、最大值或不同值的个数。',
      });
    case 'no_row':
      return say(conversation, {
        en: 'No row meets the condition of the question.',
        zh: '没有符合条件的行。',
      });
    case 'no_number':
      return say(conversation, {
        en: `The column "${failure.column}" holds no number${failure.example ? ` (but "${failure.example}")` : ''}.`,
        zh: `“${failure.column}”列没有数字${failure.example ? `（例如“${failure.example}”）` : ''}。`,
      });
    case 'uncomputed':
      return say(conversation, {
        en: `The column "${failure.column}" of ${failure.path} holds formulas that nobody has computed: ${failure.example}.`,
        zh: `${failure.path} 的“${failure.column}”列含有未计算的公式：${failure.example}。`,
      });
    default:
      return say(conversation, {
        en: `The file ${failure.path ?? ''} is empty or could not be found.`,
        zh: `文件 ${failure.path ?? ''} 为空或不存在。`,
      });
  }
}

function explainTwins(conversation: Conversation, { path, column, places = [] }: TableFailure) {
  const count =
    places.length === 2 ? { en: 'Two', zh: '两' } : { en: places.length, zh: places.length };
  const listed = `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`;
  return say(conversation, {
    en: `${count.en} columns of ${path} are named "${column}" (${listed}); rename one and ask again.`,
    zh: `${path} 中有${count.zh}列都叫“${column}”（第 ${places.join('、')} 列）；请改名后再问。`,
  });
}
