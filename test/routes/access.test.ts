import { describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../src/loop/key-store.ts';
import { createTestApp, errorOf, finished, keyHeader, type TestApp } from './helpers.ts';

/** Alice's run that has ended, one that goes on, her upload; and the key that asks for them. */
interface Scene {
  app: TestApp;
  ended: string;
  open: string;
  file: string;
}

interface Row {
  scope: Scope;
  /** What is asked for, of Alice's. */
  path: (scene: Scene) => string;
  body?: (scene: Scene) => unknown;
  /** Status for Alice, to show that the request is one that works. */
  own: number;
  /** Status for Bob: 404, or where nothing of Alice's is named, what he gets without seeing hers. */
  other: number;
}

const none = (path: string) => () => path;

/** Every route that needs a key. A new route without a row fails the first test below. */
const ROWS: Record<string, Row> = {
  'POST /v1/runs': {
    scope: 'ask',
    path: none('/v1/runs'),
    body: ({ ended, file }) => ({ question: 'and?', follows: ended, file_ids: [file] }),
    own: 202,
    other: 404,
  },
  'GET /v1/runs': { scope: 'read', path: none('/v1/runs'), own: 200, other: 200 },
  'GET /v1/runs/:id': {
    scope: 'read',
    path: ({ ended }) => `/v1/runs/${ended}`,
    own: 200,
    other: 404,
  },
  'DELETE /v1/runs/:id': {
    scope: 'ask',
    path: ({ ended }) => `/v1/runs/${ended}`,
    own: 204,
    other: 404,
  },
  'GET /v1/runs/:id/events': {
    scope: 'read',
    path: ({ ended }) => `/v1/runs/${ended}/events`,
    own: 200,
    other: 404,
  },
  'POST /v1/runs/:id/step': {
    scope: 'ask',
    path: ({ open }) => `/v1/runs/${open}/step`,
    own: 200,
    other: 404,
  },
  'POST /v1/runs/:id/cancel': {
    scope: 'ask',
    path: ({ open }) => `/v1/runs/${open}/cancel`,
    own: 202,
    other: 404,
  },
  'POST /v1/runs/:id/approvals/:tool_use_id': {
    scope: 'ask',
    path: ({ open }) => `/v1/runs/${open}/approvals/tu_1`,
    body: () => ({ decision: 'approve' }),
    own: 404,
    other: 404,
  },
  'GET /v1/runs/:id/files': {
    scope: 'read',
    path: ({ ended }) => `/v1/runs/${ended}/files`,
    own: 200,
    other: 404,
  },
  'GET /v1/runs/:id/files/:path{.+}': {
    scope: 'read',
    path: ({ ended }) => `/v1/runs/${ended}/files/a.csv`,
    own: 200,
    other: 404,
  },
  'GET /v1/runs/:id/export': {
    scope: 'read',
    path: ({ ended }) => `/v1/runs/${ended}/export`,
    own: 200,
    other: 404,
  },
  'POST /v1/files': { scope: 'ask', path: none('/v1/files'), own: 400, other: 400 },
  'PUT /v1/files': { scope: 'ask', path: none('/v1/files?name=b.csv'), own: 201, other: 201 },
  'GET /v1/files/:id': {
    scope: 'read',
    path: ({ file }) => `/v1/files/${file}`,
    own: 200,
    other: 404,
  },
  'DELETE /v1/files/:id': {
    scope: 'ask',
    path: ({ file }) => `/v1/files/${file}`,
    own: 204,
    other: 404,
  },
  'DELETE /v1/owners/:id': { scope: 'admin', path: none('/v1/owners/alice'), own: 200, other: 404 },
  'GET /v1/tools': { scope: 'read', path: none('/v1/tools'), own: 200, other: 200 },
};

const routes = Object.entries(ROWS).map(([route, row]) => ({ route, ...row }));

async function scene(): Promise<Scene> {
  const app = createTestApp({
    env: { STRIDE_LOCAL: '0' },
    driveStep: async () => ({ kind: 'nothing' }),
  });
  const alice = await keyHeader(app);
  const put = await app.request('/v1/files?name=a.csv', {
    method: 'PUT',
    headers: { authorization: alice.authorization },
    body: 'a,b',
  });
  const { id: file } = (await put.json()) as { id: string };
  const ask = async () => {
    const response = await app.post(
      '/v1/runs',
      { question: 'alice asks', file_ids: [file] },
      { authorization: alice.authorization },
    );
    return ((await response.json()) as { id: string }).id;
  };
  const [ended, open] = [await ask(), await ask()];
  app.store.write(ended, finished());
  app.sent.length = 0;
  return { app, ended, open, file };
}

function send(
  at: Scene,
  { route, path, body }: Row & { route: string },
  headers: Record<string, string> = {},
): Promise<Response> {
  const method = route.slice(0, route.indexOf(' '));
  const json = body && { 'content-type': 'application/json' };
  const content = body ? JSON.stringify(body(at)) : method === 'PUT' ? 'a,b' : undefined;
  const init = { method, headers: { ...json, ...headers }, ...(content ? { body: content } : {}) };
  return at.app.request(path(at), init);
}

/** Everything of Alice's, to show that nothing changed. */
async function stateOf({ app, ended, open, file }: Scene) {
  return {
    ended: await app.store.entries(ended, 1),
    open: await app.store.entries(open, 1),
    file: await app.store.loadFile(file),
    objects: [...app.objects.stored.keys()].filter((key) => key.includes('/alice/')),
    accepted: app.store.accepted.filter(({ owner }) => owner === 'alice').length,
    sent: [...app.sent],
  };
}

describe('every route', () => {
  it('has a row in this table, and this table no row without a route', async () => {
    const { app } = await scene();
    const registered = app.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/' && path !== '/health')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(registered)].sort()).toEqual(Object.keys(ROWS).sort());
  });

  it.each(routes)('$route works for its owner', async (row) => {
    const at = await scene();
    const { authorization } = await keyHeader(at.app, [row.scope]);
    const response = await send(at, row, { authorization });
    expect(response.status).toBe(row.own);
  });

  it.each(routes)('$route shows another owner nothing and changes nothing', async (row) => {
    const at = await scene();
    const before = await stateOf(at);
    const { authorization } = await keyHeader(at.app, [...SCOPES], 'bob');
    const response = await send(at, row, { authorization });
    expect(response.status).toBe(row.other);
    const text = await response.text();
    expect(text).not.toContain('alice asks');
    if (row.other === 404) expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } });
    expect(await stateOf(at)).toEqual(before);
  });

  it.each(routes)('$route refuses a key without the scope, and names it', async (row) => {
    const at = await scene();
    const before = await stateOf(at);
    const others = SCOPES.filter((scope) => scope !== row.scope);
    const { authorization } = await keyHeader(at.app, others);
    const response = await send(at, row, { authorization });
    expect(response.status).toBe(403);
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: 'forbidden', details: { scope: row.scope } });
    expect(error.message).toContain(`"${row.scope}"`);
    expect(await stateOf(at)).toEqual(before);
  });

  it.each(routes)('$route answers 401 to a revoked key and to no key', async (row) => {
    const at = await scene();
    const before = await stateOf(at);
    const { authorization, id } = await keyHeader(at.app);
    await at.app.store.keys.revokeKey(id);
    for (const headers of [{ authorization }, {}, { authorization: 'Bearer stride_no' }]) {
      const response = await send(at, row, headers as Record<string, string>);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect((await errorOf(response)).code).toBe('unauthorized');
    }
    expect(await stateOf(at)).toEqual(before);
  });
});

