/**
 * Uploads: immutable objects that runs refer to. The bytes are put first, then the record, so that
 * a record always has its bytes; paths are checked before either.
 */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { contentLength, readBody } from '../http.ts';
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import { errorFields } from '../log.ts';
import type { StoredFile } from '../loop/file-store.ts';
import { mediaTypeOf } from '../tools/media-type.ts';
import { normalisePath } from '../tools/paths.ts';
import { ASK, READ } from './auth.ts';
import type { AppEnv, Principal } from './context.ts';
import { plainMediaType } from './download.ts';
import { type FieldFault, invalidInput, toStrideError } from './input.ts';

/** What a multipart body may hold beside the file: boundaries, headers, the path. */
const MULTIPART_EXTRA_BYTES = 16 * 1024;
const FILE_ID = /^file_[\w-]{16,64}$/;
const UNKNOWN_TYPE = 'application/octet-stream';
/** Types that clients send when they know none; the file's name knows better. */
const VAGUE_TYPES = new Set([UNKNOWN_TYPE, 'application/x-www-form-urlencoded', 'text/plain']);

interface Upload {
  name: string;
  mediaType: string;
  body: Uint8Array | { stream: ReadableStream<Uint8Array>; bytes: number };
}

export function filesRoutes() {
  return new Hono<AppEnv>()
    .post('/', ASK, async (c) => {
      const file = await store(await readMultipart(c.req.raw), c.var);
      return c.json(toWire(file), 201);
    })

    .put('/', ASK, async (c) => {
      const name = checkedPath('name', c.req.query('name') ?? '');
      const upload = await readStream(c.req.raw, name);
      return c.json(toWire(await store(upload, c.var)), 201);
    })

    .get('/:id', READ, async (c) => c.json(toWire(await load(c.req.param('id'), c.var))))

    .delete('/:id', ASK, async (c) => {
      const file = await load(c.req.param('id'), c.var);
      // The record goes first: bytes without a record are only unused, the other way round breaks.
      await c.var.deps.store.deleteFile(file.id);
      await c.var.deps.objects.delete([file.object]);
      return c.body(null, 204);
    });
}

async function store(
  upload: Upload,
  { deps, principal }: { deps: Deps; principal: Principal },
): Promise<StoredFile> {
  const id = deps.randomId('file_');
  const object = `u/${principal.owner}/${id}`;
  const { name, mediaType, body } = upload;
  try {
    await deps.objects.put(object, body, mediaType);
  } catch (error) {
    deps.log('upload_failed', { file: id, ...errorFields(error) });
    throw new StrideError(
      'upstream',
      'The file could not be stored, or its body was not as long as content-length says; send it again.',
    );
  }
  const bytes = body instanceof Uint8Array ? body.byteLength : body.bytes;
  const createdAt = deps.clock.now();
  const file = { id, owner: principal.owner, name, bytes, mediaType, object, createdAt };
  await deps.store.saveFile(file);
  return file;
}

async function load(
  id: string,
  { deps, principal }: { deps: Deps; principal: Principal },
): Promise<StoredFile> {
  const file = FILE_ID.test(id) ? await deps.store.loadFile(id) : null;
  if (file?.owner !== principal.owner) {
    throw new StrideError('not_found', 'There is no such file.');
  }
  return file;
}

function toWire(file: StoredFile) {
  return {
    id: file.id,
    name: file.name,
    bytes: file.bytes,
    media_type: file.mediaType,
    created_at: new Date(file.createdAt).toISOString(),
  };
}

/** A body of known length goes through as it comes; one of unknown length is collected first. */
async function readStream(request: Request, name: string): Promise<Upload> {
  const mediaType = typeFor(name, request.headers.get('content-type'));
  const bytes = contentLength(request.headers);
  if (bytes !== null && bytes > 0 && bytes <= MAX_UPLOAD_BYTES && request.body) {
    return { name, mediaType, body: { stream: request.body, bytes } };
  }
  return { name, mediaType, body: await collect(request, MAX_UPLOAD_BYTES) };
}

async function collect(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = await readBody(request, { maxBytes, what: 'The upload' });
  if (!body.ok) throw toStrideError(body.error);
  return body.value;
}

async function readMultipart(request: Request): Promise<Upload> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    const message = 'expected multipart/form-data; to send bare bytes use PUT /v1/files?name=';
    throw invalidInput([{ field: 'content-type', message }]);
  }
  const bytes = await collect(request, MAX_UPLOAD_BYTES + MULTIPART_EXTRA_BYTES);
  const form = await parseForm(bytes, type);
  const file = onlyFile(form);
  if (file.size > MAX_UPLOAD_BYTES) {
    const message = `The file is larger than ${MAX_UPLOAD_BYTES} bytes; send a smaller one.`;
    throw new StrideError('too_large', message, { max_bytes: MAX_UPLOAD_BYTES });
  }
  const name = pathOf(form, file);
  const body = new Uint8Array(await file.arrayBuffer());
  return { name, mediaType: typeFor(name, file.type), body };
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalidInput([{ field: 'body', message: 'expected a whole multipart body' }]);
  }
}

function onlyFile(form: FormData): File {
  const faults: FieldFault[] = [...new Set(form.keys())]
    .filter((key) => key !== 'file' && key !== 'path')
    .map((key) => ({ field: key.slice(0, 100), message: 'not a field of this request' }));
  const files = form.getAll('file');
  const [file] = files;
  if (files.length !== 1 || !(file instanceof File)) {
    const message = 'expected exactly one file; send several with several requests';
    faults.push({ field: 'file', message });
  }
  if (faults.length > 0 || !(file instanceof File)) throw invalidInput(faults);
  return file;
}

/** `path` is the file's whole path in the run; with a `/` at its end, the folder it goes into. */
function pathOf(form: FormData, file: File): string {
  const path = form.get('path');
  if (path === null || path === '') return checkedPath('file', file.name);
  if (typeof path !== 'string') throw invalidInput([{ field: 'path', message: 'expected text' }]);
  return checkedPath('path', path.endsWith('/') ? `${path}${file.name}` : path);
}

function checkedPath(field: string, path: string): string {
  const normal = normalisePath(path);
  if (!normal.ok) throw invalidInput([{ field, message: normal.error.message }]);
  return normal.value;
}

function typeFor(name: string, given: string | null): string {
  const type = plainMediaType(given) ?? UNKNOWN_TYPE;
  if (!VAGUE_TYPES.has(type)) return type;
  const byName = mediaTypeOf(name);
  return byName === UNKNOWN_TYPE && type === 'text/plain' ? type : byName;
}
