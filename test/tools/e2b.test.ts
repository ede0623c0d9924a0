import { describe, expect, it } from 'vitest';
import { createWorkspace } from '../../src/tools/workspace.ts';
import { createMemoryObjects } from '../helpers/memory-objects.ts';
import { storeFiles } from '../helpers/tool-context.ts';
import { hasBubblewrap, pythonOf, useSandboxes } from './e2b-fixture.ts';

const fixture = useSandboxes();

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: code and its outcome', () => {
  it('sums a column of a CSV in the working directory', async () => {
    const { python, workspace } = await fixture.start({ 'sales.csv': 'item,amount\na,10\nb,32\n' });
    const outcome = await python(
      "import pandas as pd\ndata = pd.read_csv('sales.csv')\nprint(len(data))\nint(data['amount'].sum())",
    );
    expect(outcome).toEqual({
      status: 'done',
      output: '2\n',
      stdout: '2\n',
      stderr: '',
      result: '42',
      error: null,
      files: [],
      notes: [],
    });
    expect(workspace.written).toEqual([]);
  });

  it('keeps variables, functions and imports between calls', async () => {
    const { python } = await fixture.start();
    await python('import math\nx = 20\ndef twice(n): return 2 * n');
    expect((await python('twice(x) + math.floor(2.5)')).result).toBe('42');
  });

  it('runs ordinary Python: classes, try, any, open, comprehensions, regular expressions', async () => {
    const { python } = await fixture.start({ 'notes.txt': 'one\ntwo\n' });
    const outcome = await python(`
import collections.abc, re, statistics
class Counter:
    def __init__(self): self.n = 0
    def add(self): self.n += 1; return self
try:
    int('x')
except ValueError as error:
    print('caught', error)
lines = open('notes.txt').read().split()
assert any(l == 'two' for l in lines) and all(isinstance(l, str) for l in lines)
(Counter().add().n, list(reversed(lines)), divmod(7, 2), ord('a'), statistics.mean([1, 2]), re.sub('o', '0', 'foo'))`);
    expect(outcome.output).toBe("caught invalid literal for int() with base 10: 'x'\n");
    expect(outcome.result).toBe("(1, ['two', 'one'], (3, 1), 97, 1.5, 'f00')");
  });

  it('keeps what was printed before an exception, and shows only the code in the traceback', async () => {
    const { python } = await fixture.start();
    const outcome = await python('print("before")\ndef f():\n    return 1 / 0\nf()');
    expect(outcome.status).toBe('error');
    expect(outcome.output).toBe('before\n');
    expect(outcome.error).toMatchObject({ name: 'ZeroDivisionError', message: 'division by zero' });
    expect(outcome.error?.traceback).toContain('line 3, in f\n    return 1 / 0');
    expect(outcome.error?.traceback).not.toContain('stride');
  });

  it('reports sys.exit and KeyboardInterrupt and goes on with the same kernel', async () => {
    const { python } = await fixture.start();
    const left = await python('kept = 1\nprint("out")\nimport sys; sys.exit("no data")');
    expect(left).toMatchObject({
      status: 'error',
      output: 'out\n',
      error: { name: 'SystemExit', message: 'no data' },
    });
    expect(await python('raise KeyboardInterrupt')).toMatchObject({
      status: 'error',
      error: { name: 'KeyboardInterrupt' },
    });
    expect(await python('exit()')).toMatchObject({
      status: 'done',
      notes: ['The code ended itself with exit().'],
    });
    expect((await python('kept')).result).toBe('1');
  });

  it('interleaves print, os.write and child processes as they happened', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "import os, subprocess, sys\nprint('1')\nos.write(1, b'2\\n')\nsubprocess.run(['echo', '3'])\nprint('4', file=sys.stderr)\nprint('5');",
    );
    expect(outcome.output).toBe('1\n2\n3\n4\n5\n');
    expect(outcome.stdout).toBe('1\n2\n3\n5\n');
    expect(outcome.stderr).toBe('4\n');
  });

  it('runs top-level await and asyncio.run', async () => {
    const { python } = await fixture.start();
    const code = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 'x'\n";
    expect((await python(`${code}await f()`)).result).toBe("'x'");
    expect((await python('asyncio.run(f())')).result).toBe("'x'");
  });

  it('gives input() an end of file and explains !pip lines', async () => {
    const { python } = await fixture.start();
    expect((await python('input("name? ")')).error?.name).toBe('EOFError');
    const outcome = await python('!pip install chess');
    expect(outcome.error?.name).toBe('SyntaxError');
    expect(outcome.notes).toEqual([expect.stringContaining('name packages in requirements')]);
  });

  it('runs parallel calls one after the other, in the order they came', async () => {
    const { python } = await fixture.start();
    const outcomes = await Promise.all([
      python('import time\nlog = []\ntime.sleep(0.3)\nlog.append(1)'),
      python('log.append(2)'),
      python('log.append(3)\nlog'),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['done', 'done', 'done']);
    expect(outcomes[2]?.result).toBe('[1, 2, 3]');
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: files', () => {
  it('gives files back that were written or changed, and no others', async () => {
    const { python, workspace } = await fixture.start({ 'in.txt': 'same', 'edit.txt': 'old' });
    const outcome = await python(
      "open('in.txt').read()\nopen('edit.txt', 'w').write('new')\nopen('out.bin', 'wb').write(bytes(range(256)));",
    );
    expect(outcome.files.map((file) => file.path)).toEqual(['edit.txt', 'out.bin']);
    expect(workspace.text('edit.txt')).toBe('new');
    expect(workspace.bytes('out.bin')).toEqual(Uint8Array.from({ length: 256 }, (_, i) => i));
    expect((await python('1')).files).toEqual([]);
  });

  it('takes folders and Chinese names both ways', async () => {
    const { python, workspace } = await fixture.start({ '数据/表 一.csv': '值\n3\n' });
    const outcome = await python(
      "import os\ntext = open('数据/表 一.csv').read()\nos.makedirs('结果/子')\nopen('结果/子/答案.txt', 'w').write(text + '好');\nsorted(os.listdir('.'))",
    );
    expect(outcome.result).toBe("['数据', '结果']");
    expect(workspace.text('结果/子/答案.txt')).toBe('值\n3\n好');
  });

  it('sends a file again only when the workspace has another version of it', async () => {
    const { python, workspace } = await fixture.start({ 'a.txt': '1' });
    await python("import os\nbefore = os.stat('a.txt').st_mtime_ns");
    expect((await python("os.stat('a.txt').st_mtime_ns == before")).result).toBe('True');
    workspace.put('a.txt', '2');
    expect((await python("open('a.txt').read()")).result).toBe("'2'");
  });

  it('saves open figures as PNG files', async () => {
    const { python, workspace } = await fixture.start();
    const outcome = await python(
      'import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()\nplt.figure()\nplt.bar([1], [2]);',
    );
    expect(outcome.stderr).toBe('');
    expect(outcome.files.map((file) => file.path)).toEqual(['plot_1.png', 'plot_2.png']);
    expect([...workspace.bytes('plot_1.png').subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    expect((await python('plt.plot([1]);')).files.map((file) => file.path)).toEqual(['plot_3.png']);
  });

  it('says which files it did not take', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "open('big.bin', 'wb').truncate(20_000_000)\nfor i in range(25): open(f'f{i:02}.txt', 'w').write('x')",
    );
    expect(outcome.files).toHaveLength(20);
    expect(outcome.notes.join()).toContain('big.bin (20000000 bytes');
    expect(outcome.notes.join()).toContain('f20.txt (more than 20 files)');
  });

  it('goes on where a file and a folder have one name, in the workspace or in the sandbox', async () => {
    const { python, workspace } = await fixture.start({ 'a.txt': '1', 'a.txt/b': '2', c: '3' });
    const read = await python("import os\nos.remove('c')\nos.mkdir('c')\nopen('a.txt').read()");
    expect(read).toMatchObject({ status: 'done', result: "'1'" });
    expect(read.notes.join()).toContain('a.txt/b is not in the sandbox: a.txt is a file');
    workspace.put('c', '4');
    workspace.put('c2', '5');
    const later = await python("os.path.isdir('c'), open('c2').read()");
    expect(later).toMatchObject({ status: 'done', result: "(True, '5')" });
    expect(later.notes.join()).toContain('c could not be put into the sandbox');
    expect((await python("os.rmdir('c')")).status).toBe('done');
    expect((await python("open('c').read()")).result).toBe("'4'");
  });

  it('says why a file was not saved that makes a folder of a file', async () => {
    const { runId, port } = await fixture.start();
    const objects = createMemoryObjects();
    const files = await storeFiles(objects, { d: '1' });
    const workspace = createWorkspace({ files, objects, objectPrefix: `o/${runId}/` });
    const python = pythonOf(port, workspace);
    const outcome = await python(
      "import os\nos.remove('d')\nos.mkdir('d')\nopen('d/x', 'w').write('2');",
    );
    expect(outcome).toMatchObject({ status: 'done', files: [] });
    expect(outcome.notes).toEqual([
      'Not saved: d/x ("d" is a file, so nothing can lie below it; choose another path).',
    ]);
    // A new sandbox of the run gets the file, and goes on.
    const next = pythonOf((await fixture.obtain(`${runId}_next`)).port, workspace);
    expect((await next("open('d').read()")).result).toBe("'1'");
  });

  it('never takes what a link points at', async () => {
    const { python } = await fixture.start();
    const outcome = await python(
      "import os\nos.symlink('/etc/passwd', 'a.txt')\nos.symlink('../../../../etc/passwd', 'b.txt')\nos.symlink('/usr', 'c')",
    );
    expect(outcome.files).toEqual([]);
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: runs', () => {
  it('keeps the sandboxes of two runs apart', async () => {
    const one = await fixture.start();
    const two = await fixture.start();
    await one.python("secret = 1\nopen('/tmp/mark', 'w').write('x');");
    expect((await two.python('secret')).error?.name).toBe('NameError');
    expect((await two.python("import os\nos.path.exists('/tmp/mark')")).result).toBe('False');
    expect(two.sandboxId).not.toBe(one.sandboxId);
  });

  it('connects to the known sandbox, with its variables and files', async () => {
    const { runId, sandboxId, python, workspace } = await fixture.start({ 'a.txt': '1' });
    await python("x = open('a.txt').read()");
    const again = await fixture.obtain(runId, sandboxId);
    expect(again).toMatchObject({ sandboxId, lost: false });
    const repeat = pythonOf(again.port, workspace);
    expect(await repeat('x', { toolUseId: 'later' })).toMatchObject({
      result: "'1'",
      notes: [],
      files: [],
    });
  });

  it('makes a new sandbox when the known one is gone, and says what is lost', async () => {
    const { runId, sandboxId, python, workspace } = await fixture.start();
    await python("x = 1\nopen('kept.txt', 'w').write('k');");
    expect(await fixture.sandboxes().killRun(runId)).toBe(1);
    const again = await fixture.obtain(runId, sandboxId);
    expect(again.lost).toBe(true);
    expect(again.sandboxId).not.toBe(sandboxId);
    const repeat = pythonOf(again.port, workspace);
    const outcome = await repeat("open('kept.txt').read()");
    expect(outcome.result).toBe("'k'");
    expect(outcome.notes).toEqual([expect.stringContaining('variables and files')]);
    expect((await repeat('1')).notes).toEqual([]);
  });

  it('kills every sandbox of one run and no other', async () => {
    const one = await fixture.start();
    const two = await fixture.start();
    await fixture.obtain(one.runId);
    expect(await fixture.sandboxes().killRun(one.runId)).toBe(2);
    expect(await fixture.sandboxes().killRun(one.runId)).toBe(0);
    expect((await two.python('1 + 1')).result).toBe('2');
  });

  it('answers unknown when the sandbox ends under a call', async () => {
    const { runId, python } = await fixture.start();
    await python('1');
    const call = python('import time\ntime.sleep(15)');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await fixture.sandboxes().killRun(runId);
    const outcome = await call;
    expect(outcome.status).toBe('unknown');
    expect(outcome.notes.join()).toContain('may have run in part');
  });

  it('turns a refused key into words that do not hold it', async () => {
    const { createE2bSandboxes } = await import('../../src/tools/e2b.ts');
    const url = fixture.service().url;
    const wrong = createE2bSandboxes({ apiKey: 'e2b_wrong', apiUrl: url, sandboxUrl: url });
    const request = { runId: 'r', knownSandboxId: null, signal: new AbortController().signal };
    await expect(wrong.obtain(request)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The Python sandbox service refused its key: check E2B_API_KEY.',
    });
  });
});
