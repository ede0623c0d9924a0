import { describe, expect, it } from 'vitest';
import { createTestApp, errorOf, noStep, testConfig } from './helpers.ts';

const production = { STRIDE_LOCAL: '0' };

describe('the guard of the local stack', () => {
  it.each([
    ['localhost'],
    ['127.0.0.1'],
    ['[::1]'],
    ['localhost:8787'],
    ['[::1]:8787'],
    ['LOCALHOST:1'],
  ])('answers requests to the host %s', async (host) => {
    const app = createTestApp();
    expect((await app.request('/v1/runs', { headers: { host } })).status).toBe(200);
  });

  it.each([
    ['evil.example'],
    ['localhost.evil.example'],
    ['127.0.0.1.nip.io:8787'],
    ['192.168.1.5:8787'],
    ['evil.example@localhost'],
    ['localhost/@evil.example'],
    ['0.0.0.0:8787'],
    [''],
    ['localhost:8787:1'],
  ])('refuses the host %j, to which a name may have been rebound', async (host) => {
    const app = createTestApp();
    const response = await app.request('/v1/runs', { headers: { host } });
    expect(response.status).toBe(403);
  });

  it('goes by the address when there is no Host header', async () => {
    const app = createTestApp();
    expect((await app.request('http://127.0.0.1:8787/v1/runs')).status).toBe(200);
    const response = await app.request('http://stride.example/v1/runs');
    expect(response.status).toBe(403);
    expect((await errorOf(response)).message).toContain('http://localhost');
  });

  it.each([['http://localhost:3000'], ['http://127.0.0.1'], ['https://[::1]:9']])(
    'answers pages of this machine: %s',
    async (origin) => {
      const app = createTestApp();
      expect((await app.request('/v1/runs', { headers: { origin } })).status).toBe(200);
    },
  );

  it.each([['https://evil.example'], ['null'], [''], ['file://'], ['chrome-extension://abc']])(
    'refuses pages of other origins: %j',
    async (origin) => {
      const app = createTestApp();
      const response = await app.post('/v1/runs', { question: 'q' }, { origin });
      expect(response.status).toBe(403);
      expect((await errorOf(response)).code).toBe('forbidden');
      expect(app.store.accepted).toEqual([]);
    },
  );
});

