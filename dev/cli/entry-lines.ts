/**
 * One journal entry as lines for people, in short. Pure: what came before is the caller's to
 * remember (render.ts). Text from outside is made harmless by the shortening.
 */
import type {
  ApprovalGiven,
  ApprovalRequested,
  AttemptFailed,
  ModelReplied,
  RunPrepared,
  RunStarted,
  ToolFinished,
} from '../../src/loop/journal.ts';
import { unwrap } from '../../src/tools/untrusted.ts';
import type { Paint } from './paint.ts';
import { formatBytes, formatCount, formatDuration, formatUsd, toShortLine } from './text.ts';

export interface Page {
  paint: Paint;
  columns(): number;
}

const NAME_COLUMNS = 60;

/** A tool's name as the model wrote it may be anything. */
export const toName = (name: string) => toShortLine(name, NAME_COLUMNS);

/** Local time of day, `13:05:09`. */
const toClock = (at: number) => new Date(at).toTimeString().slice(0, 8);

/** Cuts a text to what the line still holds beside `taken` columns. */
const short = (page: Page, text: string, taken: number) =>
  toShortLine(text, Math.max(20, page.columns() - taken));

export const joinFacts = (facts: (string | null)[]) =>
  facts.filter((fact) => fact !== null).join(' · ');

/** The first line of a step: a bullet, what it is, the facts. */
export function stepLine(page: Page, title: string, text = ''): string {
  const head = `${page.paint('cyan', '●')} ${page.paint('bold', title)}`;
  return text === '' ? head : `${head} ${short(page, text, title.length + 3)}`;
}

export function startedLines(page: Page, { entry, runId }: { entry: RunStarted; runId: string }) {
  const names = entry.files.map(({ path }) => path).join(', ');
  const files = `${formatCount(entry.files.length, 'file')}: ${names}`;
  const follows = entry.follows ? `follows ${entry.follows}` : null;
  return [stepLine(page, 'accepted', joinFacts([runId, follows, names ? files : null]))];
}

export function preparedLines(page: Page, entry: RunPrepared): string[] {
  const facts = [`model ${entry.model}`, formatCount(entry.tools.length, 'tool')];
  const lines = [stepLine(page, 'prepared', joinFacts(facts))];
  if (entry.left_out.length > 0) {
    const names = entry.left_out.map(({ name, reason }) => `${name} (${reason})`).join('; ');
    lines.push(page.paint('dim', `  ${short(page, `left out: ${names}`, 2)}`));
  }
  return lines;
}

export function repliedLines(page: Page, entry: ModelReplied): string[] {
  const { usage } = entry;
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const tokens = `${toCount(usage.input_tokens + cached)} in + ${toCount(usage.output_tokens)} out tokens`;
  const cost = formatUsd(entry.cost_micro_usd / 1e6);
  // Its text and calls are not part of the conversation: the reply is asked for again.
  const isCut = entry.stop_reason === 'max_tokens';
  const facts = [formatDuration(entry.ms), tokens, cost, isCut ? 'cut off, asked again' : null];
  const title = entry.purpose === 'format' ? 'format check' : 'model';
  const lines = [stepLine(page, title, joinFacts(facts))];
  if (isCut) return lines;
  for (const block of entry.content) {
    if (block.type === 'text' && block.text.trim() !== '') {
      lines.push(`  ${short(page, block.text, 2)}`);
    } else if (block.type === 'tool_use') {
      const name = toName(block.name);
      const input = short(page, toArgumentText(block.input), name.length + 5);
      lines.push(`  ${page.paint('cyan', '→')} ${name} ${page.paint('dim', input)}`);
    }
  }
  return lines;
}

export function finishedLines(page: Page, entry: ToolFinished): string[] {
  const name = toName(entry.name);
  const good = entry.outcome === 'done' && !entry.is_error;
  const word = entry.outcome === 'done' ? (entry.is_error ? 'error' : null) : entry.outcome;
  const facts = joinFacts([formatDuration(entry.ms), word]);
  const result = short(page, toResultText(entry), name.length + facts.length + 6);
  const mark = good ? page.paint('green', '←') : page.paint('red', '✗');
  const lines = [`  ${mark} ${name} ${page.paint('dim', facts)}  ${result}`];
  for (const file of entry.files ?? []) {
    const size = page.paint('dim', formatBytes(file.bytes));
    lines.push(`    ${page.paint('dim', 'wrote')} ${short(page, file.path, 30)} ${size}`);
  }
  return lines;
}

/** `until`: when it is tried again, by this machine's clock; null when it is not. */
export function failedLines(
  page: Page,
  { entry, until }: { entry: AttemptFailed; until: number | null },
): string[] {
  const words = `model call failed, ${toWords(entry.kind)}: ${entry.message}`;
  if (until === null || entry.retry_at === null) {
    return [`  ${page.paint('red', '✗')} ${short(page, words, 4)}`];
  }
  const wait = formatDuration(Math.max(0, entry.retry_at - entry.at));
  const when = `again in ${wait}, at ${toClock(until)}`;
  return [`  ${page.paint('yellow', '…')} ${short(page, words, when.length + 6)}; ${when}`];
}

export function approvalLines(
  page: Page,
  { entry, until, runUrl }: { entry: ApprovalRequested; until: number; runUrl: string },
): string[] {
  const path = `${runUrl}/approvals/${encodeURIComponent(entry.tool_use_id)}`;
  const mark = page.paint('yellow', '?');
  return [
    `  ${mark} ${toName(entry.name)} waits for your approval, until ${toClock(until)}:`,
    `    curl ${path} -H 'content-type: application/json' -d '{"decision": "approve"}'`,
  ];
}

export function approvedLines(page: Page, { entry, name }: { entry: ApprovalGiven; name: string }) {
  const late = entry.by === 'expiry' ? ', nobody answered in time' : '';
  const word = entry.decision === 'approve' ? 'approved' : 'denied';
  return [page.paint('dim', `  ${name} ${word}${late}`)];
}

/** `path: sales.csv, pattern: total`: text as it is, anything else as JSON. */
function toArgumentText(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return JSON.stringify(input) ?? '';
  }
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function toResultText(entry: ToolFinished): string {
  const parts = entry.content.map((block) =>
    block.type === 'text' ? unwrap(block.text) : '[image]',
  );
  return parts.join(' ');
}

export const toWords = (name: string) => name.replaceAll('_', ' ');
const toCount = (value: number) => value.toLocaleString('en-US');
