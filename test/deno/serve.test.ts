import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { denoBinary } from '../../dev/host.ts';
import type { Entry } from '../../src/loop/journal.ts';
import type { RunSummary } from '../../src/loop/summary.ts';
import { type MessagesServer, startMessagesServer } from '../helpers/messages-server.ts';
import { hasRedisServer, startTestRedis, type TestRedis } from '../helpers/redis.ts';
import { text, use } from '../helpers/runs.ts';
import { type DenoServer, startDenoServer } from './deno-server.ts';

const KEY = 'sk-ant-deno-test';
let redis: TestRedis;
let model: MessagesServer;
let deno: DenoServer;

const post = (path: string, body: unknown) =>
  fetch(new URL(path, deno.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The journal as server-sent events, to the end of the run. */
async function follow(id: string): Promise<Entry[]> {
  const response = await fetch(new URL(`/v1/runs/${id}/events`, deno.url), {
    signal: AbortSignal.timeout(20_000),
  });
  const stream = await response.text();
  return [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''));
}

describe.skipIf(!hasRedisServer || denoBinary === null)('createApp under Deno', () => {
  beforeAll(async () => {
    redis = await startTestRedis();
    model = await startMessagesServer([
      {
        content: [
          text('I compute it and look it up.'),
          use('toolu_1', 'calc', { expression: '2^0.5 * 3' }),
          use('toolu_2', 'write_file', { path: 'notes.txt', content: 'alpha\nbeta 12\n' }),
        ],
      },
      { content: [use('toolu_3', 'grep', { pattern: '\\d+', path: '*.txt' })] },
      { content: [text('The note says 12.\n\nFINAL ANSWER: 12')] },
    ]);
    deno = await startDenoServer(denoBinary ?? '', {
      STRIDE_LOCAL: '1',
      UPSTASH_REDIS_REST_URL: redis.url,
      UPSTASH_REDIS_REST_TOKEN: redis.token,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: model.url,
    });
  });
  afterAll(async () => {
    await deno?.stop();
    await redis.stop();
    await model.stop();
  });

  it('answers a run over HTTP, its tools and the model’s SDK included', async () => {
    const accepted = await post('/v1/runs', { question: 'Which number do the notes hold?' });
    expect(accepted.status).toBe(202);
    const { id } = (await accepted.json()) as { id: string };
    const entries = await follow(id);
    const results = entries.filter((entry) => entry.type === 'tool_finished');
    expect(results.map(({ name, is_error }) => [name, is_error]).sort()).toEqual([
      ['calc', false],
      ['grep', false],
      ['write_file', false],
    ]);
    expect(JSON.stringify(results)).toContain('4.242640687');
    expect(JSON.stringify(results)).toContain('notes.txt:2:beta 12');
    expect(entries.at(-1)).toMatchObject({ type: 'run_finished', status: 'succeeded' });
    const run = (await (await fetch(new URL(`/v1/runs/${id}`, deno.url))).json()) as RunSummary;
    expect(run).toMatchObject({ status: 'succeeded', answer: '12', turns: 3 });
  });

  it('refuses what it does not know, as everywhere', async () => {
    const response = await fetch(new URL('/v1/runs/run_nobody', deno.url));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('logs a line a step and no secret', () => {
    const logged = deno.lines.join('\n');
    expect(logged).toContain('"event":"step"');
    expect(logged).not.toContain(KEY);
    expect(logged).not.toContain(redis.token);
  });
});
