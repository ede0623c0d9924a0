/** What is said to the model besides results, in the language of the run's question. Pure. */
import { problemOf } from './conclude.ts';
import type { RunView } from './fold.ts';
import { questionLanguage } from './language.ts';
import { formatCallText, repeatWarningText, warningText } from './prompt.ts';
import type { Repetition } from './repetition.ts';

export function warningTextOf(view: RunView, level: 'last_tools' | 'last_turn'): string {
  const { question, limits } = view.started;
  const turnsLeft = Math.max(1, limits.turns - view.turns);
  return warningText(level, { language: questionLanguage(question), turnsLeft });
}

export function repeatWarningOf(view: RunView, { kind, tools, count }: Repetition): string {
  const language = questionLanguage(view.started.question);
  return repeatWarningText({ language, kind, tools, count });
}

/** Asks for the answer alone, in the form the question wants. */
export function formatCallTextOf(view: RunView): string {
  const { question } = view.started;
  return formatCallText({
    question,
    language: questionLanguage(question),
    problem: problemOf(view),
  });
}
