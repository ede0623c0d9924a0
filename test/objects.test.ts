import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// The adapter runs where it will run: in workerd, over Miniflare's R2. Each request carries the
// body of one small program that uses `objects` and answers JSON.
const program = `
import { createObjects } from './src/objects.ts';
const text = (bytes) => bytes === null ? null : new TextDecoder().decode(bytes);
const programs = {
  async roundTrip(objects) {
    await objects.put('u/o/a', new TextEncoder().encode('héllo wörld'), 'text/csv');
    const stream = await objects.stream('u/o/a');
    return {
      whole: text(await objects.get('u/o/a')),
      range: text(await objects.get('u/o/a', { offset: 7, length: 3 })),
      beyond: text(await objects.get('u/o/a', { offset: 5, length: 999 })),
      after: text(await objects.get('u/o/a', { offset: 999, length: 3 })),
      none: text(await objects.get('u/o/a', { offset: 0, length: 0 })),
      missing: await objects.get('u/o/x'),
      missingRange: await objects.get('u/o/x', { offset: 0, length: 5 }),
      missingStream: await objects.stream('u/o/x'),
      bytes: stream.bytes, mediaType: stream.mediaType, streamed: await new Response(stream.body).text(),
    };
  },
  async empty(objects) {
    await objects.put('e', new Uint8Array());
    const stream = await objects.stream('e');
    return {
      whole: text(await objects.get('e')), range: text(await objects.get('e', { offset: 0, length: 9 })),
      bytes: stream.bytes, mediaType: stream.mediaType, streamed: await new Response(stream.body).text(),
    };
  },
  async upload(objects, request, url) {
    const bytes = Number(url.searchParams.get('bytes'));
    let fault = null;
    try {
      // Wrapped, as a counting or checking stream would wrap it: its own length is lost.
      const stream = request.body.pipeThrough(new TransformStream());
      await objects.put('up', { stream, bytes }, 'text/plain');
    } catch (error) { fault = error.name; }
    return { fault, size: (await objects.get('up'))?.length ?? null };
  },
  async many(objects) {
    const keys = Array.from({ length: 1203 }, (_, i) => 'm/' + String(i).padStart(4, '0'));
    await Promise.all(keys.map((key) => objects.put(key, new Uint8Array([1]))));
    await objects.put('n/other', new Uint8Array([1]));
    const listed = await objects.list('m/');
    const first = [await objects.list('m/', 7), await objects.list('m/', 1100)];
    await objects.delete(listed);
    await objects.delete([]);
    return {
      same: JSON.stringify(listed) === JSON.stringify(keys),
      first: first.map((some) => [some.length, some.at(-1)]),
      left: await objects.list(''),
    };
  },
};
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const objects = createObjects(env.OBJECTS);
    for (const key of await objects.list('')) await objects.delete([key]);
    return Response.json(await programs[url.pathname.slice(1)](objects, request, url));
  },
};`;

let miniflare: Miniflare;

beforeAll(async () => {
  const built = await build({
    stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2024',
    write: false,
  });
  const options = {
    modules: true,
    script: built.outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-08-01',
    r2Buckets: ['OBJECTS'],
  };
  miniflare = new Miniflare(convertV4MiniflareOptions({ ...options, host: '127.0.0.1', port: 0 }));
  await miniflare.ready;
});

afterAll(() => miniflare.dispose());

async function run(path: string, body?: Uint8Array<ArrayBuffer>) {
  const init = body ? { method: 'POST', body } : {};
  const response = await miniflare.dispatchFetch(`http://worker/${path}`, init);
  return (await response.json()) as Record<string, unknown>;
}

describe('createObjects', () => {
  it('stores bytes and reads them back whole, in ranges and as a stream', async () => {
    expect(await run('roundTrip')).toEqual({
      whole: 'héllo wörld',
      range: 'wö',
      beyond: 'o wörld',
      after: '',
      none: '',
      missing: null,
      missingRange: null,
      missingStream: null,
      bytes: 13,
      mediaType: 'text/csv',
      streamed: 'héllo wörld',
    });
  });

  it('handles an empty object like any other', async () => {
    expect(await run('empty')).toEqual({
      whole: '',
      range: '',
      bytes: 0,
      mediaType: 'application/octet-stream',
      streamed: '',
    });
  });

  it('stores a streamed body of the length that was told', async () => {
    const body = new Uint8Array(3_000_000).fill(7);
    expect(await run('upload?bytes=3000000', body)).toEqual({ fault: null, size: 3_000_000 });
  });

  it.each([
    ['shorter', 99],
    ['longer', 101],
  ])('stores nothing when the body is %s than was told', async (_, length) => {
    const answer = await run('upload?bytes=100', new Uint8Array(length));
    expect(answer).toEqual({ fault: expect.stringMatching(/Error/), size: null });
  });

  it('lists and deletes more keys than one page of R2 holds', async () => {
    expect(await run('many')).toEqual({
      same: true,
      first: [
        [7, 'm/0006'],
        [1100, 'm/1099'],
      ],
      left: ['n/other'],
    });
  });
});
