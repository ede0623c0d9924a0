/**
 * Ready Python for what is too large to show: the same file under the same name, in the words of
 * pandas. No I/O.
 */
import type { Book, Span } from '../book.ts';

/** Packages that pandas needs beside itself to read a format. */
const ENGINES: Readonly<Record<string, string>> = {
  xlsx: 'openpyxl',
  xlsm: 'openpyxl',
  ods: 'odfpy',
  xls: 'xlrd',
  xlsb: 'pyxlsb',
};

/** `import pandas as pd; df = …`, for a sheet, perhaps only some of its rows. */
export function codeFor(book: Book, target: { path: string; sheet: string; rows?: Span }): string {
  const { rows } = target;
  const path = JSON.stringify(target.path);
  const some =
    rows === undefined
      ? ''
      : `, header=None, skiprows=${rows.from}${Number.isFinite(rows.to) ? `, nrows=${rows.to - rows.from + 1}` : ''}`;
  const format = book.format.toLowerCase();
  if (format.startsWith('csv') || format.startsWith('tsv')) {
    const separator = format.startsWith('tsv') ? ', sep="\\t"' : otherSeparator(book.notes);
    return `import pandas as pd; df = pd.read_csv(${path}${separator}${some})`;
  }
  const engine = ENGINES[format.split(/\W/)[0] ?? ''];
  const needs = engine === undefined ? '' : `  # requirements=["${engine}"]`;
  return `import pandas as pd; df = pd.read_excel(${path}, sheet_name=${JSON.stringify(target.sheet)}${some})${needs}`;
}

/** The reader notes another separator than the comma as `semicolons (;)`. */
function otherSeparator(notes: readonly string[]): string {
  const found = notes
    .map((note) => /\(([;|])\)/.exec(note)?.[1])
    .find((each) => each !== undefined);
  return found === undefined ? '' : `, sep="${found}"`;
}
