/**
 * Turns that lead nowhere: the same calls again, the same results for other arguments, or two sets
 * of calls in turn. Judged by whole turns, so that parallel calls of one reply never count twice.
 * The model is warned first; if it goes on, tools are taken away. Pure.
 */
import { canonicalJson } from '../canonical-json.ts';
import type { CallView, RunView } from './fold.ts';

export interface Repetition {
  kind: 'same_call' | 'same_result' | 'alternating';
  tools: string[];
  /** Turns that repeat. */
  count: number;
  /** True when the warning did not help: the next turn goes out with tools off. */
  stop: boolean;
}

/** Turns in a row, by kind. Other arguments with the same result may be honest search: more patience. */
const WARN_AT = { same_call: 3, same_result: 4, alternating: 4 } as const;
const STOP_AT = { same_call: 5, same_result: 6, alternating: 6 } as const;

const asked = (calls: readonly CallView[]) =>
  calls
    .map(({ name, input }) => `${name} ${canonicalJson(input)}`)
    .sort()
    .join('\n');
const got = (calls: readonly CallView[]) =>
  calls
    .map(({ name, result }) => `${name} ${JSON.stringify(result?.content)}`)
    .sort()
    .join('\n');

/** How the closed turns at the end of the conversation repeat, or null. */
export function repetitionOf(view: RunView): Repetition | null {
  const turns = view.calls.length > 0 ? [...view.closedTurns, view.calls] : view.closedTurns;
  const recent = turns.slice(-Math.max(...Object.values(STOP_AT)));
  const calls = recent.map(asked);
  const tools = recent.at(-1)?.map(({ name }) => name) ?? [];
  const found: [Repetition['kind'], number][] = [
    ['same_call', run(calls, 1)],
    ['alternating', run(calls, 2)],
    ['same_result', run(recent.map(got), 1)],
  ];
  for (const [kind, count] of found) {
    if (count >= WARN_AT[kind]) return { kind, tools, count, stop: count >= STOP_AT[kind] };
  }
  return null;
}

/** Length of the tail in which each element equals the one `period` places before it. */
function run(list: readonly string[], period: number): number {
  let count = 0;
  for (let i = list.length - 1; i >= period && list[i] === list[i - period]; i -= 1) count += 1;
  return count === 0 ? 0 : count + period;
}
