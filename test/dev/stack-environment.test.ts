import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStack, reloadOnBuild } from '../../dev/stack/console.ts';
import { loadEnvironment, parsePort, workerVariables } from '../../dev/stack/environment.ts';
import type { Stack } from '../../dev/stack/start-stack.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stride-env-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('loadEnvironment', () => {
  it('takes the environment first, then .dev.vars, then .env', () => {
    writeFileSync(join(root, '.env'), 'A=env\nB=env\nC="from env # file"\n');
    writeFileSync(join(root, '.dev.vars'), 'A=vars\nB=vars\n');
    expect(loadEnvironment({ A: 'process' }, root)).toEqual({
      env: { A: 'process', B: 'vars', C: 'from env # file' },
      files: ['.env', '.dev.vars'],
    });
  });

  it('does not let an empty value hide one that is set', () => {
    writeFileSync(join(root, '.env'), 'A=env\nB=\n');
    expect(loadEnvironment({ A: ' ', B: '' }, root).env).toEqual({ A: 'env' });
  });

  it('needs no file', () => {
    expect(loadEnvironment({ A: '1', B: undefined }, root)).toEqual({ env: { A: '1' }, files: [] });
  });
});

describe('workerVariables', () => {
  it('lets settings through and nothing else of the machine', () => {
    const env = { MODEL: 'm', AWS_SECRET_ACCESS_KEY: 's', PATH: '/bin', MAX_ITERATIONS: '3' };
    expect(workerVariables(env)).toEqual({ MODEL: 'm', MAX_ITERATIONS: '3' });
  });
});

describe('parsePort', () => {
  it.each([
    ['0', 0],
    ['8787', 8787],
    ['65535', 65_535],
    ['65536', null],
    ['-1', null],
    ['8787x', null],
    ['', null],
    ['1e3', null],
  ])('%j is %j', (text, port) => {
    expect(parsePort(text)).toBe(port);
  });
});

describe('describeStack', () => {
  it('says address, time, what is real and what is local, and one command to try', () => {
    const stack = {
      url: 'http://127.0.0.1:1',
      startedInMs: 2_345,
      envFiles: ['.env'],
      services: [
        { name: 'Model', real: true, describe: 'Messages API at api.anthropic.com' },
        { name: 'Python', real: false, describe: 'python3 under bubblewrap' },
      ],
    } as Stack;
    expect(describeStack(stack, 'http://localhost:1')).toEqual([
      'Stride is ready at http://localhost:1 after 2.3 s',
      '  Model   real   Messages API at api.anthropic.com',
      '  Python  local  python3 under bubblewrap',
      '  settings also from .env',
      'Try:',
      `  curl -s http://localhost:1/v1/runs -H 'content-type: application/json' -d '{"question": "What is 6 * 7?"}'`,
    ]);
  });
});

describe('reloadOnBuild', () => {
  it('reloads one build at a time and only the newest, and survives a bad one', async () => {
    const lines: string[] = [];
    const loaded: string[] = [];
    const pending: (() => void)[] = [];
    const reload = async (code?: string) => {
      loaded.push(String(code));
      if (code === 'bad') throw new Error('syntax');
      await new Promise<void>((resolve) => {
        pending.push(resolve);
      });
    };
    const hooks = reloadOnBuild(() => ({ reload }), { line: (text) => lines.push(text) });
    hooks.onBuilt('one', 10);
    hooks.onBuilt('two', 10);
    hooks.onBuilt('bad', 10);
    pending.pop()?.();
    await new Promise(setImmediate);
    hooks.onFailed('src/x.ts:1: error');
    hooks.onBuilt('four', 10);
    pending.pop()?.();
    await new Promise(setImmediate);
    expect(loaded).toEqual(['one', 'bad', 'four']);
    expect(lines[0]).toMatch(/^rebuilt and reloaded in \d+ ms$/);
    expect(lines[1]).toBe('the new build does not start: Error: syntax');
    expect(lines[2]).toBe('src/x.ts:1: error\nthe last good build stays in place');
    expect(lines[3]).toMatch(/^rebuilt and reloaded in \d+ ms$/);
  });
});
