// Reads one request of Upstash's REST interface: where the commands are, and how to answer.
// https://upstash.com/docs/redis/features/restapi. No I/O; arguments come out as bytes.

export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface RestRequest {
  /** `single` answers `{result}`, the other two a list of `{result}` or `{error}`. */
  kind: 'single' | 'pipeline' | 'transaction';
  path: string;
  commands: Buffer[][];
}

/** A request that cannot be carried out, with the HTTP status and text that Upstash answers. */
export class BadRequest extends Error {
  override name = 'BadRequest';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Throws `BadRequest` for anything that is not a command, or a list of commands. */
export function parseRequest(input: { method: string; url: URL; body: Buffer }): RestRequest {
  const { method, url, body } = input;
  const path = url.pathname;
  if (path === '/pipeline' || path === '/multi-exec') {
    const rows = parseBody(body);
    if (rows.length === 0) throw new BadRequest(400, 'ERR empty pipeline request');
    const kind = path === '/pipeline' ? 'pipeline' : 'transaction';
    return { kind, path, commands: rows.map(toArguments) };
  }
  if (path === '/') return { kind: 'single', path, commands: [toArguments(parseBody(body))] };
  return { kind: 'single', path, commands: [parsePath(method, url, body)] };
}

/** Path style: `/set/key?EX=100` with the value as the body, or the whole command in the path. */
function parsePath(method: string, url: URL, body: Buffer): Buffer[] {
  const args: Buffer[] = url.pathname
    .slice(1)
    .split('/')
    .map((part) => Buffer.from(decodePart(part)));
  // The body is one argument, byte for byte: the only way to send what is not UTF-8.
  if (method !== 'GET' && method !== 'HEAD' && body.length > 0) args.push(body);
  for (const [name, value] of url.searchParams) {
    if (name === '_token') continue;
    args.push(Buffer.from(name));
    if (value !== '') args.push(Buffer.from(value));
  }
  return args;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadRequest(
      400,
      'ERR failed to parse command: the path is not valid percent-encoding',
    );
  }
}

function parseBody(body: Buffer): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadRequest(400, 'ERR failed to parse command: the body is not JSON');
  }
  if (!Array.isArray(value)) {
    throw new BadRequest(400, 'ERR failed to parse command: the body must be a JSON array');
  }
  return value;
}

function toArguments(row: unknown): Buffer[] {
  if (!Array.isArray(row)) {
    throw new BadRequest(400, 'ERR failed to parse pipeline request: each command is an array');
  }
  if (row.length === 0) throw new BadRequest(400, 'ERR empty command');
  return row.map((value: unknown) => {
    if (typeof value === 'string') return Buffer.from(value, 'utf8');
    if (typeof value === 'number' || typeof value === 'boolean') return Buffer.from(String(value));
    throw new BadRequest(
      400,
      'ERR failed to parse command: arguments must be strings, numbers or booleans',
    );
  });
}
