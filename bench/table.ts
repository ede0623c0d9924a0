// Tables for people: the first column to the left, numbers to the right.

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

export type Cell = string | number;

/** Lines of a table, columns as wide as their widest cell. */
export function formatTable(header: string[], rows: Cell[][]): string {
  const text = [header, ...rows.map((row) => row.map(toText))];
  const widths = header.map((_, i) => Math.max(...text.map((row) => row[i]?.length ?? 0)));
  const lines = text.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return [lines[0] ?? [], rule, ...lines.slice(1)].map((line) => line.join('  ')).join('\n');
}

const toText = (cell: Cell): string => (typeof cell === 'number' ? number.format(cell) : cell);

/** Bytes as KiB with one decimal. */
export const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
