/**
 * Where each number, date and name of an answer stands: in which tool result, on which line, or
 * nowhere (`model_only`). It compares texts and computes nothing, so it never says that an answer
 * is right, only where its parts were seen. Pure, no model call; linear in the results.
 */
import type { CallView, RunView } from './fold.ts';
import type { EvidenceItem } from './journal.ts';

/** An answer that is a page of text is not taken apart further than this. */
const MAX_ITEMS = 40;
const MAX_SNIPPET_CHARS = 80;

const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DATE = new RegExp(
  `\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}|(?:${MONTHS})\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2} (?:${MONTHS})\\.? \\d{4}|\\d{4}年\\d{1,2}月(?:\\d{1,2}日)?`,
  'giu',
);
const NUMBER =
  /(?<![\p{L}\p{N}_.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}\p{N}_])/giu;
/** Capitalised words in a row, or a run of Chinese characters. */
const NAME =
  /\p{Lu}[\p{L}\p{M}'’.-]*(?: (?:(?:of|the|de|van|von|la|del) )*\p{Lu}[\p{L}\p{M}'’.-]*)*|\p{Script=Han}{2,}/gu;

type Find = (line: string) => boolean;

interface Item {
  text: string;
  find: Find;
}

/** One item for each number, date and name of the answer, in its order; the answer itself when it has none. */
export function evidenceOf(view: RunView, answer: string): EvidenceItem[] {
  const calls = [...view.closedTurns.flat(), ...view.calls].filter((call) => call.result);
  return itemsOf(answer).map(({ text, find }) => {
    for (const call of calls) {
      const place = placeIn(call, find);
      if (place) return { text, tool_use_id: call.id, place };
    }
    return { text, tool_use_id: null, place: placeInQuestion(view, find) };
  });
}

/** What the question itself says was not found out by anyone. */
function placeInQuestion(view: RunView, find: Find): string {
  return view.started.question.split('\n').some(find) ? 'question' : 'model_only';
}

function itemsOf(answer: string): Item[] {
  const items: Item[] = [];
  let rest = answer;
  const take = (pattern: RegExp, toFind: (text: string) => Find) => {
    rest = rest.replace(pattern, (text: string) => {
      items.push({ text, find: toFind(text) });
      // Same length, so that places in the answer stay what they were.
      return ' '.repeat(text.length);
    });
  };
  take(DATE, containing);
  take(NUMBER, equalNumber);
  take(NAME, containing);
  if (items.length === 0 && answer.trim() !== '') {
    items.push({ text: answer.trim(), find: containing(answer.trim()) });
  }
  items.sort((a, b) => answer.indexOf(a.text) - answer.indexOf(b.text));
  return items.slice(0, MAX_ITEMS);
}

const fold = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');

/** The text as whole words, whatever its case and spacing. */
function containing(text: string): Find {
  const wanted = fold(text);
  return (line) => {
    const where = fold(line);
    for (let at = where.indexOf(wanted); at >= 0; at = where.indexOf(wanted, at + 1)) {
      const before = where.slice(0, at);
      const after = where.slice(at + wanted.length);
      if (!joins(before, wanted) && !joins(wanted, after)) return true;
    }
    return false;
  };
}

/** True when two texts side by side would be one word. Chinese has no word borders. */
function joins(left: string, right: string): boolean {
  return /[\p{Script=Latin}\p{N}]$/u.test(left) && /^[\p{Script=Latin}\p{N}]/u.test(right);
}

/** The same value, however it is written: 1,234.50 is 1234.5. */
function equalNumber(text: string): Find {
  const wanted = canonicalNumber(text);
  return (line) => [...line.matchAll(NUMBER)].some(([found]) => canonicalNumber(found) === wanted);
}

function canonicalNumber(text: string): string {
  const plain = text.replaceAll(',', '');
  if (/e/i.test(plain)) return String(Number(plain));
  const [whole = '', fraction = ''] = plain.replace(/^-/, '').split('.');
  const decimals = fraction.replace(/0+$/, '');
  const digits = `${whole.replace(/^0+(?=\d)/, '')}${decimals ? `.${decimals}` : ''}`;
  return plain.startsWith('-') && digits !== '0' ? `-${digits}` : digits;
}

/** `line n: …` of the call's result, or null. Failed calls show nothing but their failure. */
function placeIn(call: CallView, find: Find): string | null {
  if (!call.result || call.result.is_error) return null;
  let number = 0;
  for (const block of call.result.content) {
    if (block.type !== 'text') continue;
    for (const line of block.text.split('\n')) {
      if (/^<\/?untrusted_data\b/.test(line)) continue;
      number += 1;
      if (find(line)) return `line ${number}: ${snippet(line)}`;
    }
  }
  return null;
}

function snippet(line: string): string {
  const characters = [...line.trim()];
  if (characters.length <= MAX_SNIPPET_CHARS) return characters.join('');
  return `${characters.slice(0, MAX_SNIPPET_CHARS - 1).join('')}…`;
}
