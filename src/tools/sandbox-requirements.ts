/**
 * Packages that a call asks for: which texts are accepted, and their installation with the package
 * index open for its duration only. Names and versions only: an option, a URL or a path would let
 * the text decide what pip does.
 */
import type { Sandbox } from '@e2b/code-interpreter';

const MAX_REQUIREMENTS = 10;
const MAX_REQUIREMENT_CHARS = 100;
const ALL_TRAFFIC = '0.0.0.0/0';
const PIP_OUTPUT_CHARS = 1_500;
const PIP_GRACE_MS = 2_000;
/** 128 + SIGKILL: `timeout` ended it. */
const EXIT_KILLED = 137;

const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const EXTRAS = `(?:\\[\\s*${NAME}(?:\\s*,\\s*${NAME})*\\s*\\])?`;
const CLAUSE = '(?:===|==|~=|!=|<=|>=|<|>)\\s*[A-Za-z0-9.!+*_-]+';
const REQUIREMENT = new RegExp(`^${NAME}\\s*${EXTRAS}\\s*(?:${CLAUSE}(?:\\s*,\\s*${CLAUSE})*)?$`);

const NO_INDEX =
  'Nothing can be installed here: no package index is configured (PYTHON_INDEX_HOSTS). Use what is there.';

/** One sentence about the first requirement that is refused, or null. PEP 508 without URLs and markers. */
export function refuseRequirements(requirements: readonly string[]): string | null {
  if (requirements.length > MAX_REQUIREMENTS) {
    return `At most ${MAX_REQUIREMENTS} requirements are installed for one call; ${requirements.length} were named.`;
  }
  for (const text of requirements) {
    if (text.length > MAX_REQUIREMENT_CHARS || !REQUIREMENT.test(text.trim())) {
      const shown = JSON.stringify(text.slice(0, MAX_REQUIREMENT_CHARS));
      return `${shown} is not a package name with an optional version, such as "requests" or "numpy>=1.26": options, URLs and paths are not accepted.`;
    }
  }
  return null;
}

/** Denies everything; the state in which code runs. */
export async function closeNetwork(sandbox: Sandbox): Promise<void> {
  await sandbox.updateNetwork({ allowInternetAccess: false, denyOut: [ALL_TRAFFIC] });
}

export type InstallOutcome =
  | { ok: true }
  /** `closed` false: the network may still be open, so the sandbox must not run code again. */
  | { ok: false; message: string; closed: boolean };

/**
 * Installs into `target`, wheels only: a source package would run its own code while the network is
 * open. Never throws for what pip says; `timeoutMs` and `signal` bound pip; the network is closed
 * again in any case.
 */
export async function installRequirements(
  sandbox: Sandbox,
  options: {
    requirements: readonly string[];
    /** What `pip install` needs of the network: the index and the host of its files. */
    indexHosts: readonly string[];
    target: string;
    timeoutMs: number;
    signal: AbortSignal;
  },
): Promise<InstallOutcome> {
  if (options.indexHosts.length === 0) return { ok: false, message: NO_INDEX, closed: true };
  const quoted = options.requirements.map((text) => `'${text.trim()}'`).join(' ');
  // Killed from inside as well: a command may outlive the request that started it.
  const seconds = Math.ceil(options.timeoutMs / 1000);
  const command = `timeout -s KILL ${seconds} python3 -m pip install --quiet --no-input --only-binary :all: --upgrade --target '${options.target}' -- ${quoted}`;
  let message: string | null = null;
  try {
    await sandbox.updateNetwork({ allowOut: [...options.indexHosts], denyOut: [ALL_TRAFFIC] });
    const timeoutMs = options.timeoutMs + PIP_GRACE_MS;
    await sandbox.commands.run(command, { timeoutMs, signal: options.signal });
  } catch (error) {
    message = options.signal.aborted
      ? 'The call was cancelled during the installation.'
      : describePipError(error, options.timeoutMs);
  }
  const closed = await closeReliably(sandbox);
  if (message !== null) return { ok: false, message, closed };
  if (!closed)
    return { ok: false, message: 'The network of the sandbox could not be closed again.', closed };
  return { ok: true };
}

async function closeReliably(sandbox: Sandbox): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await closeNetwork(sandbox);
      return true;
    } catch {
      // Tried again: leaving it open is worse than a late answer.
    }
  }
  return false;
}

function describePipError(error: unknown, timeoutMs: number): string {
  const exitCode = error instanceof Error && 'exitCode' in error ? error.exitCode : null;
  if (exitCode === EXIT_KILLED || (error instanceof Error && error.name === 'TimeoutError')) {
    return `pip did not finish within ${Math.round(timeoutMs / 1000)} seconds.`;
  }
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const text = stderr.trim() || (error instanceof Error ? error.message : String(error));
  return `pip failed: ${text.slice(-PIP_OUTPUT_CHARS)}`;
}
