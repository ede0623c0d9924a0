import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findPython } from '../../dev/sandbox/bubblewrap.ts';
import { refuseRequirements } from '../../src/tools/sandbox-requirements.ts';
import { hasBubblewrap, useSandboxes } from './e2b-fixture.ts';

/** Two tiny wheels and one source package whose setup.py would run. */
const BUILD = `
import sys, tarfile, io, zipfile
folder = sys.argv[1]
for name, needs in (('strideone', 'Requires-Dist: stridetwo\\n'), ('stridetwo', '')):
    info = f'{name}-1.0.dist-info'
    files = {
        f'{name}.py': f'WORD = "{name}"\\n',
        f'{info}/METADATA': f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n{needs}',
        f'{info}/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
    }
    record = ''.join(f'{path},,\\n' for path in [*files, f'{info}/RECORD'])
    with zipfile.ZipFile(f'{folder}/{name}-1.0-py3-none-any.whl', 'w') as wheel:
        for path, text in {**files, f'{info}/RECORD': record}.items():
            wheel.writestr(path, text)
with tarfile.open(f'{folder}/stridesource-1.0.tar.gz', 'w:gz') as tar:
    data = b'raise SystemExit("setup.py ran")'
    entry = tarfile.TarInfo('stridesource-1.0/setup.py')
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))
`;

const folder = mkdtempSync(join(tmpdir(), 'stride-index-'));
const requests: string[] = [];
let index: Server | undefined;
let indexUrl = '';

async function startIndex(): Promise<string> {
  execFileSync(findPython() ?? 'python3', ['-c', BUILD, folder]);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const project = /^\/simple\/([a-z]+)\/$/.exec(path)?.[1];
    const names = readdirSync(folder);
    const file = names.find((name) => path === `/files/${name}`);
    if (project === 'stridehang') return; // never answered
    if (file) response.end(readFileSync(join(folder, file)));
    else if (project && names.some((name) => name.startsWith(project))) {
      const links = names.filter((name) => name.startsWith(project));
      response.setHeader('content-type', 'text/html');
      response.end(links.map((name) => `<a href="/files/${name}">${name}</a>`).join(''));
    } else response.writeHead(404).end();
  });
  index = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  indexUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`;
  return indexUrl;
}

const fixture = useSandboxes({ packageIndex: startIndex });

afterAll(() => {
  index?.close();
  rmSync(folder, { recursive: true });
});

describe('refuseRequirements', () => {
  it.each([
    ['numpy'],
    ['numpy>=1.26,<3'],
    ['Biopython == 1.83'],
    ['uvicorn[standard]~=0.30.0'],
    ['pkg!=1.0.*'],
    ['ruamel.yaml'],
  ])('accepts %s', (text) => {
    expect(refuseRequirements([text])).toBeNull();
  });

  it.each([
    ['--index-url=http://evil.example/simple'],
    ['-r requirements.txt'],
    ['-e .'],
    ['git+https://example.org/x.git'],
    ['pkg @ https://example.org/x.whl'],
    ['https://example.org/x.whl'],
    ['./local'],
    ['../up.whl'],
    ['/etc/passwd'],
    ["x'; id; echo '"],
    ['$(id)'],
    ['a b'],
    ['numpy; python_version > "3"'],
    ['numpy\n--pre'],
    [''],
    ['.hidden'],
    [`a${'b'.repeat(200)}`],
  ])('refuses %j', (text) => {
    expect(refuseRequirements([text])).toContain('is not a package name with an optional version');
  });

  it('takes at most ten', () => {
    const names = Array.from({ length: 11 }, (_, i) => `pkg${i}`);
    expect(refuseRequirements(names.slice(1))).toBeNull();
    expect(refuseRequirements(names)).toBe(
      'At most 10 requirements are installed for one call; 11 were named.',
    );
  });
});

describe.skipIf(!hasBubblewrap)('createE2bSandboxes: requirements', () => {
  it('installs from the index and keeps the packages for later calls', async () => {
    const { python } = await fixture.start();
    const outcome = await python('import strideone, stridetwo\nstrideone.WORD + stridetwo.WORD', {
      requirements: ['strideone>=1.0'],
    });
    expect(outcome).toMatchObject({ status: 'done', result: "'strideonestridetwo'", files: [] });
    expect((await python('import stridetwo\nstridetwo.WORD')).result).toBe("'stridetwo'");
  });

  it('says what pip says, and does not run the code, when there is no such package', async () => {
    const { python, workspace } = await fixture.start();
    const outcome = await python("open('no.txt', 'w').write('x')", {
      requirements: ['strideabsent'],
    });
    expect(outcome).toMatchObject({ status: 'error', error: { name: 'InstallError' } });
    expect(outcome.error?.message).toContain('strideabsent');
    expect(outcome.error?.message).toContain('The code was not run.');
    expect(workspace.written).toEqual([]);
  });

  it('builds nothing from source', async () => {
    const { python } = await fixture.start();
    const outcome = await python('1', { requirements: ['stridesource'] });
    expect(outcome.error?.name).toBe('InstallError');
    expect(outcome.error?.message).not.toContain('setup.py ran');
  });

  it('refuses options before anything is started', async () => {
    const { python } = await fixture.start();
    const before = requests.length;
    const outcome = await python('1', { requirements: ['--pre'] });
    expect(outcome.error?.name).toBe('InvalidRequirement');
    expect(requests.length).toBe(before);
  });

  it('opens the index for the installation only, and nothing else ever', async () => {
    const { python } = await fixture.start();
    const port = Number(new URL(indexUrl).port);
    const watcher = `
import socket, threading, time
seen = set()
def ask(target):
    try:
        proxy = socket.create_connection(('127.0.0.1', 3128), timeout=2)
        proxy.sendall(f'CONNECT {target} HTTP/1.1\\r\\n\\r\\n'.encode())
        return proxy.recv(100).split(b' ')[1].decode()
    except OSError as error:
        return type(error).__name__
def direct():
    try:
        socket.create_connection(('127.0.0.1', ${port}), timeout=1)
        return 'connected'
    except OSError as error:
        return type(error).__name__
def watch():
    while True:
        seen.add(('other', ask('127.0.0.1:1')))
        seen.add(('direct', direct()))
        time.sleep(0.02)
threading.Thread(target=watch, daemon=True).start()
ask('127.0.0.1:${port}')`;
    expect((await python(watcher)).result).toBe("'403'");
    await python('1', { requirements: ['stridetwo'] });
    const outcome = await python(`sorted(seen), ask('127.0.0.1:${port}')`);
    expect(outcome.result).toBe(
      "([('direct', 'ConnectionRefusedError'), ('other', '403')], '403')",
    );
  });

  it('closes the index again when the call is cancelled during the installation', async () => {
    const { python } = await fixture.start();
    const controller = new AbortController();
    const call = python('1', { requirements: ['stridehang'], signal: controller.signal });
    while (!requests.includes('/simple/stridehang/'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    const outcome = await call;
    expect(outcome.error?.message).toBe(
      'The call was cancelled during the installation. The code was not run.',
    );
    const left = await python(`
import os, socket
proxy = socket.create_connection(('127.0.0.1', 3128), timeout=2)
proxy.sendall(b'CONNECT 127.0.0.1:${new URL(indexUrl).port} HTTP/1.1\\r\\n\\r\\n')
pips = [p for p in os.listdir('/proc') if p.isdigit() and b'\\x00pip\\x00' in open(f'/proc/{p}/cmdline', 'rb').read()]
proxy.recv(100).split(b' ')[1], pips`);
    expect(left.result).toBe("(b'403', [])");
  });
});
