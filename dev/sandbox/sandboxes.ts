/**
 * The sandboxes of the local service: creation, time-out, network rules. What runs inside is the
 * guest that `startGuest` makes.
 */
import { randomBytes } from 'node:crypto';
import type { EgressRules } from './egress.ts';
import type { Guest } from './guest-link.ts';

/** Network rules as the API takes them. */
export interface NetworkRules {
  allowOut?: string[];
  denyOut?: string[];
  allow_internet_access?: boolean;
}

export interface LocalSandbox {
  id: string;
  accessToken: string;
  templateId: string;
  metadata: Record<string, string>;
  startedAt: number;
  endsAt: number;
  rules: NetworkRules;
  guest: Guest;
}

const DEFAULT_TIMEOUT_SECONDS = 300;

/** Starts what runs inside. A kind of Python that has no network and no commands ignores both. */
export type StartGuest = (options: {
  rules: EgressRules;
  commandEnv: Record<string, string>;
}) => Promise<Guest>;

export function createSandboxes(options: {
  startGuest: StartGuest;
  packageIndex: string | null;
  log: (line: string) => void;
}) {
  const sandboxes = new Map<string, LocalSandbox>();
  const timers = new Map<string, NodeJS.Timeout>();

  async function kill(id: string): Promise<boolean> {
    const sandbox = sandboxes.get(id);
    if (!sandbox) return false;
    sandboxes.delete(id);
    clearTimeout(timers.get(id));
    timers.delete(id);
    await sandbox.guest.kill();
    return true;
  }

  function extend(sandbox: LocalSandbox, seconds: number): void {
    sandbox.endsAt = Date.now() + seconds * 1000;
    clearTimeout(timers.get(sandbox.id));
    const timer = setTimeout(() => {
      options.log(`sandbox ${sandbox.id} reached its time-out`);
      void kill(sandbox.id);
    }, seconds * 1000);
    timers.set(sandbox.id, timer);
  }

  async function create(request: Record<string, unknown>): Promise<LocalSandbox> {
    const rules: NetworkRules = {
      ...((request.network as NetworkRules | undefined) ?? {}),
      allow_internet_access: request.allow_internet_access !== false,
    };
    const current: { rules: NetworkRules } = { rules };
    const guest = await options.startGuest({
      rules: egressRules(() => current.rules, options.packageIndex),
      commandEnv: commandEnv(options.packageIndex),
    });
    const sandbox: LocalSandbox = {
      id: `i${randomBytes(10).toString('hex')}`,
      accessToken: randomBytes(16).toString('hex'),
      templateId: String(request.templateID ?? 'base'),
      metadata: (request.metadata as Record<string, string> | undefined) ?? {},
      startedAt: Date.now(),
      endsAt: 0,
      get rules() {
        return current.rules;
      },
      set rules(next) {
        current.rules = next;
      },
      guest,
    };
    sandboxes.set(sandbox.id, sandbox);
    extend(sandbox, Number(request.timeout ?? DEFAULT_TIMEOUT_SECONDS));
    void guest.ended.then(() => kill(sandbox.id));
    options.log(`sandbox ${sandbox.id} started`);
    return sandbox;
  }

  return {
    create,
    kill,
    extend,
    get: (id: string) => sandboxes.get(id) ?? null,
    list: () => [...sandboxes.values()].sort((a, b) => b.startedAt - a.startedAt),
    async close(): Promise<void> {
      await Promise.all([...sandboxes.keys()].map(kill));
    },
  };
}

export type LocalSandboxes = ReturnType<typeof createSandboxes>;

/** Environment of commands (never of code): pip goes through the guest's proxy and nowhere else. */
function commandEnv(packageIndex: string | null): Record<string, string> {
  const proxy = 'http://127.0.0.1:3128';
  const env: Record<string, string> = {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_NO_CACHE_DIR: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_RETRIES: '0',
  };
  if (packageIndex) {
    env.PIP_INDEX_URL = packageIndex;
    env.PIP_TRUSTED_HOST = new URL(packageIndex).host;
  }
  return env;
}

/**
 * Only hosts named in `allowOut` are ever reached, whatever else the rules say, and of this machine
 * nothing but the configured package index, which stands for the default one.
 */
function egressRules(rules: () => NetworkRules, packageIndex: string | null): EgressRules {
  const index = packageIndex ? new URL(packageIndex) : null;
  const indexPort = index ? Number(index.port) || (index.protocol === 'https:' ? 443 : 80) : 0;
  return {
    allowsHost(host, port) {
      const allowed = rules().allowOut ?? [];
      if (index && host === index.hostname && port === indexPort) {
        // An index of one's own stands in for whatever index the rules name.
        return allowed.length > 0;
      }
      const isName = /[a-z]/i.test(host) && host !== 'localhost' && !host.includes(':');
      return isName && (port === 80 || port === 443) && allowed.includes(host);
    },
  };
}
