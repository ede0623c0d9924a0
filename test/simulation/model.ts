/**
 * The model as the simulation has it: what it says depends on the run, the turn and how often that
 * turn was asked, as a real one never says the same twice. It charges for every call that reached
 * it, heard or not, and fails in every class there is.
 */
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import type {
  FailureKind,
  ModelFailure,
  ModelPort,
  ModelReply,
  ModelRequest,
} from '../../src/model/port.ts';
import { costMicroUsd, priceOf } from '../../src/model/prices.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { ModelCall, Outside } from './outside.ts';
import type { Process, Scheduler } from './scheduler.ts';
import type { Transport } from './transport.ts';

const FAILURES: FailureKind[] = [
  'overloaded',
  'overloaded',
  'rate_limited',
  'rate_limited',
  'server_error',
  'timeout',
  'connection_lost',
  'connection_lost',
  'context_exceeded',
  'request_too_large',
  'bad_request',
  'spend_limit',
];
/** The provider may have worked, and charges for it. */
const MAYBE_PAID = new Set<FailureKind>(['timeout', 'connection_lost', 'aborted']);

interface Parts {
  scheduler: Scheduler;
  chance: Chance;
  faults: Faults;
  transport: Transport;
  outside: Outside;
  ledger: Ledger;
  model: string;
}

/** Tools whose interruption has the most to it. */
const OFTEN = new Set(['execute_python', 'send']);

/** `[q1]` stands in the question. */
const EVENT = /\[(q\d+)\]/;

