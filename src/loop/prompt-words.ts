/**
 * The sentences that prompts are made of, as one type: both languages say the same things, and a
 * sentence missing in one of them does not compile. Texts: prompt-en.ts, prompt-zh.ts.
 */
import type { AskedFormat } from './answer-asked.ts';

/** A tool and what it is for, as it reads in a list. */
export type ToolUse = readonly [name: string, use: string];

export interface PromptWords {
  identity(today: string): string;
  workHeading: string;
  workIntro: string;
  noTools: string;
  knowledge: string;
  /** Each takes the list of available tools of its group, already joined. */
  files(tools: string): string;
  filesInPython: string;
  search(tools: string): string;
  calcAndPython: string;
  calcOnly: string;
  pythonOnly: string;
  noComputation: string;
  moreComputation(tools: string): string;
  fileTools: readonly ToolUse[];
  searchTools: readonly ToolUse[];
  computationTools: readonly ToolUse[];
  otherTools: readonly ToolUse[];
  outsideServices: string;
  /** Tool name → what it would have done, without the name. */
  abilities: Readonly<Record<string, string>>;
  missing(abilities: string): string;
  listSeparator: string;
  toolItem(use: ToolUse): string;
  rules: string;
  answer: string;
  hintHeading: string;

  filesHeading: string;
  fileItem(file: { path: string; bytes: number; mediaType: string }): string;
  earlierHeading: string;
  earlierItem(turn: { question: string; answer: string | null }): string;

  lastTools(turnsLeft: number): string;
  lastTurn: string;
  formatCall(given: { question: string; asked: string; problem: string; below: boolean }): string;
  asked(asked: AskedFormat, question: string): string;
  problem(reason: string): string;
  repeat: Readonly<Record<RepeatKind, (given: { tools: string; count: number }) => string>>;
}

/** How calls repeat: the same call, different calls with the same result, two calls in turn. */
export type RepeatKind = 'same_call' | 'same_result' | 'alternating';
