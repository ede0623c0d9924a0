/**
 * What kind of text a file holds, by its first characters: markup, JSON, a table, a structure. A
 * guess for hints only; whoever reads the file parses it. Every check is linear in the text. No I/O.
 */
import type { FileKind } from './file-type.ts';

const MAX_RECORDS = 50;
const DELIMITERS = ['\t', ';', '|', ','] as const;

/** `cut`: the text goes on behind what is given. Without a byte order mark. */
export function textKind(text: string, cut: boolean): FileKind {
  const start = text.trimStart();
  if (start === '') return 'text';
  if (start.startsWith('<')) return markupKind(start);
  if (start.startsWith('{') || start.startsWith('[')) {
    const kind = jsonKind(start, cut);
    if (kind !== null) return kind;
  }
  // Excel's own first line, which names the delimiter.
  if (/^sep=.[\r\n]/i.test(start)) return 'csv';
  const lines = start.slice(0, 20_000).split(/\r\n|\n|\r/);
  if (isStructure(lines)) return 'pdb';
  return isSource(start) ? 'text' : (tableKind(text, cut) ?? 'text');
}

const HTML_START =
  /^<(?:!doctype\s+html|(?:html|head|body|script|style|meta|title|link|table|div|span|p|h[1-6]|ul|ol|center|font|form|iframe)\b)/i;

function markupKind(start: string): FileKind {
  const declared = start.startsWith('<?xml');
  const root = skipProlog(start);
  if (HTML_START.test(root) && (!declared || /^<(!doctype|html)/i.test(root))) return 'html';
  if (/^<(?:!doctype\s+)?(?:svg:)?svg\b/i.test(root)) return 'svg';
  if (declared || /^<!doctype\s/i.test(root)) return 'xml';
  // An element with a name, closed and not just a mail address or a comparison.
  return /^<[a-z_][\w:.-]*(?:\s[^<>]*)?\/?>/i.test(root.slice(0, 4_000)) ? 'xml' : 'text';
}

/** The text from its root element or document type on: without declaration and comments. */
function skipProlog(text: string): string {
  let at = 0;
  for (;;) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '?>' : null;
    if (end === null) return text.slice(at);
    const close = text.indexOf(end, at + 2);
    if (close < 0) return '';
    at = close + end.length;
    while (at < text.length && /\s/.test(text.charAt(at))) at++;
  }
}

function jsonKind(start: string, cut: boolean): FileKind | null {
  if (!cut && parses(start)) return 'json';
  const lines = start.split('\n', 6).filter((line) => line.trim() !== '');
  // The last line may be cut.
  const whole = cut ? lines.slice(0, -1) : lines;
  if (lines.length > 1 && whole.length > 0 && whole.every(isJsonLine)) return 'jsonl';
  const begins = cut
    ? /^(?:\{\s*"|\[\s*(?:[{["]|-?\d[\d.eE+-]*\s*,))/
    : // Damaged, or with NaN in it as Python writes it: what it is meant to be is still clear.
      /^(?:\{\s*"[^"]*"\s*:|\[\s*\{\s*")/;
  return begins.test(start) ? 'json' : null;
}

function isJsonLine(line: string): boolean {
  return /^\s*[{[]/.test(line) && parses(line);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A PDB file: columns by the format's version 3.3, also without its header. */
function isStructure(lines: readonly string[]): boolean {
  const atoms = lines.filter((line) =>
    /^(?:ATOM {2}|HETATM)[ \d]{4}\d .{14,26}-?\d+\.\d/.test(line),
  );
  if (atoms.length > 0) return true;
  const [first = '', second = ''] = lines;
  return /^HEADER {4}\S/.test(first) && /^(?:OBSLTE|TITLE|COMPND|SPLIT|CAVEAT) /.test(second);
}

/** Lines of code repeat `;` and `,` as tables do. */
function isSource(start: string): boolean {
  return /^(?:#!|#include\b|import\s|from\s+\S+\s+import\b|def\s|class\s|package\s|(?:const|let|var|function|export)\s|\/[/*]|"""|use\s+strict)/.test(
    start,
  );
}

/** A table when nearly all records have the same number of fields, at least two. */
function tableKind(text: string, cut: boolean): FileKind | null {
  let best = { share: 0, width: 0, delimiter: '' };
  for (const delimiter of DELIMITERS) {
    const { share, width } = consistency(splitRecords(text, { delimiter, cut }), delimiter);
    if (share > best.share || (share === best.share && width > best.width)) {
      best = { share, width, delimiter };
    }
  }
  if (best.share === 0) return null;
  return best.delimiter === '\t' ? 'tsv' : 'csv';
}

function consistency(
  records: readonly string[][],
  delimiter: string,
): { share: number; width: number } {
  const none = { share: 0, width: 0 };
  if (records.length < 2) return none;
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [width, usual] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const share = usual / records.length;
  // A title above and a total below are usual; of few records all must agree.
  if (width < 2 || share < (records.length < 5 ? 1 : 0.8)) return none;
  // Statements end with `;`, rows of a Markdown table with `|`.
  const endless = delimiter === ';' || delimiter === '|';
  if (endless && records.every((record) => record.at(-1)?.trim() === '')) return none;
  const fields = records.flat();
  const characters = fields.reduce((sum, field) => sum + field.length, 0);
  // Sentences that happen to have the same number of commas.
  return characters / fields.length > 60 ? none : { share, width };
}

/** The first records, quoted fields with line breaks kept together, empty lines left out. */
function splitRecords(text: string, options: { delimiter: string; cut: boolean }): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let quoted = false;
  const endRecord = () => {
    record.push(field);
    if (record.length > 1 || !isBlank(field)) records.push(record);
    record = [];
    field = '';
  };
  let previous = '';
  for (const character of text) {
    // A doubled quote ends the quoted part and opens it again: the count of fields stays right.
    const reopens = previous === '"';
    previous = character;
    if (character === '"' && (quoted || reopens || isBlank(field))) quoted = !quoted;
    else if (quoted) field += character;
    else if (character === options.delimiter) {
      record.push(field);
      field = '';
    } else if (character === '\n' || character === '\r') endRecord();
    else field += character;
    if (records.length === MAX_RECORDS) return records;
  }
  if (!options.cut) endRecord();
  return records;
}

/** Short fields only are looked at: a quote that late in a field opens nothing. */
function isBlank(field: string): boolean {
  return field.length < 100 && field.trim() === '';
}
