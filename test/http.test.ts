import { describe, expect, it } from 'vitest';
import { contentLength, readBody } from '../src/http.ts';

const post = (body: BodyInit | null, headers: Record<string, string> = {}) => {
  const init = { method: 'POST', body, headers, duplex: 'half' };
  return new Request('http://localhost', init);
};
const cap = { maxBytes: 10, what: 'The body' };

describe('readBody', () => {
  it.each([
    [null, ''],
    ['', ''],
    ['0123456789', '0123456789'],
  ])('reads %j whole', async (body, text) => {
    const read = await readBody(post(body), cap);
    expect(read.ok && new TextDecoder().decode(read.value)).toBe(text);
  });

  it('joins the pieces of a stream in order', async () => {
    const pieces = ['ab', '', 'cde'].map((text) => new TextEncoder().encode(text));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    const read = await readBody(post(body), cap);
    expect(read.ok && new TextDecoder().decode(read.value)).toBe('abcde');
  });

  it('refuses by the declared length without reading', async () => {
    const request = post('0123456789', { 'content-length': '11' });
    expect(await readBody(request, cap)).toEqual({
      ok: false,
      error: {
        code: 'too_large',
        message: 'The body is larger than 10 bytes; send a smaller one.',
        details: { max_bytes: 10 },
      },
    });
    expect(request.bodyUsed).toBe(false);
  });

  it('stops at the cap when the declared length lied, and lets go of the stream', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel: () => {
        cancelled = true;
      },
    });
    const read = await readBody(post(body, { 'content-length': '8' }), cap);
    expect(read.ok).toBe(false);
    expect(cancelled).toBe(true);
  });
});

describe('contentLength', () => {
  it.each([
    ['0', 0],
    ['12', 12],
    ['-1', null],
    ['1e3', null],
    ['9'.repeat(30), null],
    ['', null],
  ])('reads %j as %j', (header, length) => {
    expect(contentLength(new Headers({ 'content-length': header }))).toBe(length);
  });
});
