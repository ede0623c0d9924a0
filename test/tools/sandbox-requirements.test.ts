import type { Sandbox } from '@e2b/code-interpreter';
import { describe, expect, it } from 'vitest';
import { installRequirements } from '../../src/tools/sandbox-requirements.ts';

describe('installRequirements', () => {
  it('opens no network and names the setting when no index is configured', async () => {
    // Any use of it throws: it has nothing.
    const sandbox = {} as Sandbox;
    const outcome = await installRequirements(sandbox, {
      requirements: ['tiny'],
      indexHosts: [],
      target: '/x',
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ ok: false, closed: true });
    expect(!outcome.ok && outcome.message).toContain('PYTHON_INDEX_HOSTS');
  });
});
