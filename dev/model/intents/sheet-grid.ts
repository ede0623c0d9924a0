/**
 * The text of parse_excel, read back into tables: one grid per sheet, pages of one sheet joined.
 * The format is described at the head of src/tools/parse-excel.ts. Pure.
 */

export interface SheetTable {
  name: string;
  hidden: boolean;
  rows: string[][];
}

const HEADING = /^Sheet ("(?:[^"\\]|\\.)*")( \((?:very )?hidden\))?, .*:$/;
const HEADER = /^row((?:\t[A-Z]+(?: \(hidden\))?)+)$/;
const ROW = /^\d+(?: \((?:hidden|filtered out)\))?(?:\t|$)/;
const REST = /parse_excel path="[^\n]*?" sheet=("(?:[^"\\]|\\.)*"|\d+) range="([A-Z0-9:]+)"/g;

/** Every grid of the results, oldest first; rows of a sheet that came in pages are joined. */
export function readGrids(results: readonly string[]): SheetTable[] {
  const tables = new Map<string, SheetTable>();
  for (const result of results) {
    let open: SheetTable | null = null;
    let width = 0;
    for (const line of result.split('\n')) {
      const heading = HEADING.exec(line);
      if (heading !== null) {
        const name = JSON.parse(heading[1] ?? '""') as string;
        open = tables.get(name) ?? { name, hidden: heading[2] !== undefined, rows: [] };
        width = 0;
        continue;
      }
      if (open === null) continue;
      const header = HEADER.exec(line);
      if (width === 0 && header !== null) {
        width = (header[1] ?? '').split('\t').length - 1;
        tables.set(open.name, open);
      } else if (width > 0 && ROW.test(line)) open.rows.push(toCells(line, width));
      else open = null;
    }
  }
  return [...tables.values()];
}

function toCells(line: string, width: number): string[] {
  const fields = line.split('\t').slice(1).map(unquote);
  return Array.from({ length: width }, (_, at) => fields[at] ?? '');
}

function unquote(field: string): string {
  if (!field.startsWith('"')) return field;
  try {
    return String(JSON.parse(field));
  } catch {
    return field;
  }
}

/** The calls that a result names for what it left out: sheet and range. */
export function leftOut(result: string): { sheet: string; range: string }[] {
  return [...result.matchAll(REST)].map(([, sheet = '', range = '']) => ({
    sheet: unquote(sheet),
    range,
  }));
}

/** RFC 4180, every field quoted. */
export function toCsv(rows: readonly string[][]): string {
  const field = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return rows.map((row) => `${row.map(field).join(',')}\n`).join('');
}
