/** What was sent to the model and what tools did: each call once, as far as its effect asks for it. */
import type { ModelCall } from './outside.ts';
import { eventOf } from './outside.ts';
import { eachRun, type Invariant, type Told } from './told.ts';

export const EFFECT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'results_come_first_and_in_call_order',
    check: ({ outside }) =>
      outside.modelCalls.flatMap((call) => {
        const fault = orderFault(call.messages);
        return fault ? [`${call.event}: ${fault}`] : [];
      }),
  },
  {
    name: 'a_request_continues_the_journal',
    isOffAfterLoss: true,
    check: ({ outside }, told) => outside.modelCalls.flatMap((call) => requestFault(call, told)),
  },
  {
    name: 'once_tools_start_once',
    isOffAfterLoss: true,
    check: ({ outside }) => {
      const starts = new Map<string, number>();
      for (const { effect, callId } of outside.toolStarts) {
        if (effect === 'once') starts.set(callId, (starts.get(callId) ?? 0) + 1);
      }
      return [...starts].flatMap(([id, count]) => (count > 1 ? [`${id}: ${count} starts`] : []));
    },
  },
  {
    name: 'code_runs_once',
    isOffAfterLoss: true,
    check: ({ outside }) =>
      [...outside.codeRuns].flatMap(([id, count]) =>
        count > 1 ? [`${id} ran ${count} times`] : [],
      ),
  },
  {
    name: 'repeats_carry_the_same_key',
    check: ({ outside }) =>
      outside.toolStarts.flatMap(({ run, callId, key }) =>
        key === `${run}:${callId}` ? [] : [`${callId} ran under ${key}`],
      ),
  },
  {
    name: 'no_result_runs_again',
    check: eachRun((told, world) => {
      const finishedAt = new Map<string, number>();
      for (const [i, entry] of told.entries.entries()) {
        const at = told.run.times[i] ?? 0;
        if (entry.type === 'tool_finished') finishedAt.set(entry.tool_use_id, at);
      }
      // A worker that stood still may enter its tool late; whoever claimed later must not.
      return world.outside.toolStarts
        .filter(({ run }) => run === told.run.id)
        .map(({ callId, process, atMs }) => {
          const at = finishedAt.get(callId);
          if (at === undefined || world.startOf(process) <= at) return false;
          return `${callId} was entered by ${process} at ${Math.round(atMs)} ms, after its result`;
        });
    }),
  },
  {
    name: 'what_is_done_has_ended',
    check: eachRun((told, world) =>
      told.entries.map((entry) => {
        if (entry.type !== 'tool_finished' || entry.outcome !== 'done') return false;
        const starts = world.outside.toolStarts.filter(
          ({ callId }) => callId === entry.tool_use_id,
        );
        return !starts.some(({ ended }) => ended) && `${entry.tool_use_id} never ended`;
      }),
    ),
  },
  {
    name: 'what_may_have_happened_is_unknown',
    isOffAfterLoss: true,
    check: eachRun((told, world) =>
      told.entries.map((entry) => {
        if (entry.type !== 'tool_finished') return false;
        const { tool_use_id: id, outcome } = entry;
        const isEntered = world.outside.toolStarts.some(
          ({ callId, effect }) => callId === id && effect === 'once',
        );
        const denies = outcome === 'cancelled' || outcome === 'denied';
        return isEntered && denies && `${id} was entered and is ${outcome}`;
      }),
    ),
  },
  {
    name: 'tools_are_off_on_the_last_turn',
    check: eachRun(({ view, entries }, world) => {
      if (!view) return [];
      let turns = 0;
      const off: string[] = [];
      for (const entry of entries) {
        if (entry.type !== 'model_replied' || entry.stop_reason === 'max_tokens') continue;
        if (entry.purpose === 'turn') turns += 1;
        if (entry.purpose === 'turn' && turns < view.started.limits.turns) continue;
        for (const block of entry.content) if (block.type === 'tool_use') off.push(block.id);
      }
      const entered = new Set(world.outside.toolStarts.map(({ callId }) => callId));
      return off.map((id) => entered.has(id) && `${id} was run`);
    }),
  },
];

/** Each assistant message with calls is answered by all of its results, in order, before any text. */
function orderFault(messages: readonly string[]): string | null {
  type Block = { type: string; id?: string; tool_use_id?: string };
  const parsed = messages.map(
    (message) => JSON.parse(message) as { role: string; content: Block[] },
  );
  for (const [i, { role, content }] of parsed.entries()) {
    if (role !== 'assistant') continue;
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const next = parsed[i + 1]?.content ?? [];
    if (calls.length === 0) {
      if (next.some(({ type }) => type === 'tool_result')) return 'a result without its call';
      continue;
    }
    const results = next.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id);
    if (results.join() !== calls.join()) return `calls ${calls} got results ${results}`;
    if (next.slice(calls.length).some(({ type }) => type !== 'text')) return 'more than results';
  }
  return null;
}

/** All of a request but the message at its end stands in the journal of its run, byte for byte. */
function requestFault({ event, messages }: ModelCall, told: readonly Told[]): string[] {
  const own = told.find(({ run }) => eventOf(run.id) === event);
  if (!own?.view) return [];
  const record = own.view.messages.map((message) => JSON.stringify(message));
  const last = messages.length - 1;
  const differs = messages.findIndex((message, i) => i < last && message !== record[i]);
  if (differs < 0) return [];
  return [`${event}: message ${differs + 1} of ${messages.length} is not on record`];
}
