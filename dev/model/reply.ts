/**
 * Request → reply of the offline demo model. Deterministic: the same request gives the same reply,
 * ids included. It never invents: what no rule answers ends in `NO ANSWER:` and a reason.
 */
import { createHash } from 'node:crypto';
import type { ContentBlock, ToolUseBlock } from '@anthropic-ai/sdk/resources/messages';
import { DEMO_MODEL } from '../../src/model/prices.ts';
import { type Conversation, type MessagesRequest, readConversation } from './conversation.ts';
import { type Move, say } from './intent.ts';
import { INTENTS } from './intents.ts';
import type { WireMessage } from './wire.ts';

// The words of the system prompt's answer rules (src/loop/prompt-en.ts).
const MARKER = 'FINAL ANSWER:';
const NO_ANSWER = 'NO ANSWER:';

function whoIAm(conversation: Conversation): string {
  return say(conversation, {
    en: 'This is the offline demo model, a set of rules and not a language model.',
    zh: '这是离线演示模型，由规则构成，不是语言模型。',
  });
}

/** Said when no rule fits: what would, and then why there is no answer. */
function whatICan(conversation: Conversation): { before: string; reason: string } {
  const examples = INTENTS.map((intent) => intent.example.replace(/ \(.*\)$/, '')).join(' · ');
  return {
    before: say(conversation, {
      en: `It handles, for example: ${examples}`,
      zh: `它能处理例如：金额列的总和是多少？ · ${examples}`,
    }),
    reason: say(conversation, {
      en: 'No rule of the offline demo model fits this question; set ANTHROPIC_API_KEY to use Claude.',
      zh: '离线演示模型没有适用于这个问题的规则；设置 ANTHROPIC_API_KEY 即可使用 Claude。',
    }),
  };
}

/** A request to repeat the answer in the right form: the same value again, or still none. */
function repeated(earlier: string): Move | null {
  const at = earlier.lastIndexOf(MARKER);
  if (at < 0) return null;
  const answer = earlier.slice(at + MARKER.length).trim();
  return { kind: 'answer', explanation: '', answer };
}

function chooseMove(conversation: Conversation): Move | null {
  if (conversation.earlierReply !== null) {
    const again = repeated(conversation.earlierReply);
    if (again !== null) return again;
  }
  for (const intent of INTENTS) {
    const move = intent.next(conversation);
    if (move !== null) return move;
  }
  return null;
}

function textFor(conversation: Conversation, move: Move | null): string {
  if (move === null) {
    const { before, reason } = whatICan(conversation);
    return `${whoIAm(conversation)} ${before}\n\n${NO_ANSWER} ${reason}`;
  }
  if (move.kind === 'call') return move.text;
  if (move.kind === 'no_answer') return `${whoIAm(conversation)}\n\n${NO_ANSWER} ${move.reason}`;
  return `${whoIAm(conversation)} ${move.explanation}`
    .trim()
    .concat(`\n\n${MARKER} ${move.answer}`);
}

/** About four characters a token: enough for limits and budgets to have something to count. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** The reply to a checked request. Its ids follow from the request, streamed or not. */
export function replyTo({ stream: _, ...request }: MessagesRequest): WireMessage {
  const raw = JSON.stringify(request);
  const conversation = readConversation(request);
  const move = chooseMove(conversation);
  const text = textFor(conversation, move);
  const calls = move?.kind === 'call' ? move.calls : [];
  const content: ContentBlock[] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text, citations: null }]),
    ...calls.map(
      (call, index): ToolUseBlock => ({
        type: 'tool_use',
        id: `toolu_${digest(`${index} ${raw}`)}`,
        name: call.name,
        input: call.input,
        caller: { type: 'direct' },
      }),
    ),
  ];
  return {
    id: `msg_${digest(raw)}`,
    model: DEMO_MODEL,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input_tokens: countTokens(raw), output_tokens: countTokens(JSON.stringify(content)) },
  };
}
