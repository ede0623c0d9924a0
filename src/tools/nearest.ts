/**
 * Which known names a wrong name may have meant: for "no such file" and "no such tool" answers,
 * where the next useful word is the right name. No I/O.
 */

/** Longer names are compared by their beginning: the table is quadratic in length. */
const COMPARED_CHARS = 64;

/** All `names`, the most similar to `wanted` first; ties keep their order. */
export function nearestFirst(wanted: string, names: readonly string[]): string[] {
  const target = fold(wanted);
  return names
    .map((name) => ({ name, score: distance(target, fold(name)) }))
    .sort((a, b) => a.score - b.score)
    .map(({ name }) => name);
}

function fold(name: string): string {
  return name.slice(0, COMPARED_CHARS).normalize('NFC').toLowerCase();
}

/** Levenshtein distance, less when one name holds the other (`csv_grep`, `grep`). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  const edits = row[b.length] ?? 0;
  const holds = a !== '' && b !== '' && (a.includes(b) || b.includes(a));
  return holds ? edits / 4 : edits;
}
