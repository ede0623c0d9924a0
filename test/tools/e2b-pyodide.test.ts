/** What e2b.test.ts and e2b-limits.test.ts ask of bubblewrap, asked of Pyodide. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPyodide, useSandboxes } from './e2b-fixture.ts';

const fixture = useSandboxes({ python: 'pyodide' });
type Run = Awaited<ReturnType<typeof fixture.start>>;

const GONE = 'variables, functions and imports of earlier calls are gone';

/** One sandbox for the tests of a `describe`: each start is most of a second. */
function useRun(files: Record<string, string> = {}): () => Run {
  let run: Run | null = null;
  beforeAll(async () => {
    run = await fixture.start(files);
  });
  return () => {
    if (run === null) throw new Error('the sandbox has not started');
    return run;
  };
}

describe.skipIf(!hasPyodide)('createE2bSandboxes under Pyodide: code and its outcome', () => {
  const run = useRun({ 'sales.csv': 'item,amount\na,10\nb,32\n', '数据/表 一.csv': '值\n3\n' });

  it('sums a column with the standard library', async () => {
    const code =
      "import csv\nwith open('sales.csv', newline='') as file:\n    rows = list(csv.DictReader(file))\nprint(len(rows))\nsum(int(row['amount']) for row in rows)";
    expect(await run().python(code)).toEqual({
      status: 'done',
      output: '2\n',
      stdout: '2\n',
      stderr: '',
      result: '42',
      error: null,
      files: [],
      notes: [],
    });
    expect((await run().python("rows[0]['item']")).result).toBe("'a'");
  });

  it('says plainly that there is no pandas, and runs no code without its requirements', async () => {
    const { python, workspace } = run();
    expect((await python('import pandas as pd')).error).toMatchObject({
      name: 'ModuleNotFoundError',
      message:
        "No module named 'pandas': this Python has the standard library only. numpy, pandas and matplotlib are not there and packages cannot be installed; use csv, statistics, decimal and the like.",
    });
    const probe =
      "import importlib.util\nimportlib.util.find_spec('numpy'), importlib.util.find_spec('csv').name";
    expect((await python(probe)).result).toBe("(None, 'csv')");
    const refused = await python("open('no.txt', 'w')", { requirements: ['chess'] });
    expect(refused.error).toMatchObject({
      name: 'InstallError',
      message: expect.stringMatching(/standard library only.*cannot be installed.*was not run\.$/),
    });
    expect(workspace.find('no.txt')).toBeNull();
  });

  it('shows the own frames of an error, takes exit() and an end of input', async () => {
    const { python } = run();
    const failed = await python('print("before")\ndef f():\n    return 1 / 0\nf()');
    expect(failed).toMatchObject({ status: 'error', output: 'before\n' });
    expect(failed.error?.traceback).toContain('line 3, in f\n    return 1 / 0');
    expect(failed.error?.traceback).not.toMatch(/stride|kernel/);
    expect((await python('exit()')).notes).toEqual(['The code ended itself with exit().']);
    expect((await python('input("name? ")')).error?.name).toBe('EOFError');
  });

  it('keeps the order of print and os.write, and stderr apart', async () => {
    const code =
      "import os, sys\nprint('1')\nos.write(1, b'2\\n')\nprint('3', file=sys.stderr)\nprint('4');";
    expect(await run().python(code)).toMatchObject({
      output: '1\n2\n3\n4\n',
      stdout: '1\n2\n4\n',
      stderr: '3\n',
    });
  });

  it('runs await and asyncio.run, and ends a wait that nothing can end', async () => {
    const { python } = run();
    const code = "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 'x'\n";
    expect((await python(`${code}await f()`)).result).toBe("'x'");
    expect((await python('asyncio.run(f())')).result).toBe("'x'");
    expect((await python('await asyncio.Event().wait()')).error?.message).toContain(
      'This await can never end',
    );
  });

  it('takes folders and Chinese names both ways, and never what a link points at', async () => {
    const { python, workspace } = run();
    const outcome = await python(
      "import os\ntext = open('数据/表 一.csv').read()\nos.makedirs('结果/子')\nopen('结果/子/答案.txt', 'w').write(text + '好')\nos.symlink('/etc/passwd', 'a.txt')\nos.symlink('/lib', 'b')\nos.rename('结果', '果')",
    );
    expect(outcome.files.map(({ path }) => path)).toEqual(['果/子/答案.txt']);
    expect(workspace.text('果/子/答案.txt')).toBe('值\n3\n好');
  });

  it('seeks, appends, truncates and keeps open what is removed', async () => {
    const code = `
import os
with open('f.bin', 'wb+') as f:
    f.write(bytes(range(10)))
    f.seek(2); f.write(b'xy'); f.seek(-3, 2); tail = f.read()
    f.truncate(5); os.fsync(f.fileno())
    os.remove('f.bin')
    f.seek(0); kept = f.read()
with open('g.txt', 'a') as a, open('g.txt', 'a') as b:
    a.write('1'); a.flush(); b.write('2'); b.flush()
first = os.stat('g.txt').st_size, open('g.txt').read()
os.remove('g.txt')
(tail, kept, first, os.path.exists('f.bin'))`;
    expect((await run().python(code)).result).toBe(
      String.raw`(b'\x07\x08\t', b'\x00\x01xy\x04', (2, '12'), False)`,
    );
  });
});