describe('a file of another owner', () => {
  it('cannot be sent along', async () => {
    const at = await scene();
    const { authorization } = await keyHeader(at.app, ['ask'], 'bob');
    const response = await at.app.post(
      '/v1/runs',
      { question: 'q', file_ids: [at.file] },
      { authorization },
    );
    expect(response.status).toBe(404);
    expect((await errorOf(response)).message).toBe(`file_ids.0: there is no file "${at.file}"`);
  });
});

describe('GET /health?deep=1', () => {
  it('needs the scope read, and nothing more', async () => {
    const { app } = await scene();
    const ask = (headers: Record<string, string>) => app.request('/health?deep=1', { headers });
    expect((await ask({})).status).toBe(401);
    const { authorization } = await keyHeader(app, ['ask', 'admin']);
    expect((await ask({ authorization })).status).toBe(403);
    const reader = await keyHeader(app, ['read'], 'bob');
    const response = await ask({ authorization: reader.authorization });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ services: { redis: { status: 'ok' } } });
  });

  it('stays open in its shallow form, which asks nobody', async () => {
    const { app } = await scene();
    app.store.ping = () => Promise.reject(new Error('asked'));
    expect((await app.request('/health')).status).toBe(200);
    expect((await app.request('/health?deep=0')).status).toBe(200);
  });
});

describe('a Bearer key', () => {
  it.each([['bearer %'], ['BEARER   %']])('is read as %j', async (form) => {
    const { app } = await scene();
    const { authorization } = await keyHeader(app, ['read']);
    const header = form.replace('%', authorization.slice('Bearer '.length));
    const response = await app.request('/v1/runs', { headers: { authorization: header } });
    expect(response.status).toBe(200);
  });

  it.each([['Basic %'], ['%'], ['Bearer % %'], ['Bearer %x'], ['Bearer'], ['Bearer ../%']])(
    'is not read from %j',
    async (form) => {
      const { app } = await scene();
      const { authorization } = await keyHeader(app, ['read']);
      const header = form.replaceAll('%', authorization.slice('Bearer '.length));
      const response = await app.request('/v1/runs', { headers: { authorization: header } });
      expect(response.status).toBe(401);
    },
  );

  it('lets nobody in while Redis does not answer', async () => {
    const { app } = await scene();
    const { authorization } = await keyHeader(app);
    app.store.findKey = () => Promise.reject(new Error('ECONNREFUSED'));
    const response = await app.request('/v1/runs', { headers: { authorization } });
    expect(response.status).toBe(503);
  });

  it('works although its use cannot be noted, and the log says so without the key', async () => {
    const { app } = await scene();
    const { authorization, id } = await keyHeader(app);
    app.store.noteKeyUse = () => Promise.reject(new Error('read only'));
    expect((await app.request('/v1/runs', { headers: { authorization } })).status).toBe(200);
    expect(app.logged).toContainEqual({
      event: 'key_use_not_noted',
      fields: expect.objectContaining({ key: id }),
    });
    expect(JSON.stringify(app.logged)).not.toContain(authorization.slice('Bearer '.length));
  });
});

describe('the local stack', () => {
  it('needs no key, ignores tokens that are none of ours, and goes by one that is', async () => {
    const app = createTestApp();
    const get = (authorization: string) =>
      app.request('/v1/tools', { headers: { authorization } }).then(({ status }) => status);
    expect(await get('Bearer something-else')).toBe(200);
    const asker = await keyHeader(app, ['ask']);
    expect(await get(asker.authorization)).toBe(403);
    await app.store.keys.revokeKey(asker.id);
    expect(await get(asker.authorization)).toBe(401);
    const reader = await keyHeader(app, ['read']);
    expect(await get(reader.authorization)).toBe(200);
    const headers = { authorization: reader.authorization, host: 'evil.example' };
    expect((await app.request('/v1/tools', { headers })).status).toBe(403);
  });
});
