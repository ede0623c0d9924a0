/**
 * What belongs to a marker: the rest of its line with the lines that obviously continue it, or the
 * block below a marker that stands alone. Pure, no I/O, linear in the region given.
 */
import type { Marker } from './answer-markers.ts';
import { isBlank, withoutBlockMarks } from './answer-peel.ts';

/** Takes off the closing marks of decoration that was opened before the marker. Null: a quoted mention. */
function close(content: string, open: string[]): { content: string; open: string[] } | null {
  let rest = content;
  const still: string[] = [];
  for (const mark of open) {
    rest = rest.trim();
    if (rest.startsWith(mark) && !/^[([（【]/.test(rest)) {
      if (/["'”’」』]/.test(mark)) return null;
      rest = rest.slice(mark.length).trimStart();
      if (rest.endsWith(mark) && rest.split(mark).length % 2 === 0)
        rest = rest.slice(0, -mark.length);
    } else if (rest.endsWith(mark) && !balanced(rest, mark)) rest = rest.slice(0, -mark.length);
    else if (rest.endsWith(`${mark}.`) && !balanced(rest, mark))
      rest = rest.slice(0, -mark.length - 1);
    else still.push(mark);
  }
  return { content: rest, open: still };
}

const OPENER: Readonly<Record<string, string>> = { ')': '(', '）': '（', ']': '[', '】': '【' };

/** Whether a closing bracket at the end has its opening one in the text: then it is the answer's own. */
function balanced(text: string, mark: string): boolean {
  const opener = OPENER[mark];
  return opener !== undefined && text.split(opener).length === text.split(mark).length;
}

/**
 * The text that belongs to a marker: the rest of its line (with the lines that obviously continue
 * it), or the block below a marker that stands alone. `end` bounds it, `whole` takes everything up
 * to there (the question asked for a long text), `literal` keeps bullets and the like round one
 * value. Null: the marker was only quoted.
 */
export function contentOf(
  text: string,
  marker: Marker,
  options: { end: number; whole: boolean; literal: boolean },
): string | null {
  const region = text.slice(marker.after, options.end);
  const lineEnd = region.indexOf('\n');
  const first = close(lineEnd < 0 ? region : region.slice(0, lineEnd), marker.open);
  if (first === null) return null;
  const rest = lineEnd < 0 ? '' : region.slice(lineEnd + 1);
  const below = isQuoted(text, marker) ? rest.replace(/^[ \t]{0,3}> ?/gm, '') : rest;
  const line = withoutLooseFence(first.content.trim());
  if (isBlank(first.content)) {
    // A fenced block below the marker is the answer, also where a long text was asked for.
    const whole = options.whole && !/^\s*(?:`{3}|~{3})/.test(below.slice(0, 200));
    if (whole) return close(below, first.open)?.content ?? null;
    const block = close(blockOf(below), first.open)?.content ?? null;
    return block === null || options.literal ? block : withoutBlockMarks(block);
  }
  if (options.whole) return below === '' ? line : `${line}\n${below}`;
  return withContinuation(line, below);
}

/** A marker in a block quote: the lines below carry its `>` too. */
function isQuoted(text: string, marker: Marker): boolean {
  return /^[ \t]{0,3}>/.test(text.slice(marker.from, marker.from + 10));
}

/** The closing fence of a code block that holds the marker itself, left on the marker's line. */
function withoutLooseFence(line: string): string {
  if (!line.endsWith('```') || line.indexOf('```') < line.length - 3) return line;
  return line.length === 3 ? line : line.slice(0, -3).trimEnd();
}

/** Lines that explain rather than answer, below an answer without a blank line between. */
const ASIDE =
  /^[\s*_>(（-]{0,8}(?:explanation|reasoning|rationale|justification|note|notes|sources?|confidence|解释|解釋|说明|說明|理由|注|註|备注|備註|来源|來源)[\s*_]{0,4}[:：﹕︰]/iu;
const RULE_OR_FENCE = /^\s{0,3}(?:-{3,}|\*{3,}|_{3,}|={3,}|`{3,}|~{3,})\s*$/;
const LIST_ITEM = /^\s{0,8}(?:[-*+•·]|\d{1,4}[.)]|\|)\s{0,4}\S/;

/** The first block below a lone marker: a fenced block, a loose list, indented code, or one paragraph. */
function blockOf(below: string): string {
  const lines = below.split('\n');
  let start = 0;
  while (start < lines.length && isBlank(lines[start] ?? '')) start++;
  const opening = lines[start] ?? '';
  const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(opening)?.[1];
  if (fence !== undefined && opening.trim().length < 40) {
    let end = start + 1;
    while (end < lines.length && (lines[end] ?? '').trim() !== fence) end++;
    return lines
      .slice(start, end + 1)
      .join('\n')
      .trimStart();
  }
  let end = start;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    if (end > start && (ASIDE.test(line) || RULE_OR_FENCE.test(line))) break;
    if (isBlank(line)) {
      let next = end;
      while (next < lines.length && isBlank(lines[next] ?? '')) next++;
      const following = lines[next] ?? '';
      const goesOn = LIST_ITEM.test(opening)
        ? LIST_ITEM.test(following)
        : /^(?: {2,}|\t)\S/.test(following);
      if (!goesOn) break;
      end = next;
    }
    end++;
  }
  return lines.slice(start, end).join('\n');
}

/** Characters looked at for the end of a bracket that was opened on the marker's line. */
const MAX_BRACKET_CHARS = 65_536;

function bracketDepths(text: string): { final: number; closesAt: number } {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character)) {
      depth--;
      if (depth === 0) return { final: 0, closesAt: at + 1 };
    }
  }
  return { final: depth, closesAt: -1 };
}

/** The marker's own line and the lines that continue it: a fence, an open bracket, a list, a trailing comma. */
function withContinuation(line: string, below: string): string {
  if (below === '') return line;
  const start = line.trim();
  const fence = /^(`{3,}|~{3,})[\w+#.-]{0,20}$/.exec(start);
  if (fence !== null) return blockOf(`${start}\n${below}`);
  if (start.startsWith('$$') && start.indexOf('$$', 2) < 0) {
    const end = below.indexOf('$$');
    return end < 0 ? line : `${start}\n${below.slice(0, end + 2)}`;
  }
  if (/^[{[(\\]/.test(start) && bracketDepths(start).final > 0) {
    const all = `${start}\n${below.slice(0, MAX_BRACKET_CHARS)}`;
    const end = bracketDepths(all).closesAt;
    return end < 0 ? line : all.slice(0, end);
  }
  if (
    LIST_ITEM.test(start) &&
    !start.startsWith('|') &&
    /^\s{0,8}(?:[-*+•·]|\d{1,4}[.)])\s/.test(start)
  ) {
    const next = below.slice(0, 400).split('\n')[0] ?? '';
    return LIST_ITEM.test(next) ? blockOf(`${start}\n${below}`) : line;
  }
  const lines = below.split('\n', 200);
  let taken = line;
  for (let at = 0; at < lines.length && /[,;，；、]\s*$/.test(taken.slice(-40)); at++) {
    const next = lines[at] ?? '';
    if (isBlank(next)) break;
    taken += `\n${next}`;
  }
  return taken;
}
