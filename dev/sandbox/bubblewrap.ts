/**
 * Starts Python under bubblewrap: no network, no host files but a read-only /usr, no environment,
 * everything writable in size-capped memory file systems. Works as root (each sandbox gets its own
 * unprivileged uid, so that one sandbox's processes do not count against another's) and as an
 * ordinary user.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';

/** What one sandbox may use. */
export const SANDBOX_LIMITS = {
  /** Private writable memory of one process: RLIMIT_DATA. */
  memoryBytes: 512 * 1024 * 1024,
  /** Resident memory of all its processes together, watched from outside. */
  totalMemoryBytes: 1024 * 1024 * 1024,
  homeBytes: 512 * 1024 * 1024,
  temporaryBytes: 64 * 1024 * 1024,
  sharedMemoryBytes: 64 * 1024 * 1024,
  processes: 64,
} as const;

const FIRST_UID = 60_000;
const UID_COUNT = 5_000;
let nextUid = (process.pid * 37) % UID_COUNT;

const PASSWD = 'user:x:1000:1000::/home/user:/bin/bash\n';
/** Files of /etc that numpy (alternatives), matplotlib and pip need; nothing personal is in them. */
const ETC = ['alternatives', 'matplotlibrc', 'fonts', 'ssl/certs', 'ld.so.cache', 'mime.types'];

function mounts(): string[] {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'lib', 'lib64']) {
    if (existsSync(`/usr/${name}`)) args.push('--symlink', `usr/${name}`, `/${name}`);
  }
  for (const name of ETC) args.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`);
  const limits = SANDBOX_LIMITS;
  const memory = (path: string, bytes: number) => ['--size', String(bytes), '--tmpfs', path];
  args.push('--proc', '/proc', '--dev', '/dev');
  args.push(...memory('/dev/shm', limits.sharedMemoryBytes));
  args.push(...memory('/tmp', limits.temporaryBytes), ...memory('/home/user', limits.homeBytes));
  // The root and /dev are memory file systems without a size: nothing may be written there.
  args.push('--ro-bind-data', '3', '/etc/passwd', '--remount-ro', '/dev', '--remount-ro', '/');
  return args;
}

/** The Python that sandboxes run: the system's, which has numpy and pandas where apt put them. */
export function findPython(): string | null {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(':')];
  const found = folders.map((folder) => join(folder, 'python3')).filter((path) => existsSync(path));
  // Only /usr is visible inside.
  return found.find((path) => path.startsWith('/usr/')) ?? null;
}

/**
 * Starts `python3 -I -c source …` in a new sandbox. Its process tree ends with the returned child,
 * with this process, and when its stdin ends.
 */
export function startSandboxed(source: string, args: string[]): ChildProcess {
  const python = findPython();
  if (python === null) throw new Error('No python3 below /usr: install the python3 package.');
  const isolation = ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent'];
  const identity = ['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'];
  const environment = [
    '--clearenv',
    '--setenv',
    'HOME',
    '/home/user',
    '--setenv',
    'LANG',
    'C.UTF-8',
  ];
  for (const name of ['OPENBLAS_CORETYPE', 'OPENBLAS_L2_SIZE']) {
    // Numerical libraries pick their kernels by these on machines that hide their CPU.
    const value = process.env[name];
    if (value !== undefined) environment.push('--setenv', name, value);
  }
  const child = spawn(
    'bwrap',
    [
      ...isolation,
      '--new-session',
      ...identity,
      ...environment,
      ...mounts(),
      ...['--chdir', '/home/user', '--', python, '-I', '-c', source, ...args],
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      cwd: '/',
      ...unprivilegedIdentity(),
    },
  );
  const passwd = child.stdio[3];
  if (passwd && 'end' in passwd) {
    passwd.on('error', () => {});
    passwd.end(PASSWD);
  }
  return child;
}

/** Root's processes escape RLIMIT_NPROC, so root hands over to a uid of its own for each sandbox. */
function unprivilegedIdentity(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const uid = FIRST_UID + (nextUid++ % UID_COUNT);
  return { uid, gid: uid };
}

/**
 * RLIMIT_NPROC to set inside a sandbox. Since Linux 5.14 it counts the processes of the sandbox's
 * own user namespace; before, all processes of the user, so those that exist are added.
 */
export function processLimit(): number {
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const own = major > 5 || (major === 5 && minor >= 14) || process.getuid?.() === 0;
  return SANDBOX_LIMITS.processes + (own ? 0 : countOwnProcesses());
}

function countOwnProcesses(): number {
  const uid = process.getuid?.();
  let count = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === uid) {
        count += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 1);
      }
    } catch {
      // It ended while we looked.
    }
  }
  return count;
}

/** Really starts one sandbox: present, allowed by the kernel, and with a Python that runs. */
export async function probeBubblewrap(): Promise<{ ok: true } | { ok: false; reason: string }> {
  try {
    execFileSync('bwrap', ['--version'], { stdio: 'ignore' });
  } catch {
    return { ok: false, reason: 'bwrap is not on the PATH: install the bubblewrap package.' };
  }
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = startSandboxed('print("inside")', []);
    } catch (error) {
      resolve({ ok: false, reason: error instanceof Error ? error.message : String(error) });
      return;
    }
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.stdout?.on('data', (data: Buffer) => {
      output += data;
    });
    child.stderr?.on('data', (data: Buffer) => {
      output += data;
    });
    child.on('error', (error) => resolve({ ok: false, reason: error.message }));
    child.on('close', () => {
      clearTimeout(timer);
      const ok = output.trim() === 'inside';
      const reason = `bwrap does not start here: ${output.trim().slice(0, 300) || 'no output'}`;
      resolve(ok ? { ok: true } : { ok: false, reason });
    });
  });
}
