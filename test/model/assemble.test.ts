import { describe, expect, it } from 'vitest';
import { createAssembly } from '../../src/model/assemble.ts';

/** A whole reply that holds these blocks. */
function assembled(...blocks: Record<string, unknown>[]) {
  const assembly = createAssembly();
  assembly.take({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } });
  for (const [index, content_block] of blocks.entries()) {
    assembly.take({ type: 'content_block_start', index, content_block });
    assembly.take({ type: 'content_block_stop', index });
  }
  assembly.take({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} });
  assembly.take({ type: 'message_stop' });
  return assembly;
}

const call = (fields: Record<string, unknown>) => ({ type: 'tool_use', input: {}, ...fields });

describe('createAssembly', () => {
  it('takes several calls, each under an id of its own', () => {
    const reply = assembled(call({ id: 'a', name: 'calc' }), call({ id: 'b', name: 'calc' }));
    expect(reply.reply().content.map((block) => block.type)).toEqual(['tool_use', 'tool_use']);
  });

  it('refuses two calls under one id: no result could say which of them it answers', () => {
    const reply = assembled(call({ id: 'a', name: 'calc' }), call({ id: 'a', name: 'grep' }));
    expect(() => reply.reply()).toThrow('two tool calls share an id');
  });

  it.each([-5, 1e300, '7', null])('takes no %j for a number of tokens', (given) => {
    const assembly = createAssembly();
    assembly.take({ type: 'message_start', message: { usage: { input_tokens: 3 } } });
    assembly.take({ type: 'message_delta', usage: { input_tokens: given, output_tokens: given } });
    expect(assembly.usage()).toMatchObject({ input_tokens: 3, output_tokens: 0 });
  });

  it('counts a part of a token as a whole one, since money is counted in whole numbers', () => {
    const assembly = createAssembly();
    assembly.take({ type: 'message_delta', usage: { output_tokens: 1.5 } });
    expect(assembly.usage()?.output_tokens).toBe(2);
  });

  it.each([
    ['no id', { name: 'calc' }],
    ['an empty id', { id: '', name: 'calc' }],
    ['no name', { id: 'a' }],
    ['a name that is no text', { id: 'a', name: 5 }],
  ])('refuses a call with %s', (_, fields) => {
    expect(() => assembled(call(fields)).reply()).toThrow('without an id or a name');
  });
});
