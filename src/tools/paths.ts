/**
 * File paths of a run: relative, POSIX, NFC. One check for uploads, tools and sandbox files, so a
 * path that got in is safe everywhere it is used later. Folders and CJK names are ordinary; what
 * looks like something else (look-alike separators, invisible characters) is refused. No I/O.
 */
import type { Result } from '../errors.ts';
import { MAX_PATH_CHARS } from '../limits.ts';

/** A file name on ext4 and most others (NAME_MAX). */
const MAX_SEGMENT_BYTES = 255;
/** Root folder that Stride keeps for itself in workspaces and sandboxes. */
const RESERVED_FOLDER = '.stride';

// U+2215 ∕ U+2044 ⁄ U+FF0F ／ U+29F8 ⧸ U+2571 ╱ and the backslashes U+FF3C ＼ U+FE68 ﹨ U+2216 ∖ U+29F5 ⧵.
const SEPARATOR_LOOK_ALIKE = /[\u2215\u2044\uFF0F\u29F8\u2571\uFF3C\uFE68\u2216\u29F5]/u;
// U+2024 ․ U+2025 ‥ U+FF0E ．U+FE52 ﹒: compatibility forms that become `.` or `..`.
const DOT_LOOK_ALIKE = /[\u2024\u2025\uFF0E\uFE52]/u;
// Format characters (bidi controls, zero-width, soft hyphen, tags), line and paragraph separators.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;
const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Cs}/u;

const encoder = new TextEncoder();

/**
 * The one spelling of a path (NFC), or `invalid_input` with a sentence that says what to change.
 * The result never starts with `/`, holds no `.` or `..` segment and stays inside its root.
 */
export function normalisePath(path: string): Result<string> {
  const fault = faultOfText(path);
  if (fault !== null) return refuse(fault);
  const normal = path.normalize('NFC');
  if (normal.length > MAX_PATH_CHARS) {
    return refuse(`The path is longer than ${MAX_PATH_CHARS} characters; use a shorter one.`);
  }
  const segments = normal.split('/');
  for (const segment of segments) {
    const segmentFault = faultOfSegment(segment);
    if (segmentFault !== null) return refuse(segmentFault);
  }
  // NFKC folds look-alikes such as the long s, so `.ſtride` is not a second spelling.
  if (segments[0]?.normalize('NFKC').toLowerCase() === RESERVED_FOLDER) {
    return refuse(`The folder ${RESERVED_FOLDER} is reserved; use another name.`);
  }
  return { ok: true, value: normal };
}

/** The folders that a normalised path lies in, outermost first: `a/b/c` → `a`, `a/b`. */
export function parentFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function refuse(message: string): Result<string> {
  return { ok: false, error: { code: 'invalid_input', message } };
}

function faultOfText(path: string): string | null {
  if (path === '') return 'The path is empty; name a file, for example data/table.csv.';
  // Before the regular expressions: they should not run over megabytes.
  if (path.length > 4 * MAX_PATH_CHARS) {
    return `The path is longer than ${MAX_PATH_CHARS} characters; use a shorter one.`;
  }
  if (LONE_SURROGATE.test(path)) {
    return 'The path is not valid Unicode; use another name.';
  }
  if (CONTROL.test(path)) {
    return 'The path holds a control character, such as NUL or a line break; remove it.';
  }
  if (path.includes('\\')) return 'The path holds a backslash; use / between folders.';
  if (SEPARATOR_LOOK_ALIKE.test(path)) {
    return 'The path holds a character that looks like a slash; use a plain / or another name.';
  }
  if (DOT_LOOK_ALIKE.test(path)) {
    return 'The path holds a character that looks like a dot; use a plain . instead.';
  }
  if (INVISIBLE.test(path)) {
    return 'The path holds an invisible character, such as a zero-width or direction mark; remove it.';
  }
  if (/^[a-z]:/i.test(path)) {
    return 'The path starts with a drive letter; use a relative path such as data/table.csv.';
  }
  if (path.startsWith('/')) {
    return 'The path is absolute; use a relative path such as data/table.csv.';
  }
  if (path === '~' || path.startsWith('~/')) {
    return 'The path starts with ~; use a relative path such as data/table.csv.';
  }
  return null;
}

function faultOfSegment(segment: string): string | null {
  if (segment === '') {
    return 'The path has an empty part (a doubled or trailing slash); name a file, for example data/table.csv.';
  }
  if (segment === '..')
    return 'The path holds "..", which leaves its folder; name the file directly.';
  if (segment === '.') return 'The path holds "." as a part; leave it out.';
  if (/[\s.]$/u.test(segment)) {
    return 'A part of the path ends in a space or a dot; remove it.';
  }
  if (/^\s/u.test(segment)) return 'A part of the path starts with a space; remove it.';
  if (encoder.encode(segment).length > MAX_SEGMENT_BYTES) {
    return `A part of the path is longer than ${MAX_SEGMENT_BYTES} bytes; use a shorter name.`;
  }
  return null;
}
