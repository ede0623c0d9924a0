/**
 * Python sandboxes on E2B (or a server that speaks its protocol): one per run, found again by its
 * metadata, without internet access or environment. The SDK is loaded on first use; what happens
 * inside a sandbox is sandbox-session.ts.
 */
import type { Sandbox } from '@e2b/code-interpreter';
import { StrideError } from '../errors.ts';
import type { Sandboxes } from './sandbox.ts';
import { closeNetwork } from './sandbox-requirements.ts';
import { createSandboxPort } from './sandbox-session.ts';

/** Longer than a step and its back-off; renewed at each `obtain`. What a leak can cost at most. */
const SANDBOX_TIMEOUT_MS = 10 * 60_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Metadata key under which a sandbox names its run. */
const RUN_KEY = 'stride_run';

export interface E2bOptions {
  apiKey: string;
  /** Control plane; absent: E2B's own. */
  apiUrl?: string | null;
  /** Data plane of every sandbox; absent: E2B's own. */
  sandboxUrl?: string | null;
  /** Hosts that `requirements` may reach while they are installed; none: nothing can be installed. */
  indexHosts?: readonly string[];
  /** Template with a code interpreter; absent: E2B's `code-interpreter-v1`. */
  template?: string;
}

export function createE2bSandboxes(options: E2bOptions): Sandboxes {
  const connection = {
    apiKey: options.apiKey,
    ...(options.apiUrl ? { apiUrl: options.apiUrl } : {}),
    ...(options.sandboxUrl ? { sandboxUrl: options.sandboxUrl } : {}),
    debug: false,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  };
  // Loaded late: it is large, and most requests never need it.
  const load = async () => (await import('@e2b/code-interpreter')).Sandbox;

  async function create(runId: string, signal: AbortSignal): Promise<Sandbox> {
    const api = await load();
    const request = {
      ...connection,
      signal,
      metadata: { [RUN_KEY]: runId },
      timeoutMs: SANDBOX_TIMEOUT_MS,
      allowInternetAccess: false,
    };
    return options.template ? api.create(options.template, request) : api.create(request);
  }

  /** Null when it is gone. A worker that died while it installed may have left the network open. */
  async function connect(sandboxId: string, signal: AbortSignal): Promise<Sandbox | null> {
    const api = await load();
    try {
      const sandbox = await api.connect(sandboxId, {
        ...connection,
        signal,
        timeoutMs: SANDBOX_TIMEOUT_MS,
      });
      await closeNetwork(sandbox).catch((error: unknown) => {
        // The sandbox has just answered: this service has no such call, so nobody opened anything.
        if (!isNotFound(error)) throw error;
      });
      return sandbox;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  return {
    async obtain({ runId, knownSandboxId, signal }) {
      try {
        const known = knownSandboxId === null ? null : await connect(knownSandboxId, signal);
        const sandbox = known ?? (await create(runId, signal));
        const lost = knownSandboxId !== null && known === null;
        const port = createSandboxPort(sandbox, {
          fresh: known === null,
          lost,
          indexHosts: options.indexHosts ?? [],
        });
        return { sandboxId: sandbox.sandboxId, lost, port };
      } catch (error) {
        throw toStrideError(error);
      }
    },

    async killRun(runId) {
      const api = await load();
      try {
        const pages = api.list({ ...connection, query: { metadata: { [RUN_KEY]: runId } } });
        let killed = 0;
        while (pages.hasNext) {
          for (const { sandboxId, metadata } of await pages.nextItems()) {
            // Never trust the filter alone with other runs' sandboxes.
            if (metadata[RUN_KEY] !== runId) continue;
            if (await api.kill(sandboxId, connection)) killed++;
          }
        }
        return killed;
      } catch (error) {
        throw toStrideError(error);
      }
    },
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && /NotFoundError$/.test(error.name);
}

/** The SDK's errors by name: its classes are not loaded here. Their text may hold ids, never keys. */
function toStrideError(error: unknown): StrideError {
  if (error instanceof StrideError) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'AuthenticationError') {
    return new StrideError(
      'unavailable',
      'The Python sandbox service refused its key: check E2B_API_KEY.',
    );
  }
  if (name === 'RateLimitError') {
    return new StrideError(
      'rate_limited',
      'The Python sandbox service is at its limit: try again in a minute.',
    );
  }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new StrideError(
      'timeout',
      'The Python sandbox service did not answer in time: try again.',
    );
  }
  return new StrideError('upstream', 'The Python sandbox service failed: try again.', {
    error: name,
  });
}
