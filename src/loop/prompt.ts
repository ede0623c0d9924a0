/**
 * What is said to the model: the pinned system prompt, the first user message, warnings and the
 * format call, in the language of the question. Pure: the same arguments give the same bytes.
 * A tool that is not available is never named. Texts: prompt-en.ts, prompt-zh.ts.
 */
import { askedFormat } from './answer-asked.ts';
import type { FileRef } from './journal.ts';
import type { Language } from './language.ts';
import { ENGLISH } from './prompt-en.ts';
import type { PromptWords, RepeatKind, ToolUse } from './prompt-words.ts';
import { CHINESE } from './prompt-zh.ts';

const WORDS: Readonly<Record<Language, PromptWords>> = { en: ENGLISH, zh: CHINESE };

export interface SystemPromptOptions {
  language: Language;
  /** Names of the tools of this run. */
  tools: string[];
  leftOut: { name: string; reason: string }[];
  /** Advice for the domain of the question. */
  workflowHint?: string;
  /** YYYY-MM-DD, UTC. */
  today: string;
}

/** The system prompt. Knowledge first, then attached files, then search, then computation. */
export function buildSystemPrompt(options: SystemPromptOptions): string {
  const words = WORDS[options.language];
  const available = new Set(options.tools);
  const hint = options.workflowHint?.trim() ?? '';
  return [
    words.identity(options.today),
    [words.workHeading, ...workSteps(words, available), ...missing(words, options)].join('\n'),
    words.rules,
    words.answer,
    ...(hint === '' ? [] : [`${words.hintHeading}\n${hint}`]),
  ].join('\n\n');
}

function workSteps(words: PromptWords, available: ReadonlySet<string>): string[] {
  if (available.size === 0) return [words.noTools];
  const joined = (uses: readonly ToolUse[]) =>
    uses.filter(([name]) => available.has(name)).map(words.toolItem);
  const files = joined(words.fileTools);
  if (files.length > 0 && available.has('execute_python')) files.push(words.filesInPython);
  const search = joined(words.searchTools).join(words.listSeparator);
  const steps = [
    available.has('rag_query') ? words.knowledge : null,
    files.length > 0 ? words.files(files.join(words.listSeparator)) : null,
    search === '' ? null : words.search(search),
    computation(words, available, joined(words.computationTools)),
  ].filter((step) => step !== null);
  const others = joined(words.otherTools).map((item) => `- ${item}`);
  const outside = [...available].some((name) => name.startsWith('mcp__'));
  return [
    words.workIntro,
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...others,
    ...(outside ? [`- ${words.outsideServices}`] : []),
  ];
}

function computation(words: PromptWords, available: ReadonlySet<string>, more: string[]): string {
  const calc = available.has('calc');
  const main = available.has('execute_python')
    ? calc
      ? words.calcAndPython
      : words.pythonOnly
    : calc
      ? words.calcOnly
      : words.noComputation;
  return more.length === 0
    ? main
    : `${main}${words.moreComputation(more.join(words.listSeparator))}`;
}

/** Abilities of tools that were left out, without their names: a name would be called. */
function missing(words: PromptWords, { tools, leftOut }: SystemPromptOptions): string[] {
  const abilities = leftOut
    .filter(({ name }) => !tools.includes(name))
    .map(({ name }) => (Object.hasOwn(words.abilities, name) ? words.abilities[name] : undefined))
    .filter((ability) => ability !== undefined);
  return abilities.length === 0
    ? []
    : [words.missing([...new Set(abilities)].join(words.listSeparator))];
}

export interface UserMessageOptions {
  question: string;
  files: FileRef[];
  /** Questions and answers of the runs that this one follows, oldest first. */
  context: { question: string; answer: string | null }[];
  language: Language;
}

/** The first user message: the question exactly as asked, then the files, then what came before. */
export function userMessage({ question, files, context, language }: UserMessageOptions): string {
  const words = WORDS[language];
  const parts = [question];
  if (files.length > 0) {
    const items = files.map((file) =>
      words.fileItem({
        path: oneLine(file.path),
        bytes: file.bytes,
        mediaType: oneLine(file.media_type),
      }),
    );
    parts.push([words.filesHeading, ...items].join('\n'));
  }
  if (context.length > 0)
    parts.push([words.earlierHeading, ...context.map(words.earlierItem)].join('\n'));
  return parts.join('\n\n');
}

/** A name cannot break out of its line. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '?');
}

/** `last_tools`: the last turn with tools. `last_turn`: tools are off. `turnsLeft` counts this turn. */
export function warningText(
  level: 'last_tools' | 'last_turn',
  { language, turnsLeft }: { language: Language; turnsLeft: number },
): string {
  return level === 'last_turn' ? WORDS[language].lastTurn : WORDS[language].lastTools(turnsLeft);
}

/** Characters of the question that the format call repeats; the whole of it stands in the conversation. */
const MAX_REPEATED_CHARS = 4_000;

/**
 * Asks for the answer alone, in the form that the question wants, repeating the question and its
 * form. `problem` is the reason that `formatProblem` gave.
 */
export function formatCallText(options: {
  question: string;
  language: Language;
  problem?: string | null;
}): string {
  const { question, problem } = options;
  const words = WORDS[options.language];
  const asked = askedFormat(question);
  return words.formatCall({
    question: shortened(question.trim()),
    asked: words.asked(asked, question),
    problem: problem ? words.problem(problem) : '',
    below: asked.open || asked.json,
  });
}

/** Beginning and end: a question's wishes stand in either. */
function shortened(question: string): string {
  if (question.length <= MAX_REPEATED_CHARS) return question;
  const half = MAX_REPEATED_CHARS / 2;
  return `${cutPair(question.slice(0, half))}\n[…]\n${question.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
}

function cutPair(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}

/** Said once when calls repeat without progress, before the run is stopped for it. */
export function repeatWarningText(options: {
  language: Language;
  kind: RepeatKind;
  /** Names of the tools that repeat. */
  tools: string[];
  count: number;
}): string {
  const words = WORDS[options.language];
  const tools = [...new Set(options.tools)].join(options.language === 'zh' ? '、' : ' and ');
  return words.repeat[options.kind]({ tools, count: options.count });
}
