import { describe, expect, it } from 'vitest';
import { shardOf, stepRunId } from '../src/step-message.ts';

describe('shardOf', () => {
  it('spreads runs over the queues and sends each run to the same one', () => {
    const ids = Array.from({ length: 4000 }, (_, i) => `run_${i}`);
    const counts = new Array<number>(16).fill(0);
    for (const id of ids) {
      const shard = shardOf(id, 16);
      expect(shardOf(id, 16)).toBe(shard);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(150);
    expect(Math.max(...counts)).toBeLessThan(350);
  });

  it('knows one queue', () => {
    expect(shardOf('run_x', 1)).toBe(0);
  });
});

describe('stepRunId', () => {
  it.each([
    [{ run: 'run_1' }, 'run_1'],
    [{ run: '' }, null],
    [{ run: 1 }, null],
    [{}, null],
    [null, null],
    ['run_1', null],
  ])('reads %j as %j', (body, id) => {
    expect(stepRunId(body)).toBe(id);
  });
});
