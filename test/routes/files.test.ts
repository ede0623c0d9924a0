import { describe, expect, it } from 'vitest';
import type { ToolContent } from '../../src/loop/journal.ts';
import { contentDisposition, plainMediaType } from '../../src/routes/download.ts';
import { createTestApp, errorOf, type TestApp } from './helpers.ts';

const MB = 1024 * 1024;

interface FileAnswer {
  id: string;
  name: string;
  bytes: number;
  media_type: string;
  created_at: string;
}

function form(file: File | string | null, fields: Record<string, string> = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (file !== null) body.append('file', file);
  return { method: 'POST', body };
}

const csv = (name: string, text = 'a,b\n1,2\n') => new File([text], name, { type: 'text/csv' });

const put = (app: TestApp, name: string, init: RequestInit & { duplex?: 'half' } = {}) =>
  app.request(`/v1/files?name=${encodeURIComponent(name)}`, { method: 'PUT', ...init });

const nothingStored = (app: TestApp) => expect([...app.objects.stored.keys()]).toEqual([]);

describe('POST /v1/files', () => {
  it('stores the file as an immutable object of its owner and answers 201', async () => {
    const app = createTestApp();
    const response = await app.request('/v1/files', form(csv('sales.csv')));
    expect(response.status).toBe(201);
    const file = (await response.json()) as FileAnswer;
    expect(file).toEqual({
      id: expect.stringMatching(/^file_/),
      name: 'sales.csv',
      bytes: 8,
      media_type: 'text/csv',
      created_at: '2026-11-30T12:00:00.000Z',
    });
    const object = await app.objects.stream(`u/local/${file.id}`);
    expect(await new Response(object?.body).text()).toBe('a,b\n1,2\n');
    expect(object?.mediaType).toBe('text/csv');
  });

  it.each([
    ['数据.csv', {}, '数据.csv'],
    ['a.csv', { path: '2024/第一季/a.csv' }, '2024/第一季/a.csv'],
    ['a.csv', { path: '2024/q1/' }, '2024/q1/a.csv'],
    ['a.csv', { path: '' }, 'a.csv'],
    ['my report (final).csv', {}, 'my report (final).csv'],
    ['cafe\u0301.csv', {}, 'caf\u00e9.csv'],
  ])('keeps the name %s with %j as %s', async (name, fields, stored) => {
    const app = createTestApp();
    const response = await app.request('/v1/files', form(csv(name), fields));
    expect(((await response.json()) as FileAnswer).name).toBe(stored);
  });

  it('takes an empty file', async () => {
    const app = createTestApp();
    const response = await app.request('/v1/files', form(csv('empty.csv', '')));
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ bytes: 0 });
  });

  it('names the type by the extension when the client knows none', async () => {
    const app = createTestApp();
    const file = new File(['x'], 'p.pdf', { type: 'application/octet-stream' });
    const response = await app.request('/v1/files', form(file));
    expect(await response.json()).toMatchObject({ media_type: 'application/pdf' });
  });

  const hostile: [string, Record<string, string>, string][] = [
    ['../../etc/passwd', {}, 'file'],
    ['a.csv', { path: '../a.csv' }, 'path'],
    ['a.csv', { path: '/etc/passwd' }, 'path'],
    ['a.csv', { path: 'a//b.csv' }, 'path'],
    ['a.csv', { path: 'a/./b.csv' }, 'path'],
    ['a.csv', { path: 'a\\b.csv' }, 'path'],
    ['a.csv', { path: 'a\u0000b.csv' }, 'path'],
    ['a.csv', { path: 'a\u2215b.csv' }, 'path'],
    ['a.csv', { path: '\u2025/b.csv' }, 'path'],
    ['a.csv', { path: '.stride/x' }, 'path'],
    ['a.csv', { path: `${'x'.repeat(300)}.csv` }, 'path'],
    ['a.csv', { path: 'C:/x.csv' }, 'path'],
    ['a.csv', { path: '../' }, 'path'],
  ];
  it.each(hostile)(
    'refuses the name %j with %j and stores nothing',
    async (name, fields, field) => {
      const app = createTestApp();
      const response = await app.request('/v1/files', form(csv(name), fields));
      expect(response.status).toBe(400);
      expect((await errorOf(response)).message).toMatch(new RegExp(`^${field}: `));
      nothingStored(app);
    },
  );

  it('refuses a body without a file, with two, or with text in its place', async () => {
    const app = createTestApp();
    const two = form(csv('a.csv'));
    two.body.append('file', csv('b.csv'));
    for (const init of [form(null), form('text'), two]) {
      const response = await app.request('/v1/files', init);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).message).toBe(
        'file: expected exactly one file; send several with several requests',
      );
    }
    nothingStored(app);
  });

  it('refuses unknown fields by name', async () => {
    const app = createTestApp();
    const response = await app.request('/v1/files', form(csv('a.csv'), { folder: 'x' }));
    expect((await errorOf(response)).message).toBe('folder: not a field of this request');
    nothingStored(app);
  });

  it('refuses a body that is cut off', async () => {
    const app = createTestApp();
    const response = await app.request('/v1/files', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    });
    expect(response.status).toBe(400);
    nothingStored(app);
  });

  it('says where bare bytes go when the body is no form', async () => {
    const app = createTestApp();
    const response = await app.post('/v1/files', { a: 1 });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain('PUT /v1/files?name=');
  });

  it('takes a file of exactly 25 MB', async () => {
    const app = createTestApp();
    const file = new File([new Uint8Array(25 * MB)], 'big.bin');
    expect((await app.request('/v1/files', form(file))).status).toBe(201);
  });

  it.each([[25 * MB + 1], [26 * MB]])(
    'refuses a file of %d bytes with 413 and stores nothing',
    async (bytes) => {
      const app = createTestApp();
      const encoded = new Response(form(new File([new Uint8Array(bytes)], 'big.bin')).body);
      const init = { method: 'POST', headers: encoded.headers, body: await encoded.arrayBuffer() };
      const response = await app.request('/v1/files', init);
      expect(response.status).toBe(413);
      expect((await errorOf(response)).code).toBe('too_large');
      nothingStored(app);
    },
  );
});

