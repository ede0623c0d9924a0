/**
 * grep: lines that match a regular expression, on re2js: its time is linear in the text whatever
 * the pattern. Output as `path:line:text`, context as `path-line-text`, all of it bounded.
 */
import type { RE2JS } from 're2js';
import { z } from 'zod';
import { StrideError } from '../errors.ts';
import { defineTool, type ToolContext } from './define.ts';
import { matchPaths } from './path-filter.ts';
import { openText } from './text-file.ts';
import { count, utf8Length } from './truncate.ts';
import { WRAPPER_BYTES } from './untrusted.ts';
import { missingFile } from './workspace.ts';

/** Bytes searched in one call: what a Worker decodes and scans in a few seconds of CPU. */
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
const MAX_PATTERN_CHARS = 1_000;
/** Longer lines are shown as a window round the match. */
const MAX_LINE_CHARS = 300;
const NOTES_BYTES = 1_200 + WRAPPER_BYTES;

export const grep = defineTool({
  name: 'grep',
  description:
    'Finds lines that match a regular expression in the files of this task: path:line:text. ' +
    'RE2 syntax (no lookaround, no backreferences); literal text needs its special characters escaped. ' +
    'Optional path: a file, a folder or a glob such as "*.csv".',
  aliases: ['Grep', 'search_files'],
  fieldAliases: {
    query: 'pattern',
    regex: 'pattern',
    file_path: 'path',
    file: 'path',
    filename: 'path',
    glob: 'path',
    include: 'path',
    '-i': 'ignore_case',
    '-C': 'context',
    head_limit: 'max_matches',
  },
  untrusted: true,
  input: z.object({
    pattern: z.string().min(1).max(MAX_PATTERN_CHARS).describe('Regular expression (RE2 syntax)'),
    path: z.string().optional().describe('File, folder or glob to search; all files when left out'),
    ignore_case: z.boolean().default(false).describe('Match upper and lower case alike'),
    context: z.int().min(0).max(10).default(0).describe('Lines shown before and after each match'),
    max_matches: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe('Stop after this many matching lines'),
  }),
  async run(input, context) {
    const pattern = await compile(input.pattern, input.ignore_case);
    const { workspace } = context;
    const all = workspace.list();
    if (all.length === 0) return 'This run has no files to search.';
    const found = workspace.find(input.path ?? '');
    const matched = await matchPaths(all, input.path);
    const files = matched.length === 0 && found !== null ? [found] : matched;
    if (files.length === 0) {
      throw new StrideError(
        'not_found',
        missingFile(
          input.path ?? '',
          all.map(({ path }) => path),
        ),
      );
    }
    const search = createSearch({
      ...input,
      pattern,
      maxBytes: context.previewBytes - NOTES_BYTES,
    });
    for (const file of files) {
      if (!(await search.file(file.path, context))) break;
    }
    return search.report(files.length);
  },
});

/** Loads the engine with the first search: it is one of the larger parts of the Worker. */
async function compile(pattern: string, ignoreCase: boolean): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read';
    throw new StrideError('invalid_input', `The pattern is not valid: ${reason}.${hint(pattern)}`);
  }
}

