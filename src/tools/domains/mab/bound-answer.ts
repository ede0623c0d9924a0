/** How the bound tools answer: one JSON object as text for the model and as data for programs. */
import type { ToolOutput } from '../../define.ts';
import { refusal } from './checks.ts';

/** JSON knows no infinity; the word says what a null would hide. */
export function answerText(answer: Record<string, unknown>): ToolOutput {
  const data = JSON.parse(
    JSON.stringify(answer, (_key, value: unknown) =>
      value === Number.POSITIVE_INFINITY ? 'infinity' : value,
    ),
  ) as unknown;
  return { content: JSON.stringify(data), data };
}

/** The value of a field that this kind of bound cannot do without. Throws invalid_input naming it. */
export function need<Value>(
  value: Value | undefined,
  { name, kind }: { name: string; kind: string },
): Value {
  if (value === undefined) throw refusal(name, `is needed for ${kind}`);
  return value;
}
