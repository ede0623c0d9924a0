/**
 * The calls of one run in its sandbox: in order, one kernel, each with a marker under its
 * tool_use_id. Whatever happens to the kernel (time-out, crash, restart) the outcome says so; only a
 * workspace that cannot be read or written throws.
 */
import type { Sandbox } from '@e2b/code-interpreter';
import type { PythonCall, PythonOutcome, SandboxPort } from './define.ts';
import { type CellRequest, PYTHON_CELL, PYTHON_CELL_MODULE } from './python-cell.ts';
import {
  loadManifest,
  SANDBOX_ROOT,
  SANDBOX_WORK,
  saveFiles,
  uploadWorkspace,
} from './sandbox-files.ts';
import { collect, invoke, readRecord, type Session } from './sandbox-kernel.ts';
import { emptyOutcome } from './sandbox-record.ts';
import { installRequirements, refuseRequirements } from './sandbox-requirements.ts';

/** What a tool call's time leaves beside the code's own. */
const INSTALL_MS = 40_000;

export const LOST_NOTE =
  'The sandbox of the earlier calls is gone: variables and files written by earlier code that are not' +
  ' in the workspace are lost.';

const GONE_NOTE =
  'The sandbox ended or could not be reached while this call was going on: the code may have run in' +
  ' part. Send it again if that is safe; variables of earlier calls may be gone.';

/** `lost`: the sandbox that the run had is gone and this is a new one. */
export function createSandboxPort(
  sandbox: Sandbox,
  options: { fresh: boolean; lost: boolean; indexHosts: readonly string[] },
): SandboxPort {
  let session: Promise<Session> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let lostNote = options.lost ? [LOST_NOTE] : [];

  async function executeNow(call: PythonCall): Promise<PythonOutcome> {
    const refused = refuseRequirements(call.requirements);
    if (refused !== null) return failed('InvalidRequirement', refused);
    if (call.resumed && options.lost) {
      return emptyOutcome('unknown', {
        notes: [LOST_NOTE, 'Send the code again if that is safe.'],
      });
    }
    if (call.signal.aborted)
      return failed('Cancelled', 'The call was cancelled before it started.');
    const notes = lostNote;
    lostNote = [];
    try {
      session ??= openSession(sandbox, options);
      const opened = await session;
      const outcome = await runCall(opened, call);
      return { ...outcome, notes: [...notes, ...outcome.notes] };
    } catch (error) {
      if (call.signal.aborted && error instanceof Error && error.name === 'AbortError') {
        return failed('Cancelled', 'The call was cancelled before its code ran.');
      }
      if (!isSandboxError(error)) throw error;
      session = null;
      // A sandbox that cannot even write a record is of no use: the next turn gets a new one.
      if (error instanceof LostSandbox) await sandbox.kill().catch(() => {});
      if (error instanceof Error && error.name === 'NotEnoughSpaceError') {
        const full = 'The disk of the sandbox is full: send code that deletes files first.';
        return { ...failed('DiskFull', full), notes };
      }
      return emptyOutcome('unknown', { notes: [...notes, GONE_NOTE] });
    }
  }

  return {
    execute(call) {
      const outcome = last.then(() => executeNow(call));
      last = outcome.catch(() => {});
      return outcome;
    },
  };
}

async function openSession(
  sandbox: Sandbox,
  { fresh, indexHosts }: { fresh: boolean; indexHosts: readonly string[] },
): Promise<Session> {
  const [, manifest, contexts] = await Promise.all([
    sandbox.files.write(`${SANDBOX_ROOT}/${PYTHON_CELL_MODULE}.py`, PYTHON_CELL),
    fresh ? {} : loadManifest(sandbox),
    sandbox.listCodeContexts(),
  ]);
  const python = contexts.find((context) => context.language === 'python');
  const context = python ?? (await sandbox.createCodeContext({ language: 'python' }));
  return { sandbox, manifest, contextId: context.id, indexHosts };
}

async function runCall(session: Session, call: PythonCall): Promise<PythonOutcome> {
  const { sandbox } = session;
  const key = await markerKey(call.toolUseId);
  const notes: string[] = [];
  if (call.requirements.length > 0 && (await readRecord(sandbox, key)) === null) {
    const installed = await installRequirements(sandbox, {
      requirements: call.requirements,
      indexHosts: session.indexHosts,
      target: `${SANDBOX_ROOT}/site`,
      timeoutMs: INSTALL_MS,
      signal: call.signal,
    });
    if (!installed.ok) {
      // With the network possibly open, nothing may run in there again.
      if (!installed.closed) await sandbox.kill();
      return failed('InstallError', `${installed.message} The code was not run.`);
    }
  }
  const { workspace, signal } = call;
  const uploaded = await uploadWorkspace(sandbox, {
    workspace,
    manifest: session.manifest,
    signal,
    notes,
  });
  const request: CellRequest = {
    key,
    code: call.code,
    root: SANDBOX_ROOT,
    work: SANDBOX_WORK,
    seconds: call.timeoutMs / 1000,
    uploaded,
    manifest: session.manifest,
  };
  const ending = await invoke(session, request, call);
  let record = await readRecord(sandbox, key);
  if (record === null) record = await collect(session, request, ending);
  if (record === null) throw new LostSandbox();
  const files = await saveFiles(sandbox, { record, workspace, manifest: session.manifest, notes });
  return { ...record, files, notes: [...record.notes, ...notes] };
}

/** A file name for any tool_use_id. */
async function markerKey(toolUseId: string): Promise<string> {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(toolUseId)) return toolUseId;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(toolUseId));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

class LostSandbox extends Error {}

/** Errors of the SDK, which all mean that the sandbox or the way to it failed. */
function isSandboxError(error: unknown): boolean {
  if (error instanceof LostSandbox) return true;
  const names = ['SandboxError', 'NotFoundError', 'TimeoutError', 'NotEnoughSpaceError'];
  const more = [
    'SandboxNotFoundError',
    'FileNotFoundError',
    'AuthenticationError',
    'RateLimitError',
  ];
  const known = [...names, ...more, 'ServiceBusyError', 'InvalidArgumentError', 'ConnectError'];
  // Without an answer at all, fetch itself throws a TypeError.
  const isUnreachable = error instanceof TypeError && /fetch|network/i.test(error.message);
  return error instanceof Error && (isUnreachable || known.includes(error.name));
}

function failed(name: string, message: string): PythonOutcome {
  return emptyOutcome('error', { error: { name, message, traceback: '' } });
}