function hint(pattern: string): string {
  if (/\(\?(<?[=!])/.test(pattern)) {
    return ' Lookahead and lookbehind are not supported: match more and pick out the part you need.';
  }
  if (/\\[1-9]|\\k</.test(pattern)) {
    return ' Backreferences such as \\1 are not supported: spell the repeated part out.';
  }
  if (/\(\?>|[*+?}]\+/.test(pattern)) {
    return ' Atomic groups and possessive quantifiers are not supported (and not needed: time is linear).';
  }
  return ' Escape special characters with a backslash, for example \\( or \\[.';
}

interface Search {
  /** Searches one file; false when enough was found or read. */
  file(path: string, context: ToolContext): Promise<boolean>;
  report(files: number): { content: string; data: unknown };
}

function createSearch(options: {
  pattern: RE2JS;
  context: number;
  max_matches: number;
  maxBytes: number;
}): Search {
  const out: string[] = [];
  const skipped: string[] = [];
  const notes: string[] = [];
  let room = Math.max(256, options.maxBytes);
  let matches = 0;
  let searched = 0;
  let bytes = 0;

  /** False when the line no longer fits. */
  function print(line: string): boolean {
    room -= utf8Length(line) + 1;
    if (room < 0) return false;
    out.push(line);
    return true;
  }

  async function file(path: string, context: ToolContext): Promise<boolean> {
    const reference = context.workspace.find(path);
    if (reference === null) return true;
    if (bytes + reference.bytes > MAX_SEARCHED_BYTES) {
      notes.push(
        `stopped before ${path}: ${count(MAX_SEARCHED_BYTES)} bytes are searched at most; narrow path`,
      );
      return false;
    }
    bytes += reference.bytes;
    const text = await openText(context.workspace, reference);
    if (text.kind === 'binary') {
      skipped.push(path);
      return true;
    }
    searched++;
    const printer = createPrinter({ ...options, path, print });
    for await (const batch of text.batches()) {
      context.signal.throwIfAborted();
      for (const line of batch.lines) {
        const isMatch = options.pattern.test(line);
        if (isMatch && matches >= options.max_matches) {
          notes.push(
            `stopped at ${matches} matches in ${path}; there are more: narrow the pattern or path, or raise max_matches`,
          );
          return false;
        }
        if (isMatch) matches++;
        if (!printer(line, isMatch)) {
          notes.push(`stopped in ${path}: the result is full; narrow the pattern or path`);
          return false;
        }
      }
    }
    return true;
  }

  function report(files: number) {
    if (skipped.length > 0) {
      const names = skipped.slice(0, 5).join(', ') + (skipped.length > 5 ? ', …' : '');
      notes.push(`skipped ${skipped.length} binary (open them with execute_python): ${names}`);
    }
    if (matches === 0) notes.unshift(`no matches in ${searched} of ${files} files`);
    const lines = notes.length === 0 ? out : [...out, `[${notes.join('; ')}]`];
    return { content: lines.join('\n'), data: { matches, searched, skipped } };
  }

  return { file, report };
}

/** Prints matches and their context, each line once, `--` between separate groups. */
function createPrinter(options: {
  path: string;
  pattern: RE2JS;
  context: number;
  print: (line: string) => boolean;
}): (line: string, isMatch: boolean) => boolean {
  const { path, pattern, context, print } = options;
  let number = 0;
  let lastPrinted = 0;
  let after = 0;
  const before: string[] = [];

  return (line, isMatch) => {
    number++;
    let fits = true;
    if (isMatch) {
      const first = number - before.length;
      if (context > 0 && lastPrinted > 0 && first > lastPrinted + 1) fits = print('--');
      before.forEach((earlier, index) => {
        fits &&= print(`${path}-${first + index}-${shorten(earlier, 0)}`);
      });
      before.length = 0;
      fits &&= print(`${path}:${number}:${shorten(line, matchStart(pattern, line))}`);
      after = context;
      lastPrinted = number;
      return fits;
    }
    if (after > 0) {
      after--;
      lastPrinted = number;
      return print(`${path}-${number}-${shorten(line, 0)}`);
    }
    if (context > 0) before.push(line);
    if (before.length > context) before.shift();
    return true;
  };
}

function matchStart(pattern: RE2JS, line: string): number {
  if (line.length <= MAX_LINE_CHARS) return 0;
  const matcher = pattern.matcher(line);
  return matcher.find() ? matcher.start() : 0;
}

/** At most MAX_LINE_CHARS of a line, about `place`, cut between code points. */
function shorten(line: string, place: number): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  const start = Math.max(0, Math.min(place - 60, line.length - MAX_LINE_CHARS));
  const part = line
    .slice(start, start + MAX_LINE_CHARS)
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  const end = start + MAX_LINE_CHARS < line.length ? '…' : '';
  return `${start > 0 ? '…' : ''}${part}${end} [line of ${count(line.length)} characters]`;
}
