/**
 * Reading what came in over HTTP without trusting its size: nothing beyond the cap is buffered.
 * No clock; errors are returned.
 */
import type { Result } from './errors.ts';

/** The declared length of a body, or null when it is absent or no number (chunked). */
export function contentLength(headers: Headers): number | null {
  const text = headers.get('content-length');
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/**
 * All bytes of a request's body, or `too_large` as soon as the cap is passed: by the declared
 * length before anything is read, else while reading.
 * @param what names the body in the message, e.g. "The file".
 */
export async function readBody(
  request: Request,
  { maxBytes, what }: { maxBytes: number; what: string },
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const tooLarge = {
    ok: false,
    error: {
      code: 'too_large',
      message: `${what} is larger than ${maxBytes} bytes; send a smaller one.`,
      details: { max_bytes: maxBytes },
    },
  } as const;
  if ((contentLength(request.headers) ?? 0) > maxBytes) return tooLarge;
  if (!request.body) return { ok: true, value: new Uint8Array() };

  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      // Not awaited: the sender may never end, and the answer must not wait for it.
      reader.cancel().catch(() => undefined);
      return tooLarge;
    }
    parts.push(value);
  }
  return { ok: true, value: concat(parts, length) };
}

function concat(parts: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
