/** The Python module by itself, in a plain python3 without a sandbox. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPython } from '../../dev/sandbox/bubblewrap.ts';
import {
  type CellRequest,
  cellInvocation,
  PYTHON_CELL,
  PYTHON_CELL_MODULE,
} from '../../src/tools/python-cell.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stride-cell-'));
  mkdirSync(join(root, 'work'));
  writeFileSync(join(root, `${PYTHON_CELL_MODULE}.py`), PYTHON_CELL);
});
afterEach(() => rmSync(root, { recursive: true }));

function request(key: string, code: string, more: Partial<CellRequest> = {}): CellRequest {
  const work = join(root, 'work');
  return { key, code, root, work, seconds: 5, uploaded: [], manifest: {}, ...more };
}

/** Runs requests in one new interpreter, as one kernel would. */
function runKernel(...requests: CellRequest[]): string {
  const script = requests.map((one) => cellInvocation(root, one)).join('\n');
  return execFileSync(findPython() ?? 'python3', ['-c', script], { encoding: 'utf8' });
}

function recordOf(key: string) {
  return JSON.parse(readFileSync(join(root, 'calls', `${key}.done`), 'utf8'));
}

describe.skipIf(findPython() === null)('the Python module', () => {
  it('prints nothing itself and leaves a record', () => {
    expect(runKernel(request('a', "print('é \\ud800 中')\n1 + 1"))).toBe('');
    expect(recordOf('a')).toEqual({
      status: 'done',
      result: '2',
      error: null,
      output: 'é \\ud800 中\n',
      stdout: 'é \\ud800 中\n',
      stderr: '',
      files: [],
      notes: [],
    });
  });

  it('takes any source text through the invocation', () => {
    const code = `text = '''"quotes" \\\\ back\tand \u2028 line'''\nlen(text)`;
    runKernel(request('a', code));
    expect(recordOf('a').result).toBe('26');
  });

  it('runs a call once, whatever kernel it is sent to again', () => {
    const append = request('a', "open('log.txt', 'a').write('x')\n'ran'");
    runKernel(append, append);
    runKernel(append);
    expect(readFileSync(join(root, 'work', 'log.txt'), 'utf8')).toBe('x');
    expect(recordOf('a').result).toBe("'ran'");
  });

  it('answers unknown, with what was printed, for a call that started and has no end', () => {
    const killed = request(
      'a',
      "print('part', flush=True)\nimport os, time\ntime.sleep(0.8)\nos._exit(9)",
    );
    expect(() => runKernel(killed)).toThrow();
    runKernel(request('a', "open('again.txt', 'w')"));
    expect(recordOf('a')).toMatchObject({ status: 'unknown', output: 'part\n', files: [] });
    expect(recordOf('a').notes[0]).toContain('may have run in part');
  });

  it('notices a new kernel once, and not at the first call', () => {
    runKernel(request('a', 'x = 1'), request('b', 'x'));
    runKernel(request('c', '1'), request('d', '2'));
    expect([recordOf('a').notes, recordOf('b').notes, recordOf('d').notes]).toEqual([[], [], []]);
    expect(recordOf('c').notes).toEqual([expect.stringContaining('earlier calls are gone')]);
  });

  it('tells files that were uploaded from files that the code wrote', () => {
    writeFileSync(join(root, 'work', 'in.csv'), 'a\n1\n');
    const uploaded = { uploaded: ['in.csv'], manifest: { 'in.csv': 'u/1' } };
    runKernel(request('a', "open('in.csv').read(); open('out.csv', 'w').write('b')", uploaded));
    expect(recordOf('a').files).toEqual([{ path: 'out.csv', bytes: 1 }]);
    expect(JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'))).toEqual({
      'in.csv': 'u/1',
    });
  });

  it('reports files that a killed call left behind with the next record', () => {
    expect(() =>
      runKernel(request('a', "open('left.txt', 'w').write('x')\nimport os; os._exit(1)")),
    ).toThrow();
    runKernel(
      request('a', '', { mode: 'collect', outcome: { status: 'timeout', note: 'stopped' } }),
    );
    expect(recordOf('a')).toMatchObject({
      status: 'timeout',
      files: [{ path: 'left.txt', bytes: 1 }],
    });
    expect(recordOf('a').notes[0]).toBe('stopped');
  });

  it('keeps names out of the namespace of the code', () => {
    runKernel(request('a', '[n for n in dir() if not n.startswith("__")]'));
    expect(recordOf('a').result).toBe("['display', 'exit', 'quit']");
  });

  it('leaves its marks even when the code removed them', () => {
    runKernel(
      request(
        'a',
        `import shutil; shutil.rmtree(${JSON.stringify(join(root, 'calls'))}); print('ok')`,
      ),
    );
    expect(recordOf('a')).toMatchObject({ status: 'done', output: 'ok\n' });
  });

  it('survives errors whose text fails and values whose repr fails', () => {
    const bad =
      'class Bad(Exception):\n    def __str__(self): raise ValueError\n    __repr__ = __str__\n';
    runKernel(request('a', `${bad}raise Bad`), request('b', `${bad}Bad()`));
    expect(recordOf('a').error).toMatchObject({
      name: 'Bad',
      message: '(its message could not be made)',
    });
    expect(recordOf('b').result).toContain('its repr failed with ValueError');
  });
});
