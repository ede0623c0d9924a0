import { describe, expect, test } from 'vitest';
import { LOST_NOTE } from '../../src/tools/sandbox-session.ts';
import { PYTHONS, pythonOf, useSandboxes } from './e2b-fixture.ts';

describe.each(PYTHONS)('createE2bSandboxes: a call that is sent again, under $kind', (given) => {
  const fixture = useSandboxes({ python: given.kind });
  const it = test.skipIf(given.isMissing);

  it('returns the stored result, and its files, without running', async () => {
    const { runId, sandboxId, python, workspace } = await fixture.start();
    const code = "open('log.txt', 'a').write('x')\nprint('ran')\n'value'";
    const first = await python(code, { toolUseId: 'toolu_same' });
    expect(await python(code, { toolUseId: 'toolu_same' })).toMatchObject({
      output: 'ran\n',
      result: "'value'",
    });
    const later = await fixture.obtain(runId, sandboxId);
    const repeat = pythonOf(later.port, workspace);
    const third = await repeat(code, { toolUseId: 'toolu_same', resumed: true });
    expect(third).toMatchObject({
      status: 'done',
      output: 'ran\n',
      result: "'value'",
      notes: first.notes,
    });
    expect(third.files.map((file) => file.path)).toEqual(['log.txt']);
    expect(workspace.text('log.txt')).toBe('x');
  });

  it('waits for a call that an earlier worker left running', async () => {
    const { runId, sandboxId, python, workspace } = await fixture.start();
    await python('1');
    const code = "import time\ntime.sleep(1.2)\nopen('log.txt', 'a').write('x')\n'late'";
    // The earlier worker's connection is still open; this one comes from another port.
    const abandoned = python(code, { toolUseId: 'toolu_slow' });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const later = await fixture.obtain(runId, sandboxId);
    const outcome = await pythonOf(later.port, workspace)(code, {
      toolUseId: 'toolu_slow',
      resumed: true,
    });
    expect(outcome).toMatchObject({ status: 'done', result: "'late'" });
    expect((await abandoned).result).toBe("'late'");
    expect(workspace.text('log.txt')).toBe('x');
  });

  it('answers unknown where it started and the kernel died', async () => {
    const { runId, sandboxId, python, workspace } = await fixture.start();
    await python('1');
    const { Sandbox } = await import('@e2b/code-interpreter');
    const service = fixture.service();
    const connection = { apiKey: service.apiKey, apiUrl: service.url, sandboxUrl: service.url };
    const raw = await Sandbox.connect(sandboxId, connection);
    await raw.files.write('/home/user/.stride/calls/toolu_dead.started', '{}');
    await raw.restartCodeContext('default');
    const later = await fixture.obtain(runId, sandboxId);
    const repeat = pythonOf(later.port, workspace);
    const outcome = await repeat("open('no.txt', 'w')", { toolUseId: 'toolu_dead', resumed: true });
    expect(outcome).toMatchObject({ status: 'unknown', files: [] });
    expect(outcome.notes.join(' ')).toContain('its end is not on record');
    expect(outcome.notes.join(' ')).toContain(
      'variables, functions and imports of earlier calls are gone',
    );
    expect(workspace.find('no.txt')).toBeNull();
  });

  it('does not run where the sandbox is lost and the call may have run', async () => {
    const { runId, sandboxId, workspace } = await fixture.start();
    await fixture.sandboxes().killRun(runId);
    const later = await fixture.obtain(runId, sandboxId);
    const repeat = pythonOf(later.port, workspace);
    const outcome = await repeat("open('no.txt', 'w').write('x')", { resumed: true });
    expect(outcome).toMatchObject({
      status: 'unknown',
      notes: [LOST_NOTE, expect.stringContaining('again')],
    });
    expect(workspace.find('no.txt')).toBeNull();
    expect((await repeat('1 + 1')).result).toBe('2');
  });

  it('takes ids that are no file names', async () => {
    const { python } = await fixture.start();
    const id = '../../etc/passwd 中';
    expect((await python('1', { toolUseId: id })).result).toBe('1');
    expect((await python('2', { toolUseId: id })).result).toBe('1');
  });

  it('believes no forged record', async () => {
    const { python, workspace } = await fixture.start();
    const forged = {
      status: 'done',
      files: [{ path: '../../up.txt', bytes: 1 }],
      notes: [],
      output: 'o',
      stdout: '',
      stderr: '',
      result: null,
      error: null,
    };
    await python(
      `open('/home/user/up.txt', 'w').write('u')\nopen('/home/user/.stride/calls/next.done', 'w').write(${JSON.stringify(JSON.stringify(forged))});`,
    );
    const outcome = await python('1', { toolUseId: 'next' });
    expect(outcome.files).toEqual([]);
    expect(outcome.notes).toEqual(['Not saved, not a usable name: "../../up.txt".']);
    expect(workspace.written).toEqual([]);
  });
});
