/**
 * What lies over a page's text: links, form fields, comments, attached files. Bounded lists, one
 * line an item, all text on one line.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { Run, RunGroup } from './runs.ts';
import { segmentText } from './segments.ts';

const MAX_LINKS = 60;
const MAX_FIELDS = 150;
const MAX_COMMENTS = 60;

/** The fields of pdf.js' annotation data that are used here. */
interface Annotation {
  subtype?: string;
  rect?: number[];
  url?: string;
  unsafeUrl?: string;
  fieldType?: string | null;
  fieldName?: string;
  fieldValue?: unknown;
  alternativeText?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  exportValue?: string;
  buttonValue?: string | null;
  options?: { exportValue?: string; displayValue?: string }[];
  contentsObj?: { str?: string };
  titleObj?: { str?: string };
  file?: { filename?: string };
}

/** Lines about the page's annotations; empty when there are none. */
export async function readExtras(
  page: PDFPageProxy,
  { number, groups }: { number: number; groups: readonly RunGroup[] },
): Promise<string[]> {
  const all = (await page.getAnnotations().catch(() => [])) as Annotation[];
  const toView = page.getViewport({ scale: 1 }).transform as number[];
  const level = groups.find(({ direction }) => direction === 0)?.runs ?? [];
  return [
    ...bounded(linkLines(all, { number, level, toView }), MAX_LINKS, 'links'),
    ...bounded(fieldLines(all, number), MAX_FIELDS, 'form fields'),
    ...bounded(commentLines(all, number), MAX_COMMENTS, 'comments'),
  ];
}

function bounded(lines: string[], max: number, what: string): string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max), `[${lines.length - max} more ${what} of this page are left out]`];
}

function linkLines(
  all: readonly Annotation[],
  page: { number: number; level: readonly Run[]; toView: number[] },
): string[] {
  const links: { url: string; text: string }[] = [];
  for (const { subtype, url, unsafeUrl, rect } of all) {
    const target = url ?? unsafeUrl;
    if (subtype !== 'Link' || target === undefined || target === '') continue;
    const text = rect === undefined ? '' : textUnder(rect, page);
    const last = links.at(-1);
    // A link over a line end is one rectangle a line.
    if (last?.url === target) last.text = `${last.text} ${text}`.trim();
    else links.push({ url: target, text });
  }
  return links.map(({ url, text }) => {
    const shown = text === '' || text === url ? '' : `${oneLine(text, 200)} → `;
    return `[p${page.number}] link: ${shown}${oneLine(url, 500)}`;
  });
}

/** The words of level text inside a rectangle of page space. */
function textUnder(rect: number[], page: { level: readonly Run[]; toView: number[] }): string {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = page.toView;
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rect;
  const xs = [a * x0 + c * y0 + e, a * x1 + c * y1 + e].sort((left, right) => left - right);
  const ys = [b * x0 + d * y0 + f, b * x1 + d * y1 + f].sort((left, right) => left - right);
  const [left = 0, right = 0] = xs;
  const [top = 0, bottom = 0] = ys;
  const runs: Run[] = [];
  for (const run of page.level) {
    const middle = run.y - run.size * 0.3;
    if (middle < top || middle > bottom || run.x1 <= left + 1 || run.x0 >= right - 1) continue;
    const part = wordsBetween(run, { left, right });
    if (part !== '') runs.push({ ...run, text: part });
  }
  const [first] = runs;
  if (first === undefined) return '';
  return segmentText({ runs, x0: first.x0, x1: first.x1, y: first.y, size: first.size });
}

/** A run is often a whole line: its part between two x, widened to whole words. */
function wordsBetween(run: Run, { left, right }: { left: number; right: number }): string {
  const width = run.x1 - run.x0 || 1;
  const at = (x: number) => Math.round(((x - run.x0) / width) * run.text.length);
  let from = Math.max(0, at(left));
  let to = Math.min(run.text.length, at(right));
  const middle = Math.floor((from + to) / 2);
  if (run.text[from] === ' ') from++;
  else while (from > 0 && /\S/.test(run.text[from - 1] ?? ' ') && middle - from < 40) from--;
  while (to < run.text.length && /\S/.test(run.text[to] ?? ' ') && to - middle < 40) to++;
  return run.text.slice(from, to).trim();
}

function fieldLines(all: readonly Annotation[], number: number): string[] {
  const lines: string[] = [];
  const radios = new Set<string>();
  for (const field of all) {
    if (field.subtype !== 'Widget' || field.pushButton === true) continue;
    const name = oneLine(field.fieldName ?? '', 120) || '(no name)';
    const label = oneLine(field.alternativeText ?? '', 120);
    const shown = label === '' || label === name ? name : `${name} (${label})`;
    if (field.radioButton === true) {
      // One field, several buttons: its value is the chosen one's name.
      if (radios.has(name)) continue;
      radios.add(name);
    }
    lines.push(`[p${number}] field: ${shown} = ${fieldValue(field)}`);
  }
  return lines;
}

function fieldValue(field: Annotation): string {
  const value = [field.fieldValue].flat().map((each) => (each == null ? '' : String(each)));
  const text = oneLine(value.join(', '), 500);
  if (field.fieldType === 'Sig') return text === '' ? '(signature)' : text;
  if (field.checkBox === true) return isOn(field, text) ? 'on' : 'off';
  if (field.radioButton === true) return text === '' || text === 'Off' ? '(none chosen)' : text;
  if (field.fieldType !== 'Ch') return text === '' ? '(empty)' : text;
  const options = field.options ?? [];
  const chosen = value.map(
    (each) => options.find(({ exportValue }) => exportValue === each)?.displayValue ?? each,
  );
  const choices = options.map(({ displayValue, exportValue }) => displayValue ?? exportValue ?? '');
  const list = choices.length === 0 ? '' : ` (choices: ${oneLine(choices.join(', '), 300)})`;
  return `${oneLine(chosen.join(', '), 300) || '(none chosen)'}${list}`;
}

function isOn({ exportValue }: Annotation, value: string): boolean {
  return value !== '' && value !== 'Off' && (exportValue === undefined || value === exportValue);
}

function commentLines(all: readonly Annotation[], number: number): string[] {
  const lines: string[] = [];
  for (const { subtype = '', contentsObj, titleObj, file } of all) {
    if (file?.filename) lines.push(`[p${number}] attached file: ${oneLine(file.filename, 200)}`);
    const text = oneLine(contentsObj?.str ?? '', 1_000);
    if (text === '' || ['Link', 'Widget', 'Popup'].includes(subtype)) continue;
    const author = oneLine(titleObj?.str ?? '', 80);
    const by = author === '' ? '' : ` by ${author}`;
    lines.push(`[p${number}] comment${by} (${subtype}): ${text}`);
  }
  return lines;
}

/** Control characters and line ends become blanks; longer text is cut with an ellipsis. */
export function oneLine(text: string, maxChars: number): string {
  const flat = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
  return flat.length <= maxChars
    ? flat
    : `${flat.slice(0, maxChars - 1).trimEnd()}…`.toWellFormed();
}
