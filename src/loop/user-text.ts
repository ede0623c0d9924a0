/** What is said to the model besides results, in the language of the run's question. Pure. */
import { problemOf } from './conclude.ts';
import type { RunView } from './fold.ts';
import { questionLanguage } from './language.ts';
import { formatCallText, warningText } from './prompt.ts';

export function warningTextOf(view: RunView, level: 'last_tools' | 'last_turn'): string {
  const { question, limits } = view.started;
  const turnsLeft = Math.max(1, limits.turns - view.turns);
  return warningText(level, { language: questionLanguage(question), turnsLeft });
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
