/**
 * Date patterns that questions name (`YYYY-MM-DD`, `Month D, YYYY`, or an example) and whether an
 * answer follows one. Pure, no I/O.
 */

const TOKEN = 'YYYY|yyyy|YY|yy|MMMM|MMM|MM|mm|DD|dd|Month|Mon|Day|Year|M|D';
const PATTERN = new RegExp(
  `(?<![A-Za-z:])(?:${TOKEN})(?:(?:, |[-/. ,]|年|月)(?:${TOKEN})){1,2}日?(?![A-Za-z:])|(?<![A-Za-z-/])YYYY(?![A-Za-z-/])`,
);

/** `M, D` are vectors and `D Day` is a landing: a year or two-letter parts must be there. */
const SURELY_DATE = /[Yy]{2}|Year|MM[-/.]DD|DD[-/.]MM/;

const MONTHS =
  'January|February|March|April|May|June|July|August|September|October|November|December';
const SHORT_MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec';

/** Examples of a form, each with the pattern it stands for. */
const EXAMPLES: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d{2}-\d{2}(?!\d)/, 'YYYY-MM-DD'],
  [/^\d{4}\/\d{2}\/\d{2}(?!\d)/, 'YYYY/MM/DD'],
  // 01/02/2020 may be either order: only the shape is held to.
  [/^\d{2}\/\d{2}\/\d{4}(?!\d)/, 'DD/MM/YYYY'],
  [/^\d{2}\/\d{2}\/\d{2}(?!\d)/, 'DD/MM/YY'],
  [/^\d{2}\.\d{2}\.\d{4}(?!\d)/, 'DD.MM.YYYY'],
  [/^\d{4}年\d{1,2}月\d{1,2}日/, 'YYYY年M月D日'],
  [new RegExp(`^(?:${MONTHS}) \\d{1,2}, \\d{4}`), 'Month D, YYYY'],
  [new RegExp(`^\\d{1,2} (?:${MONTHS}) \\d{4}`), 'D Month YYYY'],
  [new RegExp(`^(?:${MONTHS}) \\d{4}`), 'Month YYYY'],
];
const EXAMPLE_LEAD =
  /(?:\be\.g\.,?|\bfor example,?|\bsuch as|\bin the (?:form|format|style)(?: of)?|\bformatted (?:as|like)|例如|比如|格式(?:为|如)?|形如)\s*[:：]?\s*/giu;

/** The date pattern a question names or shows by an example, as it writes it; null when none. */
export function askedDateFormat(question: string): string | null {
  const named = PATTERN.exec(question)?.[0];
  if (named !== undefined && SURELY_DATE.test(named)) return named;
  for (const lead of question.matchAll(EXAMPLE_LEAD)) {
    const example = question.slice(lead.index + lead[0].length, lead.index + lead[0].length + 40);
    const form = EXAMPLES.find(([pattern]) => pattern.test(example));
    if (form !== undefined) return form[1];
  }
  return null;
}

function tokenPattern(token: string, spelled: boolean): string {
  switch (token) {
    case 'YYYY':
    case 'yyyy':
    case 'Year':
      return '\\d{4}';
    case 'YY':
    case 'yy':
      return '\\d{2}';
    case 'Month':
    case 'MMMM':
      return `(?:${MONTHS}|\\p{L}{3,})`;
    case 'Mon':
    case 'MMM':
      return `(?:${SHORT_MONTHS})\\.?`;
    case 'MM':
    case 'mm':
      return '(?:0[1-9]|1[0-2]|0?[1-9]|[12]\\d|3[01])';
    case 'DD':
    case 'dd':
      // Beside a month's name "DD" is often meant loosely: January 2, 2020.
      return spelled ? '\\d{1,2}' : '\\d{2}';
    default:
      return '\\d{1,2}';
  }
}

/** Whether a date is written in the pattern. */
export function followsDateFormat(answer: string, format: string): boolean {
  const spelled = /Month|Mon|MMM/.test(format);
  const tokens = format.split(new RegExp(`(${TOKEN})`));
  const source = tokens
    .map((part, index) =>
      index % 2 === 1 ? tokenPattern(part, spelled) : part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'),
    )
    .join('');
  return new RegExp(`^${source}$`, 'u').test(answer.trim());
}