describe('PUT /v1/files', () => {
  const sized = (bytes: number, told = bytes) => ({
    headers: { 'content-length': String(told) },
    body: new Uint8Array(bytes),
  });

  it('streams a body of known length', async () => {
    const app = createTestApp();
    const bodies: unknown[] = [];
    const { put: store } = app.objects;
    app.objects.put = (key, body, mediaType) => {
      bodies.push(body);
      return store(key, body, mediaType);
    };
    const response = await put(app, 'data/数据.csv', sized(3 * MB));
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      name: 'data/数据.csv',
      bytes: 3 * MB,
      media_type: 'text/csv',
    });
    expect(bodies).toEqual([{ stream: expect.any(ReadableStream), bytes: 3 * MB }]);
  });

  it('takes a body of unknown length up to the cap', async () => {
    const app = createTestApp();
    const body = new Blob(['x'.repeat(1000)]).stream();
    const response = await put(app, 'a.txt', { body, duplex: 'half' });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ bytes: 1000, media_type: 'text/plain' });
  });

  it.each([[{}], [{ headers: { 'content-length': '0' } }]])(
    'takes an empty file: %j',
    async (init) => {
      const app = createTestApp();
      const response = await put(app, 'empty.csv', init);
      expect(await response.json()).toMatchObject({ bytes: 0, media_type: 'text/csv' });
    },
  );

  it.each([
    ['a.csv', 'text/csv'],
    ['README', 'text/plain'],
    ['a.txt', 'text/plain'],
  ])('takes text/plain, which fetch sends for any text, for %s as %s', async (name, type) => {
    const app = createTestApp();
    const response = await put(app, name, { body: 'x' });
    expect(await response.json()).toMatchObject({ media_type: type });
  });

  it('keeps a media type that was given and drops its parameters', async () => {
    const app = createTestApp();
    const headers = { 'content-type': 'Text/CSV; charset=utf-8' };
    const response = await put(app, 'a.dat', { headers, body: 'x' });
    expect(await response.json()).toMatchObject({ media_type: 'text/csv' });
  });

  it('refuses 26 MB by its declared length without reading it', async () => {
    const app = createTestApp();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(MB));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-length': String(26 * MB) };
    const response = await put(app, 'big.bin', { headers, body, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(pulled).toBe(0);
    nothingStored(app);
  });

  it('stops reading an endless body at the cap', async () => {
    const app = createTestApp();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(MB));
      },
    });
    const response = await put(app, 'big.bin', { body, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(30);
    nothingStored(app);
  });

  it('stores nothing when the body is not as long as was told', async () => {
    const app = createTestApp();
    const response = await put(app, 'a.bin', sized(10, 11));
    expect(response.status).toBe(502);
    expect((await errorOf(response)).message).toContain('content-length');
    nothingStored(app);
  });

  it.each([[''], ['../x'], ['a/'], ['/abs']])('refuses the name %j', async (name) => {
    const app = createTestApp();
    const response = await put(app, name, { body: 'x' });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toMatch(/^name: /);
    nothingStored(app);
  });
});

