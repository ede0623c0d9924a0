/**
 * A `ModelRequest` to the body that goes over the wire. The body is a function of the request alone
 * (cache markers aside), so a replay sends the same bytes. Markers are set here and never stored.
 */
import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Config } from '../config.ts';
import type { ModelRequest } from './port.ts';

/** The API takes at most four breakpoints and looks back about twenty blocks from each. */
const MAX_MARKERS = 4;
const BLOCKS_BETWEEN_MARKERS = 15;

const MARKER: CacheControlEphemeral = { type: 'ephemeral' };

/** A plain string is one text block; written out always, so a marker never changes the shape. */
function toBlocks(content: MessageParam['content']): ContentBlockParam[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Thinking blocks take no marker; neither do empty texts. */
function takesMarker(block: ContentBlockParam | undefined): boolean {
  switch (block?.type) {
    case 'text':
      return block.text !== '';
    case 'tool_use':
    case 'tool_result':
    case 'image':
    case 'document':
      return true;
    default:
      return false;
  }
}

/** Indexes (over all blocks of all messages) to mark: the last one, then one each 15 backwards. */
function markerPlaces(blocks: ContentBlockParam[], most: number): Set<number> {
  const places = new Set<number>();
  let at = blocks.length - 1;
  while (at >= 0 && places.size < most) {
    while (at >= 0 && !takesMarker(blocks[at])) at -= 1;
    if (at < 0) break;
    places.add(at);
    at -= BLOCKS_BETWEEN_MARKERS;
  }
  return places;
}

function markLast<Item extends object>(items: Item[]): Item[] {
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, cache_control: MARKER } : item,
  );
}

/**
 * The request with at most four cache breakpoints: end of the tools, end of the system prompt, and
 * the rest on the messages (the last block, then one each 15 blocks before it, so that a turn with
 * many parallel calls stays within the API's look-back). Leaves its argument alone.
 */
export function withCacheMarkers(request: ModelRequest): ModelRequest {
  const fixed = (request.tools.length > 0 ? 1 : 0) + (request.system.length > 0 ? 1 : 0);
  const messages = request.messages.map((message) => ({
    ...message,
    content: toBlocks(message.content),
  }));
  const places = markerPlaces(
    messages.flatMap((message) => message.content),
    MAX_MARKERS - fixed,
  );
  let index = -1;
  const marked = messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      index += 1;
      return places.has(index) ? { ...block, cache_control: MARKER } : block;
    }),
  }));
  return {
    ...request,
    tools: markLast(request.tools),
    system: markLast(request.system),
    messages: marked as MessageParam[],
  };
}

type Effort = NonNullable<Config['thinkingEffort']>;

/** Models before 4.6 know no adaptive thinking; an effort becomes a share of `max_tokens`. */
const BUDGET_SHARE: Record<Effort, number> = {
  low: 0.2,
  medium: 0.4,
  high: 0.6,
  xhigh: 0.7,
  max: 0.8,
};
const MIN_THINKING_BUDGET = 1_024;

function thinkingParams(request: ModelRequest, effort: Effort | null) {
  if (effort === null) return {};
  if (!/-4-5(-\d{8})?$/.test(request.model)) {
    return { thinking: { type: 'adaptive' as const }, output_config: { effort } };
  }
  const budget = Math.floor(request.maxTokens * BUDGET_SHARE[effort]);
  if (budget < MIN_THINKING_BUDGET) return {};
  return { thinking: { type: 'enabled' as const, budget_tokens: budget } };
}

/**
 * Lets the API drop the oldest tool results from what the model reads once a request passes
 * 100,000 input tokens. It happens on their side of the wire: our bytes stay what they were.
 */
export const CONTEXT_EDITING = {
  beta: 'context-management-2025-06-27',
  context_management: {
    edits: [
      {
        type: 'clear_tool_uses_20250919',
        trigger: { type: 'input_tokens', value: 100_000 },
        keep: { type: 'tool_uses', value: 5 },
        clear_at_least: { type: 'input_tokens', value: 20_000 },
      },
    ],
  },
} as const;

/** The body of `POST /v1/messages`. No sampling parameter: newer models refuse them. */
export function toBody(
  request: ModelRequest,
  effort: Config['thinkingEffort'],
): MessageCreateParamsStreaming {
  const marked = withCacheMarkers(request);
  return {
    model: marked.model,
    max_tokens: marked.maxTokens,
    stream: true,
    ...thinkingParams(marked, effort),
    // The API refuses tool_choice without tools, and an empty system prompt.
    ...(marked.tools.length > 0
      ? { tools: marked.tools, tool_choice: { type: marked.toolChoice } }
      : {}),
    ...(marked.system.length > 0 ? { system: marked.system } : {}),
    messages: marked.messages,
  };
}
