// The embedded engine killed while it writes; `npm run test:engine-kill` does it 200 times.

import { describe, expect, it } from 'vitest';
import { killRounds } from './engine-kill/rounds.ts';

const TIMEOUT_MS = 60_000;

describe('the embedded engine, killed', () => {
  it(
    'has every acknowledged write, and says which record was cut off',
    async () => {
      const outcome = await killRounds({ moments: 10, seed: 7 });
      expect(outcome.faults).toEqual([]);
      expect(outcome.acknowledged).toBeGreaterThan(10);
      expect(outcome.torn).toBeGreaterThan(0);
      expect(outcome.tornSaid).toBe(outcome.torn);
    },
    TIMEOUT_MS,
  );
});
