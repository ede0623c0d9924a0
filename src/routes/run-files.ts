/** The files of a run (uploaded and written by its tools) and its journal as a file. */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import type { Entry, FileRef } from '../loop/journal.ts';
import { READ } from './auth.ts';
import type { AppEnv } from './context.ts';
import { downloadHeaders } from './download.ts';
import { loadEntries, loadRun } from './load-run.ts';

export function runFilesRoutes() {
  return new Hono<AppEnv>()
    .get('/:id/files', READ, async (c) => {
      const { deps, principal } = c.var;
      const run = await loadRun(c.req.param('id'), { deps, principal });
      const files = [...filesOf(await loadEntries(run, deps)).values()];
      files.sort((a, b) => (a.path < b.path ? -1 : 1));
      return c.json({
        files: files.map(({ path, bytes, media_type }) => ({ path, bytes, media_type })),
      });
    })

    .get('/:id/files/:path{.+}', READ, async (c) => {
      const { deps, principal } = c.var;
      const run = await loadRun(c.req.param('id'), { deps, principal });
      const file = filesOf(await loadEntries(run, deps)).get(c.req.param('path').normalize('NFC'));
      if (!file) throw new StrideError('not_found', 'This run has no file of that path.');
      return sendFile(file, deps);
    })

    .get('/:id/export', READ, async (c) => {
      const { deps, principal } = c.var;
      const id = c.req.param('id');
      const run = await loadRun(id, { deps, principal });
      const entries = await loadEntries(run, deps);
      const body = new TextEncoder().encode(
        entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
      );
      const name = `${id}.journal.jsonl`;
      const file = { name, mediaType: 'application/jsonl', bytes: body.byteLength };
      return c.body(body, 200, downloadHeaders(file));
    });
}

/**
 * The workspace: path → the last object written there. Read from the entries themselves, so that
 * the files of a run whose journal cannot be folded can still be fetched.
 */
function filesOf(entries: readonly Entry[]): Map<string, FileRef> {
  const files = new Map<string, FileRef>();
  for (const entry of entries) {
    const written = entry.type === 'run_started' || entry.type === 'tool_finished';
    for (const file of written ? (entry.files ?? []) : []) files.set(file.path, file);
  }
  return files;
}

async function sendFile(file: FileRef, deps: Deps): Promise<Response> {
  const object = await deps.objects.stream(file.object);
  if (!object) {
    throw new StrideError('not_found', 'The bytes of this file were deleted.');
  }
  const headers = downloadHeaders({
    name: file.path,
    mediaType: file.media_type,
    bytes: object.bytes,
  });
  return new Response(object.body, { headers });
}
