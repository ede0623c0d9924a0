/**
 * Connect protocol (connectrpc.com), JSON flavour, as the E2B SDK speaks it to envd: streaming
 * messages are one flag byte, a 4-byte big-endian length and JSON; the last one has flag 2.
 */

const END_OF_STREAM = 2;

export function encodeMessage(value: unknown, flags = 0): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export function encodeEnd(error?: { code: string; message: string }): Buffer {
  return encodeMessage(error ? { error } : {}, END_OF_STREAM);
}

/** The single message of a streaming request. Throws on a body that is not one. */
export function decodeRequest(body: Buffer): Record<string, unknown> {
  if (body.length < 5) throw new Error('no message in the request');
  return JSON.parse(body.toString('utf8', 5, 5 + body.readUInt32BE(1)));
}

/** Code and HTTP status of a unary error. */
export function errorCode(status: number): { code: string; status: number } {
  switch (status) {
    case 404:
      return { code: 'not_found', status: 404 };
    case 409:
      return { code: 'already_exists', status: 409 };
    case 400:
      return { code: 'invalid_argument', status: 400 };
    case 502:
      return { code: 'unavailable', status: 503 };
    case 507:
      return { code: 'resource_exhausted', status: 429 };
    default:
      return { code: 'internal', status: 500 };
  }
}
