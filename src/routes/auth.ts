/**
 * Who may do what. On the local stack everyone on this machine is the owner `local`; a page of
 * another site in this machine's browser is not, which the Host check (DNS rebinding) and the
 * Origin check (cross-site requests) see to. Any other deployment needs keys.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { StrideError } from '../errors.ts';
import type { AppEnv, Principal, Scope } from './context.ts';

const ALL_SCOPES: ReadonlySet<Scope> = new Set(['ask', 'read', 'knowledge', 'evaluate', 'admin']);
const LOCAL: Principal = { owner: 'local', scopes: ALL_SCOPES };
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** The principal of a request. Throws `unauthorized`, or `forbidden` off loopback. */
export function authenticate(c: Context<AppEnv>): Principal {
  if (!c.var.deps.config.local) {
    throw new StrideError(
      'unauthorized',
      'This deployment has no API key, so only /health answers; whoever runs it must add one.',
    );
  }
  if (!LOOPBACK_HOST.test(c.req.header('host') ?? new URL(c.req.url).host)) {
    throw new StrideError(
      'forbidden',
      'The local stack answers on this machine only; call it as http://localhost.',
    );
  }
  const origin = c.req.header('origin');
  if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
    throw new StrideError(
      'forbidden',
      'The local stack answers pages of this machine only; open it as http://localhost.',
    );
  }
  return LOCAL;
}

/** Lets a route's handler run only for a principal with the scope. */
function requireScope(scope: Scope): MiddlewareHandler<AppEnv> {
  return async function scopeGuard(c, next) {
    if (!c.var.principal.scopes.has(scope)) {
      throw new StrideError(
        'forbidden',
        `This key may not do that; it needs the scope "${scope}".`,
      );
    }
    await next();
  };
}

export const ASK = requireScope('ask');
export const READ = requireScope('read');
