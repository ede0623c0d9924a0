/**
 * Whether the deployment works. Open to anyone, so it names settings and services, never values.
 * `?deep=1` asks the services themselves (a model call costs money and is not made); it costs round
 * trips and tells how many runs are late, so it needs a key with the scope `read`.
 */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { httpStatus } from '../errors.ts';
import { errorFields } from '../log.ts';
import { authenticate, checkScope } from './auth.ts';
import type { AppEnv, MakeDeps } from './context.ts';

/** A run this long overdue was missed by a sweep or two. */
const OVERDUE_GRACE_MS = 120_000;

type Service = { status: 'ok' | 'failed' | 'missing'; note?: string; ms?: number };

export function healthRoutes(makeDeps: MakeDeps) {
  return new Hono<AppEnv>().get('/', async (c) => {
    const made = await makeDeps(c.env ?? {});
    if (!made.ok) {
      const settings = (made.error.details?.settings ?? []) as string[];
      return c.json({ status: 'misconfigured' as const, settings }, httpStatus('unavailable'));
    }
    const deps = made.value;
    const isDeep = c.req.query('deep') === '1';
    if (isDeep) {
      c.set('deps', deps);
      checkScope(await authenticate(c, deps), 'read');
    }
    const configured = configuredServices(deps);
    const usable = configured.model.status === 'ok';
    if (!isDeep) {
      const status = usable ? ('ok' as const) : ('degraded' as const);
      return c.json({ status, services: configured }, 200);
    }
    const [redis, objects, overdue] = await Promise.all([
      probe(deps, { name: 'redis', ask: () => deps.store.ping() }),
      probe(deps, { name: 'objects', ask: () => deps.objects.get('health') }),
      deps.store.overdue(OVERDUE_GRACE_MS).catch(() => null),
    ]);
    const services = { ...configured, redis, objects };
    const failed = redis.status === 'failed' || objects.status === 'failed';
    const late = overdue && { count: overdue.count, oldest_ms: overdue.oldestMs };
    if (failed) {
      const body = { status: 'failed' as const, services, overdue: late };
      return c.json(body, httpStatus('unavailable'));
    }
    const behind = (late?.count ?? 0) > 0;
    const status = usable && !behind ? ('ok' as const) : ('degraded' as const);
    return c.json({ status, services, overdue: late }, 200);
  });
}

/** What is known without asking anyone. */
function configuredServices(deps: Deps): { model: Service; sandbox: Service } {
  return {
    model: deps.config.anthropic
      ? { status: 'ok' }
      : { status: 'missing', note: 'set ANTHROPIC_API_KEY; until then no run is accepted' },
    sandbox: deps.sandboxes
      ? { status: 'ok' }
      : { status: 'missing', note: 'set E2B_API_KEY; until then execute_python is left out' },
  };
}

async function probe(
  deps: Deps,
  { name, ask }: { name: string; ask: () => Promise<unknown> },
): Promise<Service> {
  const startedAt = deps.clock.now();
  try {
    await ask();
    return { status: 'ok', ms: deps.clock.now() - startedAt };
  } catch (error) {
    deps.log('service_failed', { service: name, ...errorFields(error) });
    return { status: 'failed', note: 'it did not answer; the log says why' };
  }
}
