/**
 * A Messages API request as the demo model's rules see it: the question, the files it names, the
 * tools it may call, and what the calls made since the question gave back. Pure.
 */
import type {
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import { unwrap } from '../../src/tools/untrusted.ts';

/** The fields of a request that the rules read; `validate.ts` has checked the rest. */
export interface MessagesRequest {
  model: string;
  max_tokens: number;
  stream?: boolean;
  messages: MessageParam[];
  tools?: ToolUnion[];
  tool_choice?: { type: string };
}

export interface FinishedCall {
  name: string;
  input: Record<string, unknown>;
  /** Text of the result, the wrapper for outside text removed. */
  text: string;
  isError: boolean;
}

export interface OfferedTool {
  name: string;
  /** Names of its fields, required ones first. */
  fields: string[];
}

export interface Conversation {
  question: string;
  /** True when the question is written in Chinese. */
  isChinese: boolean;
  /** Paths from the list below the question, in its order. */
  files: string[];
  /** True when the message had such a list. */
  hasFileList: boolean;
  /** Calls since the question, oldest first. */
  calls: FinishedCall[];
  /** The tool, when it is offered and tools may be used now; null otherwise. */
  tool(name: string): OfferedTool | null;
  /** Set when the last text only asks to repeat the answer: what was said before. */
  earlierReply: string | null;
}

function blocksOf(message: MessageParam | undefined): ContentBlockParam[] {
  if (message === undefined) return [];
  return typeof message.content === 'string'
    ? [{ type: 'text', text: message.content }]
    : message.content;
}

function textOf(blocks: ContentBlockParam[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function resultText(block: ToolResultBlockParam): string {
  const content =
    typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
  const texts = (content ?? []).flatMap((part) =>
    'text' in part && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.map(unwrap).join('\n');
}

function hasResults(message: MessageParam): boolean {
  return blocksOf(message).some((block) => block.type === 'tool_result');
}

const FORMAT_REQUEST =
  /final answer:|only (?:with )?the answer|repeat (?:only )?(?:the|your) answer|只(?:重复|给出|写|回答|输出).{0,10}答案|重复.{0,6}答案/i;

/** Where the question stands: the last user message that is neither results nor a format request. */
function questionIndex(messages: MessageParam[]): number {
  for (let at = messages.length - 1; at > 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user' || hasResults(message)) continue;
    if (!FORMAT_REQUEST.test(textOf(blocksOf(message)))) return at;
  }
  return 0;
}

function earlierReplyOf(messages: MessageParam[], from: number): string | null {
  const last = messages.at(-1);
  if (last === undefined || messages.length - 1 === from || hasResults(last)) return null;
  const before = messages.slice(from, -1).findLast((message) => message.role === 'assistant');
  return textOf(blocksOf(before));
}

const EARLIER_HEADING = /\n\n(?:Earlier in this conversation:|此前的对话：)\n/;
const FILE_HEADING = /\n\s*\n?(?:Files attached to this run:|本次任务的附件：)[ \t]*\n/;

/** `- path (N bytes, media/type)`; a path may hold brackets, so the tail is matched from the end. */
function listedFiles(section: string): string[] {
  return section.split('\n').flatMap((line) => {
    const match = /^- (.+) \([\d,]+ (?:bytes?|字节)[,，] ?[^()]*\)\s*$/.exec(line);
    return match?.[1] === undefined ? [] : [match[1]];
  });
}

/** Paths in a `list_files` result: `path  N bytes  media/type`. */
export function pathsInListing(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(.+?) {2}[\d,]+ bytes {2}\S+$/.exec(line);
    return match?.[1] === undefined ? [] : [match[1]];
  });
}

function finishedCalls(messages: MessageParam[]): FinishedCall[] {
  const results = new Map<string, ToolResultBlockParam>();
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
    }
  }
  return messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => {
      const result = block.type === 'tool_use' ? results.get(block.id) : undefined;
      if (block.type !== 'tool_use' || result === undefined) return [];
      return [
        {
          name: block.name,
          input: block.input as Record<string, unknown>,
          text: resultText(result),
          isError: result.is_error === true,
        },
      ];
    }),
  );
}

function offeredTools(request: MessagesRequest): Map<string, OfferedTool> {
  const tools = new Map<string, OfferedTool>();
  if (request.tool_choice?.type === 'none') return tools;
  for (const tool of request.tools ?? []) {
    if (!('input_schema' in tool)) continue;
    const required = tool.input_schema.required ?? [];
    const all = Object.keys((tool.input_schema.properties ?? {}) as object);
    const fields = [...required, ...all.filter((name) => !required.includes(name))];
    tools.set(tool.name, { name: tool.name, fields });
  }
  return tools;
}

/** Chinese when at least as many Han characters as Latin words stand outside quotes and file names. */
function isChinese(question: string): boolean {
  const own = question.replace(/`[^`]*`|"[^"]*"|[\w.-]{1,80}\.[a-z]{2,5}\b/gi, ' ');
  const han = own.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = own.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  return han > 0 && han >= words;
}

export function readConversation(request: MessagesRequest): Conversation {
  const { messages } = request;
  const start = questionIndex(messages);
  const [first] = blocksOf(messages[start]).filter((block) => block.type === 'text');
  // What came before this question is for a language model; the rules look at the question alone.
  const [whole = ''] = (first?.text ?? '').split(EARLIER_HEADING);
  const heading = FILE_HEADING.exec(whole);
  const question = (heading === null ? whole : whole.slice(0, heading.index)).trim();
  const section = heading === null ? '' : whole.slice(heading.index + heading[0].length);
  const tools = offeredTools(request);
  return {
    question,
    isChinese: isChinese(question),
    files: listedFiles(section),
    hasFileList: heading !== null,
    calls: finishedCalls(messages.slice(start)),
    tool: (name) => tools.get(name) ?? null,
    earlierReply: earlierReplyOf(messages, start),
  };
}
