import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hasBubblewrap, useSandboxes } from './e2b-fixture.ts';

const fixture = useSandboxes();

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: time', () => {
  it('interrupts an endless loop, keeps its output and the variables', async () => {
    const { python } = await fixture.start();
    const outcome = await python('x = 7\nprint("so far")\nwhile True:\n    pass', {
      timeoutMs: 700,
    });
    expect(outcome).toMatchObject({ status: 'timeout', output: 'so far\n', error: null });
    expect(outcome.notes).toEqual([
      'The code was interrupted after 0.7 seconds; variables it had set are kept. Do less in one call, or split the work over several.',
    ]);
    expect((await python('x')).result).toBe('7');
  });

  it('interrupts code that catches everything', async () => {
    const { python } = await fixture.start();
    const code =
      'import time\nfor i in range(3):\n    try:\n        time.sleep(60)\n    except BaseException:\n        print("no")';
    expect(await python(code, { timeoutMs: 500 })).toMatchObject({
      status: 'done',
      output: 'no\nno\nno\n',
    });
  });

  it('restarts Python where it cannot be interrupted, and says that variables are gone', async () => {
    const { python, workspace } = await fixture.start();
    await python('x = 1');
    const code =
      "open('made.txt', 'w').write('m')\nprint('so far', flush=True)\nimport time; time.sleep(0.8)\n10**10**8";
    const outcome = await python(code, { timeoutMs: 1_500 });
    expect(outcome).toMatchObject({ status: 'timeout', output: 'so far\n' });
    expect(outcome.notes.join(' ')).toContain(
      'variables, functions and imports of earlier calls are gone',
    );
    expect(workspace.text('made.txt')).toBe('m');
    expect((await python('x')).error?.name).toBe('NameError');
    expect((await python('1')).notes).toEqual([]);
  });

  it('stops the code when the call is aborted and keeps the kernel', async () => {
    const { python } = await fixture.start();
    await python('x = 1');
    const controller = new AbortController();
    const call = python('print("a")\nwhile True: pass', { signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    expect(await call).toMatchObject({
      status: 'timeout',
      output: 'a\n',
      notes: ['The run was cancelled while the code was running.'],
    });
    expect((await python('x')).result).toBe('1');
  });

  it('does not start a call that was aborted while it waited', async () => {
    const { python, workspace } = await fixture.start();
    const controller = new AbortController();
    const first = python('import time; time.sleep(0.3)');
    const second = python("open('no.txt', 'w');", { signal: controller.signal });
    controller.abort();
    await first;
    expect((await second).error?.name).toBe('Cancelled');
    expect(workspace.written).toEqual([]);
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: output', () => {
  it('keeps head and tail of a flood by print and says how much is left out', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "print('first')\nfor _ in range(200): print('x' * 1_000_000)\nprint('last')",
    );
    expect(outcome.status).toBe('done');
    expect(outcome.output.length).toBeLessThan(80_000);
    expect(outcome.output.startsWith('first\nxxx')).toBe(true);
    expect(outcome.output.endsWith('xxx\nlast\n')).toBe(true);
    expect(outcome.output).toContain('[... 199936211 bytes left out ...]');
  });

  it('survives a flood by os.write and by a child process', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "import os, subprocess\nfor _ in range(200): os.write(1, b'y' * 1_000_000)\nsubprocess.run('head -c 200000000 /dev/zero', shell=True);",
    );
    expect(outcome.status).toBe('done');
    expect(outcome.output).toContain('bytes left out');
    expect(outcome.output.length).toBeLessThan(80_000);
  });

  it('bounds the value of the last expression without building it', async () => {
    const { python } = await fixture.start();
    const outcome = await python('list(range(2_000_000))');
    expect(outcome.result).toContain('[of length 2000000]');
    expect((await python("'z' * 50_000_000")).result).toContain('[... of length 50000000]');
    expect((await python('{i: "v" * 10_000 for i in range(100)}')).result?.length).toBeLessThan(
      10_000,
    );
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: resources', () => {
  it('reports a lack of memory plainly and goes on', async () => {
    const { python } = await fixture.start();
    const outcome = await python("kept = 1\nprint('before')\nhog = bytearray(10**9)");
    expect(outcome).toMatchObject({
      status: 'error',
      output: 'before\n',
      error: { name: 'MemoryError' },
    });
    expect(outcome.error?.message).toContain('not enough memory');
    expect((await python('kept')).result).toBe('1');
  });

  it('ends a group of processes that together hold too much memory', async () => {
    const { python } = await fixture.start();
    const hog = `
import multiprocessing, time
def hold():
    data = bytearray(400_000_000)
    data[::4096] = b'x' * len(data[::4096])
    time.sleep(10)
workers = [multiprocessing.Process(target=hold) for _ in range(4)]
for w in workers: w.start()
for w in workers: w.join(6)
[w.exitcode for w in workers].count(-9) >= 1`;
    const outcome = await python(hog);
    // The largest goes first: a worker, or the kernel itself.
    expect(outcome.result === 'True' || outcome.error?.name === 'KernelDied').toBe(true);
    expect((await python('1 + 1')).result).toBe('2');
  });

  it('contains a fork bomb, and other sandboxes do not notice', async () => {
    const bomb = await fixture.start();
    const other = await fixture.start();
    const call = bomb.python(
      'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass',
      { timeoutMs: 1_500 },
    );
    expect(
      (
        await other.python(
          "import subprocess\nsubprocess.run(['echo', 'ok'], capture_output=True).stdout",
        )
      ).result,
    ).toBe("b'ok\\n'");
    expect((await call).status).toBe('timeout');
    expect((await bomb.python('1 + 1')).result).toBe('2');
  });

  it('fills its own disk only', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "with open('full.bin', 'wb') as file:\n    while True: file.write(b'0' * 1_000_000)",
    );
    expect(outcome.error).toMatchObject({
      name: 'OSError',
      message: '[Errno 28] No space left on device',
    });
    await python("import os; os.remove('full.bin')");
    expect((await python("open('small.txt', 'w').write('x')")).files).toHaveLength(1);
    const root = await python("open('/dev/shm/x', 'wb').write(b'0' * 100_000_000)");
    expect(root.error?.name).toBe('OSError');
    expect((await python("open('/x', 'w')")).error?.message).toContain('Read-only file system');
    expect((await python("open('/dev/x', 'w')")).error?.message).toContain('Read-only file system');
  });

  it('says so when Python ends itself, with what was printed', async () => {
    const { python } = await fixture.start();
    await python('x = 1');
    const outcome = await python('import os, time\nprint("p")\ntime.sleep(0.8)\nos._exit(1)');
    expect(outcome).toMatchObject({
      status: 'error',
      output: 'p\n',
      error: { name: 'KernelDied' },
    });
    expect(outcome.notes.join(' ')).toContain(
      'variables, functions and imports of earlier calls are gone',
    );
    expect((await python('1')).result).toBe('1');
  });

  it('does not let a forgotten child become a second kernel', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      'import os\nif os.fork() == 0:\n    print("child")\nelse:\n    os.wait()\n    print("parent")',
    );
    expect(outcome).toMatchObject({ status: 'done', output: 'child\nparent\n' });
    expect((await python('os.getpid() > 0')).result).toBe('True');
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: isolation', () => {
  it('shows nothing of the host: files, environment, processes', async () => {
    process.env.STRIDE_TEST_SECRET = 'host-only';
    const { python } = await fixture.start();
    const outcome = await python(`
import os, pathlib
print(open('/etc/passwd').read().count('\\n'), sorted(os.listdir('/home')), os.path.exists('/root'))
print('STRIDE_TEST_SECRET' in os.environ, os.getuid())
print(os.path.exists(${JSON.stringify(process.cwd())}), str(${process.pid}) in os.listdir('/proc'))
print([p for p in os.environ if 'KEY' in p or 'TOKEN' in p or 'PROXY' in p.upper()])`);
    delete process.env.STRIDE_TEST_SECRET;
    expect(outcome.output).toBe("1 ['user'] False\nFalse 1000\nFalse False\n[]\n");
  });

  it('connects to nothing, neither outside nor on this machine', async () => {
    const server = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { python } = await fixture.start();
    const outcome = await python(`
import socket
for target in (('127.0.0.1', ${port}), ('1.1.1.1', 53), ('169.254.169.254', 80)):
    try:
        print(socket.create_connection(target, timeout=2).recv(9))
    except OSError as error:
        print(type(error).__name__)
proxy = socket.create_connection(('127.0.0.1', 3128))
proxy.sendall(b'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n')
print(proxy.recv(100).split(b'\\r\\n')[0])`);
    server.close();
    expect(outcome.output).toBe(
      "ConnectionRefusedError\nOSError\nOSError\nb'HTTP/1.1 403 Forbidden'\n",
    );
  });

  it('cannot reach the process that serves the sandbox', async () => {
    const { python } = await fixture.start();
    const outcome = await python(`
import os
guest = os.getppid()
try:
    os.listdir(f'/proc/{guest}/fd')
except OSError as error:
    print(type(error).__name__)
try:
    open(f'/proc/{guest}/mem', 'rb')
except OSError as error:
    print(type(error).__name__)`);
    expect(outcome.output).toBe('PermissionError\nPermissionError\n');
  });
});
