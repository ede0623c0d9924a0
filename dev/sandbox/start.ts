/**
 * The local E2B: control plane, files, processes and code interpreter on one loopback origin, with
 * Python under bubblewrap behind it. For development and tests; `apiUrl` and `sandboxUrl` of the SDK
 * both point here. Sandboxes live in memory and end with the service.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SANDBOX_LIMITS } from './bubblewrap.ts';
import { handleControl } from './control-plane.ts';
import { handleData } from './data-plane.ts';
import { sendJson } from './http.ts';
import { createSandboxes } from './sandboxes.ts';

export { probeBubblewrap } from './bubblewrap.ts';

export interface SandboxService {
  /** Origin for both `apiUrl` and `sandboxUrl`. */
  url: string;
  apiKey: string;
  kind: 'bubblewrap';
  /** One sentence for start-up output. */
  describe: string;
  /** Kills every sandbox and closes the port; resolves when all processes are gone. */
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port of 127.0.0.1.
 * `dataDir` is taken like by the other stand-ins; nothing is written, homes are in memory.
 * `packageIndex`: base URL of a PEP 503 index that stands in for pip's default one.
 */
export async function startSandboxService(options: {
  dataDir: string;
  log?: (line: string) => void;
  packageIndex?: string;
}): Promise<SandboxService> {
  const log = options.log ?? (() => {});
  const apiKey = `e2b_${randomBytes(20).toString('hex')}`;
  const sandboxes = createSandboxes({ packageIndex: options.packageIndex ?? null, log });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local');
    const context = { request, response, url };
    handleControl(context, { sandboxes, apiKey })
      .then((handled) => (handled ? undefined : handleData(context, sandboxes)))
      .catch((error: unknown) => {
        log(`${request.method} ${url.pathname}: ${error instanceof Error ? error.message : error}`);
        if (response.headersSent) response.end();
        else sendJson(response, 500, { code: 500, message: 'The local sandbox service failed' });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    kind: 'bubblewrap',
    describe: `Python under bubblewrap: no network, ${megabytes(SANDBOX_LIMITS.memoryBytes)} of memory a process, ${megabytes(SANDBOX_LIMITS.homeBytes)} of files`,
    async stop() {
      await sandboxes.close();
      await closeServer(server);
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
