/**
 * What a rule of the demo model is: it recognises a question and says the next thing, a tool call or
 * an answer. Rules compute nothing about files themselves: they read what tools returned.
 */
import type { Conversation } from './conversation.ts';

export interface PlannedCall {
  name: string;
  input: Record<string, unknown>;
}

/** Calls to make (with a short text), or the end: an answer, or a reason why there is none. */
export type Move =
  | { kind: 'call'; text: string; calls: PlannedCall[] }
  | { kind: 'answer'; explanation: string; answer: string }
  | { kind: 'no_answer'; reason: string };

export interface Intent {
  name: string;
  /** For the README: a question that it answers, and what it takes to try it. */
  example: string;
  /** Null when the question is not of this kind. */
  next(conversation: Conversation): Move | null;
}

/** The sentence in the language of the question. */
export function say(conversation: Conversation, texts: { en: string; zh: string }): string {
  return conversation.isChinese ? texts.zh : texts.en;
}

/** The move when a tool is needed that is not offered, or may not be used on this turn. */
export function withoutTool(conversation: Conversation, name: string): Move {
  return {
    kind: 'no_answer',
    reason: say(conversation, {
      en: `I would need the tool ${name}, which may not be used here.`,
      zh: `回答这个问题需要工具 ${name}，但现在不能使用它。`,
    }),
  };
}

/** The move when a call failed: its reason, and no invented answer. */
export function failedCall(conversation: Conversation, call: { name: string; text: string }): Move {
  const reason = call.text.replace(/\s+/g, ' ').trim().slice(0, 300);
  return {
    kind: 'no_answer',
    reason: say(conversation, {
      en: `The call of ${call.name} failed: ${reason}`,
      zh: `调用 ${call.name} 失败：${reason}`,
    }),
  };
}

/** The field of a tool that goes by one of these names, else its first one, else the first name. */
export function fieldOf(tool: { fields: string[] }, names: [string, ...string[]]): string {
  return names.find((name) => tool.fields.includes(name)) ?? tool.fields[0] ?? names[0];
}
