import { describe, expect, it } from 'vitest';
import { checkHeaders, checkRequest } from '../../dev/model/validate.ts';

const TOOL = { name: 'calc', description: 'x', input_schema: { type: 'object' } };
const USE = (id: string) => ({ type: 'tool_use', id, name: 'calc', input: {} });
const RESULT = (id: string, content: unknown = '4') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const TEXT = (text: string) => ({ type: 'text', text });

function request(more: Record<string, unknown>) {
  return JSON.stringify({
    model: 'm',
    max_tokens: 10,
    tools: [TOOL],
    messages: [{ role: 'user', content: 'Q' }],
    ...more,
  });
}

function turns(...contents: unknown[]) {
  return {
    messages: contents.map((content, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content,
    })),
  };
}

describe('checkRequest', () => {
  it.each([
    ['a plain question', {}],
    [
      'results for all calls, text after them',
      turns('Q', [TEXT('t'), USE('a'), USE('b')], [RESULT('b'), RESULT('a'), TEXT('go on')]),
    ],
    [
      'an id used again in a later turn',
      turns('Q', [USE('a')], [RESULT('a')], [USE('a')], [RESULT('a')]),
    ],
    [
      'a server tool without a schema',
      { tools: [{ type: 'web_search_20260318', name: 'web_search' }] },
    ],
    [
      'four markers',
      {
        system: [1, 2, 3, 4].map((n) => ({
          ...TEXT(`s${n}`),
          cache_control: { type: 'ephemeral' },
        })),
      },
    ],
  ])('accepts %s', (_, more) => {
    expect(checkRequest(request(more))).toBeNull();
  });

  it.each([
    ['no model', { model: undefined }, 'model: Field required'],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
    ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens'],
    ['temperature', { temperature: 0.2 }, 'temperature: Extra inputs'],
    [
      'a thinking budget as large as max_tokens',
      { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      'max_tokens',
    ],
    ['two tools of one name', { tools: [TOOL, TOOL] }, 'unique'],
    ['a tool name with a dot', { tools: [{ ...TOOL, name: 'a.b' }] }, 'match pattern'],
    [
      'a schema that is no object',
      { tools: [{ ...TOOL, input_schema: { type: 'string' } }] },
      'input_schema',
    ],
    ['tool_choice without tools', { tools: [], tool_choice: { type: 'none' } }, 'tool_choice'],
    ['no message', { messages: [] }, 'at least one'],
    ['an assistant first', { messages: [{ role: 'assistant', content: 'x' }] }, 'alternate'],
    [
      'two users in a row',
      {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'user', content: 'y' },
        ],
      },
      'alternate',
    ],
    ['an assistant last', turns('Q', 'A'), 'prefill'],
    ['an empty text', turns([TEXT('')]), 'non-empty'],
    ['a blank text', turns([TEXT(' \n')]), 'non-whitespace'],
    [
      'an empty text inside a result',
      turns('Q', [USE('a')], [RESULT('a', [TEXT('')])]),
      'non-empty',
    ],
    ['no content', turns([]), 'non-empty content'],
    [
      'a call without result',
      turns('Q', [USE('a'), USE('b')], [RESULT('a')]),
      'without `tool_result` blocks immediately after: b',
    ],
    ['a call answered by text', turns('Q', [USE('a')], 'four'), 'without `tool_result`'],
    [
      'two results for one call',
      turns('Q', [USE('a')], [RESULT('a'), RESULT('a')]),
      'single result',
    ],
    ['text before a result', turns('Q', [USE('a')], [TEXT('t'), RESULT('a')]), 'must come first'],
    ['a result for no call', turns('Q', [TEXT('t')], [RESULT('z')]), 'unexpected `tool_use_id`'],
    [
      'a result one turn late',
      turns('Q', [USE('a')], [RESULT('a')], 'ok', [RESULT('a')]),
      'unexpected',
    ],
    ['calls of one id', turns('Q', [USE('a'), USE('a')], [RESULT('a')]), 'unique'],
    [
      'an input that is no object',
      turns('Q', [{ ...USE('a'), input: 'x' }], [RESULT('a')]),
      'tool_use.input',
    ],
    [
      'tool blocks without tools',
      { tools: [], ...turns('Q', [USE('a')], [RESULT('a')]) },
      'define tools',
    ],
    [
      'thinking without its signature',
      turns('Q', [{ type: 'thinking', thinking: 'x' }], 'y'),
      'signature',
    ],
    [
      'a marker on thinking',
      turns('Q', [{ type: 'thinking', thinking: 'x', signature: 's', cache_control: {} }], 'y'),
      'cache_control',
    ],
    [
      'five markers',
      {
        system: [1, 2, 3, 4, 5].map((n) => ({
          ...TEXT(`s${n}`),
          cache_control: { type: 'ephemeral' },
        })),
      },
      'maximum of 4',
    ],
  ])('refuses %s', (_, more, words) => {
    const fault = checkRequest(request(more));
    expect(fault?.status).toBe(400);
    expect(fault?.message).toContain(words);
  });

  it('refuses what is no JSON, no object, or larger than 32 MB', () => {
    expect(checkRequest('{"a"')?.message).toContain('not valid JSON');
    expect(checkRequest('[]')?.message).toContain('not a JSON object');
    expect(checkRequest('x'.repeat(32 * 1024 * 1024 + 1))?.status).toBe(413);
  });
});

describe('checkHeaders', () => {
  const version = { 'anthropic-version': '2026-10-21' };

  it.each([{ authorization: 'Bearer k' }, { 'x-api-key': 'k' }])('accepts %o', (key) => {
    expect(checkHeaders({ ...version, ...key })).toBeNull();
  });

  it.each([{}, { authorization: 'Basic k' }, { authorization: 'Bearer ' }, { 'x-api-key': '' }])(
    'refuses %o with 401',
    (key) => {
      expect(checkHeaders({ ...version, ...key })?.status).toBe(401);
    },
  );

  it('refuses a request without a version', () => {
    expect(checkHeaders({ authorization: 'Bearer k' })?.status).toBe(400);
  });
});
