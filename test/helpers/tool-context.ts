/**
 * What a tool needs to run in a test: a workspace over in-memory objects and a ToolContext whose
 * network refuses every call.
 */
import type { FileRef } from '../../src/loop/journal.ts';
import type { Tool, ToolContext, ToolOutput } from '../../src/tools/define.ts';
import { mediaTypeOf } from '../../src/tools/media-type.ts';
import { createWorkspace, type RunWorkspace } from '../../src/tools/workspace.ts';
import { createMemoryObjects, type MemoryObjects } from './memory-objects.ts';

export interface TestTools {
  context: ToolContext;
  workspace: RunWorkspace;
  objects: MemoryObjects;
}

/** Puts files into objects as uploads are, and returns their references. */
export async function storeFiles(
  objects: MemoryObjects,
  files: Record<string, string | Uint8Array>,
): Promise<FileRef[]> {
  const references: FileRef[] = [];
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const object = `u/local/file_${references.length + 1}`;
    await objects.put(object, bytes);
    references.push({ path, object, bytes: bytes.length, media_type: mediaTypeOf(path) });
  }
  return references;
}

/** A context whose workspace holds `files`; any field of the context may be replaced. */
export async function createToolContext(
  files: Record<string, string | Uint8Array> = {},
  overrides: Partial<ToolContext> = {},
): Promise<TestTools> {
  const objects = createMemoryObjects();
  const references = await storeFiles(objects, files);
  const signal = overrides.signal ?? new AbortController().signal;
  const workspace = createWorkspace({
    files: references,
    objects,
    objectPrefix: 'o/local/run_1/',
    signal,
  });
  const context: ToolContext = {
    runId: 'run_1',
    toolUseId: 'toolu_1',
    idempotencyKey: 'run_1:toolu_1',
    signal,
    timeoutMs: 30_000,
    previewBytes: 32_768,
    resumed: false,
    fetch: async () => {
      throw new Error('this test has no network');
    },
    now: () => 1_800_000_000_000,
    workspace,
    ...overrides,
  };
  return { context, workspace, objects };
}

/** Parses, runs, and gives the text back; throws what the tool throws. */
export async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<string> {
  return textOf(await runForOutput(tool, input, context));
}

export async function runForOutput(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolOutput> {
  const parsed = tool.parse(input);
  if (!parsed.success) throw parsed.error;
  const returned = await tool.run(parsed.data, context);
  return typeof returned === 'string' ? { content: returned } : returned;
}

export function textOf(output: ToolOutput): string {
  if (typeof output.content === 'string') return output.content;
  return output.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
