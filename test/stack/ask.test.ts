import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLive } from '../../dev/stack/lock.ts';
import { type Command, runCommand, stillRunning } from './command.ts';

const QUESTION = 'What is the total of the amount column?';
const SALES = ['--file', 'examples/sales.csv'];
/** Sum of the column, by hand. */
const TOTAL = '7995.56';

let dataDir: string;
const commands: Command[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stride-ask-'));
});
afterEach(async () => {
  for (const { child } of commands) child.kill('SIGTERM');
  await Promise.all(commands.splice(0).map(({ ended }) => ended));
  rmSync(dataDir, { recursive: true, force: true });
});

function run(how: { script: string; env?: Record<string, string> }, ...args: string[]) {
  const env = { STRIDE_DATA_DIR: dataDir, PORT: '0', ...how.env };
  const command = runCommand([how.script, ...args], env);
  commands.push(command);
  return command;
}
const ask = (...args: string[]) => run({ script: 'dev/ask.ts' }, ...args);

/** A model that takes its requests and never answers. */
let silent: { env: Record<string, string>; isCalled: Promise<void>; server: Server };
async function startSilentModel(): Promise<typeof silent> {
  const called = Promise.withResolvers<void>();
  const server = createServer(() => called.resolve());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  return { env, isCalled: called.promise, server };
}
beforeEach(async () => {
  silent = await startSilentModel();
});
afterEach(async () => {
  silent.server.closeAllConnections();
  await new Promise((resolve) => silent.server.close(resolve));
});

describe('npm run ask without a stack', () => {
  it('starts one, answers from the file by Python, and leaves nothing running', async () => {
    const command = ask(QUESTION, ...SALES);
    await command.shows(/local stack ready/);
    const pids = command.descendants();
    expect(pids.length).toBeGreaterThan(1);
    expect(await command.ended).toBe(0);
    expect(command.stdout()).toMatch(/→ execute_python .*\n(.*\n)*.*← execute_python/);
    expect(command.stdout()).toMatch(
      /not a language model[\s\S]*\nAnswer: 7995\.56\n {2}7995\.56 ← .*\n\n.* turns? ·/,
    );
    expect(await stillRunning(pids)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  });

  it('gives one JSON object, and a later question may follow the first', async () => {
    const first = ask(QUESTION, ...SALES, '--json');
    expect(await first.ended).toBe(0);
    const { id, answer, status, turns, cost_usd } = JSON.parse(first.stdout());
    expect({ answer, status, cost_usd }).toEqual({
      answer: TOTAL,
      status: 'succeeded',
      cost_usd: 0,
    });
    expect(turns).toBeGreaterThan(0);
    const second = ask('What is 6 * 7?', '--follows', id, '--json');
    expect(await second.ended).toBe(0);
    expect(JSON.parse(second.stdout()).answer).toBe('42');
    const none = ask('What is 6 * 7?', '--follows', 'run_none', '--json');
    expect(await none.ended).toBe(1);
    expect(JSON.parse(none.stdout())).toMatchObject({ id: null, status: 'failed', answer: null });
  });

  it('shares one stack among questions asked at once', async () => {
    const both = [ask(QUESTION, ...SALES, '--json'), ask('What is 6 * 7?', '--json')];
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(both.map((one) => JSON.parse(one.stdout()).answer)).toEqual([TOTAL, '42']);
    const starts = both.filter((one) => one.stderr().includes('local stack ready'));
    expect(starts).toHaveLength(1);
  });

  it('cancels and stops everything on Ctrl-C, in the middle of a model call', async () => {
    const command = run({ script: 'dev/ask.ts', env: silent.env }, QUESTION, ...SALES);
    await Promise.race([silent.isCalled, command.ended]);
    const pids = command.descendants();
    command.interrupt();
    expect(await command.ended).toBe(130);
    expect(command.stdout()).toMatch(/cancelling run_\w+ …\n(cancelled|The run ends .*)\n$/);
    expect(await stillRunning(pids)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  });

  it('is told at once when the one who started the shared stack stops it, and finds its run again', async () => {
    const owner = run({ script: 'dev/ask.ts', env: silent.env }, QUESTION, ...SALES);
    await Promise.race([silent.isCalled, owner.ended]);
    const second = ask('What is 6 * 7?', '--json');
    await second.shows(/accepted run_/);
    owner.interrupt();
    expect(await owner.ended).toBe(130);
    const since = Date.now();
    expect(await second.ended).toBe(1);
    expect(Date.now() - since).toBeLessThan(5_000);
    const { id, message } = JSON.parse(second.stdout());
    expect(message).toContain(
      `was stopped with the command that had started it (process ${owner.child.pid})`,
    );
    expect(message).toContain(`GET /v1/runs/${id} shows it`);
    const service = run({ script: 'dev/start.ts' });
    const [, url] = await service.shows(/Stride is ready at (\S+) after/);
    const kept = await fetch(`${url}/v1/runs/${id}`);
    expect(await kept.json()).toMatchObject({ id, question: 'What is 6 * 7?' });
  });
});

describe('npm start', () => {
  it('says what runs, serves questions of others, and ends with Ctrl-C', async () => {
    const service = run({ script: 'dev/start.ts' });
    const [, url] = await service.shows(/Stride is ready at (\S+) after \d+\.\d s/);
    await service.shows(/Ctrl-C stops it/);
    expect(service.stdout()).toMatch(/Python +local +\S/);
    const command = ask(QUESTION, ...SALES, '--json');
    expect(await command.ended).toBe(0);
    expect(command.stderr()).toContain(`asking ${String(url).replace('localhost', '127.0.0.1')}`);
    expect(JSON.parse(command.stdout()).answer).toBe(TOTAL);
    const pids = service.descendants();
    expect(findLive(dataDir)?.pid).toBe(service.child.pid);
    service.interrupt();
    expect(await service.ended).toBe(130);
    expect(await stillRunning(pids)).toEqual([]);
    expect(findLive(dataDir)).toBeNull();
  });

  it('takes over after a kill -9 and finds the runs again', async () => {
    const killed = run({ script: 'dev/start.ts' });
    await killed.shows(/Ctrl-C stops it/);
    const first = ask('What is 6 * 7?', '--json');
    expect(await first.ended).toBe(0);
    const orphans = killed.descendants();
    killed.child.kill('SIGKILL');
    await killed.ended;
    const service = run({ script: 'dev/start.ts' });
    const [, url] = await service.shows(/Stride is ready at (\S+) after/);
    expect(await stillRunning(orphans)).toEqual([]);
    const { id } = JSON.parse(first.stdout());
    const kept = await fetch(`${url}/v1/runs/${id}`);
    expect(await kept.json()).toMatchObject({ id, answer: '42' });
  });

  it('exits with 1 and advice when the port is taken, with 2 when it is no port', async () => {
    const service = run({ script: 'dev/start.ts' });
    const [, port] = await service.shows(/ready at http:\/\/localhost:(\d+)/);
    const env = { STRIDE_DATA_DIR: join(dataDir, 'other'), PORT: String(port) };
    const second = runCommand(['dev/start.ts'], env);
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toMatch(/^Port \d+ is taken; choose another one with PORT=/);
    const third = runCommand(['dev/start.ts'], { ...env, PORT: 'web' });
    expect(await third.ended).toBe(2);
    expect(third.stderr()).toMatch(/^PORT is "web"; it must be a number/);
  });
});