describe.skipIf(!hasPyodide)('createE2bSandboxes under Pyodide: isolation', () => {
  const run = useRun();

  it('shows nothing of the host: files, environment, processes', async () => {
    process.env.STRIDE_TEST_SECRET = 'host-only';
    const outcome = await run().python(`
import os, subprocess
print(sorted(os.listdir('/')), os.listdir('/home'), os.path.exists('/etc/passwd'))
print(os.path.exists(${JSON.stringify(process.cwd())}), 'STRIDE_TEST_SECRET' in os.environ)
for attempt in (lambda: subprocess.run(['true']), os.fork, lambda: os.kill(${process.pid}, 0)):
    try:
        print(attempt())
    except OSError as error:
        print(type(error).__name__)`);
    delete process.env.STRIDE_TEST_SECRET;
    expect(outcome.output).toBe(
      "['dev', 'home', 'lib', 'proc', 'tmp'] ['user'] False\nFalse False\nOSError\nOSError\nPermissionError\n",
    );
  });

  it('gives JavaScript no way out either', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    let requests = 0;
    server.on('request', () => requests++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { python } = run();
    const begun = await python(`
import js, urllib.request
from pyodide.code import run_js
from pyodide.http import open_url
seen = []
def note(promise):
    promise.then(lambda value: seen.append(f'DONE {value}'), lambda error: seen.append(str(error)[:80]))
for code in (
    "fetch('${url}').then((r) => r.text())",
    "fetch('file:///etc/passwd').then((r) => r.text())",
    "import('node:fs').then((fs) => fs.readFileSync('/etc/passwd', 'utf8'))",
    "import('node:process').then((p) => JSON.stringify(p.env))",
    "import('node:child_process').then((c) => c.execSync('id'))",
    "import('node:net').then((n) => n.connect(new URL('${url}').port, '127.0.0.1').readyState)",
    "import('file://${process.cwd()}/src/limits.ts')",
    "import('${url}x.js')",
):
    note(run_js(code))
for attempt in (
    lambda: js.Deno.readTextFileSync('/etc/passwd'),
    lambda: js.process.env,
    lambda: js.Worker.new('data:text/javascript,'),
    lambda: js.WebSocket.new('${url}'.replace('http', 'ws')),
    lambda: open_url('${url}'),
    lambda: urllib.request.urlopen('${url}', timeout=1),
):
    try:
        print('DONE', attempt())
    except Exception as error:
        print(type(error).__name__)`);
    expect(begun.output).toBe(
      'AttributeError\nAttributeError\nAttributeError\nJsException\nNameError\nURLError\n',
    );
    // Promises go on between two calls.
    const waited = await python('import time\nlen(seen)');
    const seen = await python('(len(seen), [one for one in seen if one.startswith("DONE")])');
    server.close();
    expect(waited.status).toBe('done');
    expect(seen.result).toBe('(8, [])');
    expect(requests).toBe(0);
  });

  it('lets nothing be written outside of home and /tmp', async () => {
    const code = `
for path in ('/x', '/dev/x', '/lib/x', '/lib/python314.zip'):
    try:
        open(path, 'r+b' if path.endswith('zip') else 'wb', buffering=0).write(b'x')
    except OSError as error:
        print(error.strerror)`;
    expect((await run().python(code)).output).toBe('Read-only file system\n'.repeat(4));
  });
});

