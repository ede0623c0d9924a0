/**
 * Requests to the kernel of a sandbox and the records they leave: one that is stopped (its time, a
 * cancelled run) or that loses its kernel still gets a record, written by the kernel that is there.
 */
import type { Sandbox } from '@e2b/code-interpreter';
import type { PythonCall } from './define.ts';
import { type CellRequest, cellInvocation } from './python-cell.ts';
import { type Manifest, SANDBOX_ROOT, SANDBOX_WORK } from './sandbox-files.ts';
import { type CallRecord, parseRecord } from './sandbox-record.ts';

/** The kernel interrupts the code itself at its time-out; past this much more it is restarted. */
const HARD_STOP_MS = 4_000;
/** For the small requests around a call, and for writing the record of one that was cut off. */
const COLLECT_MS = 10_000;

export interface Session {
  sandbox: Sandbox;
  manifest: Manifest;
  /** Hosts that an installation may reach. */
  indexHosts: readonly string[];
  /** Python context, by id: restarting the default one by name loses it in some service versions. */
  contextId: string;
}

/** How a request to the kernel ended. `problem`: what the kernel says went wrong around the call. */
interface Ending {
  kind: 'answered' | 'timeout' | 'cancelled';
  problem: { name: string; message: string } | null;
}

/** What the service says when the kernel died under a call. */
const KERNEL_DIED = ['ContextRestarting', 'UnexpectedEndOfExecution'];

/** Runs the request in the kernel. The kernel never goes on with it after this returned. */
export async function invoke(
  session: Session,
  request: CellRequest,
  call: PythonCall,
): Promise<Ending> {
  const limitMs = call.timeoutMs + HARD_STOP_MS;
  const execution = session.sandbox
    .runCode(cellInvocation(SANDBOX_ROOT, request), {
      context: { id: session.contextId, language: 'python', cwd: SANDBOX_WORK },
      timeoutMs: limitMs,
      requestTimeoutMs: limitMs,
    })
    .then(
      ({ error }): Ending => ({
        kind: 'answered',
        problem: error ? { name: error.name, message: error.value } : null,
      }),
      (error: unknown): Ending => {
        if (error instanceof Error && error.name === 'TimeoutError') return ended('timeout');
        throw error;
      },
    );
  const cancelled = whenAborted(call.signal);
  try {
    const ending = await Promise.race([execution, cancelled.promise]);
    if (ending.kind === 'answered') return ending;
    execution.catch(() => {});
    if (ending.kind === 'cancelled' && (await stopGently(session, request, execution)))
      return ending;
    await session.sandbox.restartCodeContext(session.contextId);
    return ending;
  } finally {
    cancelled.forget();
  }
}

function ended(kind: Ending['kind']): Ending {
  return { kind, problem: null };
}

/** Asks the running code to stop and keeps the kernel; false when it does not listen. */
async function stopGently(session: Session, request: CellRequest, execution: Promise<Ending>) {
  await session.sandbox.files.write(`${SANDBOX_ROOT}/calls/${request.key}.cancel`, '');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<Ending>((resolve) => {
    timer = setTimeout(() => resolve(ended('timeout')), HARD_STOP_MS / 2);
  });
  const ending = await Promise.race([execution, patience]);
  clearTimeout(timer);
  return ending.kind === 'answered';
}

/** After a call that left no record: has the (new) kernel write down what is known. */
export async function collect(
  session: Session,
  request: CellRequest,
  ending: Ending,
): Promise<CallRecord | null> {
  const outcome = describeCutOff(ending, Math.round(request.seconds * 10) / 10);
  const code = cellInvocation(SANDBOX_ROOT, { ...request, code: '', mode: 'collect', outcome });
  await session.sandbox.runCode(code, {
    context: { id: session.contextId, language: 'python', cwd: SANDBOX_WORK },
    timeoutMs: COLLECT_MS,
    requestTimeoutMs: COLLECT_MS,
  });
  return readRecord(session.sandbox, request.key);
}

/** Whether variables are gone is for the kernel to say: it compares its own generation. */
function describeCutOff(ending: Ending, seconds: number): NonNullable<CellRequest['outcome']> {
  if (ending.kind === 'timeout') {
    const note = `The code was still running after ${seconds} seconds and could not be interrupted.`;
    return { status: 'timeout', note };
  }
  if (ending.kind === 'cancelled') {
    return { status: 'timeout', note: 'The run was cancelled while the code was running.' };
  }
  if (ending.problem && !KERNEL_DIED.includes(ending.problem.name)) {
    const message = `The call could not be run: ${ending.problem.name}: ${ending.problem.message}`;
    const note = 'The code may have run in part.';
    return { status: 'error', note, error: { name: 'RunnerFailed', message, traceback: '' } };
  }
  const message =
    'Python ended: most often it used too much memory, or the code ended its own process.';
  return {
    status: 'error',
    note: 'The Python process ended while the code was running.',
    error: { name: 'KernelDied', message, traceback: '' },
  };
}

export async function readRecord(sandbox: Sandbox, key: string): Promise<CallRecord | null> {
  try {
    return parseRecord(await sandbox.files.read(`${SANDBOX_ROOT}/calls/${key}.done`));
  } catch (error) {
    if (error instanceof Error && error.name === 'FileNotFoundError') return null;
    throw error;
  }
}

function whenAborted(signal: AbortSignal) {
  let listener = () => {};
  const promise = new Promise<Ending>((resolve) => {
    listener = () => resolve(ended('cancelled'));
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener);
  });
  return { promise, forget: () => signal.removeEventListener('abort', listener) };
}
