// The embedded engine against a real redis-server; `npm run test:differential` runs it for longer.

import { describe, expect, it } from 'vitest';
import { hasRedisServer } from '../../dev/host.ts';
import { runDifferential } from './differential/session.ts';

const COMMANDS = 5_000;
const TIMEOUT_MS = 60_000;

describe.skipIf(!hasRedisServer)('the embedded engine beside redis-server', () => {
  it(
    'answers 5,000 random commands the same, and keeps the same over a restart',
    async () => {
      const outcome = await runDifferential({ commands: COMMANDS, seed: 20_260_921 });
      expect(outcome.differences).toEqual([]);
      expect(outcome.commands).toBeGreaterThanOrEqual(COMMANDS);
      const ways = ['client', 'client pipeline', 'engine', 'engine transaction', 'expiry'];
      expect(Object.keys(outcome.ways)).toEqual(expect.arrayContaining(ways));
      expect(outcome.errors).toBeGreaterThan(COMMANDS / 20);
    },
    TIMEOUT_MS,
  );
});