export function createModels(parts: Parts): (process: Process) => ModelPort {
  const { scheduler, chance, faults, transport, outside, ledger } = parts;
  const asked = new Map<string, number>();
  const prices = priceOf(parts.model);

  return (process) => ({
    call(request, { signal, idleMs, maxMs, onText }) {
      if (!process.alive) return new Promise<never>(() => {});
      const messages = request.messages.map((message) => JSON.stringify(message));
      const event = EVENT.exec(messages[0] ?? '')?.[1] ?? 'q0';
      const turn = messages.filter((message) => message.startsWith('{"role":"assistant"')).length;
      const nth = (asked.get(`${event} ${turn}`) ?? 0) + 1;
      asked.set(`${event} ${turn}`, nth);
      const where = `model call ${nth} of ${event}, turn ${turn}`;
      const pinned = JSON.stringify([request.system, request.tools, request.model]);
      const known = outside.pinned.get(event) ?? pinned;
      outside.pinned.set(event, known);
      if (known !== pinned && ledger.losses() === 0) {
        ledger.accuse('prompt_and_tools_are_pinned', where);
      }
      const bytes = pinned.length + messages.reduce((sum, message) => sum + message.length, 0);

      const dies = faults.hit('crash', where, 2)
        ? chance.pick(`dies ${where}`, ['before', 'during', 'after'] as const)
        : null;
      if (dies === 'before') {
        transport.kill(process, 'model', 'before');
        return new Promise<never>(() => {});
      }
      const call: ModelCall = {
        event,
        process: process.name,
        messages,
        toolChoice: request.toolChoice,
        realMicroUsd: 0,
      };
      outside.modelCalls.push(call);
      process.doing.add('model');
      const outcome = outcomeOf(where, { request, bytes, idleMs, maxMs });
      if (outcome.value.kind === 'reply' || MAYBE_PAID.has(outcome.value.failure)) {
        call.realMicroUsd = costMicroUsd(outcome.usage, prices);
      }
      return new Promise((resolve) => {
        const end = scheduler.after(outcome.ms, process, () => {
          signal.removeEventListener('abort', abort);
          process.doing.delete('model');
          if (dies === 'after') transport.kill(process, 'model', 'after');
          else resolve(outcome.value);
        });
        const abort = () => {
          end.cancelled = true;
          process.doing.delete('model');
          scheduler.after(1, process, () => resolve(failed('aborted', 'The call was stopped.')));
        };
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort, { once: true });
        if (dies === 'during') {
          scheduler.after(outcome.ms / 2, process, () =>
            transport.kill(process, 'model', 'during'),
          );
        }
        if (onText) scheduler.after(outcome.ms / 3, process, () => onText('so far'));
      });
    },
  });

  function outcomeOf(
    where: string,
    {
      request,
      bytes,
      idleMs,
      maxMs,
    }: { request: ModelRequest; bytes: number; idleMs: number; maxMs?: number },
  ): { value: ModelReply | ModelFailure; usage: ModelReply['usage']; ms: number } {
    const content = contentOf(where, request);
    const least = Math.ceil(JSON.stringify(content.blocks).length / 4) + 1;
    // In some worlds the model writes as much as it may.
    const share = chance.number(`wordy ${where}`) ** chance.pick('wordiness', [4, 4, 4, 0]);
    const wordy = share * request.maxTokens;
    const usage = {
      input_tokens: Math.ceil(bytes / 4),
      output_tokens: Math.min(request.maxTokens, Math.max(least, Math.floor(wordy))),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const slow = faults.hit('model_slow', where)
      ? chance.int(`slow ${where}`, [5_000, 100_000])
      : 0;
    const ms = 200 + chance.number(`ms ${where}`) * 6_000 + slow;
    if (maxMs !== undefined && ms > maxMs) {
      return { value: failed('timeout', 'The invocation ends.'), usage, ms: Math.max(0, maxMs) };
    }
    if (faults.hit('model_hangs', where)) {
      return { value: failed('timeout', 'The model was silent.'), usage, ms: idleMs };
    }
    if (faults.hit('model_fails', where)) {
      const kind = chance.pick(`failure ${where}`, FAILURES);
      const retryAfterMs = chance.hit(`asks ${where}`, 0.3)
        ? chance.int(`patience ${where}`, [0, 60_000])
        : null;
      const seen = MAYBE_PAID.has(kind) && chance.hit(`seen ${where}`, 0.5) ? usage : null;
      const value = { ...failed(kind, `The model’s service failed (${kind}).`), retryAfterMs };
      return { value: { ...value, usage: seen }, usage, ms };
    }
    const value: ModelReply = {
      kind: 'reply',
      content: content.blocks,
      stopReason: content.stopReason,
      model: request.model,
      usage,
    };
    return { value, usage, ms };
  }

  /** What is said: tools mostly, an answer in the end, now and then something odd. */
  function contentOf(where: string, request: ModelRequest) {
    const draw = chance.number(`says ${where}`);
    const free = request.toolChoice === 'auto' && request.tools.length > 0;
    if (free ? draw < 0.86 : draw < 0.06) return toolUses(where, request);
    if (draw > 0.985) return { blocks: [], stopReason: 'end_turn' };
    if (draw > 0.975) return { blocks: [text('I will not.')], stopReason: 'refusal' };
    if (draw > 0.95) return { blocks: [text('FINAL ANS')], stopReason: 'max_tokens' };
    if (draw > 0.935) return { blocks: [text('Wait.')], stopReason: 'pause_turn' };
    if (draw > 0.92) {
      const { blocks } = toolUses(where, request);
      return { blocks, stopReason: 'model_context_window_exceeded' };
    }
    if (draw > 0.91) return { ...toolUses(where, request), stopReason: 'refusal' };
    if (draw > 0.88) return { blocks: [text('It is four.')], stopReason: 'end_turn' };
    return { blocks: [text('Two and two.\n\nFINAL ANSWER: 4')], stopReason: 'end_turn' };
  }

  function toolUses(where: string, request: ModelRequest) {
    const names = request.tools.flatMap((tool) => ('name' in tool ? [tool.name] : []));
    const count = chance.pick(`calls ${where}`, [1, 2, 2, 3, 3, 5]);
    const blocks: ContentBlock[] = [thinking(where)];
    for (let i = 0; i < count; i += 1) {
      const name = chance.hit(`unknown ${i} ${where}`, 0.03)
        ? 'no_such_tool'
        : chance.pick(`tool ${i} ${where}`, [...names, ...names.filter((one) => OFTEN.has(one))]);
      const id = `toolu_${where.replace(/[^\w]+/g, '_')}_${i}`;
      const input = chance.hit(`odd ${i} ${where}`, 0.03)
        ? { wrong: true }
        : { item: chance.pick(`item ${i} ${where}`, ['a', 'b', 'c']), code: 'print(4)' };
      blocks.push({
        type: 'tool_use',
        id,
        name,
        input,
        caller: { type: 'direct' },
      } as ContentBlock);
    }
    return { blocks, stopReason: 'tool_use' };
  }
}

const text = (value: string) => ({ type: 'text', text: value, citations: null }) as ContentBlock;
const thinking = (where: string) =>
  ({ type: 'thinking', thinking: 'Let me see.', signature: `sig ${where}` }) as ContentBlock;

const failed = (failure: FailureKind, message: string): ModelFailure => ({
  kind: 'failed',
  failure,
  message,
  status: null,
  retryAfterMs: null,
  usage: null,
});
