import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A deployment in small: one run, whose entries and end the test chooses. */
interface Service {
  url: string;
  requests: { method: string; path: string; key: string | undefined; body: string }[];
  server: Server;
}

const RUN = {
  id: 'run_1',
  status: 'succeeded',
  question: 'q',
  answer: '42',
  explanation: 'Offline \u001b[2J note.',
  reason: 'answered',
  message: 'Answered.',
  sources: [],
  evidence: [],
  model: 'm',
  turns: 1,
  tool_calls: 0,
  usage: {},
  cost_usd: 0,
  files: [],
};
const ENTRIES = [
  { v: 1, at: 1, type: 'run_started', question: 'q', files: [] },
  { v: 1, at: 2, type: 'attempt_failed', kind: 'overloaded', message: 'busy', retry_at: 10_002 },
];
const FINISHED = { v: 1, at: 3, type: 'run_finished' };

let service: Service;
let folder: string;
let run: Record<string, unknown>;
/** Entries go out in order; without `run_finished` the stream stays open until a cancel. */
let entries: Record<string, unknown>[];

async function answer(request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://x');
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method = '', headers } = request;
  const body = Buffer.concat(chunks).toString();
  service.requests.push({ method, path: pathname + search, key: headers.authorization, body });
  const send = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (method === 'PUT') return send(201, { id: 'file_1' });
  if (pathname === '/v1/runs' && body.includes('refuse')) {
    return send(400, { error: { code: 'invalid_input', message: 'Not this one.' } });
  }
  if (pathname === '/v1/runs') return send(202, run);
  if (pathname.endsWith('/cancel')) {
    entries.push({ v: 1, at: 3, type: 'cancel_requested', by: 'local' }, FINISHED);
    return send(202, run);
  }
  if (!pathname.endsWith('/events')) return send(200, run);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  entries.forEach((entry, index) => {
    const { type } = entry as { type: string };
    response.write(`id: ${index + 1}\nevent: ${type}\ndata: ${JSON.stringify(entry)}\n\n`);
  });
  if (entries.includes(FINISHED)) response.end();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stride-ask-'));
  run = { ...RUN };
  entries = [...ENTRIES, FINISHED];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = { url, requests: [], server };
});
afterEach(async () => {
  service.server.closeAllConnections();
  await new Promise((resolve) => service.server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

type Watcher = (text: string, kill: (signal: NodeJS.Signals) => void) => void;

interface AskOptions {
  input?: string;
  /** Called with everything on stdout (stderr) so far; may send a signal. */
  onOutput?: Watcher;
  onError?: Watcher;
}

async function ask(args: string[], { input = '', onOutput, onError }: AskOptions = {}) {
  const env = { PATH: process.env.PATH, STRIDE_URL: service.url, STRIDE_API_KEY: 'secret' };
  const child = spawn(process.execPath, ['dev/ask.ts', ...args], { env });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    onOutput?.(output.stdout, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
    onError?.(output.stderr, (signal) => child.kill(signal));
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

describe('npm run ask', () => {
  it('shows the steps, then explanation, answer and cost, and exits with 0', async () => {
    const { code, stdout, stderr } = await ask(['q']);
    const [accepted, failed, ...end] = stdout.split('\n').slice(1);
    expect(accepted).toBe('● accepted run_1');
    expect(failed).toMatch(/model call failed, overloaded: busy; again in 10\.0 s, at \d\d:/);
    expect(end.slice(0, 5)).toEqual(['', 'Offline ␛[2J note.', '', 'Answer: 42', '']);
    expect(end[5]).toMatch(/^m · 1 turn · 0 tool calls · 0 USD · .* · run_1$/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('puts one JSON object on stdout and the rest on stderr with --json', async () => {
    const { code, stdout, stderr } = await ask(['q', '--json']);
    expect(stdout.split('\n')).toHaveLength(2);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ id: 'run_1', status: 'succeeded', answer: '42', turns: 1 });
    expect(result.cost_usd).toBe(0);
    expect(stderr).toContain('Answer: 42');
    expect(code).toBe(0);
  });

  it('sends files first and names them in the run, with the key', async () => {
    const file = join(folder, 'a b.csv');
    writeFileSync(file, 'x\n');
    await ask(['q', '--file', file, '--follows', 'run_0', '--model', 'm2']);
    const [upload, accept] = service.requests;
    expect(upload).toEqual({
      method: 'PUT',
      path: '/v1/files?name=a%20b.csv',
      key: 'Bearer secret',
      body: 'x\n',
    });
    expect(JSON.parse(accept?.body ?? '')).toEqual({
      question: 'q',
      file_ids: ['file_1'],
      follows: 'run_0',
      model: 'm2',
    });
  });

  it('reads the question from stdin', async () => {
    await ask(['-'], { input: 'from\nstdin\n' });
    expect(JSON.parse(service.requests[0]?.body ?? '').question).toBe('from\nstdin');
  });

  it('exits with 1 when there is no answer', async () => {
    Object.assign(run, { status: 'failed', answer: null, message: 'Turns are spent.' });
    const { code, stdout } = await ask(['q']);
    expect(stdout).toContain('No answer: Turns are spent.');
    expect(code).toBe(1);
  });

  it('exits with 1 and the service’s words when it refuses, as JSON too', async () => {
    const { code, stdout, stderr } = await ask(['refuse', '--json']);
    expect(stderr).toContain('Not this one.');
    expect(JSON.parse(stdout)).toMatchObject({
      id: null,
      status: 'failed',
      answer: null,
      reason: 'invalid_input',
      message: 'Not this one.',
    });
    expect(code).toBe(1);
  });

  it.each([
    [['--nope', 'q'], 'Unknown option --nope.'],
    [[], 'The question is missing.'],
    [['q', '--file', '/no/such.csv'], '/no/such.csv was not found.'],
    [['-'], 'The question is empty.'],
  ])('exits with 2, the reason and the usage for %j, and asks nothing', async (args, message) => {
    const { code, stdout, stderr } = await ask(args);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage: npm run ask');
    expect({ code, stdout, asked: service.requests }).toEqual({ code: 2, stdout: '', asked: [] });
  });

  it('exits with 2 and names a file whose name cannot be sent, before anything starts', async () => {
    const file = join(folder, 'new\nline.csv');
    writeFileSync(file, 'x');
    const { code, stderr } = await ask(['q', '--file', file]);
    expect(stderr).toContain('new␊line.csv cannot be sent under this name.');
    expect({ code, asked: service.requests }).toEqual({ code: 2, asked: [] });
  });

  it('shows the usage on stdout for --help', async () => {
    const { code, stdout } = await ask(['--help']);
    expect(stdout).toMatch(/^Usage: npm run ask/);
    expect(code).toBe(0);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('cancels the run on %s and exits with %i', async (signal, expected) => {
    entries = [...ENTRIES];
    let sent = false;
    const { code, stdout } = await ask(['q'], {
      onOutput(text, kill) {
        if (sent || !text.includes('overloaded')) return;
        sent = true;
        kill(signal);
      },
    });
    expect(service.requests.map(({ path }) => path)).toContain('/v1/runs/run_1/cancel');
    expect(stdout).toContain('cancelling run_1 …\ncancelled\n');
    expect(stdout).not.toContain('Answer');
    expect(code).toBe(expected);
  });

  it('gives its one JSON object when it was cancelled, too', async () => {
    entries = [...ENTRIES];
    const { stdout, code } = await ask(['q', '--json'], {
      onError: (text, kill) => {
        if (text.includes('overloaded') && !text.includes('cancelling')) kill('SIGINT');
      },
    });
    expect(JSON.parse(stdout)).toMatchObject({ id: 'run_1', status: 'cancelled', answer: null });
    expect(code).toBe(130);
  });
});
