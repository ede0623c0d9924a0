import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import { apiError, type MessagesServer, startMessagesServer } from '../helpers/messages-server.ts';
import { startTestStack, type TestStack } from './harness.ts';

const KEY = 'sk-test-very-secret-value';

describe.skipIf(!hasRedisServer)('secrets', () => {
  let stack: TestStack;
  let server: MessagesServer;
  beforeAll(async () => {
    // A service that repeats the key it was sent, as careless ones do.
    server = await startMessagesServer(() =>
      apiError(401, 'authentication_error', `bad key ${KEY}`),
    );
    stack = await startTestStack({
      env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url },
    });
  });
  afterAll(() => server.stop());

  it('stand in no log line, answer or journal, though the service repeats the key', async () => {
    const run = await stack.waitForEnd(await stack.ask('What is it?'));
    expect(run).toMatchObject({ status: 'failed', reason: 'unauthorized' });
    expect(JSON.stringify(run)).not.toContain(KEY);
    expect(JSON.stringify(run)).toContain('bad key');
    const log = readFileSync(join(stack.dataDir, 'worker.log'), 'utf8');
    expect(log).toContain('"event":"step"');
    await stack.stop({ keepData: true });
  });

  it('are found when they do stand somewhere', async () => {
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
    const again = await startTestStack({ env, dataDir: stack.dataDir });
    writeFileSync(join(stack.dataDir, 'leak.txt'), `key=${KEY}`);
    await expect(again.stop()).rejects.toThrow(/leak\.txt: ANTHROPIC_API_KEY/);
  });
});