describe.skipIf(!hasPyodide)('createE2bSandboxes under Pyodide: limits', () => {
  const run = useRun();

  it('interrupts loops and sleeps, and code that catches everything, with its variables', async () => {
    const { python } = run();
    expect(
      await python('x = 7\nprint("so far")\nwhile True:\n    pass', { timeoutMs: 400 }),
    ).toMatchObject({
      status: 'timeout',
      output: 'so far\n',
      notes: [expect.stringContaining('interrupted after 0.4 seconds; variables it had set')],
    });
    const code =
      'import time\nfor i in range(2):\n    try:\n        time.sleep(60)\n    except BaseException:\n        n = i';
    expect((await python(code, { timeoutMs: 300 })).status).toBe('done');
    expect((await python('(x, n)')).result).toBe('(7, 1)');
  });

  it('stops the code when the call is aborted', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await run().python('y = 8');
    const call = run().python('print("a")\nwhile True: pass', { signal });
    setTimeout(() => controller.abort(), 300);
    expect(await call).toMatchObject({
      status: 'timeout',
      notes: ['The run was cancelled while the code was running.'],
    });
    expect((await run().python('y')).result).toBe('8');
  });

  it('keeps head and tail of 200 MB of output', async () => {
    const flood = "print('first')\nfor _ in range(200): print('x' * 1_000_000)\nprint('last')";
    const { status, output } = await run().python(flood);
    expect(status).toBe('done');
    expect(output.startsWith('first\nxxx') && output.endsWith('xxx\nlast\n')).toBe(true);
    expect(output).toContain('[... 199936211 bytes left out ...]');
  });

  it('reports a lack of memory plainly and goes on', async () => {
    const { python } = run();
    const one = await python('kept = 1\nbytearray(10**9)');
    expect(one.error).toMatchObject({
      name: 'MemoryError',
      message: expect.stringContaining('not enough memory'),
    });
    const many = await python('hog = []\nwhile True: hog.append([0] * 100_000)');
    expect(many.error?.name).toBe('MemoryError');
    expect((await python('del hog\nkept')).result).toBe('1');
  });

  it('fills its own disk only', async () => {
    const { python } = run();
    const full = await python(
      "with open('full.bin', 'wb') as file:\n    while True: file.write(b'0' * 1_000_000)",
    );
    expect(full.error?.message).toContain('No space left on device');
    await python("import os; os.remove('full.bin')");
    expect((await python("open('small.txt', 'w').write('x')")).files).toHaveLength(1);
  });

  it('restarts Python that JavaScript holds, keeps files and says what is gone', async () => {
    const { python, workspace } = run();
    const code =
      "import js\nopen('made.txt', 'w').write('m')\nprint('so far')\njs.eval('while (true) {}')";
    await python('z = 9');
    const outcome = await python(code, { timeoutMs: 1_000 });
    expect(outcome).toMatchObject({ status: 'timeout', output: 'so far' });
    expect(outcome.notes.join(' ')).toContain(GONE);
    expect(workspace.text('made.txt')).toBe('m');
    expect((await python('z')).error?.name).toBe('NameError');
    expect((await python('1')).notes).toEqual([]);
  });

  it('says so when Python ends itself', async () => {
    const { python } = run();
    await python('1');
    const outcome = await python('import os\nprint("p")\nos._exit(1)');
    expect(outcome).toMatchObject({ status: 'error', error: { name: 'KernelDied' } });
    expect(outcome.notes.join(' ')).toContain(GONE);
    expect((await python('1 + 1')).result).toBe('2');
  });

  it('ends a process that JavaScript fills with memory, and the run gets another', async () => {
    const { runId, sandboxId, python } = run();
    const hog = 'import js\nhog = []\nwhile True: hog.append(js.Uint8Array.new(10**8).fill(1))';
    expect((await python(hog)).status).toBe('unknown');
    const again = await fixture.obtain(runId, sandboxId);
    expect([again.lost, again.sandboxId === sandboxId]).toEqual([true, false]);
  });
});
