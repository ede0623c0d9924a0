// The document tools alone in a Worker: POST bytes with ?tool= and ?name= (and the tool's input as
// JSON in ?input=) and get what the model would. For `npm run bench:documents` only.
import type { ToolContext } from '../../src/tools/define.ts';
import { buildDefaultRegistry } from '../../src/tools/registry.ts';

const registry = buildDefaultRegistry();

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response('ready');
    const query = new URL(request.url).searchParams;
    const name = query.get('name') ?? 'file';
    const bytes = new Uint8Array(await request.arrayBuffer());
    const file = { path: name, object: name, bytes: bytes.length, media_type: '' };
    const written: string[] = [];
    const context: ToolContext = {
      runId: 'run',
      toolUseId: 'call',
      idempotencyKey: 'run:call',
      signal: request.signal,
      timeoutMs: 60_000,
      previewBytes: 32_768,
      resumed: false,
      fetch,
      now: () => Date.now(),
      workspace: {
        list: () => [file],
        find: (path) => (path === name ? file : null),
        read: async (_path, range = {}) => {
          const start = range.offset ?? 0;
          // Copied, as bytes that come from R2 are.
          return bytes.slice(
            start,
            range.maxBytes === undefined ? undefined : start + range.maxBytes,
          );
        },
        write: async (path, content, mediaType = '') => {
          written.push(`${path} (${content.length} bytes)`);
          return { path, object: path, bytes: content.length, media_type: mediaType };
        },
      },
    };
    const input = { ...JSON.parse(query.get('input') ?? '{}'), path: name };
    const output = await registry.call(query.get('tool') ?? '', input, context);
    const text =
      typeof output.content === 'string'
        ? output.content
        : output.content
            .map((block) => (block.type === 'text' ? block.text : block.type))
            .join('\n');
    return Response.json({ isError: output.isError ?? false, text, written });
  },
};
