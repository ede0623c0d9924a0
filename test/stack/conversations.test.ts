import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import {
  apiError,
  type MessagesServer,
  type Scripted,
  startMessagesServer,
} from '../helpers/messages-server.ts';
import { startTestStack, type TestStack } from './harness.ts';

const say = (value: string) => ({ type: 'text', text: value });
const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
const answer = (value: string): Scripted => ({
  content: [say(`Because.\n\nFINAL ANSWER: ${value}`)],
});
const thinking = { type: 'thinking', thinking: 'Let me see…', signature: 'c2lnbmF0dXJl+/==' };
const redacted = { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' };

interface Conversation {
  name: string;
  script: Scripted[];
  answer: string | null;
  reason: string;
  /** Outcome of each call, in journal order. */
  outcomes?: string[];
  /** Kinds of failed attempts. */
  failures?: string[];
  /** What must stand in the last request that the server saw. */
  sent?: (string | RegExp)[];
}

const CONVERSATIONS: Conversation[] = [
  { name: 'a plain answer', script: [answer('4')], answer: '4', reason: 'answered' },
  {
    name: 'one tool',
    script: [{ content: [use('t1', 'calc', { expression: '2^100' })] }, answer('big')],
    answer: 'big',
    reason: 'answered',
    outcomes: ['t1 done'],
    sent: ['1267650600228229401496703205376'],
  },
  {
    name: 'three tools at once',
    script: [
      {
        content: [
          say('Three at once.'),
          use('a', 'calc', { expression: '1+1' }),
          use('b', 'list_files', {}),
          use('c', 'write_file', { path: '笔记/a.txt', content: 'x' }),
        ],
      },
      { content: [use('d', 'read_file', { path: '笔记/a.txt' })] },
      answer('x'),
    ],
    answer: 'x',
    reason: 'answered',
    outcomes: ['a done', 'b done', 'c done', 'd done'],
  },
  {
    name: 'thinking blocks with signatures, sent back unchanged',
    script: [
      { content: [thinking, redacted, use('t1', 'calc', { expression: '6*7' })] },
      answer('42'),
    ],
    answer: '42',
    reason: 'answered',
    sent: [JSON.stringify(thinking), JSON.stringify(redacted)],
  },
  {
    name: 'a tool that does not exist, then wrong arguments',
    script: [
      { content: [use('t1', 'stata_do', {}), use('t2', 'calc', { wrong: 1 })] },
      answer('none'),
    ],
    answer: 'none',
    reason: 'answered',
    outcomes: ['t1 failed', 't2 failed'],
    sent: ['"is_error":true', 'stata_do', /calc/, 'expression'],
  },
  {
    name: 'an overloaded service',
    script: [apiError(529, 'overloaded_error', 'Overloaded'), answer('5')],
    answer: '5',
    reason: 'answered',
    failures: ['overloaded'],
  },
  {
    name: 'a rate limit with retry-after',
    script: [
      { ...apiError(429, 'rate_limit_error', 'slow down'), headers: { 'retry-after': '1' } },
      answer('6'),
    ],
    answer: '6',
    reason: 'answered',
    failures: ['rate_limited'],
  },
  {
    name: 'an error inside a 200 stream, then a dropped stream',
    script: [
      {
        content: [say('half an answ')],
        cut: {
          after: 3,
          by: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
        },
      },
      { content: [say('half an answ')], cut: { after: 3, by: 'drop' } },
      answer('7'),
    ],
    answer: '7',
    reason: 'answered',
    failures: ['overloaded', 'connection_lost'],
  },
  {
    name: 'a request that the API refuses',
    script: [apiError(400, 'invalid_request_error', 'messages: too strange')],
    answer: null,
    reason: 'bad_request',
    failures: ['bad_request'],
  },
  {
    name: 'a key that is not accepted',
    script: [apiError(401, 'authentication_error', 'invalid bearer token')],
    answer: null,
    reason: 'unauthorized',
    failures: ['unauthorized'],
  },
  {
    name: 'a reply cut off by max_tokens: its tool is not run',
    script: [
      { content: [use('t1', 'calc', { expression: '1' })], stop_reason: 'max_tokens' },
      answer('8'),
    ],
    answer: '8',
    reason: 'answered',
    outcomes: [],
  },
  {
    name: 'a refusal: its tool is not run',
    script: [{ content: [use('t1', 'calc', { expression: '1' })], stop_reason: 'refusal' }],
    answer: null,
    reason: 'model_refused',
    outcomes: ['t1 denied'],
  },
  {
    name: 'prose without an answer, then the format call',
    script: [{ content: [say('I will look into it.')] }, { content: [say('FINAL ANSWER: 9')] }],
    answer: '9',
    reason: 'answered',
  },
];

describe.skipIf(!hasRedisServer)('conversations with any Messages API server', () => {
  let stack: TestStack;
  let server: MessagesServer;
  const scripts = new Map(CONVERSATIONS.map(({ name, script }) => [name, [...script]]));
  const nameIn = (raw: string) =>
    [...scripts.keys()].find((name) => raw.includes(`[${name}]`)) ?? '';

  beforeAll(async () => {
    server = await startMessagesServer((request) => {
      const next = scripts.get(nameIn(request.raw))?.shift();
      return (
        next ?? {
          status: 500,
          body: { type: 'error', error: { type: 'api_error', message: 'script ended' } },
        }
      );
    });
    stack = await startTestStack({
      env: {
        ANTHROPIC_API_KEY: 'sk-test-conversations',
        ANTHROPIC_BASE_URL: server.url,
        RATE_LIMIT_RETRY_BASE_DELAY: '1',
      },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await server.stop();
  });

  it.each(CONVERSATIONS)('carries on through $name', async (expected) => {
    const id = await stack.ask(`What is it? [${expected.name}]`);
    const run = await stack.waitForEnd(id);
    expect(run).toMatchObject({ answer: expected.answer, reason: expected.reason });
    const events = await stack.events(id);
    expect(events.map((entry) => entry.seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.filter((entry) => entry.type === 'run_finished')).toHaveLength(1);
    const outcomes = events.flatMap((entry) =>
      entry.type === 'tool_finished' ? [`${entry.tool_use_id} ${entry.outcome}`] : [],
    );
    if (expected.outcomes) expect(outcomes.sort()).toEqual(expected.outcomes);
    const failures = events.flatMap((entry) =>
      entry.type === 'attempt_failed' ? [entry.kind] : [],
    );
    expect(failures).toEqual(expected.failures ?? []);
    const requests = server.requests.filter(({ raw }) => nameIn(raw) === expected.name);
    for (const part of expected.sent ?? []) expect(requests.at(-1)?.raw).toMatch(part);
    expect(scripts.get(expected.name)).toEqual([]);
  });

  it('sends the key to that server and to nobody else', () => {
    const keys = new Set(
      server.requests.map(({ headers }) => headers.authorization ?? headers['x-api-key']),
    );
    expect([...keys].every((key) => String(key).endsWith('sk-test-conversations'))).toBe(true);
  });
});
