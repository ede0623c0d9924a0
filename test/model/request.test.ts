import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../dev/model/validate.ts';
import type { ModelRequest } from '../../src/model/port.ts';
import { toBody, withCacheMarkers } from '../../src/model/request.ts';

/** A conversation of `turns` assistant turns with `calls` parallel calls each. */
function conversation(turns: number, calls: number): MessageParam[] {
  const messages: MessageParam[] = [{ role: 'user', content: 'Question' }];
  for (let turn = 0; turn < turns; turn += 1) {
    const ids = Array.from({ length: calls }, (_, index) => `toolu_${turn}_${index}`);
    messages.push({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '…', signature: 's' },
        ...ids.map((id) => ({ type: 'tool_use' as const, id, name: 'calc', input: {} })),
      ],
    });
    messages.push({
      role: 'user',
      content: ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'x' })),
    });
  }
  return messages;
}

function request(messages: MessageParam[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'claude-sonnet-5-5',
    system: [{ type: 'text', text: 'System.' }],
    tools: [
      { name: 'calc', description: 'x', input_schema: { type: 'object' } },
      { name: 'grep', description: 'x', input_schema: { type: 'object' } },
    ],
    messages,
    toolChoice: 'auto',
    maxTokens: 16_000,
    ...more,
  };
}

function blocks(messages: MessageParam[]): ContentBlockParam[] {
  return messages.flatMap((message) =>
    typeof message.content === 'string'
      ? [{ type: 'text' as const, text: message.content }]
      : message.content,
  );
}

function markedPlaces(messages: MessageParam[]): number[] {
  return blocks(messages).flatMap((block, index) => ('cache_control' in block ? [index] : []));
}

function withoutMarkers(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) =>
    key === 'cache_control' ? undefined : inner,
  );
}

describe('withCacheMarkers', () => {
  it('marks the last tool, the last system block and the last block of the last message', () => {
    const marked = withCacheMarkers(request(conversation(1, 2)));
    expect(marked.tools.map((tool) => 'cache_control' in tool)).toEqual([false, true]);
    expect(marked.system.map((block) => 'cache_control' in block)).toEqual([true]);
    expect(markedPlaces(marked.messages)).toEqual([5]);
  });

  it('stays within four markers whatever the shape, and the API would accept them', () => {
    for (const turns of [0, 1, 5, 20]) {
      for (const calls of [1, 12, 40]) {
        for (const more of [{}, { tools: [] }, { system: [] }, { tools: [], system: [] }]) {
          const body = toBody(request(conversation(turns, calls), more), 'high');
          const text = JSON.stringify(body);
          expect(text.split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
          if (!('tools' in more) || turns === 0) expect(checkRequest(text)).toBeNull();
        }
      }
    }
  });

  it('sets markers about 15 blocks apart, so that a turn of many calls is still found', () => {
    const places = markedPlaces(withCacheMarkers(request(conversation(3, 12))).messages);
    expect(places).toHaveLength(2);
    const [first = 0, last = 0] = places;
    expect(last - first).toBeGreaterThanOrEqual(15);
    expect(last - first).toBeLessThan(20);
  });

  it('never marks thinking or empty text', () => {
    const messages: MessageParam[] = [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: 's' }] },
      { role: 'user', content: [{ type: 'text', text: '' }] },
    ];
    expect(markedPlaces(withCacheMarkers(request(messages)).messages)).toEqual([0]);
  });

  it('leaves the request alone, and markers are all that it adds', () => {
    const original = request(conversation(2, 3));
    const copy = structuredClone(original);
    const marked = withCacheMarkers(original);
    expect(original).toEqual(copy);
    expect(JSON.stringify(withoutMarkers(blocks(marked.messages)))).toBe(
      JSON.stringify(blocks(original.messages)),
    );
  });
});

describe('toBody', () => {
  it('keeps the bytes of earlier messages when the conversation grows', () => {
    const strip = (turns: number) =>
      JSON.stringify(withoutMarkers(toBody(request(conversation(turns, 3)), null).messages));
    expect(strip(4).startsWith(strip(3).slice(0, -1))).toBe(true);
  });

  it('sends the tool list with tool_choice none, and neither without tools', () => {
    expect(toBody(request(conversation(0, 0), { toolChoice: 'none' }), null)).toMatchObject({
      tool_choice: { type: 'none' },
      tools: [{ name: 'calc' }, { name: 'grep' }],
    });
    const bare = toBody(request(conversation(0, 0), { tools: [], system: [] }), null);
    expect(Object.keys(bare)).toEqual(['model', 'max_tokens', 'stream', 'messages']);
  });

  it('asks for adaptive thinking with the effort, and for nothing when none is set', () => {
    expect(toBody(request(conversation(0, 0)), 'xhigh')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'xhigh' },
    });
    const off = toBody(request(conversation(0, 0)), null);
    expect('thinking' in off || 'output_config' in off).toBe(false);
  });

  it('gives models that know no adaptive thinking a budget below max_tokens, or none', () => {
    const of = (maxTokens: number) =>
      toBody(request(conversation(0, 0), { model: 'claude-haiku-4-5', maxTokens }), 'max');
    expect(of(10_000)).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8_000 } });
    expect('output_config' in of(10_000)).toBe(false);
    expect('thinking' in of(1_100)).toBe(false);
    expect(checkRequest(JSON.stringify(of(1_300)))).toBeNull();
  });
});
