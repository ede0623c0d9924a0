/**
 * What a run of the kill tests does, drawn from a seed: turns of parallel calls of every effect, and
 * the model's replies that ask for them, streamed slowly. Call ids are new with each request, as a
 * real model's are, so a tool that runs for a reply nobody committed shows up as a stranger.
 */

import type { ReceivedRequest, ScriptedReply } from '../helpers/messages-server.ts';
import type { createRandom } from '../helpers/table-draws.ts';

export type Random = ReturnType<typeof createRandom>;
export type CountedTool = 'count_pure' | 'count_keyed' | 'count_once' | 'execute_python';

export interface CallPlan {
  tool: CountedTool;
  /** Unique over all runs of a lane: one logical call, whatever ids the replies give it. */
  label: string;
  /** How long it works. */
  ms: number;
}

export interface RunPlan {
  /** Part of the question, by which the scripted model knows the run. */
  key: string;
  answer: string;
  turns: CallPlan[][];
  /** How long each reply takes to arrive: one for each turn, one for the answer. */
  streamMs: number[];
}

const COUNTED = ['count_pure', 'count_keyed', 'count_once'] as const;
const FILLER = 'I look at the stones one after another and note what each of them weighs. ';

export function questionOf(plan: RunPlan): string {
  return `What is the number of stone ${plan.key}?`;
}

/** A long run takes 8 to 15 s, a short one 2 s. `python`: its second turn runs Python as well. */
export function drawRun(
  random: Random,
  { key, kind }: { key: string; kind: 'short' | 'counted' | 'python' },
): RunPlan {
  const turns: CallPlan[][] = [];
  const count = kind === 'short' ? 1 : random.int(3, 4);
  for (let turn = 0; turn < count; turn += 1) {
    const tools: CountedTool[] = kind === 'short' ? ['count_pure'] : [...COUNTED];
    if (turn > 0 && kind !== 'short') tools.splice(random.int(0, 2), 1);
    if (turn > 0 && random.chance(0.3)) tools.push(random.pick(COUNTED));
    if (kind === 'python' && (turn === 1 || turn === count - 1)) tools.push('execute_python');
    turns.push(
      tools.map((tool, index) => ({
        tool,
        label: `${key}-${turn}-${index}`,
        ms: kind === 'short' ? 200 : random.int(200, 3_000),
      })),
    );
  }
  const streamMs = Array.from({ length: count + 1 }, () =>
    kind === 'short' ? 300 : random.int(600, 2_000),
  );
  return { key, answer: String(random.int(1_000, 999_999)), turns, streamMs };
}

/** The key of the run that a request belongs to, and which of its turns it asks for. */
export function placeOf(request: ReceivedRequest): { key: string; turn: number } | null {
  const messages = request.body.messages as { role: string }[];
  const key = /number of stone (\w+)\?/.exec(JSON.stringify(messages[0]))?.[1];
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  return key === undefined ? null : { key, turn };
}

export function replyOf(
  plan: RunPlan,
  { turn, index, counterUrl }: { turn: number; index: number; counterUrl: string },
): ScriptedReply {
  const calls = plan.turns[turn];
  const text = calls ? FILLER.repeat(4) : `${FILLER.repeat(4)}\n\nFINAL ANSWER: ${plan.answer}`;
  const uses = (calls ?? []).map((call, place) => ({
    type: 'tool_use',
    id: `toolu_${call.label}-${place}-${index}`,
    name: call.tool,
    input: inputOf(call, counterUrl),
  }));
  // About one event for 24 characters (dev/model/wire.ts).
  const events = Math.ceil((text.length + JSON.stringify(uses).length) / 24) + 6;
  return {
    content: [{ type: 'text', text }, ...uses],
    dripMs: (plan.streamMs[turn] ?? 0) / events,
  };
}

function inputOf(call: CallPlan, counterUrl: string): Record<string, unknown> {
  if (call.tool !== 'execute_python') {
    return { counter: counterUrl, label: call.label, ms: call.ms };
  }
  // The file stands for everything that code may do: a line twice is code that ran twice.
  const code = [
    `# ${counterUrl} ${call.label}`,
    'import time',
    `with open('starts.txt', 'a') as file: file.write('${call.label} ')`,
    `time.sleep(${call.ms / 1000})`,
    "print('starts:', open('starts.txt').read())",
  ];
  return { code: code.join('\n') };
}

/** Labels of the code that ran in a sandbox, as its last call saw them; null: it says nothing. */
export function pythonStarts(text: string): string[] | null {
  const found = /starts: ([^\n]*)/.exec(text)?.[1];
  return found === undefined ? null : found.trim().split(/\s+/);
}
