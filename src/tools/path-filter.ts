/**
 * Which files a path argument means: a file, a folder, or a glob. Globs run on the linear-time
 * engine too, since `*a*a*a*b` is as costly as any other pattern; it is loaded with the first glob.
 */
import type { FileRef } from '../loop/journal.ts';

/** Longest glob that is compiled; longer ones match nothing. */
const MAX_GLOB_CHARS = 300;

/**
 * The files that `filter` names, in the order given; all of them for none, `.`, `/` or `*`.
 * A glob without a slash is matched against base names: `*.csv` finds `data/a.csv`.
 */
export async function matchPaths(
  files: readonly FileRef[],
  filter: string | undefined,
): Promise<FileRef[]> {
  const wanted = (filter ?? '').trim().normalize('NFC').replace(/^\.\//, '').replace(/\/$/, '');
  if (wanted === '' || wanted === '.' || wanted === '*' || wanted === '**') return [...files];
  const exact = files.filter((file) => file.path === wanted);
  if (exact.length > 0) return exact;
  const below = files.filter((file) => file.path.startsWith(`${wanted}/`));
  if (below.length > 0) return below;
  if (wanted.length > MAX_GLOB_CHARS || !/[*?]/.test(wanted)) return [];
  const { RE2JS } = await import('re2js');
  const pattern = globToPattern(wanted, (text) => RE2JS.quote(text));
  const glob = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
  const baseOnly = !wanted.includes('/');
  return files.filter((file) =>
    glob.testExact(baseOnly ? file.path.slice(file.path.lastIndexOf('/') + 1) : file.path),
  );
}

function globToPattern(glob: string, quote: (text: string) => string): string {
  let pattern = '';
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? '';
    if (glob.startsWith('**/', at)) {
      pattern += '(?:.*/)?';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      pattern += '.*';
      at += 1;
    } else if (char === '*') pattern += '[^/]*';
    else if (char === '?') pattern += '[^/]';
    else pattern += quote(char);
  }
  return pattern;
}
