import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bandit } from '../../dev/model/intents/bandit.ts';
import { type Command, runCommand } from './command.ts';

let dataDir: string;
let command: Command | null = null;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stride-bandit-'));
});
afterEach(async () => {
  command?.child.kill('SIGTERM');
  await command?.ended;
  rmSync(dataDir, { recursive: true, force: true });
});

describe('npm run ask for a bandit, without any key', () => {
  it('answers with the figure that Node gives too, and writes the plot', async () => {
    const env = { STRIDE_DATA_DIR: dataDir, PORT: '0' };
    command = runCommand(['dev/ask.ts', bandit.example, '--json'], env);
    expect(await command.ended).toBe(0);
    // 34.764 is what the unit tests pin for this seed: the same numbers under workerd.
    expect(JSON.parse(command.stdout())).toMatchObject({ status: 'succeeded', answer: '34.764' });
    expect(command.stderr()).toMatch(/wrote regret-ucb1-bernoulli\.svg/);
  });
});
