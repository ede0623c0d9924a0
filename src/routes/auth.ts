/**
 * Who may do what. A request brings its key as a Bearer token; what it may do is the key's scopes,
 * and what it sees is the key's owner's. On the local stack everyone on this machine is the owner
 * `local`; a page of another site in this machine's browser is not, which the Host check (DNS
 * rebinding) and the Origin check (cross-site requests) see to. When Redis does not answer nobody
 * gets in.
 */
import type { Context, MiddlewareHandler } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { errorFields } from '../log.ts';
import { type ApiKey, looksLikeKey, SCOPES, type Scope } from '../loop/key-store.ts';
import type { AppEnv, Principal } from './context.ts';

const LOCAL: Principal = { owner: 'local', scopes: new Set(SCOPES) };
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** The principal of a request. Throws `unauthorized`, or `forbidden` off loopback. */
export async function authenticate(c: Context<AppEnv>, deps: Deps): Promise<Principal> {
  const token = BEARER.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
  if (deps.config.local) {
    checkLoopback(c);
    // One of our keys is judged here as elsewhere, so that scopes can be tried on this machine.
    if (token === null || !looksLikeKey(token)) return LOCAL;
  }
  if (token === null) {
    throw new StrideError(
      'unauthorized',
      'A key is needed: send "Authorization: Bearer stride_…". Whoever runs this deployment makes one with npm run keys.',
    );
  }
  const key = await deps.store.findKey(token);
  if (!key) {
    throw new StrideError(
      'unauthorized',
      'This key is not known here; check it for a typing error.',
    );
  }
  if (key.revokedAt !== null) {
    throw new StrideError('unauthorized', 'This key was revoked; ask for another one.');
  }
  await noteUse(key, deps);
  return { owner: key.owner, scopes: new Set(key.scopes) };
}

function checkLoopback(c: Context<AppEnv>): void {
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
}

/** When a key was last used is nice to know, and no reason to refuse a request. */
async function noteUse(key: ApiKey, deps: Deps): Promise<void> {
  try {
    await deps.store.noteKeyUse(key);
  } catch (error) {
    deps.log('key_use_not_noted', { key: key.id, ...errorFields(error) });
  }
}

/** Throws `forbidden`, naming the scope. */
export function checkScope({ scopes }: Principal, scope: Scope): void {
  if (scopes.has(scope)) return;
  throw new StrideError('forbidden', `This key may not do that; it needs the scope "${scope}".`, {
    scope,
  });
}

/** Lets a route's handler run only for a principal with the scope. */
function requireScope(scope: Scope): MiddlewareHandler<AppEnv> {
  return async function scopeGuard(c, next) {
    checkScope(c.var.principal, scope);
    await next();
  };
}

export const ASK = requireScope('ask');
export const READ = requireScope('read');
export const ADMIN = requireScope('admin');
