/**
 * RunView and pinned prompt → the request. A function of the journal alone: the same run sends the
 * same bytes wherever and whenever it is resumed (cache markers are set by the client). Pure.
 */
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../model/port.ts';
import type { CallModel } from './decide.ts';
import { pendingUserMessage, type RunMessage, type RunView } from './fold.ts';

/** What is pinned per run, by digest, at `prompts/{sha256}`. */
export interface PinnedPrompt {
  system: string;
  tools: ToolUnion[];
}

/** A request whose files are still references to objects; request-files.ts reads them. */
export type RunRequest = Omit<ModelRequest, 'messages'> & { messages: RunMessage[] };

export function buildRequest(
  view: RunView,
  { next, prompt }: { next: CallModel; prompt: PinnedPrompt },
): RunRequest {
  const user = pendingUserMessage(view, next.userText);
  return {
    model: view.prepared?.model ?? '',
    system: [{ type: 'text', text: prompt.system }],
    tools: prompt.tools,
    messages: user ? [...view.messages, user] : view.messages,
    toolChoice: next.toolChoice,
    maxTokens: next.maxTokens,
  };
}
