/**
 * What a tool returned, made fit for the journal and the API: text well-formed and never empty,
 * marked as untrusted where it is, shortened to its share with the whole kept as a file, data
 * bounded. The wrapper is put round the text here, at write time, and nowhere else.
 */
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import type { ShownFile, Tool, ToolOutput } from '../tools/define.ts';
import { cutUtf8, truncateText, utf8Length } from '../tools/truncate.ts';
import { WRAPPER_BYTES, wrap } from '../tools/untrusted.ts';
import type { RunWorkspace } from '../tools/workspace.ts';
import type { FileBlock, ToolContent } from './journal.ts';

const NO_OUTPUT = '(no output)';
/** JSON of `data`; pages need tables, not archives. */
const MAX_DATA_BYTES = 64 * 1024;
/** Base64 characters of one image: the API's limit is 5 MB. */
const MAX_IMAGE_CHARS = 5_000_000;
/** Bytes of one file, which base64 makes a third longer; a document shares the request's 32 MB. */
const MAX_FILE_BYTES = { image: 3_750_000, document: 8_000_000 };
/** What the API looks at. */
const SHOWN_TYPES: Record<FileBlock['as'], readonly string[]> = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
};
/** Share of a preview that keeps the end of the text: totals and errors stand there. */
const TAIL_SHARE = 0.2;
/** Less than this says nothing, whatever the share. */
const MIN_PREVIEW_BYTES = 512;

/** Anything a tool's `run` gave back, as a ToolOutput; tools from outside the types too. */
export function toOutput(returned: unknown): ToolOutput {
  if (returned === undefined || returned === null) return { content: '' };
  if (typeof returned === 'string') return { content: returned };
  if (isRecord(returned) && 'content' in returned) {
    const { content } = returned;
    if (typeof content === 'string' || Array.isArray(content))
      return returned as unknown as ToolOutput;
    return { ...returned, content: toJsonText(content) };
  }
  return { content: toJsonText(returned) };
}

export interface ShapeOptions {
  tool: Tool;
  toolUseId: string;
  workspace: RunWorkspace;
  previewBytes: number;
  /** Sentence for the model after the text, outside the wrapper, or null. */
  note: string | null;
}

/** Content blocks as the journal keeps them. Never throws: a failed store costs the rest, and says so. */
export async function shapeContent(
  output: ToolOutput,
  options: ShapeOptions,
): Promise<ToolContent[]> {
  const { tool, previewBytes, note } = options;
  const { text, images, dropped } = split(output.content, options.workspace);
  const notes = [...dropped, ...(note === null ? [] : [note])];
  const isEmpty = text.trim() === '';
  const body = isEmpty ? '' : tool.untrusted ? wrap(text, tool.name) : text;
  const blocks: ToolContent[] = [];
  if (utf8Length(body) <= previewBytes) {
    if (!isEmpty) blocks.push({ type: 'text', text: body });
  } else {
    blocks.push({ type: 'text', text: await preview(text, options) });
  }
  blocks.push(...images);
  if (isEmpty && images.length === 0) blocks.push({ type: 'text', text: NO_OUTPUT });
  if (notes.length > 0) blocks.push({ type: 'text', text: `[${notes.join('; ')}]` });
  return blocks;
}

/** Keeps the whole text as a file that the other tools can open, and shows its head and tail. */
async function preview(text: string, options: ShapeOptions): Promise<string> {
  const { tool, toolUseId, workspace, previewBytes } = options;
  const path = `tool_results/${toolUseId.replace(/[^\w-]/g, '_').slice(0, 100)}.txt`;
  let stored: string | null = null;
  try {
    const kept = new TextEncoder().encode(cutUtf8(text, MAX_UPLOAD_BYTES));
    stored = (await workspace.write(path, kept, 'text/plain')).path;
  } catch {
    // The object store failed or the call was cancelled: the preview alone is still worth having.
  }
  const room = tool.untrusted ? previewBytes - WRAPPER_BYTES : previewBytes;
  const maxBytes = Math.max(MIN_PREVIEW_BYTES, room);
  const cut = truncateText(text, {
    maxBytes,
    tailBytes: Math.floor(maxBytes * TAIL_SHARE),
    path: stored,
  });
  return tool.untrusted ? wrap(cut.text, tool.name) : cut.text;
}

function split(
  content: ToolOutput['content'],
  workspace: RunWorkspace,
): {
  text: string;
  images: ToolContent[];
  dropped: string[];
} {
  if (typeof content === 'string') return { text: content.toWellFormed(), images: [], dropped: [] };
  const texts: string[] = [];
  const images: ToolContent[] = [];
  const dropped: string[] = [];
  for (const block of content as unknown[]) {
    if (isRecord(block) && block.type === 'text' && typeof block.text === 'string') {
      texts.push(block.text.toWellFormed());
    } else if (isImage(block)) {
      if (imageChars(block) <= MAX_IMAGE_CHARS) images.push(block);
      else dropped.push('an image was left out: it is larger than 5 MB');
    } else if (isShownFile(block)) {
      const shown = toFileBlock(block, workspace);
      if (typeof shown === 'string') dropped.push(shown);
      else images.push(shown);
    } else if (block !== undefined && block !== null) texts.push(toJsonText(block));
  }
  return { text: texts.join('\n'), images, dropped };
}

function isImage(block: unknown): block is Extract<ToolContent, { type: 'image' }> {
  return isRecord(block) && block.type === 'image' && isRecord(block.source);
}

function isShownFile(block: unknown): block is ShownFile {
  return (
    isRecord(block) &&
    block.type === 'file' &&
    (block.as === 'image' || block.as === 'document') &&
    typeof block.path === 'string'
  );
}

/** The reference that the journal keeps, or why the file is not shown. */
function toFileBlock({ as, path, tokens }: ShownFile, workspace: RunWorkspace): FileBlock | string {
  const file = workspace.find(path);
  if (file === null) return `an ${as} was left out: there is no file ${path}`;
  const { object, bytes, media_type } = file;
  if (!SHOWN_TYPES[as].includes(media_type)) {
    return `${file.path} was left out: ${media_type} cannot be shown as ${as}`;
  }
  if (bytes > MAX_FILE_BYTES[as]) {
    return `${file.path} was left out: it has ${bytes} bytes, ${MAX_FILE_BYTES[as]} can be shown`;
  }
  const cost = Number.isFinite(tokens) ? Math.max(1, Math.ceil(tokens)) : 1;
  return { type: 'file', as, path: file.path, object, bytes, media_type, tokens: cost };
}

function imageChars(block: Extract<ToolContent, { type: 'image' }>): number {
  return block.source.type === 'base64' ? block.source.data.length : 0;
}

/** `data` as plain JSON within its bound, or a word about why it is not there. */
export function boundData(data: unknown): unknown {
  if (data === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(data, wellFormed);
  } catch {
    return { dropped: 'not plain JSON' };
  }
  if (text === undefined) return { dropped: 'not plain JSON' };
  const bytes = utf8Length(text);
  return bytes <= MAX_DATA_BYTES ? JSON.parse(text) : { dropped: 'too large', bytes };
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function toJsonText(value: unknown): string {
  try {
    return (JSON.stringify(value, wellFormed) ?? String(value)).toWellFormed();
  } catch {
    return typeof value === 'bigint'
      ? String(value)
      : 'The tool returned something that is not text.';
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