describe('GET and DELETE /v1/files/:id', () => {
  it('describes a file and deletes it with its bytes', async () => {
    const app = createTestApp();
    const file = (await (await put(app, 'a.csv', { body: 'x' })).json()) as FileAnswer;
    expect(await (await app.request(`/v1/files/${file.id}`)).json()).toEqual(file);
    expect((await app.request(`/v1/files/${file.id}`, { method: 'DELETE' })).status).toBe(204);
    nothingStored(app);
    expect((await app.request(`/v1/files/${file.id}`)).status).toBe(404);
    expect((await app.request(`/v1/files/${file.id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('answers 404 for files of another owner and for what is no id', async () => {
    const app = createTestApp();
    const id = 'file_00000000000000000077';
    const theirs = { id, owner: 'other', name: 'a', bytes: 1, mediaType: 'text/csv' };
    await app.store.saveFile({ ...theirs, object: 'u/other/a', createdAt: 0 });
    expect((await app.request(`/v1/files/${id}`)).status).toBe(404);
    expect((await app.request(`/v1/files/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect(await app.store.loadFile(id)).not.toBeNull();
    expect((await app.request('/v1/files/x')).status).toBe(404);
  });
});

describe('GET /v1/runs/:id/files', () => {
  async function runWithFiles(names: string[]) {
    const app = createTestApp();
    const ids: string[] = [];
    for (const name of names) {
      const file = (await (
        await put(app, name, { body: `bytes of ${name}` })
      ).json()) as FileAnswer;
      ids.push(file.id);
    }
    return { app, id: await app.ask({ file_ids: ids }) };
  }

  it('lists uploads and what tools wrote, the last version of each path', async () => {
    const { app, id } = await runWithFiles(['b.csv', 'a.csv']);
    const written = (path: string, bytes: number) => ({
      path,
      object: `o/local/${id}/${bytes}`,
      bytes,
      media_type: 'text/csv',
    });
    const finishedTool = {
      type: 'tool_finished',
      tool_use_id: 'tu_1',
      name: 'calc',
      outcome: 'done',
      content: [] as ToolContent[],
      is_error: false,
      ms: 1,
    } as const;
    app.store.write(
      id,
      { ...finishedTool, files: [written('a.csv', 5), written('out/c.csv', 6)] },
      { ...finishedTool, files: [written('out/c.csv', 7)] },
    );
    expect(await (await app.request(`/v1/runs/${id}/files`)).json()).toEqual({
      files: [
        { path: 'a.csv', bytes: 5, media_type: 'text/csv' },
        { path: 'b.csv', bytes: 14, media_type: 'text/csv' },
        { path: 'out/c.csv', bytes: 7, media_type: 'text/csv' },
      ],
    });
  });

  it.each([
    ['a.csv', 'a.csv'],
    ['data/第一季/数据 1.csv', 'data/%E7%AC%AC%E4%B8%80%E5%AD%A3/%E6%95%B0%E6%8D%AE%201.csv'],
    ['data/x.csv', 'data%2Fx.csv'],
    ['100%25.csv', '100%2525.csv'],
    ['50%.csv', '50%25.csv'],
    ['q#1?.csv', 'q%231%3F.csv'],
    ['a+b.csv', 'a+b.csv'],
  ])('sends the bytes of %s', async (name, path) => {
    const { app, id } = await runWithFiles([name]);
    const response = await app.request(`/v1/runs/${id}/files/${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(`bytes of ${name}`);
  });

  it('sends a page as a download that can do nothing', async () => {
    const { app, id } = await runWithFiles(['evil".html']);
    const { headers } = await app.request(`/v1/runs/${id}/files/evil%22.html`);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="evil_.html"; filename*=UTF-8''evil%22.html`,
    );
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('content-length')).toBe('19');
  });

  it.each([['nope.csv'], ['..%2Fa.csv'], ['%2Fetc%2Fpasswd'], ['A.csv'], ['%00'], ['%E0%A4']])(
    'answers 404 for %s',
    async (path) => {
      const { app, id } = await runWithFiles(['a.csv']);
      expect((await app.request(`/v1/runs/${id}/files/${path}`)).status).toBe(404);
    },
  );

  it('answers 404 when the upload was deleted since', async () => {
    const { app, id } = await runWithFiles(['a.csv']);
    app.objects.stored.clear();
    const response = await app.request(`/v1/runs/${id}/files/a.csv`);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).message).toBe('The bytes of this file were deleted.');
  });
});

describe('contentDisposition', () => {
  it.each([
    ['a.csv', `attachment; filename="a.csv"; filename*=UTF-8''a.csv`],
    ['dir/数.csv', `attachment; filename="_.csv"; filename*=UTF-8''%E6%95%B0.csv`],
    ['a"\\;b.csv', `attachment; filename="a__;b.csv"; filename*=UTF-8''a%22%5C%3Bb.csv`],
    ['a\r\nx: y', `attachment; filename="a__x: y"; filename*=UTF-8''a%0D%0Ax%3A%20y`],
    ["it's*(1).csv", `attachment; filename="it's*(1).csv"; filename*=UTF-8''it%27s%2A%281%29.csv`],
  ])('writes %j safely', (name, header) => {
    expect(contentDisposition(name)).toBe(header);
  });
});

describe('plainMediaType', () => {
  it.each([
    ['text/csv', 'text/csv'],
    ['TEXT/HTML; charset=x', 'text/html'],
    ['image/svg+xml', 'image/svg+xml'],
    ['text', null],
    ['text/html\r\nx: y', null],
    ['a/b/c', null],
    ['', null],
    [null, null],
  ])('reads %j as %j', (given, type) => {
    expect(plainMediaType(given)).toBe(type);
  });
});
