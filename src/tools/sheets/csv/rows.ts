/**
 * Rows of delimited text, one after another from chunks of it: never more than a chunk and a row in
 * memory. papaparse cuts rows and fields; here stands what it leaves open: chunks, the delimiter,
 * and a quote that is never closed, which would swallow the rest of the file into one cell.
 */
import Papa from 'papaparse';
import { StrideError } from '../../../errors.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** UTF-16 units; a longer row is a quote left open, or no table at all. */
const MAX_ROW_CHARS = 1024 * 1024;
/** After this many rows with bad quotes each line is taken as a row. */
export const MAX_BAD_ROWS = 20;
const SAMPLE_ROWS = 200;

export interface RowOptions {
  delimiter: Delimiter;
  /** Name of the file, for errors. */
  name: string;
  /** Called with the number of a row (from 1) whose quotes do not close as they should. */
  onBadQuotes(row: number): void;
}

/** `chunks` have `\n` as their only line end. Throws StrideError for a row without end. */
export function* readRows(
  chunks: Iterable<string>,
  options: RowOptions,
): Generator<string[], void, undefined> {
  let rest = '';
  let row = 0;
  let badRows = 0;
  /** The first line of `rest` on its own. */
  function cutLine(): string[] {
    const end = rest.indexOf('\n');
    const line = end === -1 ? rest : rest.slice(0, end);
    if (line.length > MAX_ROW_CHARS) throw longRow(options.name, row + 1);
    rest = end === -1 ? '' : rest.slice(end + 1);
    row++;
    return splitLine(line, options.delimiter);
  }
  function* take(last: boolean): Generator<string[], void, undefined> {
    while (rest !== '') {
      if (badRows >= MAX_BAD_ROWS) {
        if (!last && !rest.includes('\n') && rest.length <= MAX_ROW_CHARS) return;
        yield cutLine();
        continue;
      }
      const part = cutRows(rest, { delimiter: options.delimiter, last });
      row += part.rows.length;
      yield* part.rows;
      rest = rest.slice(part.used);
      if (!part.bad && rest.length <= MAX_ROW_CHARS) return;
      const line = cutLine();
      badRows++;
      options.onBadQuotes(row);
      yield line;
    }
  }
  for (const chunk of chunks) {
    rest += chunk;
    yield* take(false);
  }
  yield* take(true);
}

interface Cut {
  rows: string[][];
  /** Characters that the rows took, the line end of the last one too. */
  used: number;
  /** After these rows comes one whose quotes run on over lines that are none of it. */
  bad: boolean;
}

function cutRows(
  text: string,
  options: { delimiter: Delimiter; last: boolean; preview?: number },
): Cut {
  const { delimiter, last, preview = 0 } = options;
  const parser = new Papa.Parser({ delimiter, newline: '\n', preview });
  const result: { data: string[][]; errors: Papa.ParseError[]; meta: Papa.ParseMeta } =
    parser.parse(text, 0, !last);
  const { data, errors, meta } = result;
  // `"5" pipe` does not close its quote: the next rows would stand in one cell, without a word.
  const bad = errors.find(
    ({ code, row }) =>
      code === 'MissingQuotes' || data[row ?? -1]?.some((field) => field.includes('\n')),
  );
  if (bad === undefined) return { rows: data, used: meta.cursor, bad: false };
  if (!bad.row) return { rows: [], used: 0, bad: true };
  return { ...cutRows(text, { delimiter, last: false, preview: bad.row }), bad: true };
}

/** Fields of a line alone: text after a closing quote is kept, a quote left open is a character. */
function splitLine(line: string, delimiter: Delimiter): string[] {
  const fields: string[] = [];
  const quoted = /"((?:[^"]|"")*)"/y;
  for (let at = 0; at <= line.length; ) {
    quoted.lastIndex = at;
    const inside = quoted.exec(line);
    const from = at + (inside?.[0].length ?? 0);
    const found = line.indexOf(delimiter, from);
    const end = found === -1 ? line.length : found;
    fields.push((inside?.[1] ?? '').replaceAll('""', '"') + line.slice(from, end));
    at = end + 1;
  }
  return fields;
}

function longRow(name: string, row: number): StrideError {
  return new StrideError(
    'invalid_input',
    `${name} is not a usable table: row ${row} is longer than 1 MB; read it with execute_python or read_file.`,
  );
}

/** What `sep=;` in a first line says (Excel's own convention), or null. */
export function declaredDelimiter(sample: string): Delimiter | null {
  const sign = /^"?sep=(.)"?(?:\n|$)/i.exec(sample)?.[1];
  return DELIMITERS.find((delimiter) => delimiter === sign) ?? null;
}

/**
 * The delimiter under which most rows of `sample` have the same number of fields (more than one),
 * or null for a single column. `cut`: the last line of the sample may be half a line.
 */
export function detectDelimiter(sample: string, cut: boolean): Delimiter | null {
  let best: Delimiter | null = null;
  let bestScore = 0;
  // A comma stands in numbers and prose, the others hardly ever: it must do strictly better.
  for (const delimiter of ['\t', ';', '|', ','] as const) {
    const options = { delimiter, last: !cut, preview: SAMPLE_ROWS };
    const { rows: whole, bad } = cutRows(sample, options);
    let rows = whole;
    // Quotes that do not close (a wrong delimiter makes them) or one very long row: line by line,
    // so that the few rows before it do not speak for the file.
    if (bad || rows.length === 0) {
      rows = sample.split('\n', SAMPLE_ROWS).map((line) => splitLine(line, delimiter));
    }
    const score = evenness(rows.map(({ length }) => length));
    if (score > bestScore) {
      bestScore = score;
      best = delimiter;
    }
  }
  return best;
}

/** Share of the rows that have the most usual number of fields, 0 when that number is 1. */
function evenness(widths: number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let split = 0;
  let usual = 0;
  for (const [width, rows] of counts) {
    if (width === 1) continue;
    split += rows;
    usual = Math.max(usual, rows);
  }
  // Rows that are split at all count a little too: a title above the table, a ragged export.
  return (usual + split / 10) / (widths.length * 1.1);
}
