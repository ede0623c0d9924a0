/**
 * The HTTP application: mounts the routes, guards them, and gives every failure one envelope.
 * Knows no platform: `makeDeps` turns a request's bindings into `Deps`, because I/O objects must not
 * cross requests in workerd.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { routePath } from 'hono/route';
import { type Fault, httpStatus, StrideError } from './errors.ts';
import { errorFields } from './log.ts';
import { authenticate } from './routes/auth.ts';
import type { AppEnv, MakeDeps } from './routes/context.ts';
import { controlRoutes } from './routes/control.ts';
import { eventsRoutes } from './routes/events.ts';
import { filesRoutes } from './routes/files.ts';
import { healthRoutes } from './routes/health.ts';
import { ownersRoutes } from './routes/owners.ts';
import { runFilesRoutes } from './routes/run-files.ts';
import { runsRoutes } from './routes/runs.ts';
import { type DriveStep, stepRoutes } from './routes/step.ts';
import { toolsRoutes } from './routes/tools.ts';

/**
 * What anyone may ask without a key (of /health only the shallow form: it judges by itself);
 * everything else is authenticated, unknown paths too.
 */
const OPEN_PATHS = new Set(['/', '/health']);

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The application. `driveStep` performs POST /v1/runs/:id/step (loop/drive.ts). */
export function createApp(makeDeps: MakeDeps, { driveStep }: { driveStep: DriveStep }) {
  const app = new Hono<AppEnv>();
  app.onError((error, c) => toErrorResponse(error, c));
  app.notFound((c) => {
    const methods = METHODS.filter((method) => hasRoute(app, { method, path: c.req.path }));
    if (methods.length > 0) return wrongMethod(c, methods);
    return errorResponse(c, { code: 'not_found', message: 'There is nothing at this address.' });
  });
  return app
    .use(requestId())
    .use(securityHeaders)
    .use(guard(makeDeps))
    .get('/', (c) =>
      c.json({
        name: 'Stride',
        about: 'A research agent: a question goes in, a short checked answer comes out.',
        ask: 'POST /v1/runs {"question": "…"}',
        health: '/health',
      }),
    )
    .route('/health', healthRoutes(makeDeps))
    .route('/v1/runs', runsRoutes())
    .route('/v1/runs', eventsRoutes())
    .route('/v1/runs', stepRoutes(driveStep))
    .route('/v1/runs', controlRoutes())
    .route('/v1/runs', runFilesRoutes())
    .route('/v1/files', filesRoutes())
    .route('/v1/owners', ownersRoutes())
    .route('/v1/tools', toolsRoutes());
}

/** Middleware, which answers to every method, is no route. */
function hasRoute(app: Hono<AppEnv>, { method, path }: { method: string; path: string }): boolean {
  return app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
}

function wrongMethod(c: Context<AppEnv>, methods: string[]): Response {
  // Hono answers HEAD wherever there is a GET.
  const allow = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
  c.header('Allow', allow);
  const message = `This address does not take ${c.req.method}; it takes ${allow}.`;
  return errorResponse(c, { code: 'invalid_input', message }, 405);
}

/** For `hc<AppType>(address)`: the typed client. */
export type AppType = ReturnType<typeof createApp>;

const securityHeaders: MiddlewareHandler<AppEnv> = async function securityHeaders(c, next) {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    // A download brings a stricter policy of its own.
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};

/** Builds the dependencies and finds out who asks; afterwards one log line says how it went. */
function guard(makeDeps: MakeDeps): MiddlewareHandler<AppEnv> {
  return async function guardRequest(c, next) {
    if (OPEN_PATHS.has(c.req.path)) return next();
    const made = await makeDeps(c.env ?? {});
    if (!made.ok) throw misconfigured(made.error);
    const deps = made.value;
    c.set('deps', deps);
    const startedAt = deps.clock.now();
    c.set('principal', await authenticate(c, deps));
    await next();
    deps.log('request', {
      request: c.var.requestId,
      method: c.req.method,
      // The pattern, not the path: a path may hold a file's name.
      route: routePath(c, -1),
      status: c.res.status,
      ms: deps.clock.now() - startedAt,
    });
  };
}

/** Names the settings at fault; what they are set to stays here. */
function misconfigured(fault: Fault): StrideError {
  const settings = (fault.details?.settings ?? []) as string[];
  const message = `This deployment is not set up: correct ${settings.join(', ')}.`;
  return new StrideError('unavailable', message, { settings });
}

function toErrorResponse(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof StrideError) {
    const { code, message, details } = error;
    if (httpStatus(code) >= 500) logFailure(error, c);
    return errorResponse(c, { code, message, ...(details ? { details } : {}) });
  }
  logFailure(error, c);
  return errorResponse(c, {
    code: 'unavailable',
    message: 'Something failed on our side; try again, and name the request id if it stays so.',
  });
}

function logFailure(error: Error, c: Context<AppEnv>): void {
  // Absent when building the dependencies is what failed.
  const deps: AppEnv['Variables']['deps'] | undefined = c.get('deps');
  deps?.log('request_failed', { request: c.var.requestId, ...errorFields(error) });
}

function errorResponse(c: Context<AppEnv>, fault: Fault, status?: 405): Response {
  const { code, message, details } = fault;
  if (code === 'unauthorized') c.header('WWW-Authenticate', 'Bearer');
  const retryAfterMs = details?.retry_after_ms;
  if (typeof retryAfterMs === 'number') {
    c.header('Retry-After', String(Math.ceil(retryAfterMs / 1000)));
  }
  const error = { code, message, request_id: c.var.requestId, ...(details ? { details } : {}) };
  return c.json({ error }, status ?? httpStatus(code));
}