describe('a deployment without keys', () => {
  it.each([
    ['GET', '/v1/runs'],
    ['POST', '/v1/runs'],
    ['GET', '/v1/runs/run_00000000000000000001'],
    ['GET', '/v1/runs/run_00000000000000000001/events'],
    ['DELETE', '/v1/runs/run_00000000000000000001'],
    ['POST', '/v1/files'],
    ['GET', '/v1/tools'],
    ['GET', '/nothing/here'],
    ['GET', '/health/'],
    ['POST', '/healthz'],
  ])('answers %s %s with 401', async (method, path) => {
    const app = createTestApp({ env: production });
    const response = await app.request(path, { method, headers: { host: 'localhost' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect((await errorOf(response)).code).toBe('unauthorized');
  });

  it('serves / and /health', async () => {
    const app = createTestApp({ env: production });
    expect((await app.request('/')).status).toBe(200);
    expect(await (await app.request('/health')).json()).toMatchObject({ status: 'ok' });
  });
});

describe('every answer', () => {
  it('carries security headers', async () => {
    const app = createTestApp();
    for (const path of ['/', '/health', '/v1/runs', '/v1/nothing']) {
      const { headers } = await app.request(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('carries a request id of its own, or the caller’s when that is harmless', async () => {
    const app = createTestApp();
    const first = (await app.request('/health')).headers.get('x-request-id');
    const second = (await app.request('/health')).headers.get('x-request-id');
    expect(first).toMatch(/^[\w-]{36}$/);
    expect(second).not.toBe(first);
    const mine = await app.request('/v1/x', { headers: { 'x-request-id': 'trace-17' } });
    expect((await errorOf(mine)).request_id).toBe('trace-17');
    const bad = await app.request('/health', { headers: { 'x-request-id': '<script>' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('is 404 in the same envelope where there is nothing', async () => {
    const app = createTestApp();
    const response = await app.request('/v1/nothing');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: {
        code: 'not_found',
        message: 'There is nothing at this address.',
        request_id: response.headers.get('x-request-id'),
      },
    });
  });

  it.each([
    ['PATCH', '/v1/runs', 'GET, HEAD, POST'],
    ['POST', '/v1/runs/run_00000000000000000001', 'GET, HEAD, DELETE'],
    ['GET', '/v1/runs/run_00000000000000000001/cancel', 'POST'],
    ['GET', '/v1/files', 'POST, PUT'],
    ['OPTIONS', '/v1/tools', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
  ])('is 405 for %s %s and says what is allowed', async (method, path, allow) => {
    const response = await createTestApp().request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await errorOf(response)).toMatchObject({
      code: 'invalid_input',
      message: `This address does not take ${method}; it takes ${allow}.`,
    });
  });

  it('asks for the key before it tells which methods there are', async () => {
    const app = createTestApp({ env: production });
    const response = await app.request('/v1/runs', { method: 'PATCH' });
    expect(response.status).toBe(401);
    expect(response.headers.get('allow')).toBeNull();
  });

  it('hides what broke from the caller and tells the log', async () => {
    const app = createTestApp();
    app.store.list = () => Promise.reject(new TypeError('secret-host:6379 refused'));
    const response = await app.request('/v1/runs');
    expect(response.status).toBe(503);
    const error = await errorOf(response);
    expect(error.code).toBe('unavailable');
    expect(error.message).not.toContain('secret-host');
    expect(app.logged).toContainEqual({
      event: 'request_failed',
      fields: {
        request: error.request_id,
        error: 'TypeError',
        reason: 'secret-host:6379 refused',
        place: expect.stringMatching(/^at /),
      },
    });
  });

  it('is logged in one line, with the pattern of the path and not the path', async () => {
    const app = createTestApp();
    const id = await app.ask();
    app.logged.length = 0;
    await app.request(`/v1/runs/${id}/files/private-name.csv`);
    expect(app.logged).toEqual([
      {
        event: 'request',
        fields: {
          request: expect.any(String),
          method: 'GET',
          route: '/v1/runs/:id/files/:path{.+}',
          status: 404,
          ms: 0,
        },
      },
    ]);
  });
});

describe('a faulty configuration', () => {
  const error = {
    code: 'invalid_input',
    message: 'MAX_USD: expected a number above 0, got "lots"',
    details: { settings: ['MAX_USD'] },
  } as const;

  it('is answered with 503 and the names of the settings, not their values', async () => {
    const app = createTestApp({ fault: { ok: false, error } });
    const response = await app.post('/v1/runs', { question: 'q' });
    expect(response.status).toBe(503);
    expect(await errorOf(response)).toMatchObject({
      code: 'unavailable',
      message: 'This deployment is not set up: correct MAX_USD.',
      details: { settings: ['MAX_USD'] },
    });
    const health = await app.request('/health');
    expect(health.status).toBe(503);
    expect(await health.json()).toEqual({ status: 'misconfigured', settings: ['MAX_USD'] });
    expect((await app.request('/')).status).toBe(200);
  });
});

describe('GET /health', () => {
  it('says which services are missing and what to set', async () => {
    const app = createTestApp({ env: { ANTHROPIC_API_KEY: '' } });
    const response = await app.request('/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'degraded',
      services: {
        model: { status: 'missing', note: expect.stringContaining('ANTHROPIC_API_KEY') },
        sandbox: { status: 'missing', note: expect.stringContaining('E2B_API_KEY') },
      },
    });
  });

  it('asks the services with ?deep=1', async () => {
    const sandboxes = { obtain: () => Promise.reject(new Error('none')), killRun: async () => 0 };
    const app = createTestApp({ sandboxes });
    expect(await (await app.request('/health?deep=1')).json()).toEqual({
      status: 'ok',
      services: {
        model: { status: 'ok' },
        sandbox: { status: 'ok' },
        redis: { status: 'ok', ms: 0 },
        objects: { status: 'ok', ms: 0 },
      },
      overdue: { count: 0, oldest_ms: 0 },
    });
  });

  it('answers 503 with ?deep=1 when Redis does not answer, without its error text', async () => {
    const app = createTestApp();
    app.store.ping = () => Promise.reject(new Error('token abc refused'));
    app.store.overdue = () => Promise.reject(new Error('token abc refused'));
    const response = await app.request('/health?deep=1');
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      status: 'failed',
      services: { redis: { status: 'failed' }, objects: { status: 'ok' } },
      overdue: null,
    });
    expect(text).not.toContain('abc');
  });

  it('is degraded while runs are overdue', async () => {
    const app = createTestApp();
    app.store.overdue = async () => ({ count: 3, oldestMs: 200_000 });
    expect(await (await app.request('/health?deep=1')).json()).toMatchObject({
      status: 'degraded',
      overdue: { count: 3, oldest_ms: 200_000 },
    });
  });
});

describe('GET /v1/tools', () => {
  it('lists what can be used, and what is left out and why', async () => {
    const app = createTestApp();
    expect(await (await app.request('/v1/tools')).json()).toEqual({
      tools: [
        { name: 'calc', description: 'What calc does.', effect: 'pure' },
        { name: 'read_file', description: 'What read_file does.', effect: 'pure' },
      ],
      left_out: [{ name: 'execute_python', reason: expect.stringContaining('E2B_API_KEY') }],
      domains: [],
    });
  });
});

describe('createApp', () => {
  it('builds the dependencies anew for each request', async () => {
    const { createApp } = await import('../../src/app.ts');
    const { deps } = createTestApp();
    const envs: object[] = [];
    const app = createApp(
      (env) => {
        envs.push(env);
        return { ok: true, value: { ...deps, config: testConfig() } };
      },
      { driveStep: noStep },
    );
    await app.request('/v1/runs', {}, { binding: 1 });
    await app.request('/v1/runs', {}, { binding: 2 });
    expect(envs).toEqual([{ binding: 1 }, { binding: 2 }]);
  });
});
