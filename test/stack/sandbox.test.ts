import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostLacks } from '../../dev/host.ts';
import { type MessagesServer, startMessagesServer } from '../helpers/messages-server.ts';
import { startTestStack, type TestStack } from './harness.ts';

interface Attack {
  name: string;
  code: string;
  /** What the model must read about it. */
  told: RegExp;
  /** What it must not read. */
  never?: RegExp;
  isError: boolean;
}

const ATTACKS: Attack[] = [
  {
    name: 'an endless loop',
    code: 'print("before")\nwhile True:\n    pass',
    told: /before[\s\S]*(time|seconds)/i,
    isError: true,
  },
  {
    name: '200 MB of output',
    code: 'for _ in range(200):\n    print("x" * 1_000_000)\nprint("the end")',
    told: /showing the first|left out/i,
    isError: false,
  },
  {
    name: 'a fork bomb',
    code: [
      'import os, time',
      'made = 0',
      'try:',
      '    while made < 5000:',
      '        if os.fork() == 0:',
      '            time.sleep(20)',
      '            os._exit(0)',
      '        made += 1',
      'except OSError as error:',
      '    print("contained after", made < 1000, type(error).__name__)',
    ].join('\n'),
    told: /contained after True BlockingIOError/,
    isError: false,
  },
  {
    name: 'the host’s /etc/passwd',
    code: [
      'import os, pathlib',
      'for path in ["/etc/passwd", "/root", "/home", "/proc/1/environ"]:',
      '    try:',
      '        found = pathlib.Path(path)',
      '        print(path, os.listdir(path) if found.is_dir() else found.read_text()[:4000])',
      '    except OSError as error:',
      '        print(path, type(error).__name__)',
    ].join('\n'),
    told: /\/etc\/passwd/,
    never: /root:x:0|daemon:|STRIDE|ANTHROPIC|UPSTASH/,
    isError: false,
  },
  {
    name: 'a symlink to a host file, written as a result',
    code: 'import os\nos.symlink("/etc/passwd", "stolen.txt")\nos.symlink("/etc", "folder")\nprint("linked")',
    told: /linked/,
    never: /root:x:0/,
    isError: false,
  },
  {
    name: 'an outgoing connection',
    code: [
      'import socket',
      'for address in [("1.1.1.1", 80), ("127.0.0.1", 8787)]:',
      '    try:',
      '        socket.create_connection(address, timeout=3)',
      '        print("connected", address)',
      '    except OSError as error:',
      '        print("refused", type(error).__name__)',
    ].join('\n'),
    told: /refused[\s\S]*refused/,
    never: /connected/,
    isError: false,
  },
  {
    name: 'too much memory',
    code: 'print("start")\nx = bytearray(3_000_000_000)\nprint("granted")',
    told: /MemoryError/,
    never: /granted/,
    isError: true,
  },
];

const lacking = await hostLacks();

describe.skipIf(lacking.length > 0)('hostile code in the sandbox, through the whole stack', () => {
  let stack: TestStack;
  let server: MessagesServer;
  beforeAll(async () => {
    server = await startMessagesServer(({ body, raw }) => {
      const attack = ATTACKS.find(({ name }) => raw.includes(`[${name}]`));
      if (body.messages.length === 1 && attack) {
        const input = { code: attack.code };
        return { content: [{ type: 'tool_use', id: 't1', name: 'execute_python', input }] };
      }
      return { content: [{ type: 'text', text: 'It was contained.\n\nFINAL ANSWER: contained' }] };
    });
    const env = {
      ANTHROPIC_API_KEY: 'sk-test-sandbox',
      ANTHROPIC_BASE_URL: server.url,
      TOOL_TIMEOUT: '10',
    };
    stack = await startTestStack({ env });
  });
  afterAll(async () => {
    await stack.stop();
    await server.stop();
  });

  it.each(ATTACKS)('contains $name, tells the model, and the run goes on', async (attack) => {
    const id = await stack.ask(`What happens? [${attack.name}]`);
    const run = await stack.waitForEnd(id, 120_000);
    expect(run).toMatchObject({ status: 'succeeded', answer: 'contained' });
    const result = (await stack.events(id)).find((entry) => entry.type === 'tool_finished');
    const told = JSON.stringify(result?.type === 'tool_finished' && result.content);
    expect(told).toMatch(attack.told);
    if (attack.never) expect(told).not.toMatch(attack.never);
    expect(result).toMatchObject({ is_error: attack.isError });
    const files = await stack.fetch(`/v1/runs/${id}/files`);
    const listed = (await files.json()) as { files: { path: string }[] };
    for (const { path } of listed.files) {
      const bytes = await (await stack.fetch(`/v1/runs/${id}/files/${path}`)).text();
      expect(bytes).not.toMatch(/root:x:0/);
    }
    expect((await stack.fetch('/health')).status).toBe(200);
  });

  it('still computes after all of it', async () => {
    const id = await stack.ask('What happens? [an outgoing connection]');
    expect(await stack.waitForEnd(id)).toMatchObject({ answer: 'contained' });
  });
});
